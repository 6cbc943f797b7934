// RUN: quack-opt %s --quack-tv-place-barriers | FileCheck %s --implicit-check-not=block_reduce --implicit-check-not=cluster_reduce

#plan = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 1, vector = 4>
#pair = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 2, vector = 4>
#tile = #quack_tv.layout<warp = [4:128], lane = [32:4], value = [4:1]>
#half = #quack_tv.layout<cta = [2:512], warp = [4:128], lane = [32:4], value = [4:1]>
#warps = #quack_tv.layout<warp = [4:1], lane = [32:0]>
#row = #quack_tv.layout<warp = [4:0], lane = [32:0]>
#cwarps = #quack_tv.layout<cta = [2:4], warp = [4:1], lane = [32:0]>
#ctas = #quack_tv.layout<cta = [2:1], warp = [4:0], lane = [32:0]>
#crow = #quack_tv.layout<cta = [2:0], warp = [4:0], lane = [32:0]>

// Nothing meets, nothing waits: no shared memory.
// CHECK-LABEL: quack_tv.kernel @none
// CHECK-SAME: shared 0 {
quack_tv.kernel @none(%x: memref<?x512xf32> inout row) plan #plan {
  // CHECK-NEXT: %[[V:.*]] = quack_tv.load
  // CHECK-NEXT: quack_tv.store %[[V]]
  // CHECK-NEXT: }
  %v = quack_tv.load %x : memref<?x512xf32> -> tensor<1x512xf32, #tile>
  quack_tv.store %v, %x : tensor<1x512xf32, #tile>, memref<?x512xf32>
}

// Each thread has places of its own for what it keeps: 128 threads x 4 elements x
// 4 bytes, for all loads of the operand.
// CHECK-LABEL: quack_tv.kernel @kept
// CHECK-SAME: shared 2048 {
quack_tv.kernel @kept(%x: memref<?x512xf32> inout row) plan #plan {
  // CHECK-NEXT: quack_tv.load %x pass 0 at_use kept 4 at 0 :
  // CHECK-NEXT: quack_tv.load %x pass 1 at_use kept 4 at 0 :
  %v = quack_tv.load %x pass 0 at_use kept 4 : memref<?x512xf32> -> tensor<1x512xf32, #tile>
  %w = quack_tv.load %x pass 1 at_use kept 4 : memref<?x512xf32> -> tensor<1x512xf32, #tile>
  %s = arith.addf %v, %w : tensor<1x512xf32, #tile>
  quack_tv.store %s, %x : tensor<1x512xf32, #tile>, memref<?x512xf32>
}

// Two exchanges in a row have a buffer each: the second does not overwrite what
// a slow warp still reads.
// CHECK-LABEL: quack_tv.kernel @block
// CHECK-SAME: shared 32 {
quack_tv.kernel @block(%x: memref<?x4xf32> in row, %y: memref<?xf32> out scalar) plan #plan {
  // CHECK: %[[V:.*]] = quack_tv.load
  // CHECK-NEXT: %[[A:.*]] = quack_tv.alloc_exchange at 0 bytes 16
  // CHECK-NEXT: quack_tv.publish %[[V]] to %[[A]]
  // CHECK-NEXT: quack_tv.barrier
  // CHECK-NEXT: %[[M:.*]] = quack_tv.collect maximumf %[[A]], %[[V]] :
  // CHECK: %[[D:.*]] = arith.subf
  // CHECK-NEXT: %[[B:.*]] = quack_tv.alloc_exchange at 16 bytes 16
  // CHECK-NEXT: quack_tv.publish %[[D]] to %[[B]]
  // CHECK-NEXT: quack_tv.barrier
  // CHECK-NEXT: %[[S:.*]] = quack_tv.collect addf %[[B]], %[[D]] :
  // CHECK-NEXT: quack_tv.store %[[S]], %y
  // CHECK-NEXT: }
  %v = quack_tv.load %x : memref<?x4xf32> -> tensor<1x4xf32, #warps>
  %m = quack_tv.block_reduce maximumf %v : tensor<1x4xf32, #warps>
  %b = quack_tv.broadcast %m : tensor<1x1xf32, #row> -> tensor<1x4xf32, #warps>
  %d = arith.subf %v, %b : tensor<1x4xf32, #warps>
  %s = quack_tv.block_reduce addf %d : tensor<1x4xf32, #warps>
  quack_tv.store %s, %y : tensor<1x1xf32, #row>, memref<?xf32>
}

