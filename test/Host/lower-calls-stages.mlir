// RUN: quack-opt %s --quack-to-tv='pin="split = 2, rows = 3, reproducible = false, alignment = vector"' \
// RUN:   --quack-lower-calls=to=gpu --canonicalize --verify-each | FileCheck %s

// The stages of a call are one chain, around which its workspace is there. Without a
// variant for other rows, the guards of a plan are an assertion.
// CHECK-LABEL: func.func @main(
// CHECK:         cf.assert %{{.*}}, "quack.call of @sum: an operand has not the alignment, or there are not the rows, that the kernel's plan is pinned to"
// CHECK:         %[[BEGIN:.*]] = gpu.wait async
// CHECK:         %[[BYTES:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK:         %[[SPACE:.*]], %[[THERE:.*]] = gpu.alloc async [%[[BEGIN]]] (%[[BYTES]]) : memref<?xi8>
// CHECK:         memref.extract_aligned_pointer_as_index %[[SPACE]]
// CHECK:         %[[FIRST:.*]] = gpu.launch_func async [%[[THERE]]] @quack_kernels::@sum
// CHECK:         %[[SECOND:.*]] = gpu.launch_func async [%[[FIRST]]] @quack_kernels::@sum_
// CHECK:         %[[GONE:.*]] = gpu.dealloc async [%[[SECOND]]] %[[SPACE]]
// CHECK:         gpu.wait [%[[GONE]]]
quack.kernel @sum(%x: memref<?x8192xf32> in row, %y: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x8192xf32> -> tensor<8192xf32>
  %s = quack.reduce addf %v : tensor<8192xf32> -> f32
  quack.store %s, %y : f32, memref<?xf32>
}
func.func @main(%x: memref<?x8192xf32>, %y: memref<?xf32>) {
  quack.call @sum(%x : memref<?x8192xf32>) outs(%y : memref<?xf32>)
  return
}
