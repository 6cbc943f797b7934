// RUN: quack-opt %s --split-input-file --quack-raise-linalg --verify-each | FileCheck %s
// RUN: quack-opt %s --split-input-file --quack-raise-linalg --remarks-filter=quack-raise-linalg \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %python %S/Inputs/compare.py %s | FileCheck %s --check-prefix=SAME

// What must stay, in whole or in part; each function gives the same with and without.
// SAME-NOT: instead of
// SAME: PASS

// The mean of each row is subtracted along the rows, not from them: as many rows as columns
// make no difference.
#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#n = affine_map<(d0) -> (d0)>
// CHECK-LABEL: quack.kernel @wrong_axis_0(
// CHECK-SAME:    memref<?x8xf32> in row, %{{.*}}: memref<?xf32> out scalar)
// CHECK:       func.func @wrong_axis(
// CHECK:         %[[MEAN:.*]] = quack.call
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[MEAN]] :
// CHECK:           arith.subf
// REMARK: remark: [Missed] LeftOut | Category:quack-raise-linalg | Function=wrong_axis | Remark="this operation stays out of @wrong_axis_0: it takes rows and columns for something else than the group does, or works on a part of them"
func.func @wrong_axis(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %eight = arith.constant 8.0 : f32
  %number = tensor.empty() : tensor<8xf32>
  %row = tensor.empty() : tensor<8x8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<8x8xf32>) outs(%none : tensor<8xf32>) dimensions = [1]
  %mean = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel"]}
      ins(%sum : tensor<8xf32>) outs(%number : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %eight : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %d = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<8x8xf32>, tensor<8xf32>) outs(%row : tensor<8x8xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

// The differences of all pairs of maxima, weighted: what is read in two ways is computed outside, and
// loaded as a number for each row and as a row that all share.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: quack.kernel @pairs_0(
// CHECK-SAME:    memref<?x8xf32> in row, %{{.*}}: memref<?xf32> out scalar)
// CHECK-LABEL: quack.kernel @pairs_1(
// CHECK-SAME:    memref<?x8xf32> in row, %{{.*}}: memref<?xf32> in scalar, %{{.*}}: memref<8xf32> in columns, %{{.*}}: memref<?xf32> out scalar)
func.func @pairs(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<8xf32>
  %row = tensor.empty() : tensor<8x8xf32>
  %first = linalg.fill ins(%least : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<8x8xf32>) outs(%first : tensor<8xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [#id, #number, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max, %max : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%row : tensor<8x8xf32>) {
  ^bb0(%in: f32, %a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    %1 = arith.mulf %0, %in : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32>
  %sum = linalg.reduce { arith.addf } ins(%d : tensor<8x8xf32>) outs(%none : tensor<8xf32>) dimensions = [1]
  return %sum : tensor<8xf32>
}

// -----

// A row that is read turned round, beside one that is not. The square hides it in shapes.
#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#number = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: quack.kernel @turned_0(
// CHECK-SAME:    memref<?x8xf32> in row, %{{.*}}: memref<?xf32> out scalar
// CHECK:       func.func @turned(
// CHECK:         %[[P:.*]] = linalg.generic
// CHECK:         quack.call @turned_0(%[[P]]
func.func @turned(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<8xf32>
  %row = tensor.empty() : tensor<8x8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%row : tensor<8x8xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.mulf %in, %other : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %sum = linalg.reduce { arith.addf } ins(%p : tensor<8x8xf32>) outs(%none : tensor<8xf32>) dimensions = [1]
  return %sum : tensor<8xf32>
}

// -----

// The same within the reduction: nothing can be raised.
#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#number = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @turned_inside(
// CHECK:         linalg.generic
// CHECK-NOT:   quack
// REMARK: Function=turned_inside | Remark="this reduction is left as it is: it reads a tensor that is neither one row for each row, nor one number for each, nor shared by all"
func.func @turned_inside(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #turned, #number], iterator_types = ["parallel", "reduction"]}
      ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.mulf %in, %other : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %sum : tensor<8xf32>
}

// -----

// Each second element, and a window: maps that do more than to pick dimensions.
#id = affine_map<(d0, d1) -> (d0, d1)>
#strided = affine_map<(d0, d1) -> (d0, d1 * 2)>
#number = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @strided(
// CHECK:         linalg.generic
// CHECK-NOT:   quack
// REMARK: Function=strided | Remark="this reduction is left as it is: it accesses a tensor by (d0, d1) -> (d0, d1 * 2), which is more than to pick dimensions"
func.func @strided(%x: tensor<4x15xf32>, %w: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<4xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#strided, #id, #number], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<4x15xf32>, tensor<4x8xf32>) outs(%none : tensor<4xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %0 = arith.mulf %in, %weight : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %sum : tensor<4xf32>
}

// -----

// A diagonal.
#diagonal = affine_map<(d0) -> (d0, d0)>
#none = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func @diagonal(
// CHECK:         linalg.generic
// CHECK-NOT:   quack
func.func @diagonal(%x: tensor<8x8xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<f32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#diagonal, #none], iterator_types = ["reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%none : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// -----

// A sum that is rounded at each step.
// CHECK-LABEL: func.func @narrow_sum(
// CHECK:         linalg.reduce
// CHECK-NOT:   quack
// REMARK: Function=narrow_sum | Remark="this reduction is left as it is: it rounds to a narrow type at each step, where a kernel's sums and products are kept in f32"
func.func @narrow_sum(%x: tensor<4x96xbf16>) -> tensor<4xbf16> {
  %zero = arith.constant 0.0 : bf16
  %number = tensor.empty() : tensor<4xbf16>
  %none = linalg.fill ins(%zero : bf16) outs(%number : tensor<4xbf16>) -> tensor<4xbf16>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x96xbf16>) outs(%none : tensor<4xbf16>) dimensions = [1]
  return %sum : tensor<4xbf16>
}

// -----

// Numbers of 64 bits.
// CHECK-LABEL: func.func @wide(
// CHECK-COUNT-2: linalg.reduce
// CHECK-NOT:   quack
// REMARK: Function=wide | Remark="this reduction is left as it is: it reads elements of type f64, which no operand of a kernel has"
// REMARK: Function=wide | Remark="this reduction is left as it is: it combines integers of more than 32 bits"
func.func @wide(%x: tensor<4x96xf64>, %k: tensor<4x96xi64>) -> (tensor<4xf64>, tensor<4xi64>) {
  %zero = arith.constant 0.0 : f64
  %zeroI = arith.constant 0 : i64
  %number = tensor.empty() : tensor<4xf64>
  %integer = tensor.empty() : tensor<4xi64>
  %none = linalg.fill ins(%zero : f64) outs(%number : tensor<4xf64>) -> tensor<4xf64>
  %noneI = linalg.fill ins(%zeroI : i64) outs(%integer : tensor<4xi64>) -> tensor<4xi64>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x96xf64>) outs(%none : tensor<4xf64>) dimensions = [1]
  %sumI = linalg.reduce { arith.addi } ins(%k : tensor<4x96xi64>) outs(%noneI : tensor<4xi64>) dimensions = [1]
  return %sum, %sumI : tensor<4xf64>, tensor<4xi64>
}

// -----

// A maximum by comparison forgets a NaN that it has seen: none of the named kinds does that.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @forgets_nan(
// CHECK:         linalg.generic
// CHECK-NOT:   quack
// REMARK: Function=forgets_nan | Remark="this reduction is left as it is: what it does with an element and a partial result is no reduction that kernels have"
func.func @forgets_nan(%x: tensor<4x96xf32>) -> tensor<4xf32> {
  %least = arith.constant 0xFF800000 : f32
  %number = tensor.empty() : tensor<4xf32>
  %first = linalg.fill ins(%least : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %max = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x96xf32>) outs(%first : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %more = arith.cmpf ogt, %in, %out : f32
    %0 = arith.select %more, %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %max : tensor<4xf32>
}

// -----

// An argmax whose index does not go with its NaN.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @other_argmax(
// CHECK:         linalg.generic
// CHECK-NOT:   quack
// REMARK: Function=other_argmax | Remark="this reduction is left as it is: it finds an element and its place, but not as argmax and argmin of a kernel do: the first of equal ones, and a NaN before all others"
func.func @other_argmax(%x: tensor<4x96xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %number = tensor.empty() : tensor<4xf32>
  %place = tensor.empty() : tensor<4xi32>
  %a = linalg.fill ins(%least : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.fill ins(%zero : i32) outs(%place : tensor<4xi32>) -> tensor<4xi32>
  %r:2 = linalg.generic {indexing_maps = [#id, #number, #number], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x96xf32>) outs(%a, %b : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%in: f32, %best: f32, %at: i32):
    %i = linalg.index 1 : index
    %c = arith.index_cast %i : index to i32
    %value = arith.maximumf %in, %best : f32
    %more = arith.cmpf ogt, %in, %best : f32
    %column = arith.select %more, %c, %at : i32
    linalg.yield %value, %column : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>
}

// -----

// The last of equal elements; a start that is no infinity; a start in another column; a place
// that is not the column.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @last_argmax(
// CHECK:         linalg.generic
// CHECK-NOT:   quack
// REMARK: Function=last_argmax | Remark="this reduction is left as it is: it finds an element and its place, but not as
func.func @last_argmax(%x: tensor<4x96xf32>) -> tensor<4xi32> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %number = tensor.empty() : tensor<4xf32>
  %place = tensor.empty() : tensor<4xi32>
  %a = linalg.fill ins(%least : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.fill ins(%zero : i32) outs(%place : tensor<4xi32>) -> tensor<4xi32>
  %r:2 = linalg.generic {indexing_maps = [#id, #number, #number], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x96xf32>) outs(%a, %b : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%in: f32, %best: f32, %at: i32):
    %i = linalg.index 1 : index
    %c = arith.index_cast %i : index to i32
    %takes = arith.cmpf uge, %in, %best : f32
    %value = arith.select %takes, %in, %best : f32
    %column = arith.select %takes, %c, %at : i32
    linalg.yield %value, %column : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#1 : tensor<4xi32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @started_argmax(
// CHECK:         linalg.generic
// CHECK-NOT:   quack
// REMARK: Function=started_argmax | Remark="this reduction is left as it is: it finds an element and its place, but does not begin with an infinity in column 0"
func.func @started_argmax(%x: tensor<4x96xf32>) -> tensor<4xi32> {
  %least = arith.constant 3.0 : f32
  %zero = arith.constant 0 : i32
  %number = tensor.empty() : tensor<4xf32>
  %place = tensor.empty() : tensor<4xi32>
  %a = linalg.fill ins(%least : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.fill ins(%zero : i32) outs(%place : tensor<4xi32>) -> tensor<4xi32>
  %r:2 = linalg.generic {indexing_maps = [#id, #number, #number], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x96xf32>) outs(%a, %b : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%in: f32, %best: f32, %at: i32):
    %i = linalg.index 1 : index
    %c = arith.index_cast %i : index to i32
    %more = arith.cmpf ugt, %in, %best : f32
    %had = arith.cmpf ord, %best, %best : f32
    %takes = arith.andi %more, %had : i1
    %value = arith.select %takes, %in, %best : f32
    %column = arith.select %takes, %c, %at : i32
    linalg.yield %value, %column : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#1 : tensor<4xi32>
}

// -----

// A partial result that is used twice.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @horner(
// CHECK:         linalg.generic
// CHECK-NOT:   quack
func.func @horner(%x: tensor<4x96xf32>) -> tensor<4xf32> {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<4xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x96xf32>) outs(%none : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %scaled = arith.mulf %out, %half : f32
    %0 = arith.addf %scaled, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Operations that kernels lack are left out, and what they need is a result.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: quack.kernel @lacking_0(
// CHECK-SAME:    memref<?x96xf32> in row, %{{.*}}: memref<?x96xf32> out row
// CHECK:       func.func @lacking(
// CHECK:         quack.call @lacking_0
// CHECK:         linalg.generic
// CHECK:           arith.remf
// REMARK: remark: [Missed] LeftOut | Category:quack-raise-linalg | Function=lacking | Remark="this operation stays out of @lacking_0: it computes arith.remf, which kernels cannot"
func.func @lacking(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %two = arith.constant 2.0 : f32
  %row = tensor.empty() : tensor<4x96xf32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<4x96xf32>) outs(%row : tensor<4x96xf32>) -> tensor<4x96xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<4x96xf32>) outs(%row : tensor<4x96xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.remf %in, %two : f32
    linalg.yield %0 : f32
  } -> tensor<4x96xf32>
  return %y : tensor<4x96xf32>
}

// -----

// The sum of the differences waits for what is made of the maximum outside: two kernels.
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
#n = affine_map<(d0) -> (d0)>
// CHECK-LABEL: quack.kernel @between_0(
// CHECK-SAME:    memref<?x16xf32> in row, %{{.*}}: memref<?xf32> out scalar)
// CHECK-LABEL: quack.kernel @between_1(
// CHECK-SAME:    memref<?x16xf32> in row, %{{.*}}: memref<?xf32> in scalar, %{{.*}}: memref<?xf32> out scalar)
// CHECK:       func.func @between(
// CHECK:         quack.call @between_0
// CHECK:         arith.remf
// CHECK:         quack.call @between_1
// REMARK: remark: [Missed] LeftOut | {{.*}}Function=between | Remark="this operation stays out of @between_0: what it needs is computed from its group's results, but outside of the group"
func.func @between(%x: tensor<8x16xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<8xf32>
  %row = tensor.empty() : tensor<8x16xf32>
  %first = linalg.fill ins(%least : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<8x16xf32>) outs(%first : tensor<8xf32>) dimensions = [1]
  %mixed = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = ["parallel"]}
      ins(%w, %max : tensor<8xf32>, tensor<8xf32>) outs(%number : tensor<8xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.remf %in, %m : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %d = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mixed : tensor<8x16xf32>, tensor<8xf32>) outs(%row : tensor<8x16xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.reduce { arith.addf } ins(%d : tensor<8x16xf32>) outs(%none : tensor<8xf32>) dimensions = [1]
  return %sum : tensor<8xf32>
}

// -----

// What needs the maximum and has side effects stays before what has others.
// CHECK-LABEL: func.func @effects(
// CHECK:         %[[MAX:.*]] = quack.call @effects_0
// CHECK:         call @tell(%[[MAX]])
// CHECK:         call @tell(%{{.*}})
// CHECK:         quack.call @effects_1
func.func private @tell(%t: tensor<4xf32>) {
  return
}
func.func @effects(%x: tensor<4x96xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<4xf32>
  %first = linalg.fill ins(%least : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<4x96xf32>) outs(%first : tensor<4xf32>) dimensions = [1]
  func.call @tell(%max) : (tensor<4xf32>) -> ()
  func.call @tell(%t) : (tensor<4xf32>) -> ()
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x96xf32>) outs(%none : tensor<4xf32>) dimensions = [1]
  return %max, %sum : tensor<4xf32>, tensor<4xf32>
}

// -----

// A matrix product has no row of its own.
// CHECK-LABEL: func.func @product(
// CHECK:         linalg.matmul
// CHECK-NOT:   quack
// REMARK: Function=product | Remark="this reduction is left as it is: no tensor that it reads holds the rows that it combines"
func.func @product(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x16xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%none : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

// A part of a larger tensor, read by the numbers of the loops.
// CHECK-LABEL: func.func @part(
// CHECK-NOT:   quack
// REMARK: Function=part | Remark="this reduction is left as it is: it reads a part of a tensor by the numbers of its loops"
#id = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d0)>
func.func @part(%x: tensor<8x64xf32>, %w: tensor<8x128xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = tensor.extract %w[%i, %j] : tensor<8x128xf32>
    %m = arith.mulf %a, %c : f32
    %o = arith.addf %m, %b : f32
    linalg.yield %o : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// Places that do not have all columns.
// CHECK-LABEL: func.func @narrow_places(
// CHECK-NOT:   quack
// REMARK: Function=narrow_places | Remark="this reduction is left as it is: it finds the place of an element, but not by its column, or in a type that has not all columns"
#id = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d0)>
func.func @narrow_places(%x0: tensor<4x300xf32>) -> (tensor<4xf32>, tensor<4xi8>) {
  %z = arith.constant 0 : i8
  %n = arith.constant 0xFF800000 : f32
  %ex = tensor.empty() : tensor<4x300xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<4x300xf32>) outs(%ex : tensor<4x300xf32>) {
  ^bb0(%a: f32, %b: f32):
    %q = math.roundeven %a : f32
    linalg.yield %q : f32
  } -> tensor<4x300xf32>
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%n : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %ei = tensor.empty() : tensor<4xi8>
  %fi = linalg.fill ins(%z : i8) outs(%ei : tensor<4xi8>) -> tensor<4xi8>
  %q:2 = linalg.generic {indexing_maps = [#id, #r, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x300xf32>) outs(%f, %fi : tensor<4xf32>, tensor<4xi8>) {
  ^bb0(%a: f32, %v: f32, %p: i8):
    %i = linalg.index 1 : index
    %i8 = arith.index_cast %i : index to i8
    %gt = arith.cmpf ogt, %a, %v : f32
    %un = arith.cmpf uno, %a, %a : f32
    %unv = arith.cmpf ord, %v, %v : f32
    %uu = arith.andi %un, %unv : i1
    %takes = arith.ori %gt, %uu : i1
    %rv = arith.select %takes, %a, %v : f32
    %eq = arith.cmpf oeq, %a, %v : f32
    %lt = arith.cmpi slt, %i8, %p : i8
    %t2 = arith.andi %eq, %lt : i1
    %t3 = arith.ori %takes, %t2 : i1
    %rp = arith.select %t3, %i8, %p : i8
    linalg.yield %rv, %rp : f32, i8
  } -> (tensor<4xf32>, tensor<4xi8>)
  return %q#0, %q#1 : tensor<4xf32>, tensor<4xi8>
}
