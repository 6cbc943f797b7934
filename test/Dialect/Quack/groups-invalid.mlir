// RUN: quack-opt %s --split-input-file --verify-diagnostics

// Rows with an element for each group of columns.

// expected-error @below {{groups must have 16, 32, 64, ... or 1024 columns, got 24}}
func.func private @groups_g1_no_power_of_two() -> tensor<8xf32, #quack.groups<24>>

// -----

// expected-error @below {{groups must have 16, 32, 64, ... or 1024 columns, got 8}}
func.func private @groups_g1_too_few() -> tensor<8xf32, #quack.groups<8>>

// -----

// expected-error @below {{'quack.kernel' op operand 's' has role groups and must be memref<?xKxT>, got 'memref<?xf32>'}}
quack.kernel @kernel_c1_groups(%x: memref<?x64xf32> in row, %s: memref<?xf32> in groups) {}

// -----

// expected-error @below {{'quack.kernel' op operand 's' has role groups and must be in or out, got inout}}
quack.kernel @kernel_c5_groups_inout(%x: memref<?x64xf32> in row, %s: memref<?x2xf32> inout groups) {}

// -----

quack.kernel @kernel_c6_too_many_groups(%x: memref<?x100xf32> in row, %v: f32) {
  // expected-error @below {{'quack.broadcast' op must work on rows of the kernel's 100 columns or on scalars, in f32, bf16, f16, f64, i1, i8, i16, i32 or i64, got 'tensor<5xf32, #quack.groups<32>>'}}
  %r = quack.broadcast %v : f32 -> tensor<5xf32, #quack.groups<32>>
}

// -----

quack.kernel @kernel_c6_reduce_of_groups(%x: memref<?x100xf32> in row, %s: memref<?x4xf32> in groups) {
  %v = quack.load %s : memref<?x4xf32> -> tensor<4xf32, #quack.groups<32>>
  // expected-error @below {{'quack.reduce' op must not work on a row with an element for each group of columns}}
  %r = quack.reduce addf %v : tensor<4xf32, #quack.groups<32>> -> f32
}

// -----

// expected-error @below {{'quack.kernel' op operand 's' has role groups and must be loaded or stored}}
quack.kernel @kernel_c16_not_accessed(%x: memref<?x64xf32> in row, %s: memref<?x2xf32> in groups) {}

// -----

// expected-error @below {{'quack.kernel' op operand 's' must be accessed in groups of one size, got 64 and 128}}
quack.kernel @kernel_c16_two_sizes(%x: memref<?x64xf32> in row, %s: memref<?x1xf32> in groups) {
  %a = quack.load %s : memref<?x1xf32> -> tensor<1xf32, #quack.groups<64>>
  %b = quack.load %s : memref<?x1xf32> -> tensor<1xf32, #quack.groups<128>>
}

// -----

quack.kernel @load_c2_no_groups(%x: memref<?x64xf32> in row, %s: memref<?x2xf32> in groups) {
  // expected-error @below {{'quack.load' op 'result' must have an element a group, as #quack.groups<size> says, since operand 's' has role groups, got 'tensor<2xf32>'}}
  %a = quack.load %s : memref<?x2xf32> -> tensor<2xf32>
}

// -----

quack.kernel @store_c2_groups_as_row(%x: memref<?x64xf32> in row, %s: memref<?x2xf32> in groups,
                                     %y: memref<?x64xf32> out row) {
  %a = quack.load %s : memref<?x2xf32> -> tensor<2xf32, #quack.groups<32>>
  // expected-error @below {{'quack.store' op 'value' must be 'tensor<64xf32>' to match 'memref<?x64xf32>', got 'tensor<2xf32, #quack.groups<32>>'}}
  quack.store %a, %y : tensor<2xf32, #quack.groups<32>>, memref<?x64xf32>
}

// -----

func.func @group_reduce_c1_kind(%v: tensor<64xf32>) {
  // expected-error @below {{'quack.group_reduce' op kind maxsi must not be used on 'f32': kinds that end in f take floats, the others integers}}
  %r = quack.group_reduce maxsi %v : tensor<64xf32> -> tensor<2xf32, #quack.groups<32>>
  return
}

// -----

func.func @group_reduce_c2_narrow(%v: tensor<64xbf16>) {
  // expected-error @below {{'quack.group_reduce' op source must have element type f32 or i32, got 'bf16'}}
  %r = quack.group_reduce addf %v : tensor<64xbf16> -> tensor<2xbf16, #quack.groups<32>>
  return
}

// -----

func.func @group_reduce_c3_no_groups(%v: tensor<64xf32>) {
  // expected-error @below {{'quack.group_reduce' op 'result' must have an element a group, as #quack.groups<size> says, got 'tensor<2xf32>'}}
  %r = quack.group_reduce addf %v : tensor<64xf32> -> tensor<2xf32>
  return
}

// -----

func.func @group_reduce_c3_count(%v: tensor<65xf32>) {
  // expected-error @below {{'quack.group_reduce' op 'result' must be 'tensor<3xf32, #quack.groups<32>>' to match 'tensor<65xf32>', got 'tensor<2xf32, #quack.groups<32>>'}}
  %r = quack.group_reduce addf %v : tensor<65xf32> -> tensor<2xf32, #quack.groups<32>>
  return
}

// -----

func.func @group_reduce_c3_of_groups(%v: tensor<64xf32, #quack.groups<32>>) {
  // expected-error @below {{'quack.group_reduce' op 'source' must be a row of all columns, got 'tensor<64xf32, #quack.groups<32>>'}}
  %r = quack.group_reduce addf %v : tensor<64xf32, #quack.groups<32>> -> tensor<2xf32, #quack.groups<32>>
  return
}

// -----

func.func @group_broadcast_c1_row(%v: tensor<2xf32>) {
  // expected-error @below {{'quack.group_broadcast' op 'source' must have an element a group, as #quack.groups<size> says, got 'tensor<2xf32>'}}
  %r = quack.group_broadcast %v : tensor<2xf32> -> tensor<64xf32>
  return
}

// -----

func.func @group_broadcast_c1_type(%v: tensor<2xf32, #quack.groups<32>>) {
  // expected-error @below {{'quack.group_broadcast' op 'source' must be 'tensor<2xf16, #quack.groups<32>>' to match 'tensor<64xf16>', got 'tensor<2xf32, #quack.groups<32>>'}}
  %r = quack.group_broadcast %v : tensor<2xf32, #quack.groups<32>> -> tensor<64xf16>
  return
}