// Three values take slots of four words; the combiner moves along.
// CHECK-LABEL: quack_tv.kernel @slots
// CHECK-SAME: shared 64 {
quack_tv.kernel @slots(%x: memref<?x4xf32> in row, %y: memref<?xf32> out scalar) plan #plan {
  // CHECK: quack_tv.alloc_exchange at 0 bytes 64
  // CHECK: quack_tv.collect combine %{{.*}} identity [0.000000e+00 : f32, 0.000000e+00 : f32, 0.000000e+00 : f32]
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: quack_tv.yield
  %v = quack_tv.load %x : memref<?x4xf32> -> tensor<1x4xf32, #warps>
  %s:3 = quack_tv.block_reduce combine %v, %v, %v identity [0.0 : f32, 0.0 : f32, 0.0 : f32]
      : tensor<1x4xf32, #warps>, tensor<1x4xf32, #warps>, tensor<1x4xf32, #warps> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32):
    quack_tv.yield %a, %b, %c : f32, f32, f32
  }
  quack_tv.store %s#0, %y : tensor<1x1xf32, #row>, memref<?xf32>
}

// The mbarriers come first, the cluster's wait just before the first store to a
// peer, once for both exchanges.
// CHECK-LABEL: quack_tv.kernel @cluster
// CHECK-SAME: shared 88 {
quack_tv.kernel @cluster(%x: memref<?x8xf32> in row, %y: memref<?xf32> out scalar) plan #pair {
  // CHECK-NEXT: quack_tv.cluster_init barriers [32, 80] expect [32, 32]
  // CHECK-NEXT: quack_tv.cluster_arrive
  // CHECK-NEXT: %[[V:.*]] = quack_tv.load
  // CHECK-NEXT: %[[A:.*]] = quack_tv.alloc_exchange at 0 bytes 32 barrier 32
  // CHECK-NEXT: quack_tv.cluster_wait
  // CHECK-NEXT: quack_tv.publish %[[V]] to %[[A]]
  // CHECK-NEXT: quack_tv.exchange_wait %[[A]]
  // CHECK-NEXT: quack_tv.collect maximumf %[[A]], %[[V]]
  // CHECK: %[[B:.*]] = quack_tv.alloc_exchange at 48 bytes 32 barrier 80
  // CHECK-NEXT: quack_tv.publish %{{.*}} to %[[B]]
  // CHECK-NEXT: quack_tv.exchange_wait %[[B]]
  // CHECK-NEXT: quack_tv.collect addf %[[B]]
  // CHECK-NOT: quack_tv.cluster_
  // CHECK: }
  %v = quack_tv.load %x : memref<?x8xf32> -> tensor<1x8xf32, #cwarps>
  %m = quack_tv.cluster_reduce maximumf %v : tensor<1x8xf32, #cwarps>
  %b = quack_tv.broadcast %m : tensor<1x1xf32, #crow> -> tensor<1x8xf32, #cwarps>
  %d = arith.subf %v, %b : tensor<1x8xf32, #cwarps>
  %s = quack_tv.cluster_reduce addf %d : tensor<1x8xf32, #cwarps>
  quack_tv.store %s, %y : tensor<1x1xf32, #crow>, memref<?xf32>
}

// exchange = ctas: the block's barrier, then one partial from each CTA.
// CHECK-LABEL: quack_tv.kernel @block_then_cluster
// CHECK-SAME: shared 48 {
quack_tv.kernel @block_then_cluster(%x: memref<?x8xf32> in row, %y: memref<?xf32> out scalar) plan #pair {
  // CHECK-NEXT: quack_tv.cluster_init barriers [40] expect [8]
  // CHECK-NEXT: quack_tv.cluster_arrive
  // CHECK: quack_tv.alloc_exchange at 0 bytes 32
  // CHECK: quack_tv.barrier
  // CHECK: quack_tv.collect addf
  // CHECK: quack_tv.alloc_exchange at 32 bytes 8 barrier 40
  // CHECK-NEXT: quack_tv.cluster_wait
  // CHECK: quack_tv.exchange_wait
  %v = quack_tv.load %x : memref<?x8xf32> -> tensor<1x8xf32, #cwarps>
  %b = quack_tv.block_reduce addf %v : tensor<1x8xf32, #cwarps>
  %s = quack_tv.cluster_reduce addf %b : tensor<1x2xf32, #ctas>
  quack_tv.store %s, %y : tensor<1x1xf32, #crow>, memref<?xf32>
}

