// RUN: quack-opt %s --split-input-file --verify-diagnostics

// Sums over rows.

quack.kernel @accumulate_c1_row(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'quack.accumulate' op 'target' must be an out operand with role columns or single, got 'y', which is out row}}
  quack.accumulate %v, %y : tensor<64xf32>, memref<?x64xf32>
}

// -----

quack.kernel @accumulate_c1_in(%x: memref<?x64xf32> in row, %w: memref<64xf32> in columns) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'quack.accumulate' op 'target' must be an out operand with role columns or single, got 'w', which is in columns}}
  quack.accumulate %v, %w : tensor<64xf32>, memref<64xf32>
}

// -----

quack.kernel @accumulate_c2_scalar_to_columns(%x: memref<?x64xf32> in row, %s: memref<?xf32> in scalar, %w: memref<64xf32> out columns) {
  %v = quack.load %s : memref<?xf32> -> f32
  // expected-error @below {{'quack.accumulate' op 'value' must be 'tensor<64xf32>' to match 'memref<64xf32>', got 'f32'}}
  quack.accumulate %v, %w : f32, memref<64xf32>
}

// -----

quack.kernel @accumulate_c2_row_to_single(%x: memref<?x64xf32> in row, %t: memref<f32> out single) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'quack.accumulate' op 'value' must be a scalar since operand 't' has role single, got 'tensor<64xf32>'}}
  quack.accumulate %v, %t : tensor<64xf32>, memref<f32>
}

// -----

quack.kernel @accumulate_c3_narrow(%x: memref<?x64xbf16> in row, %w: memref<64xbf16> out columns) {
  %v = quack.load %x : memref<?x64xbf16> -> tensor<64xbf16>
  // expected-error @below {{'quack.accumulate' op 'value' must be f32, in which sums are kept, got 'bf16'}}
  quack.accumulate %v, %w : tensor<64xbf16>, memref<64xbf16>
}

// -----

quack.kernel @accumulate_c3_integer_storage(%x: memref<?x64xf32> in row, %w: memref<64xi32> out columns) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'quack.accumulate' op must convert between floats or between integers, got storage 'i32' and value 'f32'}}
  quack.accumulate %v, %w : tensor<64xf32>, memref<64xi32>
}

// -----

quack.kernel @store_c1_columns(%x: memref<?x64xf32> in row, %w: memref<64xf32> out columns) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'quack.store' op 'target' must be a row or scalar operand, got 'w' with role columns, which all rows share: accumulate it}}
  quack.store %v, %w : tensor<64xf32>, memref<64xf32>
}

// -----

// expected-error @below {{'quack.kernel' op operand 'w' is out and must be accumulated exactly once, got 0 times}}
quack.kernel @kernel_c7_never_accumulated(%x: memref<?x64xf32> in row, %w: memref<64xf32> out columns) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'w' is out and must be accumulated exactly once, got 2 times}}
quack.kernel @kernel_c7_accumulated_twice(%x: memref<?x64xf32> in row, %w: memref<64xf32> out columns) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.accumulate %v, %w : tensor<64xf32>, memref<64xf32>
  quack.accumulate %v, %w : tensor<64xf32>, memref<64xf32>
}

// -----

// expected-error @below {{'quack.kernel' op operand 'w' is out and must not be loaded}}
quack.kernel @kernel_c7_sum_loaded(%x: memref<?x64xf32> in row, %w: memref<64xf32> out columns) {
  %v = quack.load %w : memref<64xf32> -> tensor<64xf32>
  quack.accumulate %v, %w : tensor<64xf32>, memref<64xf32>
}

// -----

// expected-error @below {{'quack.kernel' op operand 't' has role single and must be in or out, got inout}}
quack.kernel @kernel_c5_inout_single(%x: memref<?x64xf32> in row, %t: memref<f32> inout single) {}

// -----

// expected-error @below {{'quack.kernel' op operand 't' has role single and must be memref<T>, got 'memref<?xf32>'}}
quack.kernel @kernel_c1_single(%x: memref<?x64xf32> in row, %t: memref<?xf32> in single) {}

// -----

// expected-error @below {{'quack.kernel' op operand 't' has role value and must be f32, i32 or i64, got 'memref<f32>': a number in memory has the role single}}
quack.kernel @kernel_c1_value_in_memory(%x: memref<?x64xf32> in row, %t: memref<f32> in value) {}

// -----

quack.kernel @load_c2_single(%x: memref<?x64xf32> in row, %t: memref<f32> in single) {
  // expected-error @below {{'quack.load' op 'result' must be a scalar since operand 't' has role single, got 'tensor<64xf32>'}}
  %v = quack.load %t : memref<f32> -> tensor<64xf32>
}
