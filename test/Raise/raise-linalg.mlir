// RUN: quack-opt %s --split-input-file --quack-raise-linalg --verify-each | FileCheck %s
// RUN: quack-opt %s --split-input-file --quack-raise-linalg --remarks-filter=quack-raise-linalg \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %python %S/Inputs/compare.py %s | FileCheck %s --check-prefix=SAME

// Each function is run as it is and raised, too, on the same inputs.
// SAME-NOT: instead of
// SAME: PASS

// A row is read once, nothing between is written. Named operations, a map, a broadcast.
// CHECK-LABEL: quack.kernel @named_0(
// CHECK-SAME: %[[X:.*]]: memref<?x96xf32> in row, %[[Y:.*]]: memref<?x96xf32> out row)
// CHECK-NEXT:    %[[V:.*]] = quack.load %[[X]]
// CHECK-NEXT:    %[[MAX:.*]] = quack.reduce maximumf %[[V]] : tensor<96xf32> -> f32
// CHECK-NEXT:    %[[MAX_ROW:.*]] = quack.broadcast %[[MAX]]
// CHECK-NEXT:    %[[D:.*]] = arith.subf %[[V]], %[[MAX_ROW]]
// CHECK-NEXT:    %[[E:.*]] = math.exp %[[D]]
// CHECK-NEXT:    %[[SUM:.*]] = quack.reduce addf %[[E]] : tensor<96xf32> -> f32
// CHECK-NEXT:    %[[SUM_ROW:.*]] = quack.broadcast %[[SUM]]
// CHECK-NEXT:    %[[P:.*]] = arith.divf %[[E]], %[[SUM_ROW]]
// CHECK-NEXT:    quack.store %[[P]], %[[Y]]
// CHECK-LABEL: func.func @named(
// CHECK-NEXT:    %[[EMPTY:.*]] = tensor.empty() : tensor<4x96xf32>
// CHECK-NEXT:    %[[R:.*]] = quack.call @named_0(%{{.*}} : tensor<4x96xf32>) outs(%[[EMPTY]] : tensor<4x96xf32>) -> tensor<4x96xf32>
// CHECK-NEXT:    return %[[R]]
// REMARK: remark: [Passed] Raised | Category:quack-raise-linalg | Function=named | Remark="@named_0 has operations: 9, among them reductions: 2; rows of 96 columns are read or written 2 times in place of 12; {{[0-9]+}} rows take {{[0-9.]+}} us in place of {{[0-9.]+}} us"
func.func @named(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<4xf32>
  %row = tensor.empty() : tensor<4x96xf32>
  %first = linalg.fill ins(%least : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<4x96xf32>) outs(%first : tensor<4xf32>) dimensions = [1]
  %spread = linalg.broadcast ins(%max : tensor<4xf32>) outs(%row : tensor<4x96xf32>) dimensions = [1]
  %shifted = linalg.sub ins(%x, %spread : tensor<4x96xf32>, tensor<4x96xf32>) outs(%row : tensor<4x96xf32>) -> tensor<4x96xf32>
  %e = linalg.exp ins(%shifted : tensor<4x96xf32>) outs(%row : tensor<4x96xf32>) -> tensor<4x96xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce { arith.addf } ins(%e : tensor<4x96xf32>) outs(%none : tensor<4xf32>) dimensions = [1]
  %sums = linalg.broadcast ins(%sum : tensor<4xf32>) outs(%row : tensor<4x96xf32>) dimensions = [1]
  %p = linalg.map { arith.divf } ins(%e, %sums : tensor<4x96xf32>, tensor<4x96xf32>) outs(%row : tensor<4x96xf32>)
  return %p : tensor<4x96xf32>
}

// -----

// linalg.softmax itself.
// CHECK-LABEL: quack.kernel @softmax_0(
// CHECK:         quack.reduce maximumf
// CHECK:         quack.reduce addf
// CHECK:         arith.divf
func.func @softmax(%x: tensor<2x3x96xf32>) -> tensor<2x3x96xf32> {
  %empty = tensor.empty() : tensor<2x3x96xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<2x3x96xf32>) outs(%empty : tensor<2x3x96xf32>) -> tensor<2x3x96xf32>
  return %p : tensor<2x3x96xf32>
}

// -----

