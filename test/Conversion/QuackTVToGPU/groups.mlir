// RUN: quack-opt %s --convert-quack-tv-to-gpu | FileCheck %s

// A thread combines its runs of a group, then their positions; 8 lanes meet. The next
// group is made after the first one is stored.

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1, 2:128]>
#groups = #quack_tv.layout<lane = [8:0, 4:1], value = [2:4]>

// CHECK-LABEL: llvm.func @lanes(
// CHECK: %[[LANE:.*]] = arith.andi
// CHECK: %[[V:.*]]:4 = vector.to_elements
// CHECK: %[[A:.*]] = arith.maximumf %[[V]]#0, %[[V]]#2 : f32
// CHECK: %[[B:.*]] = arith.maximumf %[[V]]#1, %[[V]]#3 : f32
// CHECK: %[[C:.*]] = arith.maximumf %[[A]], %[[B]] : f32
// CHECK: %[[FAR:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[C]], %{{.*}}, %{{.*}} : f32 -> f32
// CHECK: %[[D:.*]] = arith.maximumf %[[C]], %[[FAR]] : f32
// CHECK: nvvm.shfl.sync bfly %{{.*}}, %[[D]]
// CHECK: nvvm.shfl.sync bfly
// CHECK: %[[AMAX:.*]] = arith.maximumf
// CHECK-NOT: nvvm.shfl
// CHECK: %[[ROW:.*]] = vector.broadcast %[[AMAX]] : f32 to vector<4xf32>
// CHECK: arith.divf %{{.*}}, %[[ROW]]
// CHECK: st.global.v4.b32
// CHECK-COUNT-3: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK: st.global.v4.b32
// One lane of 8 stores the element of its group.
// CHECK: st.global.b32
// CHECK: st.global.b32
// CHECK-NOT: st.global
quack_tv.kernel @lanes(%x: memref<?x256xf32> in row, %y: memref<?x256xf32> out row, %s: memref<?x8xf32> out groups) plan #plan shared 0 {
  %v = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #tile>
  %a = quack_tv.group_reduce maximumf %v : tensor<1x256xf32, #tile> -> tensor<1x8xf32, #groups>
  %r = quack_tv.group_broadcast %a : tensor<1x8xf32, #groups> -> tensor<1x256xf32, #tile>
  %q = arith.divf %v, %r : tensor<1x256xf32, #tile>
  quack_tv.store %q, %y : tensor<1x256xf32, #tile>, memref<?x256xf32>
  quack_tv.store %a, %s : tensor<1x8xf32, #groups>, memref<?x8xf32>
}
