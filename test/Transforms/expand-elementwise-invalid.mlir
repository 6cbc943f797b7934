// RUN: example-opt %s --split-input-file --quack-expand-elementwise --verify-diagnostics

// What may stand in a kernel at all.

quack.kernel @no_meaning(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'example.mute' op must not stand in a quack.kernel: it is elementwise, but nothing says what it means for a row; let it implement quack::RowMeaningOpInterface, or attach that to it}}
  %0 = "example.mute"(%v) : (tensor<64xf32>) -> tensor<64xf32>
}

// -----

quack.kernel @region(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'example.nested' op must have no regions to stand in a quack.kernel, got 1}}
  %0 = "example.nested"(%v) ({}) : (tensor<64xf32>) -> tensor<64xf32>
}

// -----

quack.kernel @side_effect(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'example.effect' op must have no side effects to stand in a quack.kernel: declare it Pure}}
  %0 = "example.effect"(%v) : (tensor<64xf32>) -> tensor<64xf32>
}

// -----

quack.kernel @type(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'example.broken' op must work on rows of the kernel's 64 columns or on scalars, in f32, bf16, f16, f64, i1, i8, i16, i32 or i64, got 'tensor<64xf80>'}}
  %0 = example.broken "" %v : tensor<64xf32> -> tensor<64xf80>
}

// -----

quack.kernel @combiner(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  %0 = quack.reduce combine %v identity [0.0 : f32] : tensor<64xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{'example.mute' op must not stand in a combiner: it is elementwise, but nothing says what it means for a row; let it implement quack::RowMeaningOpInterface, or attach that to it}}
    %c = "example.mute"(%a) : (f32) -> f32
    quack.yield %c : f32
  }
}

// -----

// What a meaning may be.

quack.kernel @explained(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'example.broken' op is broken today}}
  %0 = example.broken "explained" %v : tensor<64xf32> -> tensor<64xf32>
}

// -----

quack.kernel @unexplained(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'example.broken' op has no row meaning for operands of 'tensor<64xf32>'}}
  %0 = example.broken "unexplained" %v : tensor<64xf32> -> tensor<64xf32>
}

// -----

quack.kernel @other_type(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'example.broken' op row meaning must give values of 'tensor<64xbf16>', got 'tensor<64xf32>'}}
  %0 = example.broken "" %v : tensor<64xf32> -> tensor<64xbf16>
}

// -----

quack.kernel @few(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'example.broken' op row meaning must give 1 values, of 'tensor<64xf32>', got 0}}
  %0 = example.broken "few" %v : tensor<64xf32> -> tensor<64xf32>
}

// -----

quack.kernel @null(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'example.broken' op row meaning must give a value for each result, got none}}
  %0 = example.broken "null" %v : tensor<64xf32> -> tensor<64xf32>
}

// -----

quack.kernel @unknown(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'example.broken' op row meaning must consist of elementwise operations of arith and math without a row meaning of their own, of constants and quack.broadcast, got 'example.mute'}}
  %0 = example.broken "unknown" %v : tensor<64xf32> -> tensor<64xf32>
}

// -----

quack.kernel @unexpanded(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{without a row meaning of their own, of constants and quack.broadcast, got 'math.sinh'}}
  %0 = example.broken "unexpanded" %v : tensor<64xf32> -> tensor<64xf32>
}
