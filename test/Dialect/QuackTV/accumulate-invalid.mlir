// RUN: split-file %s %t
// RUN: %python %t/assemble.py %t/cases.txt > %t/cases.mlir
// RUN: quack-opt %t/cases.mlir --split-input-file --verify-diagnostics

// Sums over rows. The aliases that all cases share are put before each.

//--- assemble.py
import sys
aliases, *cases = open(sys.argv[1]).read().split("// -----\n")
print("// -----\n".join(aliases + case for case in cases))

//--- cases.txt
#base = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, partials = 2>
#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4, partials = 2>
#groups = #quack_tv.plan<threads = 64, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, partials = 2>
#warps = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 4, partials = 2>
#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4, partials = 2>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
#rows = #quack_tv.layout<warp = [2:128], lane = [32:4], value = [4:1]>
#partial = #quack_tv.layout<warp = [2:1], lane = [32:0]>
#row = #quack_tv.layout<warp = [2:0], lane = [32:0]>
#partials = #quack_tv.layout<cta = [2:1], lane = [32:0]>
#pairrow = #quack_tv.layout<cta = [2:0], lane = [32:0]>
#over = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4, hold = {x = async}, partials = 2, overlap = true>
#half = #quack_tv.layout<cta = [2:128], lane = [32:4], value = [4:1]>
#halves = #quack_tv.layout<cta = [2:32], lane = [32:1]>
// -----
quack_tv.kernel @accumulate_c1_row(%x: memref<?x128xf32> in row, %y: memref<?x128xf32> out row) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.accumulate' op 'target' must be an out operand with role columns or single, got 'y', which is out row}}
  quack_tv.accumulate %v, %y : tensor<1x128xf32, #tile>, memref<?x128xf32>
}
// -----
quack_tv.kernel @accumulate_c2_rows(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #groups {
  %v = arith.constant dense<0.0> : tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.accumulate' op 'value' must have the kernel's 2 rows, got 1}}
  quack_tv.accumulate %v, %s : tensor<1x128xf32, #tile>, memref<128xf32>
}
// -----
quack_tv.kernel @accumulate_c2_narrow(%x: memref<?x128xbf16> in row, %s: memref<128xbf16> out columns) plan #plan {
  %v = quack_tv.load %x : memref<?x128xbf16> -> tensor<1x128xbf16, #tile>
  // expected-error @below {{'quack_tv.accumulate' op 'value' must have element type f32, got 'bf16'}}
  quack_tv.accumulate %v, %s : tensor<1x128xbf16, #tile>, memref<128xbf16>
}
// -----
quack_tv.kernel @accumulate_c3_rows_of_a_thread(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns)
    plan #quack_tv.plan<threads = 64, threads_per_row = 32, rows_per_thread = 2, cluster = 1, vector = 4, partials = 2> {
  %v = arith.constant dense<0.0> : tensor<4x128xf32, #quack_tv.layout<warp = [2:256], lane = [32:4], value = [4:1, 2:128]>>
  // expected-error @below {{'quack_tv.accumulate' op a thread's rows must be 2 apart, as many as the CTA has groups of threads with rows of their own, got 'tensor<4x128xf32,}}
  quack_tv.accumulate %v, %s : tensor<4x128xf32, #quack_tv.layout<warp = [2:256], lane = [32:4], value = [4:1, 2:128]>>, memref<128xf32>
}
// -----
quack_tv.kernel @fold_c1_row(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #plan workspace 512 {
  // expected-error @below {{'quack_tv.fold' op 'target' must be an out operand with role columns or single, got 'x', which is in row}}
  quack_tv.fold %x of 2 at 0 : memref<?x128xf32>
}
// -----
quack_tv.kernel @fold_c2_other_partials(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #plan workspace 512 {
  // expected-error @below {{'quack_tv.fold' op must add up the 2 partials of the kernel's plan, got 3}}
  quack_tv.fold %s of 3 at 0 : memref<128xf32>
}
// -----
quack_tv.kernel @store_c1_columns(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #base {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.store' op 'target' must be a row or scalar operand, got 's' with role columns, which all rows share: accumulate it}}
  quack_tv.store %v, %s : tensor<1x128xf32, #tile>, memref<128xf32>
}
// -----
// expected-error @below {{'quack_tv.kernel' op plan must have 'partials' in a kernel that accumulates}}
quack_tv.kernel @kernel_c20_no_partials(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #base {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  quack_tv.accumulate %v, %s : tensor<1x128xf32, #tile>, memref<128xf32>
}
// -----
// expected-error @below {{'quack_tv.kernel' op plan must have 'partials' or 'split', got partials = 2, split = 2}}
quack_tv.kernel @kernel_c20_split(%x: memref<?x128xf32> in row) plan #split {}
// -----
quack_tv.kernel @kernel_c21_fold_and_load(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #plan workspace 512 {
  // expected-error @below {{'quack_tv.load' op must not stand in a kernel that folds}}
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  quack_tv.fold %s of 2 at 0 : memref<128xf32>
}
// -----
quack_tv.kernel @kernel_c22_before_each_tile(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #plan shared 0 workspace 512 {
  // expected-error @below {{'quack_tv.load' op must come after the each_tile of a kernel whose plan has 'partials'}}
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  quack_tv.each_tile
  quack_tv.accumulate %v, %s at 0 : tensor<1x128xf32, #tile>, memref<128xf32>
}
// -----
quack_tv.kernel @kernel_c22_each_tile_twice(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #plan shared 0 workspace 512 {
  quack_tv.each_tile
  // expected-error @below {{'quack_tv.each_tile' op must stand once in a kernel whose plan has 'partials', and in no other}}
  quack_tv.each_tile
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  quack_tv.accumulate %v, %s at 0 : tensor<1x128xf32, #tile>, memref<128xf32>
}
// -----
quack_tv.kernel @kernel_c22_without_sums(%x: memref<?x128xf32> in row) plan #base {
  // expected-error @below {{'quack_tv.each_tile' op must stand once in a kernel whose plan has 'partials', and in no other}}
  quack_tv.each_tile
}
// -----
quack_tv.kernel @kernel_c22_bulk(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #plan {
  // expected-error @below {{'quack_tv.stage' op must be by async where clusters stay and work on one tile after the other}}
  %staged = quack_tv.stage %x by bulk : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
  %v = quack_tv.read %staged pass 0 : !quack_tv.staged<tensor<1x128xf32, #tile>>
  quack_tv.accumulate %v, %s : tensor<1x128xf32, #tile>, memref<128xf32>
}
// -----
quack_tv.kernel @kernel_c22_no_gather(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #groups shared 0 workspace 512 {
  quack_tv.each_tile
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<2x128xf32, #rows>
  // expected-error @below {{'quack_tv.accumulate' op must say where its sums meet, as the kernel's shared memory is laid out}}
  quack_tv.accumulate %v, %s at 0 : tensor<2x128xf32, #rows>, memref<128xf32>
}
// -----
quack_tv.kernel @kernel_c8_gather_beyond_shared(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #groups shared 1000 workspace 512 {
  quack_tv.each_tile
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<2x128xf32, #rows>
  // expected-error @below {{'quack_tv.accumulate' op must lie in the kernel's 1000 bytes of shared memory, got an end of 1024}}
  quack_tv.accumulate %v, %s at 0 gather 0 : tensor<2x128xf32, #rows>, memref<128xf32>
}
// -----
quack_tv.kernel @kernel_c23_accumulate(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #plan workspace 512 {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.accumulate' op must lie in the workspace's 512 bytes a partial, got bytes 16 to 528}}
  quack_tv.accumulate %v, %s at 16 : tensor<1x128xf32, #tile>, memref<128xf32>
}
// -----
quack_tv.kernel @kernel_c23_fold(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #plan workspace 520 {
  // expected-error @below {{'quack_tv.fold' op must start at a multiple of 16 bytes in each partial, got byte 0 of 520}}
  quack_tv.fold %s of 2 at 0 : memref<128xf32>
}
// -----
quack_tv.kernel @kernel_c5_local_buffer_of_the_next_tile(%x: memref<?x2xf32> in row, %s: memref<f32> out single) plan #warps workspace 16 {
  quack_tv.each_tile
  %v = arith.constant dense<0.0> : tensor<1x2xf32, #partial>
  %b = quack_tv.alloc_exchange at 0 bytes 8
  // expected-error @below {{'quack_tv.publish' op for the next tile must come after a barrier that follows the collect from its buffer, which may still be read}}
  quack_tv.publish %v to %b : tensor<1x2xf32, #partial>
  quack_tv.barrier
  %r = quack_tv.collect addf %b, %v : tensor<1x2xf32, #partial> -> tensor<1x1xf32, #row>
  quack_tv.accumulate %r, %s at 0 : tensor<1x1xf32, #row>, memref<f32>
}
// -----
quack_tv.kernel @kernel_c5_remote_buffer_of_the_next_tile(%x: memref<?x2xf32> in row, %s: memref<f32> out single) plan #pair workspace 16 {
  quack_tv.cluster_init barriers [8] expect [8]
  quack_tv.cluster_arrive
  quack_tv.cluster_wait
  quack_tv.each_tile
  %v = arith.constant dense<0.0> : tensor<1x2xf32, #partials>
  %b = quack_tv.alloc_exchange at 0 bytes 8 barrier 8
  // expected-error @below {{'quack_tv.publish' op for the next tile must come after a cluster_arrive release and its cluster_wait that follows the collect from its buffer, which may still be read}}
  quack_tv.publish %v to %b : tensor<1x2xf32, #partials>
  quack_tv.exchange_wait %b
  %r = quack_tv.collect addf %b, %v : tensor<1x2xf32, #partials> -> tensor<1x1xf32, #pairrow>
  quack_tv.cluster_arrive
  quack_tv.accumulate %r, %s at 0 : tensor<1x1xf32, #pairrow>, memref<f32>
  quack_tv.cluster_wait
}
// -----
// expected-error @below {{'quack_tv.kernel' op plan with 'overlap' must have 'partials' and a 'cluster', got partials = 2, cluster = 1}}
quack_tv.kernel @kernel_c25_no_cluster(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, partials = 2, overlap = true> {
}
// -----
// expected-error @below {{'quack_tv.kernel' op must have a tile_before, as its plan has 'overlap'}}
quack_tv.kernel @kernel_c25_no_tile_before(%x: memref<?x256xf32> in row, %w: memref<256xf32> in columns, %y: memref<?x256xf32> out row, %s: memref<256xf32> out columns) plan #over shared 1672 workspace 1024 {
  quack_tv.cluster_init barriers [1600, 1608, 1616, 1624, 1632, 1640, 1648, 1656, 1664] expect [8, 8, 8, 8, 8, 8, 8, 8, 0]
  quack_tv.cluster_arrive
  quack_tv.cluster_wait
  %0 = quack_tv.load %w : memref<256xf32> -> tensor<1x256xf32, #half>
  quack_tv.each_tile
  %1 = quack_tv.stage %x by async at 0 : memref<?x256xf32> -> !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.await %1 : !quack_tv.staged<tensor<1x256xf32, #half>>
  %2 = quack_tv.read %1 pass 0 : !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.accumulate %2, %s at 0 : tensor<1x256xf32, #half>, memref<256xf32>
  %3 = arith.mulf %2, %0 : tensor<1x256xf32, #half>
  %4 = quack_tv.thread_reduce addf %3 : tensor<1x256xf32, #half>
  %5 = quack_tv.warp_reduce addf %4 : tensor<1x64xf32, #halves>
  %6 = quack_tv.alloc_exchange at 1536 bytes 8 barrier 1600
  quack_tv.cluster_wait
  quack_tv.publish %5 to %6 : tensor<1x2xf32, #partials>
  quack_tv.exchange_wait %6
  %7 = quack_tv.collect addf %6, %5 : tensor<1x2xf32, #partials> -> tensor<1x1xf32, #pairrow>
  quack_tv.cluster_arrive release
  %8 = quack_tv.broadcast %7 : tensor<1x1xf32, #pairrow> -> tensor<1x256xf32, #half>
  %9 = quack_tv.read %1 pass 1 : !quack_tv.staged<tensor<1x256xf32, #half>>
  %10 = arith.subf %9, %8 : tensor<1x256xf32, #half>
  quack_tv.store %10, %y : tensor<1x256xf32, #half>, memref<?x256xf32>
}
// -----
quack_tv.kernel @kernel_c25_twice(%x: memref<?x256xf32> in row, %w: memref<256xf32> in columns, %y: memref<?x256xf32> out row, %s: memref<256xf32> out columns) plan #over shared 1672 workspace 1024 {
  quack_tv.cluster_init barriers [1600, 1608, 1616, 1624, 1632, 1640, 1648, 1656, 1664] expect [8, 8, 8, 8, 8, 8, 8, 8, 0]
  quack_tv.cluster_arrive
  quack_tv.cluster_wait
  %0 = quack_tv.load %w : memref<256xf32> -> tensor<1x256xf32, #half>
  quack_tv.each_tile
  %1 = quack_tv.stage %x by async at 0 : memref<?x256xf32> -> !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.await %1 : !quack_tv.staged<tensor<1x256xf32, #half>>
  %2 = quack_tv.read %1 pass 0 : !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.accumulate %2, %s at 0 : tensor<1x256xf32, #half>, memref<256xf32>
  %3 = arith.mulf %2, %0 : tensor<1x256xf32, #half>
  %4 = quack_tv.thread_reduce addf %3 : tensor<1x256xf32, #half>
  %5 = quack_tv.warp_reduce addf %4 : tensor<1x64xf32, #halves>
  %6 = quack_tv.alloc_exchange at 1536 bytes 8 barrier 1600
  quack_tv.cluster_wait
  quack_tv.publish %5 to %6 : tensor<1x2xf32, #partials>
  quack_tv.tile_before
  // expected-error @below {{'quack_tv.tile_before' op must stand once in a kernel whose plan has 'overlap', with barriers placed, and in no other}}
  quack_tv.tile_before // again
  quack_tv.exchange_wait %6
  %7 = quack_tv.collect addf %6, %5 : tensor<1x2xf32, #partials> -> tensor<1x1xf32, #pairrow>
  quack_tv.cluster_arrive release
  %8 = quack_tv.broadcast %7 : tensor<1x1xf32, #pairrow> -> tensor<1x256xf32, #half>
  %9 = quack_tv.read %1 pass 1 : !quack_tv.staged<tensor<1x256xf32, #half>>
  %10 = arith.subf %9, %8 : tensor<1x256xf32, #half>
  quack_tv.store %10, %y : tensor<1x256xf32, #half>, memref<?x256xf32>
}
// -----
quack_tv.kernel @kernel_c25_awaits_late(%x: memref<?x256xf32> in row, %w: memref<256xf32> in columns, %y: memref<?x256xf32> out row, %s: memref<256xf32> out columns) plan #over shared 1672 workspace 1024 {
  quack_tv.cluster_init barriers [1600, 1608, 1616, 1624, 1632, 1640, 1648, 1656, 1664] expect [8, 8, 8, 8, 8, 8, 8, 8, 0]
  quack_tv.cluster_arrive
  quack_tv.cluster_wait
  %0 = quack_tv.load %w : memref<256xf32> -> tensor<1x256xf32, #half>
  quack_tv.each_tile
  %1 = quack_tv.stage %x by async at 0 : memref<?x256xf32> -> !quack_tv.staged<tensor<1x256xf32, #half>>
  %2 = quack_tv.read %1 pass 0 : !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.accumulate %2, %s at 0 : tensor<1x256xf32, #half>, memref<256xf32>
  %3 = arith.mulf %2, %0 : tensor<1x256xf32, #half>
  %4 = quack_tv.thread_reduce addf %3 : tensor<1x256xf32, #half>
  %5 = quack_tv.warp_reduce addf %4 : tensor<1x64xf32, #halves>
  %6 = quack_tv.alloc_exchange at 1536 bytes 8 barrier 1600
  quack_tv.cluster_wait
  quack_tv.publish %5 to %6 : tensor<1x2xf32, #partials>
  quack_tv.tile_before
  quack_tv.exchange_wait %6
  %7 = quack_tv.collect addf %6, %5 : tensor<1x2xf32, #partials> -> tensor<1x1xf32, #pairrow>
  quack_tv.cluster_arrive release
  %8 = quack_tv.broadcast %7 : tensor<1x1xf32, #pairrow> -> tensor<1x256xf32, #half>
  // expected-error @below {{'quack_tv.await' op must come before the tile_before: what follows only collects and stores}}
  quack_tv.await %1 : !quack_tv.staged<tensor<1x256xf32, #half>>
  %9 = quack_tv.read %1 pass 1 : !quack_tv.staged<tensor<1x256xf32, #half>>
  %10 = arith.subf %9, %8 : tensor<1x256xf32, #half>
  quack_tv.store %10, %y : tensor<1x256xf32, #half>, memref<?x256xf32>
}
// -----
quack_tv.kernel @kernel_c25_kept_row(%x: memref<?x256xf32> in row, %w: memref<256xf32> in columns, %y: memref<?x256xf32> out row, %s: memref<256xf32> out columns) plan #over shared 1672 workspace 1024 {
  quack_tv.cluster_init barriers [1600, 1608, 1616, 1624, 1632, 1640, 1648, 1656, 1664] expect [8, 8, 8, 8, 8, 8, 8, 8, 0]
  quack_tv.cluster_arrive
  quack_tv.cluster_wait
  %0 = quack_tv.load %w : memref<256xf32> -> tensor<1x256xf32, #half>
  quack_tv.each_tile
  %v = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #half>
  %1 = quack_tv.stage %x by async at 0 : memref<?x256xf32> -> !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.await %1 : !quack_tv.staged<tensor<1x256xf32, #half>>
  %2 = quack_tv.read %1 pass 0 : !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.accumulate %2, %s at 0 : tensor<1x256xf32, #half>, memref<256xf32>
  %3 = arith.mulf %2, %0 : tensor<1x256xf32, #half>
  %4 = quack_tv.thread_reduce addf %3 : tensor<1x256xf32, #half>
  %5 = quack_tv.warp_reduce addf %4 : tensor<1x64xf32, #halves>
  %6 = quack_tv.alloc_exchange at 1536 bytes 8 barrier 1600
  quack_tv.cluster_wait
  quack_tv.publish %5 to %6 : tensor<1x2xf32, #partials>
  quack_tv.tile_before
  quack_tv.exchange_wait %6
  %7 = quack_tv.collect addf %6, %5 : tensor<1x2xf32, #partials> -> tensor<1x1xf32, #pairrow>
  quack_tv.cluster_arrive release
  %8 = quack_tv.broadcast %7 : tensor<1x1xf32, #pairrow> -> tensor<1x256xf32, #half>
  %9 = quack_tv.read %1 pass 1 : !quack_tv.staged<tensor<1x256xf32, #half>>
  %10 = arith.subf %v, %8 : tensor<1x256xf32, #half>
  // expected-error @below {{'quack_tv.store' op must not use what a thread keeps from before the tile_before: hold the kernel's rows by async}}
  quack_tv.store %10, %y : tensor<1x256xf32, #half>, memref<?x256xf32>
}
// -----
quack_tv.kernel @kernel_c5_no_wait(%x: memref<?x256xf32> in row, %w: memref<256xf32> in columns, %y: memref<?x256xf32> out row, %s: memref<256xf32> out columns) plan #over shared 1672 workspace 1024 {
  quack_tv.cluster_init barriers [1600, 1608, 1616, 1624, 1632, 1640, 1648, 1656, 1664] expect [8, 8, 8, 8, 8, 8, 8, 8, 0]
  quack_tv.cluster_arrive
  quack_tv.cluster_wait
  %0 = quack_tv.load %w : memref<256xf32> -> tensor<1x256xf32, #half>
  quack_tv.each_tile
  %1 = quack_tv.stage %x by async at 0 : memref<?x256xf32> -> !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.await %1 : !quack_tv.staged<tensor<1x256xf32, #half>>
  %2 = quack_tv.read %1 pass 0 : !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.accumulate %2, %s at 0 : tensor<1x256xf32, #half>, memref<256xf32>
  %3 = arith.mulf %2, %0 : tensor<1x256xf32, #half>
  %4 = quack_tv.thread_reduce addf %3 : tensor<1x256xf32, #half>
  %5 = quack_tv.warp_reduce addf %4 : tensor<1x64xf32, #halves>
  %6 = quack_tv.alloc_exchange at 1536 bytes 8 barrier 1600
  quack_tv.publish %5 to %6 : tensor<1x2xf32, #partials>
  quack_tv.tile_before
  quack_tv.exchange_wait %6
  %7 = quack_tv.collect addf %6, %5 : tensor<1x2xf32, #partials> -> tensor<1x1xf32, #pairrow>
  // expected-error @below {{'quack_tv.cluster_arrive' op must not follow a cluster_arrive without a cluster_wait between}}
  quack_tv.cluster_arrive release
  %8 = quack_tv.broadcast %7 : tensor<1x1xf32, #pairrow> -> tensor<1x256xf32, #half>
  %9 = quack_tv.read %1 pass 1 : !quack_tv.staged<tensor<1x256xf32, #half>>
  %10 = arith.subf %9, %8 : tensor<1x256xf32, #half>
  quack_tv.store %10, %y : tensor<1x256xf32, #half>, memref<?x256xf32>
}
// -----
quack_tv.kernel @kernel_c10_meeting(%x: memref<?x256xf32> in row, %w: memref<256xf32> in columns, %y: memref<?x256xf32> out row, %s: memref<256xf32> out columns) plan #over shared 1672 workspace 1024 {
  quack_tv.cluster_init barriers [1600, 1608, 1616, 1624, 1632, 1640, 1648, 1656, 1664] expect [8, 8, 8, 8, 8, 8, 8, 8, 8]
  quack_tv.cluster_arrive
  quack_tv.cluster_wait
  %0 = quack_tv.load %w : memref<256xf32> -> tensor<1x256xf32, #half>
  quack_tv.each_tile
  %1 = quack_tv.stage %x by async at 0 : memref<?x256xf32> -> !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.await %1 : !quack_tv.staged<tensor<1x256xf32, #half>>
  %2 = quack_tv.read %1 pass 0 : !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.accumulate %2, %s at 0 : tensor<1x256xf32, #half>, memref<256xf32>
  %3 = arith.mulf %2, %0 : tensor<1x256xf32, #half>
  %4 = quack_tv.thread_reduce addf %3 : tensor<1x256xf32, #half>
  %5 = quack_tv.warp_reduce addf %4 : tensor<1x64xf32, #halves>
  // expected-error @below {{'quack_tv.alloc_exchange' op must have the bytes that its mbarrier expects, 8, got 0}}
  %6 = quack_tv.alloc_exchange at 1536 bytes 8 barrier 1600
  quack_tv.cluster_wait
  quack_tv.publish %5 to %6 : tensor<1x2xf32, #partials>
  quack_tv.tile_before
  quack_tv.exchange_wait %6
  %7 = quack_tv.collect addf %6, %5 : tensor<1x2xf32, #partials> -> tensor<1x1xf32, #pairrow>
  quack_tv.cluster_arrive release
  %8 = quack_tv.broadcast %7 : tensor<1x1xf32, #pairrow> -> tensor<1x256xf32, #half>
  %9 = quack_tv.read %1 pass 1 : !quack_tv.staged<tensor<1x256xf32, #half>>
  %10 = arith.subf %9, %8 : tensor<1x256xf32, #half>
  quack_tv.store %10, %y : tensor<1x256xf32, #half>, memref<?x256xf32>
}
