// RUN: quack-opt %s --split-input-file --quack-raise-linalg=rows=16384 --verify-each | FileCheck %s
// RUN: quack-opt %s --split-input-file --quack-raise-linalg=rows=16384 --remarks-filter=quack-raise-linalg \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: quack-opt %s --split-input-file --quack-raise-linalg | FileCheck %s --check-prefix=FEW
// RUN: not quack-opt %s --split-input-file --quack-raise-linalg=rows=-1 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %python %S/Inputs/compare.py %s --rows=16384 | FileCheck %s --check-prefix=SAME

// Groups that the cost model divides, by the number of rows that times are predicted for.
// SAME-NOT: instead of
// SAME: PASS
// WRONG: error: rows must be 0 or more, got -1

// Rows of a, and of three that are weighted with it, all wait for their sums: no cluster holds
// so many of 131072 columns. To read a once more in a second kernel takes less time.
#id = affine_map<(d0, d1) -> (d0, d1)>
#n = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: quack.kernel @large_0(
// CHECK-COUNT-2: quack.reduce
// CHECK-NOT:     quack.reduce
// CHECK-LABEL: quack.kernel @large_1(
// CHECK-COUNT-1: quack.reduce
// CHECK:       func.func @large(
// CHECK-DAG:     quack.call @large_0
// CHECK-DAG:     quack.call @large_1
// CHECK-NOT:     linalg
// REMARK: [Missed] LeftOut | Category:quack-raise-linalg | Function=large | Remark="this operation stays out of @large_0: 16384 rows would take {{[0-9.]+}} us with it, but {{[0-9.]+}} us where what is left out has kernels of its own"
// REMARK: [Passed] Raised | Category:quack-raise-linalg | Function=large | Remark="@large_0 has operations: 5, among them reductions: 2; rows of 131072 columns are read or written 5 times in place of 8; 16384 rows take {{[0-9.]+}} us in place of {{[0-9.]+}} us"
// REMARK: Function=large | Remark="@large_1 has operations: 3, among them reductions: 1;
// Two rows take no time: one launch is better than two.
// FEW-LABEL: quack.kernel @large_0(
// FEW-COUNT-3: quack.reduce
// FEW-NOT:   @large_1
func.func @large(%a0: tensor<2x131072xf32>, %a1: tensor<2x131072xf32>, %a2: tensor<2x131072xf32>, %a3: tensor<2x131072xf32>) -> (tensor<2x131072xf32>, tensor<2x131072xf32>, tensor<2x131072xf32>) {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<2xf32>
  %row = tensor.empty() : tensor<2x131072xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<2xf32>) -> tensor<2xf32>
  %r1 = linalg.generic {indexing_maps = [#id, #id, #n], iterator_types = ["parallel", "reduction"]}
      ins(%a1, %a0 : tensor<2x131072xf32>, tensor<2x131072xf32>) outs(%none : tensor<2xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  %y1 = linalg.generic {indexing_maps = [#id, #n, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a1, %r1 : tensor<2x131072xf32>, tensor<2xf32>) outs(%row : tensor<2x131072xf32>) {
  ^bb0(%x: f32, %r: f32, %out: f32):
    %0 = arith.mulf %x, %r : f32
    linalg.yield %0 : f32
  } -> tensor<2x131072xf32>
  %r2 = linalg.generic {indexing_maps = [#id, #id, #n], iterator_types = ["parallel", "reduction"]}
      ins(%a2, %a0 : tensor<2x131072xf32>, tensor<2x131072xf32>) outs(%none : tensor<2xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  %y2 = linalg.generic {indexing_maps = [#id, #n, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a2, %r2 : tensor<2x131072xf32>, tensor<2xf32>) outs(%row : tensor<2x131072xf32>) {
  ^bb0(%x: f32, %r: f32, %out: f32):
    %0 = arith.mulf %x, %r : f32
    linalg.yield %0 : f32
  } -> tensor<2x131072xf32>
  %r3 = linalg.generic {indexing_maps = [#id, #id, #n], iterator_types = ["parallel", "reduction"]}
      ins(%a3, %a0 : tensor<2x131072xf32>, tensor<2x131072xf32>) outs(%none : tensor<2xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  %y3 = linalg.generic {indexing_maps = [#id, #n, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a3, %r3 : tensor<2x131072xf32>, tensor<2xf32>) outs(%row : tensor<2x131072xf32>) {
  ^bb0(%x: f32, %r: f32, %out: f32):
    %0 = arith.mulf %x, %r : f32
    linalg.yield %0 : f32
  } -> tensor<2x131072xf32>
  return %y1, %y2, %y3 : tensor<2x131072xf32>, tensor<2x131072xf32>, tensor<2x131072xf32>
}

// -----

// Short rows are held together.
#id = affine_map<(d0, d1) -> (d0, d1)>
#n = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: quack.kernel @small_0(
// CHECK-COUNT-3: quack.reduce
// CHECK:       func.func @small(
// CHECK:         quack.call @small_0
// CHECK-NOT:     @small_1
func.func @small(%a0: tensor<2x1024xf32>, %a1: tensor<2x1024xf32>, %a2: tensor<2x1024xf32>, %a3: tensor<2x1024xf32>) -> (tensor<2x1024xf32>, tensor<2x1024xf32>, tensor<2x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<2xf32>
  %row = tensor.empty() : tensor<2x1024xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<2xf32>) -> tensor<2xf32>
  %r1 = linalg.generic {indexing_maps = [#id, #id, #n], iterator_types = ["parallel", "reduction"]}
      ins(%a1, %a0 : tensor<2x1024xf32>, tensor<2x1024xf32>) outs(%none : tensor<2xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  %y1 = linalg.generic {indexing_maps = [#id, #n, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a1, %r1 : tensor<2x1024xf32>, tensor<2xf32>) outs(%row : tensor<2x1024xf32>) {
  ^bb0(%x: f32, %r: f32, %out: f32):
    %0 = arith.mulf %x, %r : f32
    linalg.yield %0 : f32
  } -> tensor<2x1024xf32>
  %r2 = linalg.generic {indexing_maps = [#id, #id, #n], iterator_types = ["parallel", "reduction"]}
      ins(%a2, %a0 : tensor<2x1024xf32>, tensor<2x1024xf32>) outs(%none : tensor<2xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  %y2 = linalg.generic {indexing_maps = [#id, #n, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a2, %r2 : tensor<2x1024xf32>, tensor<2xf32>) outs(%row : tensor<2x1024xf32>) {
  ^bb0(%x: f32, %r: f32, %out: f32):
    %0 = arith.mulf %x, %r : f32
    linalg.yield %0 : f32
  } -> tensor<2x1024xf32>
  %r3 = linalg.generic {indexing_maps = [#id, #id, #n], iterator_types = ["parallel", "reduction"]}
      ins(%a3, %a0 : tensor<2x1024xf32>, tensor<2x1024xf32>) outs(%none : tensor<2xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  %y3 = linalg.generic {indexing_maps = [#id, #n, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a3, %r3 : tensor<2x1024xf32>, tensor<2xf32>) outs(%row : tensor<2x1024xf32>) {
  ^bb0(%x: f32, %r: f32, %out: f32):
    %0 = arith.mulf %x, %r : f32
    linalg.yield %0 : f32
  } -> tensor<2x1024xf32>
  return %y1, %y2, %y3 : tensor<2x1024xf32>, tensor<2x1024xf32>, tensor<2x1024xf32>
}
