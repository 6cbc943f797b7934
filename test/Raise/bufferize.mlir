// RUN: quack-opt %s --quack-raise-linalg --verify-each \
// RUN:   --one-shot-bufferize='bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map' \
// RUN:   | FileCheck %s --implicit-check-not=memref.copy

// Calls bufferize without a copy; kernels stay what they are.
// CHECK-LABEL: quack.kernel @made_0(
// CHECK:         quack.load %{{.*}} : memref<?x96xf32> -> tensor<96xf32>

// The result's place is made once, in the call's shape.
// CHECK-LABEL: func.func @made(
// CHECK-SAME:    %[[X:.*]]: memref<2x4x96xf32>
// CHECK:         %[[ROWS:.*]] = memref.collapse_shape %[[X]] {{\[}}[0, 1], [2]]
// CHECK:         %[[Y:.*]] = memref.alloc() {{.*}} : memref<8x96xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         quack.call @made_0(%[[ROWS]] : memref<8x96xf32>) outs(%[[Y]] : memref<8x96xf32>)
// CHECK:         %[[R:.*]] = memref.expand_shape %[[Y]]
// CHECK:         return %[[R]]
func.func @made(%x: tensor<2x4x96xf32>) -> tensor<2x4x96xf32> {
  %empty = tensor.empty() : tensor<2x4x96xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<2x4x96xf32>) outs(%empty : tensor<2x4x96xf32>) -> tensor<2x4x96xf32>
  return %p : tensor<2x4x96xf32>
}

// The place that the program has for a result stays its place, as does the input's own.
// CHECK-LABEL: func.func @given(
// CHECK-SAME:    %[[X:.*]]: memref<8x96xf32>, %[[Y:.*]]: memref<8x96xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         quack.call @given_0(%[[X]] : memref<8x96xf32>) outs(%[[Y]] : memref<8x96xf32>)
func.func @given(%x: tensor<8x96xf32>, %y: tensor<8x96xf32> {bufferization.writable = true}) -> tensor<8x96xf32> {
  %p = linalg.softmax dimension(1) ins(%x : tensor<8x96xf32>) outs(%y : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %p : tensor<8x96xf32>
}

// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %[[X:.*]]: memref<8x96xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         quack.call @in_place_0(%[[X]] : memref<8x96xf32>) outs(%[[X]] : memref<8x96xf32>)
func.func @in_place(%x: tensor<8x96xf32> {bufferization.writable = true}) -> tensor<8x96xf32> {
  %p = linalg.softmax dimension(1) ins(%x : tensor<8x96xf32>) outs(%x : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %p : tensor<8x96xf32>
}
