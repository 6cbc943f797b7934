// RUN: quack-opt %s --quack-raise-linalg --verify-each | FileCheck %s

// linalg.softmax does not say in what type it is computed: of bf16 it is in f32, and rounded
// once. L16: a last dimension of ? is left alone, or raised to a kernel for any N.
// RUN: quack-opt %s --quack-raise-linalg=dynamic-columns --verify-each | FileCheck %s --check-prefix=ANY
// RUN: quack-opt %s --quack-raise-linalg=dynamic-columns | sed -n '/quack.kernel @any_columns/,/^  }/p' > %t.mlir
// RUN: quack-run %t.mlir --columns=1 --rows=5 --device=sim --verify | FileCheck %s --check-prefix=SIM
// RUN: quack-run %t.mlir --columns=9 --rows=5 --device=sim --verify | FileCheck %s --check-prefix=SIM
// RUN: quack-run %t.mlir --columns=128 --rows=5 --device=sim --verify | FileCheck %s --check-prefix=SIM
// RUN: quack-run %t.mlir --columns=4097 --rows=5 --device=sim --verify | FileCheck %s --check-prefix=SIM
// RUN: quack-opt %s --quack-raise-linalg --remarks-filter=quack-raise-linalg --remark-format=emitRemark \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// SIM: verify: ok

// CHECK-LABEL: quack.kernel @softmax_0(
// CHECK:         %[[V:.*]] = quack.load %{{.*}} : memref<?x96xbf16> -> tensor<96xf32>
// CHECK:         quack.reduce maximumf
// CHECK:         quack.reduce addf
// CHECK:         %[[P:.*]] = arith.divf
// CHECK-NEXT:    quack.store %[[P]], %{{.*}} : tensor<96xf32>, memref<?x96xbf16>
func.func @softmax(%x: tensor<2x3x96xbf16>) -> tensor<2x3x96xbf16> {
  %empty = tensor.empty() : tensor<2x3x96xbf16>
  %p = linalg.softmax dimension(2) ins(%x : tensor<2x3x96xbf16>) outs(%empty : tensor<2x3x96xbf16>) -> tensor<2x3x96xbf16>
  return %p : tensor<2x3x96xbf16>
}

// CHECK-LABEL: func.func @any_columns(
// CHECK:         linalg.softmax
// REMARK: remark: [Missed] NotRaised | Category:quack-raise-linalg | Function=any_columns | Remark="this reduction is left as it is: the number of columns is not known; dynamic-columns raises it to a generic kernel, which must be specialised"
// ANY-LABEL:   quack.kernel @any_columns_0(
// ANY-SAME:      memref<?x?xbf16> in row, %{{.*}}: memref<?x?xbf16> out row
// ANY-LABEL:   func.func @any_columns(
// ANY-SAME:      %[[X:.*]]: tensor<4x64x1x?xbf16>
// ANY-DAG:       %[[C:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1, 2], [3]] : tensor<4x64x1x?xbf16> into tensor<256x?xbf16>
// ANY-DAG:       %[[N:.*]] = tensor.dim %[[X]]
// ANY:           quack.call @any_columns_0(%[[C]] : tensor<256x?xbf16>)
// ANY:           tensor.expand_shape
func.func @any_columns(%x: tensor<4x64x1x?xbf16>) -> tensor<4x64x1x?xbf16> {
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c3 : tensor<4x64x1x?xbf16>
  %empty = tensor.empty(%n) : tensor<4x64x1x?xbf16>
  %p = linalg.softmax dimension(3) ins(%x : tensor<4x64x1x?xbf16>) outs(%empty : tensor<4x64x1x?xbf16>) -> tensor<4x64x1x?xbf16>
  return %p : tensor<4x64x1x?xbf16>
}

// The number of rows may be anything.
// CHECK-LABEL: quack.kernel @any_rows_0(
// CHECK-LABEL: func.func @any_rows(
// CHECK-SAME:    %[[X:.*]]: tensor<?x2x9xf32>
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1], [2]] : tensor<?x2x9xf32> into tensor<?x9xf32>
// CHECK:         %[[M:.*]] = arith.muli
// CHECK:         %[[INIT:.*]] = tensor.empty(%[[M]]) : tensor<?x9xf32>
// CHECK:         %[[R:.*]] = quack.call @any_rows_0(%[[C]] : tensor<?x9xf32>) outs(%[[INIT]] : tensor<?x9xf32>) -> tensor<?x9xf32>
// CHECK:         tensor.expand_shape %[[R]] {{\[}}[0, 1], [2]] output_shape [%{{.*}}, 2, 9] : tensor<?x9xf32> into tensor<?x2x9xf32>
func.func @any_rows(%x: tensor<?x2x9xf32>) -> tensor<?x2x9xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x2x9xf32>
  %empty = tensor.empty(%m) : tensor<?x2x9xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<?x2x9xf32>) outs(%empty : tensor<?x2x9xf32>) -> tensor<?x2x9xf32>
  return %p : tensor<?x2x9xf32>
}
