// RUN: quack-opt %s --quack-tv-place-barriers | FileCheck %s

// Where a cluster works on one tile after the other, a buffer is published to again when
// all of its readers have met.

#one = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 4, partials = 2>
#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4, partials = 2>
#rows = #quack_tv.plan<threads = 64, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, partials = 2>
#fold = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 4, partials = 16>
#warps = #quack_tv.layout<warp = [2:1], lane = [32:0]>
#row = #quack_tv.layout<warp = [2:0], lane = [32:0]>
#ctas = #quack_tv.layout<cta = [2:1], lane = [32:0]>
#crow = #quack_tv.layout<cta = [2:0], lane = [32:0]>
#tile = #quack_tv.layout<warp = [2:128], lane = [32:4], value = [4:1]>
#scalars = #quack_tv.layout<warp = [2:1], lane = [32:0]>
#over = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4, hold = {x = async}, partials = 2, overlap = true>
#half = #quack_tv.layout<cta = [2:128], lane = [32:4], value = [4:1]>
#threads = #quack_tv.layout<cta = [2:32], lane = [32:1]>
#pairs = #quack_tv.layout<cta = [2:1], lane = [32:0]>
#prow = #quack_tv.layout<cta = [2:0], lane = [32:0]>

// One exchange: a barrier of its own.
// CHECK-LABEL: quack_tv.kernel @one_exchange
// CHECK-SAME: shared 8
// CHECK-NEXT: each_tile
// CHECK-NEXT: load
// CHECK-NEXT: alloc_exchange at 0 bytes 8
// CHECK-NEXT: quack_tv.barrier
// CHECK-NEXT: publish
// CHECK-NEXT: quack_tv.barrier
// CHECK-NEXT: collect
// CHECK-NEXT: accumulate
// CHECK-NEXT: }
quack_tv.kernel @one_exchange(%x: memref<?x2xf32> in row, %s: memref<f32> out single) plan #one workspace 16 {
  %v = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #warps>
  %r = quack_tv.block_reduce addf %v : tensor<1x2xf32, #warps>
  quack_tv.accumulate %r, %s at 0 : tensor<1x1xf32, #row>, memref<f32>
}

// Two: between a collect and the next publish to its buffer lies the other's barrier.
// CHECK-LABEL: quack_tv.kernel @two_exchanges
// CHECK-NEXT: each_tile
// CHECK-COUNT-2: quack_tv.barrier
// CHECK-NOT: quack_tv.barrier
// CHECK: quack_tv.kernel @remote
quack_tv.kernel @two_exchanges(%x: memref<?x2xf32> in row, %s: memref<f32> out single) plan #one workspace 16 {
  %v = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #warps>
  %m = quack_tv.block_reduce maximumf %v : tensor<1x2xf32, #warps>
  %b = quack_tv.broadcast %m : tensor<1x1xf32, #row> -> tensor<1x2xf32, #warps>
  %d = arith.subf %v, %b : tensor<1x2xf32, #warps>
  %r = quack_tv.block_reduce addf %d : tensor<1x2xf32, #warps>
  quack_tv.accumulate %r, %s at 0 : tensor<1x1xf32, #row>, memref<f32>
}

// In a cluster the CTAs arrive when they have read, and wait at the tile's end.
// CHECK-NEXT: cluster_init barriers [8] expect [8]
// CHECK-NEXT: cluster_arrive
// CHECK-NEXT: cluster_wait
// CHECK-NEXT: each_tile
// CHECK: collect
// CHECK-NEXT: cluster_arrive release
// CHECK-NEXT: store
// CHECK-NEXT: accumulate
// CHECK-NEXT: cluster_wait
// CHECK-NEXT: }
quack_tv.kernel @remote(%x: memref<?x2xf32> in row, %y: memref<?xf32> out scalar, %s: memref<f32> out single) plan #pair workspace 16 {
  %v = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #ctas>
  %r = quack_tv.cluster_reduce addf %v : tensor<1x2xf32, #ctas>
  quack_tv.store %r, %y : tensor<1x1xf32, #crow>, memref<?xf32>
  quack_tv.accumulate %r, %s at 0 : tensor<1x1xf32, #crow>, memref<f32>
}

