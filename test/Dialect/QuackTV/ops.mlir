// RUN: quack-opt %s --verify-roundtrip | FileCheck %s
// RUN: quack-opt %s --mlir-print-op-generic | quack-opt | FileCheck %s

#plan = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 1, vector = 4>
#pair = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 2, vector = 4>
#tile = #quack_tv.layout<warp = [4:128], lane = [32:4], value = [4:1]>
#half = #quack_tv.layout<cta = [2:512], warp = [4:128], lane = [32:4], value = [4:1]>
#thread = #quack_tv.layout<warp = [4:32], lane = [32:1]>
#warp = #quack_tv.layout<warp = [4:1], lane = [32:0]>
#row = #quack_tv.layout<warp = [4:0], lane = [32:0]>
#warps = #quack_tv.layout<cta = [2:4], warp = [4:1], lane = [32:0]>
#ctas = #quack_tv.layout<cta = [2:1], warp = [4:0], lane = [32:0]>
#all = #quack_tv.layout<cta = [2:0], warp = [4:0], lane = [32:0]>

// CHECK-DAG: #[[$PLAN:.*]] = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 1, vector = 4>
// CHECK-DAG: #[[$TILE:.*]] = #quack_tv.layout<warp = [4:128], lane = [32:4], value = [4:1]>
// CHECK-DAG: #[[$ROW:.*]] = #quack_tv.layout<warp = [4:0], lane = [32:0]>

//===----------------------------------------------------------------------===//
// kernel and global memory
//===----------------------------------------------------------------------===//

// CHECK-LABEL: quack_tv.kernel @memory
// CHECK-SAME: (%x: memref<?x512xf32> in row, %w: memref<512xf32> in columns, %y: memref<?x512xf32> out row, %s: memref<?xf32> inout scalar, %eps: f32) plan #[[$PLAN]] shared 64 attributes {note} {
quack_tv.kernel @memory(%x: memref<?x512xf32> in row, %w: memref<512xf32> in columns,
                        %y: memref<?x512xf32> out row, %s: memref<?xf32> inout scalar,
                        %eps: f32) plan #plan shared 64 attributes {note} {
  // CHECK-NEXT: quack_tv.load %x : memref<?x512xf32> -> tensor<1x512xf32, #[[$TILE]]>
  %0 = quack_tv.load %x : memref<?x512xf32> -> tensor<1x512xf32, #tile>
  // CHECK-NEXT: quack_tv.load %x policy no_allocate : memref
  %1 = quack_tv.load %x policy no_allocate : memref<?x512xf32> -> tensor<1x512xf32, #tile>
  // CHECK-NEXT: quack_tv.load %x policy evict_first pass 2 : memref
  %2 = quack_tv.load %x policy evict_first pass 2 : memref<?x512xf32> -> tensor<1x512xf32, #tile>
  // CHECK-NEXT: quack_tv.load %x policy evict_last pass 0 at_use {a} : memref
  %3 = quack_tv.load %x policy evict_last pass 0 at_use {a} : memref<?x512xf32> -> tensor<1x512xf32, #tile>
  // CHECK-NEXT: quack_tv.load %w at_use : memref<512xf32>
  %4 = quack_tv.load %w at_use : memref<512xf32> -> tensor<1x512xf32, #tile>
  // CHECK-NEXT: %[[S:.*]] = quack_tv.load %s : memref<?xf32> -> tensor<1x1xf32, #[[$ROW]]>
  %5 = quack_tv.load %s policy cached : memref<?xf32> -> tensor<1x1xf32, #row>
  // CHECK-NEXT: quack_tv.barrier
  quack_tv.barrier
  // CHECK-NEXT: quack_tv.store %{{.*}}, %y policy streaming : tensor<1x512xf32, #[[$TILE]]>, memref<?x512xf32>
  quack_tv.store %0, %y policy streaming : tensor<1x512xf32, #tile>, memref<?x512xf32>
  // CHECK-NEXT: quack_tv.store %{{.*}}, %y policy skip_l1 {a} : tensor
  quack_tv.store %0, %y policy skip_l1 {a} : tensor<1x512xf32, #tile>, memref<?x512xf32>
  // CHECK-NEXT: quack_tv.store %[[S]], %s : tensor<1x1xf32, #[[$ROW]]>, memref<?xf32>
  quack_tv.store %5, %s policy write_back : tensor<1x1xf32, #row>, memref<?xf32>
}

// CHECK-LABEL: quack_tv.kernel @empty
// CHECK-SAME: (%x: memref<?x512xf32> in row) plan #[[$PLAN]] {
// CHECK-NEXT: }
quack_tv.kernel @empty(%x: memref<?x512xf32> in row) plan #plan {}

