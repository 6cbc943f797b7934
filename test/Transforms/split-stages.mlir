// RUN: quack-opt %s --quack-tv-split-stages | FileCheck %s --implicit-check-not=quack_tv.grid_reduce

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 3, vector = 4>
#tile = #quack_tv.layout<slice = [3:128], lane = [32:4], value = [4:1]>
#slices = #quack_tv.layout<slice = [3:1], lane = [32:0]>
#row = #quack_tv.layout<slice = [3:0], lane = [32:0]>

// The last stage has row scalars only: a warp a row, no slices. A variant for other
// rows stays with the first.
// CHECK-DAG: #[[$SPLIT:.*]] = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 3, vector = 4>
// CHECK-DAG: #[[$WARPS:.*]] = #quack_tv.plan<threads = 128, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, ctas_per_sm = 0>
// CHECK-DAG: #[[$ROWS:.*]] = #quack_tv.layout<warp = [4:1], lane = [32:0]>

// CHECK-LABEL: quack_tv.kernel @sum(
// CHECK-SAME: plan #[[$SPLIT]] workspace 16 next @sum_stage2_ otherwise @other {
// CHECK: %[[W:.*]] = quack_tv.warp_reduce addf
// CHECK-NEXT: quack_tv.save %[[W]] at 0 : tensor<1x3xf32, #{{.*}}>
// CHECK-NEXT: }
// CHECK-LABEL: quack_tv.kernel @sum_stage2_(
// CHECK-SAME: plan #[[$WARPS]] workspace 16 {
// CHECK-NEXT: %[[S:.*]] = quack_tv.merge addf of 3 at 0 : tensor<4x1xf32, #[[$ROWS]]>
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<5.000000e-01> : tensor<4x1xf32, #[[$ROWS]]>
// CHECK-NEXT: %[[H:.*]] = arith.mulf %[[S]], %[[C]] : tensor<4x1xf32, #[[$ROWS]]>
// CHECK-NEXT: quack_tv.store %[[H]], %{{.*}} : tensor<4x1xf32, #[[$ROWS]]>, memref<?xf32>
// CHECK-NEXT: }
quack_tv.kernel @sum(%x: memref<?x384xf32> in row, %y: memref<?xf32> out scalar) plan #split otherwise @other {
  %v = quack_tv.load %x : memref<?x384xf32> -> tensor<1x384xf32, #tile>
  %t = quack_tv.thread_reduce addf %v : tensor<1x384xf32, #tile>
  %w = quack_tv.warp_reduce addf %t : tensor<1x96xf32, #quack_tv.layout<slice = [3:32], lane = [32:1]>>
  %s = quack_tv.grid_reduce addf %w : tensor<1x3xf32, #slices>
  %c = arith.constant dense<0.5> : tensor<1x1xf32, #row>
  %h = arith.mulf %s, %c : tensor<1x1xf32, #row>
  quack_tv.store %h, %y : tensor<1x1xf32, #row>, memref<?xf32>
}
func.func private @sum_stage2()
// What is not split stays one kernel.
// CHECK: quack_tv.kernel @other
// CHECK-NOT: next
quack_tv.kernel @other(%x: memref<?x384xf32> in row, %y: memref<?xf32> out scalar)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4> {}

