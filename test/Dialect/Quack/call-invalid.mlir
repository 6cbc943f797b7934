// RUN: quack-opt %s --split-input-file --verify-diagnostics

// Calls that do not fit their kernel.

func.func @call_c1_nobody(%x: tensor<8x64xf32>) {
  // expected-error @below {{'quack.call' op must name a kernel, got @nobody}}
  quack.call @nobody() outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}

// -----

func.func @call_c1_function(%x: tensor<8x64xf32>) {
  // expected-error @below {{'quack.call' op must name a kernel, got @call_c1_function}}
  quack.call @call_c1_function() outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}

// -----

quack.kernel @k(%x: memref<?x64xf32> in row, %w: memref<64xf32> in columns optional 1.0, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
func.func @call_c2_optional(%x: tensor<8x64xf32>, %w: tensor<64xf32>) {
  // expected-error @below {{'quack.call' op must name a kernel that has all of its operands, but 'w' of @k is optional; quack-specialize takes out what is}}
  quack.call @k(%x, %w : tensor<8x64xf32>, tensor<64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}

// -----

quack.kernel @k(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
func.func @call_c3_count(%x: tensor<8x64xf32>) {
  // expected-error @below {{'quack.call' op must have 1 inputs and 1 outs for @k, got 2 and 1}}
  quack.call @k(%x, %x : tensor<8x64xf32>, tensor<8x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}

// -----

quack.kernel @k(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
func.func @call_c4_columns(%x: tensor<8x65xf32>, %y: tensor<8x64xf32>) {
  // expected-error @below {{'quack.call' op operand for 'x' of @k has role row and must have the shape and elements of 'memref<?x64xf32>', got 'tensor<8x65xf32>'}}
  quack.call @k(%x : tensor<8x65xf32>) outs(%y : tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}

// -----

quack.kernel @k(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
func.func @call_c4_elements(%x: tensor<8x64xf32>, %y: tensor<8x64xbf16>) {
  // expected-error @below {{'quack.call' op operand for 'y' of @k has role row and must have the shape and elements of 'memref<?x64xf32>', got 'tensor<8x64xbf16>'}}
  quack.call @k(%x : tensor<8x64xf32>) outs(%y : tensor<8x64xbf16>) -> tensor<8x64xbf16>
  return
}

// -----

quack.kernel @k(%x: memref<?x64xf32> in row, %s: f32, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
func.func @call_c4_value(%x: tensor<8x64xf32>, %s: tensor<f32>) {
  // expected-error @below {{'quack.call' op operand for 's' of @k has role value and must have the shape and elements of 'f32', got 'tensor<f32>'}}
  quack.call @k(%x, %s : tensor<8x64xf32>, tensor<f32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}

// -----

quack.kernel @k(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
func.func @call_c5_rows(%x: tensor<8x64xf32>, %y: tensor<9x64xf32>) {
  // expected-error @below {{'quack.call' op must have one number of rows, got 8 and, for 'y', 9}}
  quack.call @k(%x : tensor<8x64xf32>) outs(%y : tensor<9x64xf32>) -> tensor<9x64xf32>
  return
}

// -----

quack.kernel @k(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
func.func @call_c6_both(%x: memref<8x64xf32>, %y: tensor<8x64xf32>) {
  // expected-error @below {{'quack.call' op must work on tensors or on memrefs, got both}}
  quack.call @k(%x : memref<8x64xf32>) outs(%y : tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}

// -----

quack.kernel @k(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
func.func @call_c6_stride(%x: memref<8x64xf32, strided<[128, 2]>>, %y: memref<8x64xf32>) {
  // expected-error @below {{'quack.call' op operand for 'x' of @k must have columns that lie side by side, got 'memref<8x64xf32, strided<[128, 2]>>'}}
  quack.call @k(%x : memref<8x64xf32, strided<[128, 2]>>) outs(%y : memref<8x64xf32>)
  return
}