//===----------------------------------------------------------------------===//
// Staging
//===----------------------------------------------------------------------===//

// CHECK-LABEL: quack_tv.kernel @staging
quack_tv.kernel @staging(%x: memref<?x512xf32> in row) plan #plan {
  // CHECK-NEXT: %[[S:.*]] = quack_tv.stage %x by async : memref<?x512xf32> -> !quack_tv.staged<tensor<1x512xf32, #[[$TILE]]>>
  %0 = quack_tv.stage %x by async : memref<?x512xf32> -> !quack_tv.staged<tensor<1x512xf32, #tile>>
  // CHECK-NEXT: quack_tv.stage %x by bulk at 2048 barrier 4096 {a} : memref
  %1 = quack_tv.stage %x by bulk at 2048 barrier 4096 {a} : memref<?x512xf32> -> !quack_tv.staged<tensor<1x512xf32, #tile>>
  // CHECK-NEXT: quack_tv.await %[[S]] : !quack_tv.staged<tensor<1x512xf32, #[[$TILE]]>>
  quack_tv.await %0 : !quack_tv.staged<tensor<1x512xf32, #tile>>
  // CHECK-NEXT: quack_tv.read %[[S]] pass 1 : !quack_tv.staged<tensor<1x512xf32, #[[$TILE]]>>
  %2 = quack_tv.read %0 pass 1 : !quack_tv.staged<tensor<1x512xf32, #tile>>
  // CHECK-NEXT: quack_tv.read %[[S]] pass 0 {a} : !quack_tv.staged
  %3 = quack_tv.read %0 pass 0 {a} : !quack_tv.staged<tensor<1x512xf32, #tile>>
}

//===----------------------------------------------------------------------===//
// Elementwise helpers and reductions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @helpers
// CHECK-SAME: %[[P:.*]]: tensor<1x512xbf16, #[[$TILE]]>, %[[V:.*]]: tensor<1x512xf32, #[[$TILE]]>, %[[E:.*]]: f32
func.func @helpers(%p: tensor<1x512xbf16, #tile>, %v: tensor<1x512xf32, #tile>, %e: f32,
                   %t: tensor<1x128xf32, #thread>, %r: tensor<1x1xf32, #row>) {
  // CHECK-NEXT: quack_tv.widen %[[P]] pass 3 {a} : tensor<1x512xbf16, #[[$TILE]]>
  %0 = quack_tv.widen %p pass 3 {a} : tensor<1x512xbf16, #tile>
  // CHECK-NEXT: quack_tv.mask %[[V]] from 500 identity 0xFF800000 : f32 {a} : tensor<1x512xf32, #[[$TILE]]>
  %1 = quack_tv.mask %v from 500 identity 0xFF800000 : f32 {a} : tensor<1x512xf32, #tile>
  // CHECK-NEXT: quack_tv.broadcast %{{.*}} {a} : tensor<1x1xf32, #[[$ROW]]> -> tensor<1x512xf32, #[[$TILE]]>
  %2 = quack_tv.broadcast %r {a} : tensor<1x1xf32, #row> -> tensor<1x512xf32, #tile>
  // CHECK-NEXT: quack_tv.broadcast %{{.*}} : tensor<1x128xf32, #{{.*}}> -> tensor<1x512xf32, #[[$TILE]]>
  %3 = quack_tv.broadcast %t : tensor<1x128xf32, #thread> -> tensor<1x512xf32, #tile>
  // CHECK-NEXT: quack_tv.broadcast %[[E]] : f32 -> tensor<1x1xf32, #[[$ROW]]>
  %4 = quack_tv.broadcast %e : f32 -> tensor<1x1xf32, #row>
  // CHECK-NEXT: quack_tv.reduce minnumf %[[V]] {a} : tensor<1x512xf32, #[[$TILE]]>
  %5 = quack_tv.reduce minnumf %v {a} : tensor<1x512xf32, #tile>
  // CHECK-NEXT: quack_tv.thread_reduce addf %[[V]] {a} : tensor<1x512xf32, #[[$TILE]]>
  %6 = quack_tv.thread_reduce addf %v {a} : tensor<1x512xf32, #tile>
  return
}