// A stage's await stands just before its first read; nobody needs a barrier for
// what each thread copied itself.
// CHECK-LABEL: quack_tv.kernel @async
// CHECK-SAME: shared 2048 {
quack_tv.kernel @async(%x: memref<?x512xf32> in row, %w: memref<512xf32> in columns, %y: memref<?x512xf32> out row) plan #plan {
  // CHECK-NEXT: %[[S:.*]] = quack_tv.stage %x by async at 0 :
  // CHECK-NEXT: quack_tv.load %w
  // CHECK-NEXT: quack_tv.await %[[S]]
  // CHECK-NEXT: quack_tv.read %[[S]] pass 0
  // CHECK-NEXT: quack_tv.read %[[S]] pass 1
  // CHECK-NOT: quack_tv.await
  // CHECK: quack_tv.store
  %s = quack_tv.stage %x by async : memref<?x512xf32> -> !quack_tv.staged<tensor<1x512xf32, #tile>>
  %g = quack_tv.load %w : memref<512xf32> -> tensor<1x512xf32, #tile>
  %a = quack_tv.read %s pass 0 : !quack_tv.staged<tensor<1x512xf32, #tile>>
  %b = quack_tv.read %s pass 1 : !quack_tv.staged<tensor<1x512xf32, #tile>>
  %c = arith.mulf %a, %b : tensor<1x512xf32, #tile>
  quack_tv.store %c, %y : tensor<1x512xf32, #tile>, memref<?x512xf32>
}

// The mbarrier of a bulk copy is initialised first, by one thread, and a barrier
// shows it to the others before they wait on it. Each CTA holds its own half.
// CHECK-LABEL: quack_tv.kernel @bulk
// CHECK-SAME: shared 4232 {
quack_tv.kernel @bulk(%x: memref<?x1024xf32> in row, %z: memref<?x1024xf32> in row, %y: memref<?x1024xf32> out row) plan #pair {
  // CHECK-NEXT: quack_tv.cluster_init barriers [2048, 4224] expect [0, 0]
  // CHECK-NOT: quack_tv.cluster_arrive
  // CHECK: %[[A:.*]] = quack_tv.stage %x by bulk at 0 barrier 2048
  // CHECK-NEXT: %[[B:.*]] = quack_tv.stage %z by bulk at 2176 barrier 4224
  // CHECK-NEXT: quack_tv.barrier
  // CHECK-NEXT: quack_tv.await %[[A]]
  // CHECK-NEXT: quack_tv.read %[[A]]
  // CHECK-NEXT: quack_tv.await %[[B]]
  // CHECK-NEXT: quack_tv.read %[[B]]
  // CHECK-NOT: quack_tv.barrier
  // CHECK: quack_tv.store
  %s = quack_tv.stage %x by bulk : memref<?x1024xf32> -> !quack_tv.staged<tensor<1x1024xf32, #half>>
  %t = quack_tv.stage %z by bulk : memref<?x1024xf32> -> !quack_tv.staged<tensor<1x1024xf32, #half>>
  %a = quack_tv.read %s pass 0 : !quack_tv.staged<tensor<1x1024xf32, #half>>
  %b = quack_tv.read %t pass 0 : !quack_tv.staged<tensor<1x1024xf32, #half>>
  %c = arith.addf %a, %b : tensor<1x1024xf32, #half>
  quack_tv.store %c, %y : tensor<1x1024xf32, #half>, memref<?x1024xf32>
}

// A stage that nobody reads is not made: no copy is in flight at the end.
// CHECK-LABEL: quack_tv.kernel @never_read
// CHECK-SAME: shared 0 {
// CHECK-NEXT: }
quack_tv.kernel @never_read(%x: memref<?x512xf32> in row) plan #plan {
  %s = quack_tv.stage %x by bulk : memref<?x512xf32> -> !quack_tv.staged<tensor<1x512xf32, #tile>>
}

