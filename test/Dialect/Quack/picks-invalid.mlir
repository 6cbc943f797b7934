// RUN: quack-opt %s --split-input-file --verify-diagnostics

// Elements that are picked of a row, and stored by their columns.

// expected-error @below {{'quack.kernel' op operand 'v' has role picks and must be memref<?xKxT>, got 'memref<?xf32>'}}
quack.kernel @kernel_c1_picks(%x: memref<?x64xf32> in row, %v: memref<?xf32> out picks) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'v' has role picks and must be in or out, got inout}}
quack.kernel @kernel_c5_picks_inout(%x: memref<?x64xf32> in row, %v: memref<?x4xf32> inout picks) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'v' has role picks and must have 1 to 256 columns, got 257}}
quack.kernel @kernel_c17_too_many(%x: memref<?x1024xf32> in row, %v: memref<?x257xf32> in picks) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'v' has role picks and must have 1 to 256 columns, got 0}}
quack.kernel @kernel_c17_none(%x: memref<?x1024xf32> in row, %v: memref<?x0xf32> in picks) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'v' has role picks and must have at most the row's 8 columns, got 9}}
quack.kernel @kernel_c17_more_than_the_row(%x: memref<?x8xf32> in row, %v: memref<?x9xf32> in picks) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'c' has role picks and must have as many columns as operand 'v', got 'memref<?x5xi32>'}}
quack.kernel @kernel_c17_two_counts(%x: memref<?x64xf32> in row, %v: memref<?x4xf32> in picks,
                                    %c: memref<?x5xi32> in picks) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'v' has role picks and must be there, got optional}}
quack.kernel @kernel_c17_optional(%x: memref<?x64xf32> in row, %v: memref<?x4xf32> in picks optional 0.0) {}

// -----

quack.kernel @load_c1_picks(%x: memref<?x64xf32> in row, %v: memref<?x4xf32> in picks) {
  // expected-error @below {{'quack.load' op must not access operand 'v', which has role picks: quack.topk stores it, or quack.scatter loads it}}
  %r = quack.load %v : memref<?x4xf32> -> tensor<4xf32>
}

// -----

quack.kernel @topk_c1_in(%x: memref<?x64xf32> in row, %v: memref<?x4xf32> in picks,
                         %c: memref<?x4xi32> out picks) {
  %r = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'quack.topk' op 'values' must be out picks, got operand 'v', in picks}}
  quack.topk %r to %v, %c : tensor<64xf32>, memref<?x4xf32>, memref<?x4xi32>
}

// -----

quack.kernel @topk_c2_narrow(%x: memref<?x64xbf16> in row, %v: memref<?x4xf32> out picks,
                             %c: memref<?x4xi32> out picks) {
  %r = quack.load %x : memref<?x64xbf16> -> tensor<64xbf16>
  // expected-error @below {{'quack.topk' op 'source' must be 'tensor<64xf32>', got 'tensor<64xbf16>'}}
  quack.topk %r to %v, %c : tensor<64xbf16>, memref<?x4xf32>, memref<?x4xi32>
}

// -----

quack.kernel @topk_c3_values(%x: memref<?x64xf32> in row, %v: memref<?x4xf8E4M3FN> out picks,
                             %c: memref<?x4xi32> out picks) {
  %r = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'quack.topk' op 'values' must have element type f32, bf16 or f16, got 'f8E4M3FN'}}
  quack.topk %r to %v, %c : tensor<64xf32>, memref<?x4xf8E4M3FN>, memref<?x4xi32>
}

// -----

quack.kernel @topk_c3_columns(%x: memref<?x64xf32> in row, %v: memref<?x4xf32> out picks,
                              %c: memref<?x4xf32> out picks) {
  %r = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'quack.topk' op 'columns' must have element type i32 or i64, got 'f32'}}
  quack.topk %r to %v, %c : tensor<64xf32>, memref<?x4xf32>, memref<?x4xf32>
}

// -----

// expected-error @below {{'quack.kernel' op operand 'v' is out and must be stored exactly once, got 0 stores}}
quack.kernel @kernel_c7_nothing_is_picked(%x: memref<?x64xf32> in row, %v: memref<?x4xf32> out picks) {}

// -----

quack.kernel @scatter_c1_row(%v: memref<?x64xf32> in row, %c: memref<?x4xi32> in picks,
                             %y: memref<?x64xf32> out row) {
  // expected-error @below {{'quack.scatter' op 'values' must be in picks, got operand 'v', in row}}
  quack.scatter %v, %c to %y : memref<?x64xf32>, memref<?x4xi32>, memref<?x64xf32>
}

// -----

quack.kernel @scatter_c2_inout(%v: memref<?x4xf32> in picks, %c: memref<?x4xi32> in picks,
                               %y: memref<?x64xf32> inout row) {
  // expected-error @below {{'quack.scatter' op 'target' must be out row, got operand 'y', inout row}}
  quack.scatter %v, %c to %y : memref<?x4xf32>, memref<?x4xi32>, memref<?x64xf32>
}

// -----

quack.kernel @scatter_c3_bytes(%v: memref<?x4xf32> in picks, %c: memref<?x4xi32> in picks,
                               %y: memref<?x64xi8> out row) {
  // expected-error @below {{'quack.scatter' op 'target' must have element type f32, bf16 or f16, got 'i8'}}
  quack.scatter %v, %c to %y : memref<?x4xf32>, memref<?x4xi32>, memref<?x64xi8>
}
