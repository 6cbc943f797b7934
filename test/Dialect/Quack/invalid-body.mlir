// RUN: quack-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// kernel: body
//===----------------------------------------------------------------------===//

quack.kernel @kernel_c6_side_effect(%x: memref<?x64xf32> in row) {
  // expected-error @below {{'memref.dealloc' op must not stand in a quack.kernel: expected a quack, constant or elementwise operation without side effects}}
  memref.dealloc %x : memref<?x64xf32>
}

// -----

quack.kernel @kernel_c6_control_flow(%x: memref<?x64xf32> in row, %c: i32) {
  %0 = arith.trunci %c : i32 to i1
  // expected-error @below {{'scf.if' op must not stand in a quack.kernel: expected a quack, constant or elementwise operation without side effects}}
  scf.if %0 {
  }
}

// -----

quack.kernel @kernel_c6_row_of_other_extent(%x: memref<?x64xf32> in row) {
  // expected-error @below {{'arith.constant' op must work on rows of the kernel's 64 columns or on scalars, in f32, bf16, f16, f64, i1, i8, i16, i32 or i64, got 'tensor<32xf32>'}}
  %0 = arith.constant dense<0.0> : tensor<32xf32>
}

// -----

quack.kernel @kernel_c6_operand_of_other_extent(%x: memref<?x?xf32> in row, %s: f32) {
  // expected-error @below {{'quack.broadcast' op must work on rows of the kernel's ? columns or on scalars, in f32, bf16, f16, f64, i1, i8, i16, i32 or i64, got 'tensor<32xf32>'}}
  %0 = quack.broadcast %s : f32 -> tensor<32xf32>
}

// -----

quack.kernel @kernel_c6_matrix(%x: memref<?x64xf32> in row) {
  // expected-error @below {{'arith.constant' op must work on rows of the kernel's 64 columns or on scalars, in f32, bf16, f16, f64, i1, i8, i16, i32 or i64, got 'tensor<64x64xf32>'}}
  %0 = arith.constant dense<0.0> : tensor<64x64xf32>
}

// -----

quack.kernel @kernel_c6_index(%x: memref<?x64xf32> in row) {
  // expected-error @below {{'arith.constant' op must work on rows of the kernel's 64 columns or on scalars, in f32, bf16, f16, f64, i1, i8, i16, i32 or i64, got 'index'}}
  %0 = arith.constant 0 : index
}

// -----

// expected-error @below {{'quack.kernel' op operand 'y' is out and must be stored exactly once, got 0 stores}}
quack.kernel @kernel_c7_out_not_stored(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
}

// -----

// expected-error @below {{'quack.kernel' op operand 'y' is out and must be stored exactly once, got 2 stores}}
quack.kernel @kernel_c7_out_stored_twice(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}

// -----

// expected-error @below {{'quack.kernel' op operand 'y' is out and must not be loaded}}
quack.kernel @kernel_c7_out_loaded(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %y : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}

// -----

// expected-error @below {{'quack.kernel' op operand 'y' is inout and must be loaded; make it out}}
quack.kernel @kernel_c7_inout_not_loaded(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> inout row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}

// -----

//===----------------------------------------------------------------------===//
// load, store
//===----------------------------------------------------------------------===//

func.func @load_c1_outside_a_kernel(%x: memref<?x64xf32>) {
  // expected-error @below {{'quack.load' op 'source' must be an operand of the kernel around it}}
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  return
}

// -----

quack.kernel @load_c1_not_an_operand(%x: memref<?x64xf32> in row, %c: i32) {
  %0 = arith.trunci %c : i32 to i1
  %m = arith.select %0, %x, %x : memref<?x64xf32>
  // expected-error @below {{'quack.load' op 'source' must be an operand of the kernel around it}}
  %v = quack.load %m : memref<?x64xf32> -> tensor<64xf32>
}

// -----

quack.kernel @load_c2_row_of_other_extent(%x: memref<?x64xf32> in row) {
  // expected-error @below {{'quack.load' op 'result' must be 'tensor<64xf32>' to match 'memref<?x64xf32>', got 'tensor<32xf32>'}}
  %v = quack.load %x : memref<?x64xf32> -> tensor<32xf32>
}

// -----

quack.kernel @load_c2_scalar_of_a_row(%x: memref<?x64xf32> in row) {
  // expected-error @below {{'quack.load' op 'result' must be 'tensor<64xf32>' to match 'memref<?x64xf32>', got 'f32'}}
  %v = quack.load %x : memref<?x64xf32> -> f32
}

// -----