// A scalar that is updated has them meet anyway.
// CHECK-LABEL: quack_tv.kernel @updated
// CHECK: collect
// CHECK-NOT: cluster_
// CHECK: cluster_arrive release
// CHECK-NEXT: cluster_wait
// CHECK-NEXT: store
// CHECK-NOT: cluster_
// CHECK: quack_tv.kernel @groups
quack_tv.kernel @updated(%x: memref<?x2xf32> in row, %y: memref<?xf32> inout scalar, %s: memref<f32> out single) plan #pair workspace 16 {
  %v = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #ctas>
  %o = quack_tv.load %y : memref<?xf32> -> tensor<1x1xf32, #crow>
  %r = quack_tv.cluster_reduce addf %v : tensor<1x2xf32, #ctas>
  %n = arith.addf %o, %r : tensor<1x1xf32, #crow>
  quack_tv.store %n, %y : tensor<1x1xf32, #crow>, memref<?xf32>
  quack_tv.accumulate %r, %s at 0 : tensor<1x1xf32, #crow>, memref<f32>
}

// Two groups of threads have 128 columns: they meet in one place, for either sum.
// CHECK-SAME: shared 1024
// CHECK: accumulate %{{.*}}, %w at 0 gather 0 :
// CHECK: accumulate %{{.*}}, %s at 512 gather 0 :
quack_tv.kernel @groups(%x: memref<?x128xf32> in row, %t: memref<?xf32> in scalar, %w: memref<128xf32> out columns, %s: memref<f32> out single) plan #rows workspace 528 {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<2x128xf32, #tile>
  %r = quack_tv.load %t : memref<?xf32> -> tensor<2x1xf32, #scalars>
  quack_tv.accumulate %v, %w at 0 : tensor<2x128xf32, #tile>, memref<128xf32>
  quack_tv.accumulate %r, %s at 512 : tensor<2x1xf32, #scalars>, memref<f32>
}

// Two warps that fold have a word a thread.
// CHECK-LABEL: quack_tv.kernel @folds
// CHECK-SAME: shared 256
// CHECK-NEXT: fold
quack_tv.kernel @folds(%x: memref<?x128xf32> in row, %w: memref<128xf32> out columns) plan #fold workspace 512 {
  quack_tv.fold %w of 16 at 0 : memref<128xf32>
}

// Where tiles overlap: three buffers of the row (512 bytes each in a CTA), eight of the
// exchange, an mbarrier for each and one to meet at. Weights are loaded for all tiles.
// CHECK-LABEL: quack_tv.kernel @overlap
// CHECK-SAME: shared 1672
// CHECK-NEXT: cluster_init barriers [1600, 1608, 1616, 1624, 1632, 1640, 1648, 1656, 1664] expect [8, 8, 8, 8, 8, 8, 8, 8, 0]
// CHECK-NEXT: cluster_arrive
// CHECK-NEXT: cluster_wait
// CHECK-NEXT: load %w
// CHECK-NEXT: each_tile
// CHECK-NEXT: stage %x
// CHECK: warp_reduce
// CHECK-NEXT: alloc_exchange at 1536 bytes 8 barrier 1600
// CHECK-NEXT: cluster_wait
// CHECK-NEXT: publish
// CHECK-NEXT: tile_before
// CHECK-NEXT: exchange_wait
// CHECK-NEXT: collect
// CHECK-NEXT: cluster_arrive release
// CHECK-NOT: cluster_
// CHECK: store
// CHECK-NEXT: }
quack_tv.kernel @overlap(%x: memref<?x256xf32> in row, %w: memref<256xf32> in columns, %y: memref<?x256xf32> out row, %s: memref<256xf32> out columns) plan #over workspace 1024 {
  %staged = quack_tv.stage %x by async : memref<?x256xf32> -> !quack_tv.staged<tensor<1x256xf32, #half>>
  %k = quack_tv.load %w : memref<256xf32> -> tensor<1x256xf32, #half>
  %v = quack_tv.read %staged pass 0 : !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.accumulate %v, %s at 0 : tensor<1x256xf32, #half>, memref<256xf32>
  %p = arith.mulf %v, %k : tensor<1x256xf32, #half>
  %t = quack_tv.thread_reduce addf %p : tensor<1x256xf32, #half>
  %l = quack_tv.warp_reduce addf %t : tensor<1x64xf32, #threads>
  %m = quack_tv.cluster_reduce addf %l : tensor<1x2xf32, #pairs>
  %b = quack_tv.broadcast %m : tensor<1x1xf32, #prow> -> tensor<1x256xf32, #half>
  %again = quack_tv.read %staged pass 1 : !quack_tv.staged<tensor<1x256xf32, #half>>
  %d = arith.subf %again, %b : tensor<1x256xf32, #half>
  quack_tv.store %d, %y : tensor<1x256xf32, #half>, memref<?x256xf32>
}
