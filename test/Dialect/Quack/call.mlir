// RUN: quack-opt %s --verify-roundtrip | FileCheck %s
// RUN: quack-opt %s --mlir-print-op-generic | quack-opt | FileCheck %s
// RUN: quack-opt %s --canonicalize --cse | FileCheck %s --check-prefix=PURE

quack.kernel @scale(%x: memref<?x64xf32> in row, %w: memref<64xf32> in columns, %s: memref<?xf32> in scalar,
                    %f: memref<f32> in single, %g: f32, %y: memref<?x64xf32> out row, %m: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  %max = quack.reduce maximumf %v : tensor<64xf32> -> f32
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
  quack.store %max, %m : f32, memref<?xf32>
}

quack.kernel @update(%x: memref<?x64xf32> inout row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %x : tensor<64xf32>, memref<?x64xf32>
}

quack.kernel @sum(%x: memref<?x64xf32> in row, %s: memref<64xf32> out columns) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.accumulate %v, %s : tensor<64xf32>, memref<64xf32>
}

// CHECK-LABEL: func.func @tensors(
// CHECK:         %{{.*}}:2 = quack.call @scale(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<64xf32>, tensor<?xf32>, tensor<f32>, f32) outs(%{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<8xf32>) -> tensor<8x64xf32>, tensor<8xf32>
func.func @tensors(%x: tensor<8x64xf32>, %w: tensor<64xf32>, %s: tensor<?xf32>, %f: tensor<f32>, %g: f32,
                   %y: tensor<8x64xf32>, %m: tensor<8xf32>) -> (tensor<8x64xf32>, tensor<8xf32>) {
  %0:2 = quack.call @scale(%x, %w, %s, %f, %g : tensor<8x64xf32>, tensor<64xf32>, tensor<?xf32>, tensor<f32>, f32)
      outs(%y, %m : tensor<8x64xf32>, tensor<8xf32>) -> tensor<8x64xf32>, tensor<8xf32>
  return %0#0, %0#1 : tensor<8x64xf32>, tensor<8xf32>
}

// Rows at any distance, as slices are; nothing comes back.
// CHECK-LABEL: func.func @memrefs(
// CHECK:         quack.call @update() outs(%{{.*}} : memref<?x64xf32, strided<[128, 1], offset: ?>>){{$}}
// CHECK:         quack.call @sum(%{{.*}} : memref<?x64xf32, strided<[128, 1], offset: ?>>) outs(%{{.*}} : memref<64xf32>){{$}}
// PURE-LABEL: func.func @memrefs(
// PURE-COUNT-2: quack.call
func.func @memrefs(%x: memref<?x64xf32, strided<[128, 1], offset: ?>>, %s: memref<64xf32>) {
  quack.call @update() outs(%x : memref<?x64xf32, strided<[128, 1], offset: ?>>)
  quack.call @sum(%x : memref<?x64xf32, strided<[128, 1], offset: ?>>) outs(%s : memref<64xf32>)
  return
}

// On tensors a call has no effect but its results: one of two is enough, none is none.
// PURE-LABEL: func.func @unused(
// PURE-NEXT:    %[[R:.*]] = quack.call
// PURE-NEXT:    return %[[R]], %[[R]]
func.func @unused(%x: tensor<8x64xf32>, %s: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = quack.call @sum(%x : tensor<8x64xf32>) outs(%s : tensor<64xf32>) -> tensor<64xf32>
  %1 = quack.call @sum(%x : tensor<8x64xf32>) outs(%s : tensor<64xf32>) -> tensor<64xf32>
  %2 = quack.call @update() outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}