// An init that is no identity joins once. Three results of one input.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: quack.kernel @inits_0(
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:     quack.reduce addf %{{.*}} init %[[ONE]] : tensor<96xf32> -> f32
// CHECK-DAG:     quack.reduce maximumf %{{.*}} init %{{.*}} : tensor<96xf32> -> f32
// CHECK-DAG:     quack.reduce mulf %{{.*}} init %{{.*}} : tensor<96xf32> -> f32
// CHECK:       func.func @inits
// CHECK:         quack.call @inits_0(
// CHECK-NOT:     linalg
func.func @inits(%x: tensor<4x96xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %five = arith.constant 5.0 : f32
  %number = tensor.empty() : tensor<4xf32>
  %a = linalg.fill ins(%one : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.fill ins(%five : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %c = linalg.fill ins(%two : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %r:3 = linalg.generic {indexing_maps = [#id, #number, #number, #number], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x96xf32>) outs(%a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%in: f32, %sum: f32, %max: f32, %product: f32):
    %0 = arith.addf %in, %sum : f32
    %1 = arith.maximumf %max, %in : f32
    %2 = arith.mulf %product, %in : f32
    linalg.yield %0, %1, %2 : f32, f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// An init that the program computes; a maximum that skips NaN keeps its first number, too:
// it is the result where all are NaN.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: quack.kernel @more_inits_0(
// CHECK-SAME:    %[[X:.*]]: memref<?x96xf32> in row, %[[START:.*]]: memref<?xf32> in scalar
// CHECK-DAG:     %[[FIRST:.*]] = quack.load %[[START]] : memref<?xf32> -> f32
// CHECK-DAG:     quack.reduce addf %{{.*}} init %[[FIRST]]
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG:     quack.reduce maxnumf %{{.*}} init %[[LEAST]]
func.func @more_inits(%x: tensor<4x96xf32>, %start: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %least = arith.constant 0xFF800000 : f32
  %number = tensor.empty() : tensor<4xf32>
  %a = linalg.fill ins(%least : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x96xf32>) outs(%start : tensor<4xf32>) dimensions = [1]
  %max = linalg.reduce { arith.maxnumf } ins(%x : tensor<4x96xf32>) outs(%a : tensor<4xf32>) dimensions = [1]
  return %sum, %max : tensor<4xf32>, tensor<4xf32>
}

// -----

// Column numbers; what is rounded to bf16 in the middle is rounded there; a weight that all
// rows share; numbers from outside.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#none = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: quack.kernel @masked_0(
// CHECK-SAME:    %{{.*}}: memref<?x96xbf16> in row, %{{.*}}: memref<96xbf16> in columns, %{{.*}}: memref<?xi32> in scalar, %{{.*}}: memref<f32> in single, %{{.*}}: f32
// CHECK-DAG:     quack.index : tensor<96xi32>
// CHECK-DAG:     %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : tensor<96xf32>
// CHECK-DAG:     arith.truncf %[[SUM]] : tensor<96xf32> to tensor<96xbf16>
// CHECK:         quack.reduce addf
func.func @masked(%x: tensor<4x96xbf16>, %w: tensor<96xbf16>, %n: tensor<4xi32>, %eps: f32, %scale: tensor<f32>) -> (tensor<4x96xbf16>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %row16 = tensor.empty() : tensor<4x96xbf16>
  %row = tensor.empty() : tensor<4x96xf32>
  %number = tensor.empty() : tensor<4xf32>
  %h = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<4x96xbf16>, tensor<96xbf16>) outs(%row16 : tensor<4x96xbf16>) {
  ^bb0(%in: bf16, %weight: bf16, %out: bf16):
    %0 = arith.addf %in, %weight : bf16
    linalg.yield %0 : bf16
  } -> tensor<4x96xbf16>
  %kept = linalg.generic {indexing_maps = [#id, #number, #none, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h, %n, %scale : tensor<4x96xbf16>, tensor<4xi32>, tensor<f32>) outs(%row : tensor<4x96xf32>) {
  ^bb0(%in: bf16, %count: i32, %factor: f32, %out: f32):
    %column = linalg.index 1 : index
    %c = arith.index_cast %column : index to i32
    %is = arith.cmpi slt, %c, %count : i32
    %wide = arith.extf %in : bf16 to f32
    %scaled = arith.mulf %wide, %factor : f32
    %0 = arith.select %is, %scaled, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<4x96xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["parallel", "reduction"]}
      ins(%kept : tensor<4x96xf32>) outs(%none : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %square = arith.mulf %in, %in : f32
    %safe = arith.addf %square, %eps : f32
    %0 = arith.addf %out, %safe : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %h, %sum : tensor<4x96xbf16>, tensor<4xf32>
}

// -----

// Dimensions of extent 1 are no axis: neither of rows that are kept, nor of those that are
// combined a second time.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
#kept = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: quack.kernel @kept_0(
// CHECK:         quack.reduce addf
// CHECK-NOT:     quack.reduce
// CHECK:       func.func @kept(
// CHECK:         %[[R:.*]]:2 = quack.call @kept_0
// CHECK:         tensor.expand_shape %[[R]]#0 {{\[}}[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
func.func @kept(%x: tensor<4x96xf32>) -> (tensor<4x1xf32>, tensor<4x96xf32>) {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %number = tensor.empty() : tensor<4xf32>
  %number1 = tensor.empty() : tensor<4x1xf32>
  %row = tensor.empty() : tensor<4x96xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x96xf32>) outs(%none : tensor<4xf32>) dimensions = [1]
  %wide = tensor.expand_shape %sum [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %start = linalg.fill ins(%two : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %again = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["parallel", "reduction"]}
      ins(%wide : tensor<4x1xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %again1 = tensor.expand_shape %again [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #kept, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %again1 : tensor<4x96xf32>, tensor<4x1xf32>) outs(%row : tensor<4x96xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.mulf %in, %s : f32
    linalg.yield %0 : f32
  } -> tensor<4x96xf32>
  return %wide, %y : tensor<4x1xf32>, tensor<4x96xf32>
}

// -----

// Argmax as frontends write it, decided by trying all orders: the first of equal elements,
// NaN before all.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: quack.kernel @argmax_0(
// CHECK:         %{{.*}}, %[[COLUMN:.*]] = quack.argmax %{{.*}} : tensor<96xf32>
// CHECK:         quack.store %[[COLUMN]], %{{.*}} : i32, memref<?xi32>
func.func @argmax(%x: tensor<4x96xf32>) -> tensor<4xi32> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %row = tensor.empty() : tensor<4x96xi32>
  %number = tensor.empty() : tensor<4xf32>
  %place = tensor.empty() : tensor<4xi32>
  %iota = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%row : tensor<4x96xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 1 : index
    %c = arith.index_cast %i : index to i32
    linalg.yield %c : i32
  } -> tensor<4x96xi32>
  %a = linalg.fill ins(%least : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.fill ins(%zero : i32) outs(%place : tensor<4xi32>) -> tensor<4xi32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #number, #number], iterator_types = ["parallel", "reduction"]}
      ins(%x, %iota : tensor<4x96xf32>, tensor<4x96xi32>) outs(%a, %b : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%in: f32, %i: i32, %best: f32, %at: i32):
    %more = arith.cmpf ogt, %best, %in : f32
    %nan = arith.cmpf une, %best, %best : f32
    %keeps = arith.ori %more, %nan : i1
    %equal = arith.cmpf oeq, %best, %in : f32
    %before = arith.cmpi slt, %at, %i : i32
    %first = arith.andi %equal, %before : i1
    %keepsAt = arith.ori %keeps, %first : i1
    %value = arith.select %keeps, %best, %in : f32
    %column = arith.select %keepsAt, %at, %i : i32
    linalg.yield %value, %column : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#1 : tensor<4xi32>
}

// -----

// The same of the least element, by the loop's number; both results; places of 64 bits.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: quack.kernel @argmin_0(
// CHECK:         quack.argmin %{{.*}} : tensor<96xf32>
// CHECK:         arith.extsi %{{.*}} : i32 to i64
func.func @argmin(%x: tensor<4x96xf16>) -> (tensor<4xf16>, tensor<4xi64>) {
  %most = arith.constant 0x7C00 : f16
  %zero = arith.constant 0 : i64
  %number = tensor.empty() : tensor<4xf16>
  %place = tensor.empty() : tensor<4xi64>
  %a = linalg.fill ins(%most : f16) outs(%number : tensor<4xf16>) -> tensor<4xf16>
  %b = linalg.fill ins(%zero : i64) outs(%place : tensor<4xi64>) -> tensor<4xi64>
  %r:2 = linalg.generic {indexing_maps = [#id, #number, #number], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x96xf16>) outs(%a, %b : tensor<4xf16>, tensor<4xi64>) {
  ^bb0(%in: f16, %best: f16, %at: i64):
    %i = linalg.index 1 : index
    %c = arith.index_cast %i : index to i64
    %less = arith.cmpf ult, %in, %best : f16
    %had = arith.cmpf ord, %best, %best : f16
    %takes = arith.andi %less, %had : i1
    %value = arith.select %takes, %in, %best : f16
    %column = arith.select %takes, %c, %at : i64
    linalg.yield %value, %column : f16, i64
  } -> (tensor<4xf16>, tensor<4xi64>)
  return %r#0, %r#1 : tensor<4xf16>, tensor<4xi64>
}

// -----

// One row only.
// CHECK-LABEL: quack.kernel @one_row_0(
// CHECK-SAME:    memref<?x96xf32> in row, %{{.*}}: memref<?xf32> out scalar
// CHECK:       func.func @one_row(
// CHECK:         %[[X:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [1, 96]
// CHECK:         %[[R:.*]] = quack.call @one_row_0(%[[X]] : tensor<1x96xf32>) outs(%{{.*}} : tensor<1xf32>)
// CHECK:         tensor.collapse_shape %[[R]] [] : tensor<1xf32> into tensor<f32>
func.func @one_row(%x: tensor<96xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<f32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<96xf32>) outs(%none : tensor<f32>) dimensions = [0]
  return %sum : tensor<f32>
}

// -----

// A dot product, and a matrix by a vector, are reductions of rows, too.
// CHECK-LABEL: quack.kernel @dots_0(
// CHECK-SAME:    memref<?x96xf32> in row, %{{.*}}: memref<96xf32> in columns
func.func @dots(%a: tensor<4x96xf32>, %x: tensor<96xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<4xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.matvec ins(%a, %x : tensor<4x96xf32>, tensor<96xf32>) outs(%none : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A row of two dimensions, and rows of two; a reshape between them.
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#number = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#flat = affine_map<(d0, d1) -> (d0, d1)>
#flatNumber = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: quack.kernel @axes_0(
// CHECK-SAME:    memref<?x96xf32> in row, %{{.*}}: memref<?x96xf32> out row
// CHECK:       func.func @axes(
// CHECK-NOT:     linalg
// CHECK:         tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2, 3]] : tensor<2x3x4x24xf32> into tensor<6x96xf32>
func.func @axes(%x: tensor<2x3x4x24xf32>) -> tensor<6x96xf32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<2x3xf32>
  %row = tensor.empty() : tensor<6x96xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<2x3xf32>) -> tensor<2x3xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<2x3x4x24xf32>) outs(%none : tensor<2x3xf32>) dimensions = [2, 3]
  %x2 = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<2x3x4x24xf32> into tensor<6x96xf32>
  %sum2 = tensor.collapse_shape %sum [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %y = linalg.generic {indexing_maps = [#flat, #flatNumber, #flat], iterator_types = ["parallel", "parallel"]}
      ins(%x2, %sum2 : tensor<6x96xf32>, tensor<6xf32>) outs(%row : tensor<6x96xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %i = linalg.index 1 : index
    %c = arith.index_cast %i : index to i32
    %f = arith.sitofp %c : i32 to f32
    %0 = arith.divf %in, %s : f32
    %1 = arith.addf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<6x96xf32>
  return %y : tensor<6x96xf32>
}

// -----

// The other way round: the reshape comes after the group's rows were taken as one axis.
#flat = affine_map<(d0, d1) -> (d0, d1)>
#flatNumber = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: quack.kernel @split_0(
// CHECK:         quack.reduce
// CHECK:         arith.negf
// CHECK:       func.func @split(
// CHECK-NOT:     linalg
// CHECK:         return
func.func @split(%x: tensor<6x96xf32>) -> tensor<2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<6xf32>
  %number2 = tensor.empty() : tensor<2x3xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<6xf32>) -> tensor<6xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<6x96xf32>) outs(%none : tensor<6xf32>) dimensions = [1]
  %sum2 = tensor.expand_shape %sum [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  %y = linalg.negf ins(%sum2 : tensor<2x3xf32>) outs(%number2 : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// Truth values stay inside; the largest of bf16 is exact.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
#n = affine_map<(d0) -> (d0)>
// CHECK-LABEL: quack.kernel @any_0(
// CHECK-DAG:     arith.cmpf ogt, %{{.*}} : tensor<96xf32>
// CHECK-DAG:     arith.extui %{{.*}} : tensor<96xi1> to tensor<96xi32>
// CHECK-DAG:     quack.reduce ori %{{.*}} : tensor<96xi32> -> i32
// CHECK-DAG:     quack.reduce maximumf %{{.*}} : tensor<96xf32> -> f32
func.func @any(%x: tensor<4x96xbf16>) -> (tensor<4xi32>, tensor<4xbf16>) {
  %false = arith.constant false
  %two = arith.constant 2.0 : bf16
  %least = arith.constant 0xFF80 : bf16
  %row = tensor.empty() : tensor<4x96xi1>
  %truth = tensor.empty() : tensor<4xi1>
  %number = tensor.empty() : tensor<4xi32>
  %number16 = tensor.empty() : tensor<4xbf16>
  %is = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x96xbf16>) outs(%row : tensor<4x96xi1>) {
  ^bb0(%in: bf16, %out: i1):
    %0 = arith.cmpf ogt, %in, %two : bf16
    linalg.yield %0 : i1
  } -> tensor<4x96xi1>
  %no = linalg.fill ins(%false : i1) outs(%truth : tensor<4xi1>) -> tensor<4xi1>
  %any = linalg.reduce { arith.ori } ins(%is : tensor<4x96xi1>) outs(%no : tensor<4xi1>) dimensions = [1]
  %count = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel"]}
      ins(%any : tensor<4xi1>) outs(%number : tensor<4xi32>) {
  ^bb0(%in: i1, %out: i32):
    %0 = arith.extui %in : i1 to i32
    linalg.yield %0 : i32
  } -> tensor<4xi32>
  %first = linalg.fill ins(%least : bf16) outs(%number16 : tensor<4xbf16>) -> tensor<4xbf16>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<4x96xbf16>) outs(%first : tensor<4xbf16>) dimensions = [1]
  return %count, %max : tensor<4xi32>, tensor<4xbf16>
}

// -----

// A destination that is read is an input.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: quack.kernel @destination_0(
// CHECK-SAME:    memref<?x96xf32> in row, %{{.*}}: memref<?x96xf32> in row, %{{.*}}: memref<?xf32> out scalar
func.func @destination(%x: tensor<4x96xf32>, %y: tensor<4x96xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<4xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x96xf32>) outs(%y : tensor<4x96xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4x96xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce { arith.addf } ins(%h : tensor<4x96xf32>) outs(%none : tensor<4xf32>) dimensions = [1]
  return %sum : tensor<4xf32>
}

// -----

// What stands between two groups stays; each has its own kernel, with a name that nobody has.
#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func private @twice_0(
// CHECK-LABEL: quack.kernel @twice_1(
// CHECK-LABEL: quack.kernel @twice_2(
// CHECK:       func.func @twice(
// CHECK:         %[[FIRST:.*]] = quack.call @twice_1
// CHECK:         %[[TURNED:.*]] = linalg.transpose ins(%[[FIRST]]
// CHECK:         quack.call @twice_2(%[[TURNED]]
func.func private @twice_0()
func.func @twice(%x: tensor<32x96xf32>) -> tensor<96x32xf32> {
  %row = tensor.empty() : tensor<32x96xf32>
  %column = tensor.empty() : tensor<96x32xf32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<32x96xf32>) outs(%row : tensor<32x96xf32>) -> tensor<32x96xf32>
  %t = linalg.transpose ins(%p : tensor<32x96xf32>) outs(%column : tensor<96x32xf32>) permutation = [1, 0]
  %q = linalg.softmax dimension(1) ins(%t : tensor<96x32xf32>) outs(%column : tensor<96x32xf32>) -> tensor<96x32xf32>
  return %q : tensor<96x32xf32>
}
