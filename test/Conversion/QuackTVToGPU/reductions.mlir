// RUN: quack-opt %s --convert-quack-tv-to-gpu --canonicalize | FileCheck %s

#one = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#four = #quack_tv.plan<threads = 32, threads_per_row = 8, rows_per_thread = 2, cluster = 1, vector = 4>
#lone = #quack_tv.plan<threads = 32, threads_per_row = 1, rows_per_thread = 1, cluster = 1, vector = 4>
#runs = #quack_tv.layout<lane = [32:4], value = [4:1, 2:128]>
#thread = #quack_tv.layout<lane = [32:1]>
#row = #quack_tv.layout<lane = [32:0]>

// The runs position by position, then the positions by halves, then the lanes
// from the greatest distance down.
// CHECK-LABEL: llvm.func @tree(
// CHECK: %[[A:.*]] = llvm.bitcast %{{.*}} : vector<4xi32> to vector<4xf32>
// CHECK: %[[B:.*]] = llvm.bitcast %{{.*}} : vector<4xi32> to vector<4xf32>
// CHECK: %[[RUNS:.*]] = arith.addf %[[A]], %[[B]] : vector<4xf32>
// CHECK: %[[P:.*]]:4 = vector.to_elements %[[RUNS]]
// CHECK: %[[L:.*]] = arith.addf %[[P]]#0, %[[P]]#2
// CHECK: %[[R:.*]] = arith.addf %[[P]]#1, %[[P]]#3
// CHECK: %[[S:.*]] = arith.addf %[[L]], %[[R]]
// CHECK: %[[O16:.*]] = nvvm.shfl.sync  bfly %{{.*}}, %[[S]], %c16_i32
// CHECK: %[[S16:.*]] = arith.addf %[[S]], %[[O16]]
// CHECK: nvvm.shfl.sync  bfly %{{.*}}, %[[S16]], %c8_i32
// CHECK: nvvm.shfl.sync  bfly %{{.*}}, %c4_i32
// CHECK: nvvm.shfl.sync  bfly %{{.*}}, %c2_i32
// CHECK: nvvm.shfl.sync  bfly %{{.*}}, %c1_i32
// CHECK-NOT: nvvm.shfl.sync
// CHECK: llvm.return
quack_tv.kernel @tree(%x: memref<?x256xf32> in row, %s: memref<?xf32> out scalar) plan #one shared 0 {
  %v = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #runs>
  %p = quack_tv.thread_reduce addf %v : tensor<1x256xf32, #runs>
  %r = quack_tv.warp_reduce addf %p : tensor<1x32xf32, #thread>
  quack_tv.store %r, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// Eight lanes a row, two rows a thread: distances stay below 8, one butterfly a
// row.
// CHECK-LABEL: llvm.func @part_of_a_warp(
// CHECK-COUNT-2: nvvm.shfl.sync  bfly %{{.*}}, %{{.*}}, %c4_i32
// CHECK-NOT: %c16_i32,
// CHECK: llvm.return
quack_tv.kernel @part_of_a_warp(%x: memref<?x32xf32> in row, %s: memref<?xf32> out scalar) plan #four shared 0 {
  %v = quack_tv.load %x : memref<?x32xf32> -> tensor<8x32xf32, #quack_tv.layout<lane = [8:4, 4:32], value = [4:1, 2:128]>>
  %p = quack_tv.thread_reduce maximumf %v : tensor<8x32xf32, #quack_tv.layout<lane = [8:4, 4:32], value = [4:1, 2:128]>>
  %r = quack_tv.warp_reduce maximumf %p : tensor<8x8xf32, #quack_tv.layout<lane = [8:1, 4:8], value = [2:32]>>
  quack_tv.store %r, %s : tensor<8x1xf32, #quack_tv.layout<lane = [8:0, 4:1], value = [2:4]>>, memref<?xf32>
}

// One thread a row: no shuffle.
// CHECK-LABEL: llvm.func @one_thread(
// CHECK-NOT: nvvm.shfl.sync
// CHECK: llvm.return
quack_tv.kernel @one_thread(%x: memref<?x4xi32> in row, %s: memref<?xi32> out scalar) plan #lone shared 0 {
  %v = quack_tv.load %x : memref<?x4xi32> -> tensor<32x4xi32, #quack_tv.layout<lane = [32:4], value = [4:1]>>
  %p = quack_tv.thread_reduce xori %v : tensor<32x4xi32, #quack_tv.layout<lane = [32:4], value = [4:1]>>
  quack_tv.store %p, %s : tensor<32x1xi32, #thread>, memref<?xi32>
}