// A kernel that has its barriers is left alone.
// CHECK-LABEL: quack_tv.kernel @placed
// CHECK-SAME: shared 2048 {
// CHECK-NEXT: quack_tv.stage %x by async at 0
// CHECK-NEXT: quack_tv.await
// CHECK-NEXT: quack_tv.read
// CHECK-NEXT: }
quack_tv.kernel @placed(%x: memref<?x512xf32> in row) plan #plan shared 2048 {
  %s = quack_tv.stage %x by async at 0 : memref<?x512xf32> -> !quack_tv.staged<tensor<1x512xf32, #tile>>
  quack_tv.await %s : !quack_tv.staged<tensor<1x512xf32, #tile>>
  %a = quack_tv.read %s pass 0 : !quack_tv.staged<tensor<1x512xf32, #tile>>
}

// All threads of the row load the scalar before one stores it.
#updated = #quack_tv.layout<warp = [2:0], lane = [32:0]>
#two_warps = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 4>
// CHECK-LABEL: quack_tv.kernel @updated_scalar
quack_tv.kernel @updated_scalar(%x: memref<?x256xf32> in row, %s: memref<?xf32> inout scalar) plan #two_warps {
  // CHECK: %[[OLD:.*]] = quack_tv.load %s
  %old = quack_tv.load %s : memref<?xf32> -> tensor<1x1xf32, #updated>
  %new = arith.addf %old, %old : tensor<1x1xf32, #updated>
  // CHECK: quack_tv.barrier
  // CHECK-NEXT: quack_tv.store
  quack_tv.store %new, %s : tensor<1x1xf32, #updated>, memref<?xf32>
}

// Other scalars of the row need no barrier of their own, until one is loaded again.
// CHECK-LABEL: quack_tv.kernel @two_updated_scalars
quack_tv.kernel @two_updated_scalars(%x: memref<?x256xf32> in row, %s: memref<?xf32> inout scalar,
                                     %t: memref<?xf32> inout scalar,
                                     %u: memref<?xf32> inout scalar) plan #two_warps {
  %0 = quack_tv.load %s : memref<?xf32> -> tensor<1x1xf32, #updated>
  %1 = quack_tv.load %t : memref<?xf32> -> tensor<1x1xf32, #updated>
  // CHECK: quack_tv.barrier
  // CHECK-NEXT: quack_tv.store
  // CHECK-NEXT: quack_tv.store
  // CHECK-NEXT: quack_tv.load
  // CHECK-NEXT: quack_tv.barrier
  // CHECK-NEXT: quack_tv.store
  quack_tv.store %1, %s : tensor<1x1xf32, #updated>, memref<?xf32>
  quack_tv.store %0, %t : tensor<1x1xf32, #updated>, memref<?xf32>
  %2 = quack_tv.load %u : memref<?xf32> -> tensor<1x1xf32, #updated>
  quack_tv.store %2, %u : tensor<1x1xf32, #updated>, memref<?xf32>
}

// In a cluster, peers must have loaded it too; and the wait of the mbarriers'
// initialisation comes before the cluster's next barrier.
#pair_row = #quack_tv.layout<cta = [2:0], lane = [32:0]>
#pair_partials = #quack_tv.layout<cta = [2:1], lane = [32:0]>
#pair_plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
// CHECK-LABEL: quack_tv.kernel @updated_in_a_cluster
quack_tv.kernel @updated_in_a_cluster(%x: memref<?x2xf32> in row, %s: memref<?xf32> inout scalar,
                                      %y: memref<?xf32> out scalar) plan #pair_plan {
  // CHECK-NEXT: quack_tv.cluster_init
  // CHECK-NEXT: quack_tv.cluster_arrive{{$}}
  // CHECK: quack_tv.load %s
  %old = quack_tv.load %s : memref<?xf32> -> tensor<1x1xf32, #pair_row>
  %v = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #pair_partials>
  // CHECK: quack_tv.cluster_wait
  // CHECK-NEXT: quack_tv.cluster_arrive release
  // CHECK-NEXT: quack_tv.cluster_wait
  // CHECK-NEXT: quack_tv.store
  quack_tv.store %old, %s : tensor<1x1xf32, #pair_row>, memref<?xf32>
  // CHECK-NOT: quack_tv.cluster_wait
  // CHECK: quack_tv.publish
  %sum = quack_tv.cluster_reduce addf %v : tensor<1x2xf32, #pair_partials>
  quack_tv.store %sum, %y : tensor<1x1xf32, #pair_row>, memref<?xf32>
}
