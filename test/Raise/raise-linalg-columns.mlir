// RUN: quack-opt %s --split-input-file --quack-raise-linalg --verify-each | FileCheck %s
// RUN: quack-opt %s --split-input-file --quack-raise-linalg --remarks-filter=quack-raise-linalg \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %python %S/Inputs/compare.py %s | FileCheck %s --check-prefix=SAME

// Sums over all rows: each column's, or everything's.
// SAME-NOT: instead of
// SAME: PASS

// The backward pass of RMSNorm: dx, dw and the sum of dy by one kernel, which reads both once.
#id = affine_map<(d0, d1) -> (d0, d1)>
#n = affine_map<(d0, d1) -> (d0)>
#c = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: quack.kernel @rmsnorm_bwd_0(
// CHECK-DAG:     quack.reduce addf
// CHECK-DAG:     quack.accumulate %{{.*}} : tensor<96xf32>, memref<96xf32>
// CHECK-DAG:     quack.accumulate %{{.*}} : tensor<96xf32>, memref<96xf32>
// CHECK:       func.func @rmsnorm_bwd(
// CHECK-COUNT-1: quack.call @rmsnorm_bwd_0({{.*}} -> tensor<96xf32>, tensor<96xf32>, tensor<8x96xf32>
// CHECK-NOT:   linalg
// REMARK: Function=rmsnorm_bwd | Remark="@rmsnorm_bwd_0 has operations: 6, among them reductions: 3; rows of 96 columns are read or written 3 times in place of 10; {{[0-9]+}} rows take {{[0-9.]+}} us in place of {{[0-9.]+}} us"
func.func @rmsnorm_bwd(%x: tensor<8x96xf32>, %dy: tensor<8x96xf32>, %w: tensor<96xf32>, %rstd: tensor<8xf32>) -> (tensor<8x96xf32>, tensor<96xf32>, tensor<96xf32>) {
  %zero = arith.constant 0.0 : f32
  %row = tensor.empty() : tensor<8x96xf32>
  %number = tensor.empty() : tensor<8xf32>
  %column = tensor.empty() : tensor<96xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  %noneC = linalg.fill ins(%zero : f32) outs(%column : tensor<96xf32>) -> tensor<96xf32>
  // A sum that comes first does not begin the group.
  %db = linalg.reduce { arith.addf } ins(%dy : tensor<8x96xf32>) outs(%noneC : tensor<96xf32>) dimensions = [0]
  %xhat = linalg.generic {indexing_maps = [#id, #n, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %rstd : tensor<8x96xf32>, tensor<8xf32>) outs(%row : tensor<8x96xf32>) {
  ^bb0(%in: f32, %r: f32, %out: f32):
    %0 = arith.mulf %in, %r : f32
    linalg.yield %0 : f32
  } -> tensor<8x96xf32>
  %dw = linalg.generic {indexing_maps = [#id, #id, #c], iterator_types = ["reduction", "parallel"]}
      ins(%dy, %xhat : tensor<8x96xf32>, tensor<8x96xf32>) outs(%noneC : tensor<96xf32>) {
  ^bb0(%g: f32, %h: f32, %out: f32):
    %0 = arith.mulf %g, %h : f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  } -> tensor<96xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #c, #n], iterator_types = ["parallel", "reduction"]}
      ins(%dy, %xhat, %w : tensor<8x96xf32>, tensor<8x96xf32>, tensor<96xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%g: f32, %h: f32, %k: f32, %out: f32):
    %0 = arith.mulf %g, %k : f32
    %1 = arith.mulf %0, %h : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  %dx = linalg.generic {indexing_maps = [#id, #id, #n, #c, #n, #id], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %xhat, %dot, %w, %rstd : tensor<8x96xf32>, tensor<8x96xf32>, tensor<8xf32>, tensor<96xf32>, tensor<8xf32>)
      outs(%row : tensor<8x96xf32>) {
  ^bb0(%g: f32, %h: f32, %d: f32, %k: f32, %r: f32, %out: f32):
    %0 = arith.mulf %g, %k : f32
    %1 = arith.mulf %h, %d : f32
    %2 = arith.subf %0, %1 : f32
    %3 = arith.mulf %2, %r : f32
    linalg.yield %3 : f32
  } -> tensor<8x96xf32>
  return %dx, %dw, %db : tensor<8x96xf32>, tensor<96xf32>, tensor<96xf32>
}

// -----

// By itself: all but the last dimension; bf16 is widened first; the dimensions stay.
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#c = affine_map<(d0, d1, d2) -> (0, 0, d2)>
// CHECK-LABEL: quack.kernel @column_sums_0(
// CHECK-SAME:    memref<?x33xbf16> in row, %[[OUT:.*]]: memref<33xf32> out columns) {
// CHECK-NEXT:    %[[V:.*]] = quack.load %{{.*}} : memref<?x33xbf16> -> tensor<33xf32>
// CHECK-NEXT:    quack.accumulate %[[V]], %[[OUT]] : tensor<33xf32>, memref<33xf32>
// CHECK:       func.func @column_sums(
// CHECK:         %[[S:.*]] = quack.call @column_sums_0
// CHECK-NEXT:    tensor.expand_shape %[[S]] {{\[}}[0, 1, 2]] output_shape [1, 1, 33] : tensor<33xf32> into tensor<1x1x33xf32>
// CHECK-NOT:   linalg
func.func @column_sums(%x: tensor<2x3x33xbf16>) -> tensor<1x1x33xf32> {
  %zero = arith.constant -0.0 : f32
  %empty = tensor.empty() : tensor<1x1x33xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x1x33xf32>) -> tensor<1x1x33xf32>
  %s = linalg.generic {indexing_maps = [#id, #c], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x : tensor<2x3x33xbf16>) outs(%none : tensor<1x1x33xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x1x33xf32>
  return %s : tensor<1x1x33xf32>
}

// -----

// The first of three dimensions: rows are planes.
// CHECK-LABEL: quack.kernel @planes_0(
// CHECK-SAME:    memref<?x96xf32> in row, %{{.*}}: memref<96xf32> out columns)
// CHECK:       func.func @planes(
// CHECK:         tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : tensor<5x4x24xf32> into tensor<5x96xf32>
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [4, 24]
func.func @planes(%x: tensor<5x4x24xf32>) -> tensor<4x24xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x24xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x24xf32>) -> tensor<4x24xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<5x4x24xf32>) outs(%none : tensor<4x24xf32>) dimensions = [0]
  return %s : tensor<4x24xf32>
}

// -----

// What it begins with is added once, to the sum of all rows: a constant, and another sum.
// CHECK-LABEL: quack.kernel @inits_0(
// CHECK-NOT:     init
// CHECK:         quack.accumulate
// CHECK-LABEL: quack.kernel @inits_1(
// CHECK-NOT:     init
// CHECK:         quack.accumulate
// CHECK:       func.func @inits(
// CHECK:         %[[FILL:.*]] = linalg.fill
// CHECK:         %[[S:.*]] = quack.call @inits_0
// CHECK:         %[[FIRST:.*]] = linalg.add ins(%[[FILL]], %[[S]] :
// CHECK:         %[[T:.*]] = quack.call @inits_1
// CHECK:         linalg.add ins(%[[FIRST]], %[[T]] :
func.func @inits(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<16xf32> {
  %start = arith.constant 1.5 : f32
  %empty = tensor.empty() : tensor<16xf32>
  %first = linalg.fill ins(%start : f32) outs(%empty : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<8x16xf32>) outs(%first : tensor<16xf32>) dimensions = [0]
  %t = linalg.reduce { arith.addf } ins(%y : tensor<8x16xf32>) outs(%s : tensor<16xf32>) dimensions = [0]
  return %t : tensor<16xf32>
}

// -----

// A sum of numbers of rows, and of everything, beside a reduction of rows.
#id = affine_map<(d0, d1) -> (d0, d1)>
#n = affine_map<(d0, d1) -> (d0)>
#none = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: quack.kernel @totals_0(
// CHECK-SAME:    memref<?x96xf32> in row, %{{.*}}: memref<?xf32> out scalar, %{{.*}}: memref<f32> out single, %{{.*}}: memref<f32> out single)
// CHECK-DAG:     %[[MAX:.*]] = quack.reduce maximumf
// CHECK-DAG:     quack.accumulate %[[MAX]], %{{.*}} : f32, memref<f32>
// CHECK-DAG:     %[[SUM:.*]] = quack.reduce addf
// CHECK-DAG:     quack.accumulate %[[SUM]], %{{.*}} : f32, memref<f32>
func.func @totals(%x: tensor<8x96xf32>) -> (tensor<8xf32>, tensor<f32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %number = tensor.empty() : tensor<8xf32>
  %one = tensor.empty() : tensor<f32>
  %first = linalg.fill ins(%least : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%one : tensor<f32>) -> tensor<f32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<8x96xf32>) outs(%first : tensor<8xf32>) dimensions = [1]
  %sum = linalg.reduce { arith.addf } ins(%max : tensor<8xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %all = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<8x96xf32>) outs(%none : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %max, %sum, %all : tensor<8xf32>, tensor<f32>, tensor<f32>
}

// -----

// What needs a sum over all rows waits for all rows: two kernels, and the rest behind them.
#id = affine_map<(d0, d1) -> (d0, d1)>
#c = affine_map<(d0, d1) -> (d1)>
#n = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: quack.kernel @centred_0(
// CHECK-SAME:    memref<?x16xf32> in row, %{{.*}}: memref<16xf32> in columns, %{{.*}}: memref<?xf32> out scalar)
// CHECK-LABEL: quack.kernel @centred_1(
// CHECK-SAME:    memref<?x16xf32> in row, %{{.*}}: memref<16xf32> out columns)
// CHECK:       func.func @centred(
// CHECK:         %[[S:.*]] = quack.call @centred_1
// CHECK:         quack.call @centred_0(%{{.*}}, %[[S]] :
func.func @centred(%x: tensor<16x16xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<16xf32>
  %row = tensor.empty() : tensor<16x16xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<16x16xf32>) outs(%none : tensor<16xf32>) dimensions = [0]
  %d = linalg.generic {indexing_maps = [#id, #c, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<16x16xf32>, tensor<16xf32>) outs(%row : tensor<16x16xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    linalg.yield %0 : f32
  } -> tensor<16x16xf32>
  %sum = linalg.reduce { arith.addf } ins(%d : tensor<16x16xf32>) outs(%none : tensor<16xf32>) dimensions = [1]
  return %sum : tensor<16xf32>
}

// -----

// A middle dimension.
// CHECK-LABEL: func.func @middle(
// CHECK:         linalg.reduce
// CHECK-NOT:   quack
// REMARK: Function=middle | Remark="this reduction is left as it is: it combines elements along dimension 1 of tensor<2x8x16xf32>, which is not the last one"
func.func @middle(%x: tensor<2x8x16xf32>) -> tensor<2x16xf32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<2x16xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<2x16xf32>) -> tensor<2x16xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<2x8x16xf32>) outs(%none : tensor<2x16xf32>) dimensions = [1]
  return %sum : tensor<2x16xf32>
}

// -----

// A maximum over rows, a sum of bf16, a product, one that keeps the last row.
#id = affine_map<(d0, d1) -> (d0, d1)>
#c = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-4: linalg.{{reduce|generic}}
// CHECK-NOT:   quack
// REMARK: Function=others | Remark="this reduction is left as it is: it combines rows, which kernels can only add up"
// REMARK: Function=others | Remark="this reduction is left as it is: it rounds to a narrow type at each step, where a kernel's sums are kept in f32"
// REMARK: Function=others | Remark="this reduction is left as it is: it combines rows, which kernels can only add up"
// REMARK: Function=others | Remark="this reduction is left as it is: it combines rows, which kernels can only add up"
func.func @others(%x: tensor<8x16xf32>, %y: tensor<8x16xbf16>) -> (tensor<16xf32>, tensor<16xbf16>, tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %zeroB = arith.constant 0.0 : bf16
  %empty = tensor.empty() : tensor<16xf32>
  %emptyB = tensor.empty() : tensor<16xbf16>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<16xf32>) -> tensor<16xf32>
  %noneB = linalg.fill ins(%zeroB : bf16) outs(%emptyB : tensor<16xbf16>) -> tensor<16xbf16>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<8x16xf32>) outs(%none : tensor<16xf32>) dimensions = [0]
  %sum = linalg.reduce { arith.addf } ins(%y : tensor<8x16xbf16>) outs(%noneB : tensor<16xbf16>) dimensions = [0]
  %product = linalg.reduce { arith.mulf } ins(%x : tensor<8x16xf32>) outs(%none : tensor<16xf32>) dimensions = [0]
  %last = linalg.generic {indexing_maps = [#id, #c], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<8x16xf32>) outs(%none : tensor<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    linalg.yield %0 : f32
  } -> tensor<16xf32>
  return %max, %sum, %product, %last : tensor<16xf32>, tensor<16xbf16>, tensor<16xf32>, tensor<16xf32>
}

// -----

// A softmax along the rows is none of the columns.
// CHECK-LABEL: func.func @softmax(
// CHECK:         linalg.softmax
// CHECK-NOT:   quack
func.func @softmax(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %empty = tensor.empty() : tensor<8x16xf32>
  %s = linalg.softmax dimension(0) ins(%x : tensor<8x16xf32>) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %s : tensor<8x16xf32>
}