// Values that travel together; a combiner takes all of both partials.
// CHECK-LABEL: llvm.func @together(
// CHECK: %[[F:.*]] = nvvm.shfl.sync  bfly %{{.*}}, %[[A:.*]], %c16_i32, %{{.*}} : f32 -> f32
// CHECK: %[[I:.*]] = nvvm.shfl.sync  bfly %{{.*}}, %[[B:.*]], %c16_i32, %{{.*}} : i32 -> i32
// CHECK: arith.minimumf %[[A]], %[[F]]
// CHECK: arith.maxui %[[B]], %[[I]]
quack_tv.kernel @together(%x: memref<?x32xf32> in row, %i: memref<?x32xi32> in row, %s: memref<?xf32> out scalar, %t: memref<?xi32> out scalar) plan #one shared 0 {
  %v = quack_tv.load %x : memref<?x32xf32> -> tensor<1x32xf32, #thread>
  %w = quack_tv.load %i : memref<?x32xi32> -> tensor<1x32xi32, #thread>
  %r:2 = quack_tv.warp_reduce minimumf, maxui %v, %w : tensor<1x32xf32, #thread>, tensor<1x32xi32, #thread>
  quack_tv.store %r#0, %s : tensor<1x1xf32, #row>, memref<?xf32>
  quack_tv.store %r#1, %t : tensor<1x1xi32, #row>, memref<?xi32>
}

// CHECK-LABEL: llvm.func @combiner(
// CHECK: %[[OX:.*]] = nvvm.shfl.sync  bfly %{{.*}}, %[[X:.*]], %c16_i32
// CHECK: %[[OY:.*]] = nvvm.shfl.sync  bfly %{{.*}}, %[[Y:.*]], %c16_i32
// CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[OY]]
// CHECK: %[[Q:.*]] = arith.subf %[[Y]], %[[OX]]
// CHECK: nvvm.shfl.sync  bfly %{{.*}}, %[[P]], %c8_i32
// CHECK: nvvm.shfl.sync  bfly %{{.*}}, %[[Q]], %c8_i32
quack_tv.kernel @combiner(%x: memref<?x32xf32> in row, %y: memref<?x32xf32> in row, %s: memref<?xf32> out scalar) plan #one shared 0 {
  %v = quack_tv.load %x : memref<?x32xf32> -> tensor<1x32xf32, #thread>
  %w = quack_tv.load %y : memref<?x32xf32> -> tensor<1x32xf32, #thread>
  %r:2 = quack_tv.warp_reduce combine %v, %w identity [1.0 : f32, 0.0 : f32] : tensor<1x32xf32, #thread>, tensor<1x32xf32, #thread> {
  ^bb0(%x0: f32, %y0: f32, %x1: f32, %y1: f32):
    %p = arith.mulf %x0, %y1 : f32
    %q = arith.subf %y0, %x1 : f32
    quack_tv.yield %p, %q : f32, f32
  }
  quack_tv.store %r#0, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// Stores and reductions of one pass go through the pieces together.
// CHECK-LABEL: llvm.func @pieces(
// CHECK: %[[E0:.*]] = math.exp
// CHECK: st.global
// CHECK: %[[E1:.*]] = math.exp
// CHECK: st.global
// CHECK: arith.addf %[[E0]], %[[E1]]
// CHECK-NOT: math.exp
// CHECK: llvm.return
quack_tv.kernel @pieces(%x: memref<?x256xf32> in row, %y: memref<?x256xf32> out row, %s: memref<?xf32> out scalar) plan #one shared 0 {
  %v = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #runs>
  %e = math.exp %v : tensor<1x256xf32, #runs>
  quack_tv.store %e, %y : tensor<1x256xf32, #runs>, memref<?x256xf32>
  %p = quack_tv.thread_reduce addf %e : tensor<1x256xf32, #runs>
  %r = quack_tv.warp_reduce addf %p : tensor<1x32xf32, #thread>
  quack_tv.store %r, %s : tensor<1x1xf32, #row>, memref<?xf32>
}