// CHECK-LABEL: func.func @steps
func.func @steps(%t: tensor<1x128xf32, #thread>, %i: tensor<1x128xi32, #thread>,
                 %w: tensor<1x4xf32, #warp>, %c: tensor<1x8xf32, #warps>,
                 %d: tensor<1x2xf32, #ctas>) {
  // CHECK-NEXT: quack_tv.warp_reduce addf %{{.*}} {a} : tensor<1x128xf32, #{{.*}}>
  %0 = quack_tv.warp_reduce addf %t {a} : tensor<1x128xf32, #thread>
  // CHECK-NEXT: quack_tv.warp_reduce maximumf, maxsi %{{.*}}, %{{.*}} : tensor<1x128xf32, #{{.*}}>, tensor<1x128xi32, #{{.*}}>
  %1:2 = quack_tv.warp_reduce maximumf, maxsi %t, %i : tensor<1x128xf32, #thread>, tensor<1x128xi32, #thread>
  // CHECK-NEXT: quack_tv.block_reduce addf %{{.*}} : tensor<1x4xf32, #{{.*}}>
  %2 = quack_tv.block_reduce addf %w : tensor<1x4xf32, #warp>
  // CHECK-NEXT: quack_tv.cluster_reduce mulf %{{.*}} : tensor<1x8xf32, #{{.*}}>
  %3 = quack_tv.cluster_reduce mulf %c : tensor<1x8xf32, #warps>
  // CHECK-NEXT: quack_tv.cluster_reduce addf, maxnumf %{{.*}}, %{{.*}} : tensor<1x2xf32, #{{.*}}>, tensor<1x2xf32, #{{.*}}>
  %4:2 = quack_tv.cluster_reduce addf, maxnumf %d, %d : tensor<1x2xf32, #ctas>, tensor<1x2xf32, #ctas>
  // CHECK-NEXT: quack_tv.block_reduce combine %{{.*}} identity [1.000000e+00 : f32] {a} : tensor<1x4xf32, #{{.*}}> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
  // CHECK-NEXT: %[[P:.*]] = arith.mulf
  // CHECK-NEXT: quack_tv.yield %[[P]] : f32
  // CHECK-NEXT: }
  %5 = quack_tv.block_reduce combine %w identity [1.0 : f32] {a} : tensor<1x4xf32, #warp> {
  ^bb0(%l: f32, %r: f32):
    %p = arith.mulf %l, %r : f32
    quack_tv.yield %p : f32
  }
  return
}

//===----------------------------------------------------------------------===//
// The exchange protocol
//===----------------------------------------------------------------------===//

// CHECK-LABEL: quack_tv.kernel @local
quack_tv.kernel @local(%x: memref<?x4xf32> in row) plan #plan {
  %v = quack_tv.load %x : memref<?x4xf32> -> tensor<1x4xf32, #warp>
  // CHECK: %[[B:.*]] = quack_tv.alloc_exchange at 0 bytes 32 {a}
  %b = quack_tv.alloc_exchange at 0 bytes 32 {a}
  // CHECK-NEXT: quack_tv.publish %[[V:.*]], %[[V]] to %[[B]] {a} : tensor<1x4xf32, #{{.*}}>, tensor<1x4xf32, #{{.*}}>
  quack_tv.publish %v, %v to %b {a} : tensor<1x4xf32, #warp>, tensor<1x4xf32, #warp>
  // CHECK-NEXT: quack_tv.barrier {a}
  quack_tv.barrier {a}
  // CHECK-NEXT: quack_tv.collect addf, mulf %[[B]], %[[V]], %[[V]] {a} : tensor<1x4xf32, #{{.*}}>, tensor<1x4xf32, #{{.*}}> -> tensor<1x1xf32, #[[$ROW]]>, tensor<1x1xf32, #[[$ROW]]>
  %r:2 = quack_tv.collect addf, mulf %b, %v, %v {a} : tensor<1x4xf32, #warp>, tensor<1x4xf32, #warp> -> tensor<1x1xf32, #row>, tensor<1x1xf32, #row>
}