quack.kernel @load_c2_row_of_a_scalar(%x: memref<?x64xf32> in row, %s: memref<?xf32> in scalar) {
  // expected-error @below {{'quack.load' op 'result' must be a scalar since operand 's' has role scalar, got 'tensor<64xf32>'}}
  %v = quack.load %s : memref<?xf32> -> tensor<64xf32>
}

// -----

quack.kernel @load_c3_float_as_integer(%x: memref<?x64xf32> in row) {
  // expected-error @below {{'quack.load' op must convert between floats or between integers, got storage 'f32' and value 'i32'}}
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xi32>
}

// -----

quack.kernel @load_c3_integers_narrowed(%x: memref<?x64xi32> in row) {
  // expected-error @below {{'quack.load' op must not narrow integers, got storage 'i32' and result 'i8'}}
  %v = quack.load %x : memref<?x64xi32> -> tensor<64xi8>
}

// -----

func.func @store_c1_outside_a_kernel(%v: tensor<64xf32>, %x: memref<?x64xf32>) {
  // expected-error @below {{'quack.store' op 'target' must be an operand of the kernel around it}}
  quack.store %v, %x : tensor<64xf32>, memref<?x64xf32>
  return
}

// -----

quack.kernel @store_c1_to_in(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'quack.store' op 'target' must be an out or inout operand, got 'x', which is in}}
  quack.store %v, %x : tensor<64xf32>, memref<?x64xf32>
}

// -----

quack.kernel @store_c2_scalar_to_a_row(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row, %eps: f32) {
  // expected-error @below {{'quack.store' op 'value' must be 'tensor<64xf32>' to match 'memref<?x64xf32>', got 'f32'}}
  quack.store %eps, %y : f32, memref<?x64xf32>
}

// -----

quack.kernel @store_c2_row_to_a_scalar(%x: memref<?x64xf32> in row, %s: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'quack.store' op 'value' must be a scalar since operand 's' has role scalar, got 'tensor<64xf32>'}}
  quack.store %v, %s : tensor<64xf32>, memref<?xf32>
}

// -----

quack.kernel @store_c3_integer_as_float(%x: memref<?x64xf32> in row, %s: memref<?xf32> out scalar, %i: i32) {
  // expected-error @below {{'quack.store' op must convert between floats or between integers, got storage 'f32' and value 'i32'}}
  quack.store %i, %s : i32, memref<?xf32>
}

// -----

quack.kernel @store_c4_rounded_twice(%v: memref<?x64xf32> in row, %y: memref<?xf8E4M3FN> out scalar) {
  %c = arith.constant 1.0 : f64
  // expected-error @below {{'quack.store' op to 'f8E4M3FN' must take f32, bf16 or f16, got f64; round it with arith.truncf}}
  quack.store %c, %y : f64, memref<?xf8E4M3FN>
}

// -----

quack.kernel @kernel_c6_computes_in_bytes(%x: memref<?x64xf8E5M2> in row) {
  // expected-error @below {{'quack.load' op must work on rows of the kernel's 64 columns or on scalars, in f32, bf16, f16, f64, i1, i8, i16, i32 or i64, got 'tensor<64xf8E5M2>'}}
  %v = quack.load %x : memref<?x64xf8E5M2> -> tensor<64xf8E5M2>
}

// -----

func.func @max_finite_c1_outside_a_kernel(%x: memref<?x64xf32>) {
  // expected-error @below {{'quack.max_finite' op 'operand' must be an operand of the kernel around it}}
  %m = quack.max_finite %x : memref<?x64xf32> -> f32
  return
}

// -----

quack.kernel @max_finite_c2_no_number_of_f32(%x: memref<?x64xi32> in row) {
  // expected-error @below {{'quack.max_finite' op 'operand' must hold floats or i8, got 'i32': f32 does not have its greatest number}}
  %m = quack.max_finite %x : memref<?x64xi32> -> f32
}

// -----

//===----------------------------------------------------------------------===//
// broadcast, reduce
//===----------------------------------------------------------------------===//

func.func @broadcast_c1_other_type(%s: f32) {
  // expected-error @below {{'quack.broadcast' op result must have element type 'f32', got 'f16'}}
  %v = quack.broadcast %s : f32 -> tensor<64xf16>
  return
}

// -----

func.func @reduce_c1_float_kind_on_integers(%v: tensor<64xi32>) {
  // expected-error @below {{'quack.reduce' op kind addf must not be used on 'i32': kinds that end in f take floats, the others integers}}
  %s = quack.reduce addf %v : tensor<64xi32> -> i32
  return
}

// -----

func.func @reduce_c1_integer_kind_on_floats(%v: tensor<64xf32>) {
  // expected-error @below {{'quack.reduce' op kind maxsi must not be used on 'f32': kinds that end in f take floats, the others integers}}
  %s = quack.reduce maxsi %v : tensor<64xf32> -> f32
  return
}

