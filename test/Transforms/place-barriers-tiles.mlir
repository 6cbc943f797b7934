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