// Two rounds, of which the second needs the first; the first has a pair, which stays
// one. Each stage loads what it needs, and only the last one stores.
// CHECK-LABEL: quack_tv.kernel @rounds(
// CHECK-SAME: workspace 48 next @rounds_stage2 {
// CHECK-NEXT: quack_tv.load
// CHECK: quack_tv.save %[[W:.*]]#0, %[[W]]#1 at 0 :
// CHECK-NEXT: }
// CHECK-LABEL: quack_tv.kernel @rounds_stage2(
// CHECK-SAME: workspace 48 next @rounds_stage3 {
// CHECK-NEXT: %[[X:.*]] = quack_tv.load
// CHECK-NEXT: %[[M:.*]]:2 = quack_tv.merge combine of 3 at 0 identity [0.000000e+00 : f32, 1.000000e+00 : f32] : {{.*}} {
// CHECK: arith.subf %[[X]]
// CHECK: quack_tv.save %{{.*}} at 24 : tensor<1x3xf32
// CHECK-NEXT: }
// CHECK-LABEL: quack_tv.kernel @rounds_stage3(
// CHECK-SAME: workspace 48 {
// CHECK-NEXT: quack_tv.load
// CHECK-NEXT: quack_tv.merge combine of 3 at 0
// CHECK: quack_tv.store %{{.*}}, %z
// CHECK: quack_tv.merge maximumf of 3 at 24 : tensor<1x1xf32
// CHECK: quack_tv.store %{{.*}}, %y
quack_tv.kernel @rounds(%x: memref<?x384xf32> in row, %y: memref<?x384xf32> out row, %z: memref<?xf32> out scalar) plan #split {
  %v = quack_tv.load %x : memref<?x384xf32> -> tensor<1x384xf32, #tile>
  %t = quack_tv.thread_reduce addf %v : tensor<1x384xf32, #tile>
  %w:2 = quack_tv.warp_reduce addf, mulf %t, %t : tensor<1x96xf32, #quack_tv.layout<slice = [3:32], lane = [32:1]>>, tensor<1x96xf32, #quack_tv.layout<slice = [3:32], lane = [32:1]>>
  %s:2 = quack_tv.grid_reduce combine %w#0, %w#1 identity [0.0 : f32, 1.0 : f32] : tensor<1x3xf32, #slices>, tensor<1x3xf32, #slices> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %e = arith.addf %a, %c : f32
    %f = arith.mulf %b, %d : f32
    quack_tv.yield %e, %f : f32, f32
  }
  %early = arith.addf %s#0, %s#1 : tensor<1x1xf32, #row>
  quack_tv.store %early, %z : tensor<1x1xf32, #row>, memref<?xf32>
  %r = quack_tv.broadcast %s#1 : tensor<1x1xf32, #row> -> tensor<1x384xf32, #tile>
  %n = arith.subf %v, %r : tensor<1x384xf32, #tile>
  %t2 = quack_tv.thread_reduce maximumf %n : tensor<1x384xf32, #tile>
  %w2 = quack_tv.warp_reduce maximumf %t2 : tensor<1x96xf32, #quack_tv.layout<slice = [3:32], lane = [32:1]>>
  %s2 = quack_tv.grid_reduce maximumf %w2 : tensor<1x3xf32, #slices>
  %r2 = quack_tv.broadcast %s2 : tensor<1x1xf32, #row> -> tensor<1x384xf32, #tile>
  %o = arith.subf %n, %r2 : tensor<1x384xf32, #tile>
  quack_tv.store %o, %y : tensor<1x384xf32, #tile>, memref<?x384xf32>
}

// A kernel without reductions is split, and has nothing to wait for.
// CHECK-LABEL: quack_tv.kernel @copy(
// CHECK-NOT: workspace
// CHECK: quack_tv.store
quack_tv.kernel @copy(%x: memref<?x384xf32> in row, %y: memref<?x384xf32> out row) plan #split {
  %v = quack_tv.load %x : memref<?x384xf32> -> tensor<1x384xf32, #tile>
  quack_tv.store %v, %y : tensor<1x384xf32, #tile>, memref<?x384xf32>
}

// All clusters of the stage that stores the row may load the scalar: it is stored
// by one more stage, even where nothing is reduced.
// CHECK-LABEL: quack_tv.kernel @counts(
// CHECK-SAME: plan #[[$SPLIT]] next @counts_stage2 {
// CHECK-NOT: quack_tv.store %{{.*}}, %n
// CHECK: quack_tv.store %{{.*}}, %y
// CHECK-NOT: quack_tv.store
// CHECK-LABEL: quack_tv.kernel @counts_stage2(
// CHECK-SAME: plan #[[$WARPS]] {
// CHECK-NEXT: quack_tv.load %n
// CHECK-NEXT: arith.addf
// CHECK-NEXT: quack_tv.store %{{.*}}, %n : tensor<4x1xf32
// CHECK-NEXT: }
quack_tv.kernel @counts(%x: memref<?x384xf32> in row, %y: memref<?x384xf32> out row,
                        %n: memref<?xf32> inout scalar) plan #split {
  %v = quack_tv.load %x : memref<?x384xf32> -> tensor<1x384xf32, #tile>
  %old = quack_tv.load %n : memref<?xf32> -> tensor<1x1xf32, #row>
  %new = arith.addf %old, %old : tensor<1x1xf32, #row>
  quack_tv.store %new, %n : tensor<1x1xf32, #row>, memref<?xf32>
  quack_tv.store %v, %y : tensor<1x384xf32, #tile>, memref<?x384xf32>
}
