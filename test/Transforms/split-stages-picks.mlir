// RUN: quack-opt %s --quack-tv-split-stages | FileCheck %s

// Each slice saves what it picks; one CTA a row picks from that, whatever else there is.

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 3, vector = 4>
#tile = #quack_tv.layout<slice = [3:128], lane = [32:4], value = [4:1]>
#lanes = #quack_tv.layout<slice = [3:32], lane = [32:1]>
#slices = #quack_tv.layout<slice = [3:1], lane = [32:0]>

// 3 slices of 6: runs of 2 divide these. The rows may start anywhere, as none is read.
// CHECK-DAG: #[[$PICKS:.*]] = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 2, alignment = element, ctas_per_sm = 1>
// CHECK-DAG: #[[$SAVED:.*]] = #quack_tv.layout<lane = [32:2], value = [2:1]>

// CHECK-LABEL: quack_tv.kernel @topk(
// CHECK-SAME: workspace 160 next @topk_stage2 otherwise @other {
// CHECK-NEXT: %[[X:.*]] = quack_tv.load
// CHECK-NEXT: quack_tv.save_topk %[[X]], %[[X]], %[[X]] count 6 into 0
// CHECK-NEXT: }
// CHECK-LABEL: quack_tv.kernel @topk_stage2(
// CHECK-SAME: plan #[[$PICKS]] workspace 160 {
// CHECK-NEXT: %[[V0:.*]], %[[C0:.*]] = quack_tv.recall 6 of 3 from 0 pass 0 : tensor<1x64xf32, #[[$SAVED]]>, tensor<1x64xi32, #[[$SAVED]]>
// CHECK-NEXT: %[[V1:.*]], %{{.*}} = quack_tv.recall 6 of 3 from 0 pass 1
// CHECK-NEXT: %[[V2:.*]], %{{.*}} = quack_tv.recall 6 of 3 from 0 pass 2
// CHECK-NEXT: quack_tv.topk %[[V0]], %[[V1]], %[[V2]] named %[[C0]] : tensor<1x64xi32, #[[$SAVED]]> to %{{.*}}, %{{.*}} softmax
// CHECK-NEXT: }
quack_tv.kernel @topk(%x: memref<?x384xf32> in row, %v: memref<?x6xf32> out picks,
                      %c: memref<?x6xi32> out picks) plan #split otherwise @other {
  %t = quack_tv.load %x : memref<?x384xf32> -> tensor<1x384xf32, #tile>
  quack_tv.topk %t, %t, %t to %v, %c softmax : tensor<1x384xf32, #tile>, memref<?x6xf32>, memref<?x6xi32>
}
quack_tv.kernel @other(%x: memref<?x384xf32> in row, %v: memref<?x6xf32> out picks,
                       %c: memref<?x6xi32> out picks)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4> {}

// What is picked waits for the sum of the row, and for the stage that stores it.
// CHECK-LABEL: quack_tv.kernel @later(
// CHECK-SAME: next @later_stage2 {
// CHECK: quack_tv.save_topk {{.*}} count 6 into 0
// CHECK: quack_tv.save {{.*}} at 160
// CHECK-NOT: quack_tv.save
// CHECK-LABEL: quack_tv.kernel @later_stage2(
// CHECK-SAME: next @later_stage3 {
// CHECK: quack_tv.merge
// CHECK: quack_tv.save_topk {{.*}} count 6 into 176
// CHECK: quack_tv.store
// CHECK-LABEL: quack_tv.kernel @later_stage3(
// CHECK-COUNT-3: quack_tv.recall 6 of 3 from 0
// CHECK-NEXT: quack_tv.topk {{.*}} to %v, %c
// CHECK-COUNT-3: quack_tv.recall 6 of 3 from 176
// CHECK-NEXT: quack_tv.topk {{.*}} to %w, %d
// CHECK-NEXT: }
quack_tv.kernel @later(%x: memref<?x384xf32> in row, %y: memref<?x384xf32> out row,
                       %v: memref<?x6xf32> out picks, %c: memref<?x6xi32> out picks,
                       %w: memref<?x6xf32> out picks, %d: memref<?x6xi32> out picks) plan #split {
  %t = quack_tv.load %x : memref<?x384xf32> -> tensor<1x384xf32, #tile>
  quack_tv.topk %t, %t, %t to %v, %c : tensor<1x384xf32, #tile>, memref<?x6xf32>, memref<?x6xi32>
  %p = quack_tv.thread_reduce addf %t : tensor<1x384xf32, #tile>
  %q = quack_tv.warp_reduce addf %p : tensor<1x96xf32, #lanes>
  %s = quack_tv.grid_reduce addf %q : tensor<1x3xf32, #slices>
  %r = quack_tv.broadcast %s : tensor<1x1xf32, #quack_tv.layout<slice = [3:0], lane = [32:0]>> -> tensor<1x384xf32, #tile>
  %n = arith.subf %r, %t : tensor<1x384xf32, #tile>
  quack_tv.topk %n, %n, %n to %w, %d : tensor<1x384xf32, #tile>, memref<?x6xf32>, memref<?x6xi32>
  quack_tv.store %n, %y : tensor<1x384xf32, #tile>, memref<?x384xf32>
}

// What is scattered needs no other slice: the stage that has stored the row does it.
// CHECK-LABEL: quack_tv.kernel @scatter(
// CHECK-NOT: next
// CHECK: quack_tv.store
// CHECK: quack_tv.scatter
quack_tv.kernel @scatter(%v: memref<?x4xf32> in picks, %c: memref<?x4xi32> in picks,
                         %y: memref<?x384xf32> out row) plan #split {
  %zero = arith.constant dense<0.0> : tensor<1x384xf32, #tile>
  quack_tv.store %zero, %y : tensor<1x384xf32, #tile>, memref<?x384xf32>
  quack_tv.scatter %v, %c to %y : memref<?x4xf32>, memref<?x4xi32>, memref<?x384xf32>
}

// With a sum beside it, not before the sum is there.
// CHECK-LABEL: quack_tv.kernel @scatter_and_sum(
// CHECK-SAME: next @scatter_and_sum_stage2
// CHECK-NOT: quack_tv.scatter
// CHECK-LABEL: quack_tv.kernel @scatter_and_sum_stage2(
// CHECK: quack_tv.store
// CHECK: quack_tv.scatter
quack_tv.kernel @scatter_and_sum(%v: memref<?x4xf32> in picks, %c: memref<?x4xi32> in picks,
                                 %x: memref<?x384xf32> in row, %s: memref<?xf32> out scalar,
                                 %y: memref<?x384xf32> out row) plan #split {
  %t = quack_tv.load %x : memref<?x384xf32> -> tensor<1x384xf32, #tile>
  %p = quack_tv.thread_reduce addf %t : tensor<1x384xf32, #tile>
  %q = quack_tv.warp_reduce addf %p : tensor<1x96xf32, #lanes>
  %r = quack_tv.grid_reduce addf %q : tensor<1x3xf32, #slices>
  quack_tv.store %r, %s : tensor<1x1xf32, #quack_tv.layout<slice = [3:0], lane = [32:0]>>, memref<?xf32>
  %zero = arith.constant dense<0.0> : tensor<1x384xf32, #tile>
  quack_tv.store %zero, %y : tensor<1x384xf32, #tile>, memref<?x384xf32>
  quack_tv.scatter %v, %c to %y : memref<?x4xf32>, memref<?x4xi32>, memref<?x384xf32>
}