// -----

func.func @reduce_c2_bf16(%v: tensor<64xbf16>) {
  // expected-error @below {{'quack.reduce' op source must have element type f32 or i32, got 'bf16'}}
  // expected-note @below {{widen it with arith.extf first: sums are kept in f32}}
  %s = quack.reduce addf %v : tensor<64xbf16> -> bf16
  return
}

// -----

func.func @reduce_c2_i64(%v: tensor<64xi64>) {
  // expected-error @below {{'quack.reduce' op source must have element type f32 or i32, got 'i64'}}
  %s = quack.reduce addi %v : tensor<64xi64> -> i64
  return
}

// -----

func.func @reduce_c3_other_result(%v: tensor<64xf32>) {
  // expected-error @below {{'quack.reduce' op result must be 'f32', got 'f16'}}
  %s = quack.reduce addf %v : tensor<64xf32> -> f16
  return
}

// -----

func.func @reduce_c3_other_init(%v: tensor<64xf32>, %i: i32) {
  // expected-error @below {{'quack.reduce' op 'init' must be 'f32', got 'i32'}}
  %s = "quack.reduce"(%v, %i) <{kind = #quack.kind<addf>, operandSegmentSizes = array<i32: 1, 1>}> ({}) : (tensor<64xf32>, i32) -> f32
  return
}

// -----

func.func @reduce_c4_kind_of_two(%v: tensor<64xf32>) {
  // expected-error @below {{'quack.reduce' op must have a kind and one source, or a combiner and 1 to 8 sources; got a kind, 2 sources}}
  %s:2 = quack.reduce addf %v, %v : tensor<64xf32>, tensor<64xf32> -> f32, f32
  return
}

// -----

func.func @reduce_c4_nothing(%v: tensor<64xf32>) {
  // expected-error @below {{'quack.reduce' op must have a kind and one source, or a combiner and 1 to 8 sources; got 1 sources}}
  %s = quack.reduce combine %v identity [0.0 : f32] : tensor<64xf32> -> f32
  return
}

// -----

func.func @reduce_c4_lengths(%v: tensor<64xf32>, %w: tensor<32xf32>) {
  // expected-error @below {{'quack.reduce' op sources must be of one length, got 'tensor<64xf32>', 'tensor<32xf32>'}}
  %s:2 = quack.reduce combine %v, %w identity [0.0 : f32, 0.0 : f32] : tensor<64xf32>, tensor<32xf32> -> f32, f32 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    quack.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @reduce_c5_arguments(%v: tensor<64xf32>) {
  // expected-error @below {{'quack.reduce' op combiner must take 'f32', 'f32', got 'f32', 'i32'}}
  %s = quack.reduce combine %v identity [0.0 : f32] : tensor<64xf32> -> f32 {
  ^bb0(%a: f32, %b: i32):
    quack.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c5_yield(%v: tensor<64xf32>) {
  // expected-error @below {{'quack.reduce' op combiner must yield 'f32', got 'f32', 'f32'}}
  %s = quack.reduce combine %v identity [0.0 : f32] : tensor<64xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    quack.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @reduce_c5_identity(%v: tensor<64xf32>) {
  // expected-error @below {{'quack.reduce' op must have one identity for each of 'f32', got [0 : i32]}}
  %s = quack.reduce combine %v identity [0 : i32] : tensor<64xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    quack.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c6_no_yield(%v: tensor<64xf32>) {
  // expected-error @below {{'quack.reduce' op combiner must end with quack.yield}}
  %s = quack.reduce combine %v identity [0.0 : f32] : tensor<64xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
  }
  return
}

// -----

func.func @reduce_c6_row(%v: tensor<64xf32>) {
  %s = quack.reduce combine %v identity [0.0 : f32] : tensor<64xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{'quack.columns' op must not stand in a combiner: expected an elementwise or constant operation on scalars without side effects or regions}}
    %n = quack.columns : i32
    quack.yield %a : f32
  }
  return
}

// -----

quack.kernel @store_c3_widened_integer(%x: memref<?x64xf32> in row, %s: memref<?xi32> out scalar) {
  %t = arith.constant true
  // expected-error @below {{'quack.store' op must not widen integers, got value 'i1' and storage 'i32'; extend it with arith.extsi or arith.extui}}
  quack.store %t, %s : i1, memref<?xi32>
}

// -----

quack.kernel @kernel_c6_compute_type(%x: memref<?x64xf32> in row) {
  // expected-error @below {{'arith.constant' op must work on rows of the kernel's 64 columns or on scalars, in f32, bf16, f16, f64, i1, i8, i16, i32 or i64, got 'i128'}}
  %c = arith.constant 1 : i128
}