// CHECK-LABEL: quack_tv.kernel @remote
quack_tv.kernel @remote(%x: memref<?x8xf32> in row) plan #pair {
  // CHECK-NEXT: quack_tv.cluster_init barriers [32] expect [32] {a}
  quack_tv.cluster_init barriers [32] expect [32] {a}
  // CHECK-NEXT: quack_tv.cluster_arrive {a}
  quack_tv.cluster_arrive {a}
  %v = quack_tv.load %x : memref<?x8xf32> -> tensor<1x8xf32, #warps>
  // CHECK: %[[B:.*]] = quack_tv.alloc_exchange at 0 bytes 32 barrier 32
  %b = quack_tv.alloc_exchange at 0 bytes 32 barrier 32
  // CHECK-NEXT: quack_tv.cluster_wait {a}
  quack_tv.cluster_wait {a}
  quack_tv.publish %v to %b : tensor<1x8xf32, #warps>
  // CHECK: quack_tv.exchange_wait %[[B]] {a}
  quack_tv.exchange_wait %b {a}
  // CHECK-NEXT: quack_tv.cluster_arrive release {a}
  quack_tv.cluster_arrive release {a}
  // CHECK-NEXT: quack_tv.cluster_wait
  quack_tv.cluster_wait
  // CHECK-NEXT: quack_tv.collect combine %[[B]], %{{.*}} identity [0.000000e+00 : f32] : tensor<1x8xf32, #{{.*}}> -> tensor<1x1xf32, #{{.*}}> {
  %r = quack_tv.collect combine %b, %v identity [0.0 : f32] : tensor<1x8xf32, #warps> -> tensor<1x1xf32, #all> {
  ^bb0(%l: f32, %m: f32):
    %p = arith.addf %l, %m : f32
    quack_tv.yield %p : f32
  }
}

// CHECK-LABEL: func.func private @types
// CHECK-SAME: !quack_tv.staged<tensor<1x512xf32, #[[$TILE]]>>, !quack_tv.exchange
func.func private @types(!quack_tv.staged<tensor<1x512xf32, #tile>>, !quack_tv.exchange)

// CHECK-LABEL: quack_tv.kernel @for_aligned_rows
// CHECK-SAME: shared 0 otherwise @for_all_rows {
quack_tv.kernel @for_aligned_rows(%x: memref<?x128xf32> in row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
    shared 0 otherwise @for_all_rows {}
quack_tv.kernel @for_all_rows(%x: memref<?x128xf32> in row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4> shared 0 {}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

#slices = #quack_tv.layout<slice = [8:1], lane = [32:0]>

// CHECK-LABEL: func.func @grid_reduce
func.func @grid_reduce(%s: tensor<1x8xf32, #slices>) {
  // CHECK-NEXT: quack_tv.grid_reduce addf, maximumf %{{.*}}, %{{.*}} {a} : tensor<1x8xf32, #{{.*}}>, tensor<1x8xf32, #{{.*}}>
  %r:2 = quack_tv.grid_reduce addf, maximumf %s, %s {a} : tensor<1x8xf32, #slices>, tensor<1x8xf32, #slices>
  return
}

// CHECK-LABEL: quack_tv.kernel @saves
// CHECK-SAME: shared 0 workspace 64 next @merges otherwise @elsewhere {
quack_tv.kernel @saves(%x: memref<?x8xf32> in row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 8, vector = 1>
    shared 0 workspace 64 next @merges otherwise @elsewhere {
  %v = quack_tv.load %x : memref<?x8xf32> -> tensor<1x8xf32, #slices>
  // CHECK: quack_tv.save %[[V:.*]], %[[V]] at 0 {a} : tensor<1x8xf32, #{{.*}}>, tensor<1x8xf32, #{{.*}}>
  quack_tv.save %v, %v at 0 {a} : tensor<1x8xf32, #slices>, tensor<1x8xf32, #slices>
}
quack_tv.kernel @elsewhere(%x: memref<?x8xf32> in row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 1> shared 0 {}

// CHECK-LABEL: quack_tv.kernel @merges
// CHECK-SAME: workspace 64 {
quack_tv.kernel @merges(%x: memref<?x8xf32> in row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 1> workspace 64 {
  // CHECK-NEXT: quack_tv.merge combine of 8 at 0 identity [0.000000e+00 : f32, 1.000000e+00 : f32] {a} : tensor<1x1xf32, #{{.*}}>, tensor<1x1xf32, #{{.*}}> {
  %r:2 = quack_tv.merge combine of 8 at 0 identity [0.0 : f32, 1.0 : f32] {a} : tensor<1x1xf32, #quack_tv.layout<lane = [32:0]>>, tensor<1x1xf32, #quack_tv.layout<lane = [32:0]>> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %s = arith.addf %a, %c : f32
    %p = arith.mulf %b, %d : f32
    quack_tv.yield %s, %p : f32, f32
  }
  // CHECK: quack_tv.merge addf of 3 at 16 : tensor<1x1xf32, #{{.*}}>
  %s = quack_tv.merge addf of 3 at 16 : tensor<1x1xf32, #quack_tv.layout<lane = [32:0]>>
}

// CHECK: gpu.module @kernels [#quack_tv.target<chip = "sm_90a", ptx = 86>]
gpu.module @kernels [#quack_tv.target<chip = "sm_90a", ptx = 86>] {
}
