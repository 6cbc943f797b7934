// RUN: quack-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// kernel: operands
//===----------------------------------------------------------------------===//

// expected-error @below {{'quack.kernel' op operand 'x' has role row and must be memref<?xNxT>, got 'memref<4x64xf32>'}}
quack.kernel @kernel_c1_row_with_static_rows(%x: memref<4x64xf32> in row) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'x' has role row and must be memref<?xNxT>, got 'memref<?xf32>'}}
quack.kernel @kernel_c1_row_of_rank_1(%x: memref<?xf32> in row) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'x' has role row and must be memref<?xNxT>, got 'memref<?x64xf32, strided<[128, 1]>>'}}
quack.kernel @kernel_c1_row_with_layout(%x: memref<?x64xf32, strided<[128, 1]>> in row) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'w' has role columns and must be memref<NxT>, got 'memref<?x64xf32>'}}
quack.kernel @kernel_c1_columns_of_rank_2(%x: memref<?x64xf32> in row, %w: memref<?x64xf32> in columns) {}

// -----

// expected-error @below {{'quack.kernel' op operand 's' has role scalar and must be memref<?xT>, got 'memref<4xf32>'}}
quack.kernel @kernel_c1_scalar_of_static_extent(%x: memref<?x64xf32> in row, %s: memref<4xf32> out scalar) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'eps' has role value and must be f32, i32 or i64, got 'f64'}}
quack.kernel @kernel_c1_value_of_type_f64(%x: memref<?x64xf32> in row, %eps: f64) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'x' has role value and must be f32, i32 or i64, got 'memref<?x64xf32>'}}
quack.kernel @kernel_c1_value_of_memref_type(%x: memref<?x64xf32> in value) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'w' must have the 64 columns of operand 'x', got 32}}
quack.kernel @kernel_c2_two_extents(%x: memref<?x64xf32> in row, %w: memref<32xf32> in columns) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'y' must have the ? columns of operand 'x', got 64}}
quack.kernel @kernel_c2_generic_and_static(%x: memref<?x?xf32> in row, %y: memref<?x64xf32> in row) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'x' must have at least 1 column, got 0}}
quack.kernel @kernel_c3_no_columns(%x: memref<?x0xf32> in row) {}

// -----

// expected-error @below {{'quack.kernel' op operand name 'x' must be unique, got it twice}}
"quack.kernel"() <{sym_name = "kernel_c4_one_name_twice",
    function_type = (memref<?x64xf32>, memref<?x64xf32>) -> (),
    operand_specs = [#quack.operand<"x", in row>, #quack.operand<"x", in row>]}> ({
^bb0(%x: memref<?x64xf32>, %y: memref<?x64xf32>):
}) : () -> ()

// -----

// expected-error @below {{'quack.kernel' op operand 'w' has role columns and must be in or out, got inout}}
quack.kernel @kernel_c5_columns_out(%x: memref<?x64xf32> in row, %w: memref<64xf32> inout columns) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'eps' has role value and must be in, got inout}}
"quack.kernel"() <{sym_name = "kernel_c5_value_inout",
    function_type = (memref<?x64xf32>, f32) -> (),
    operand_specs = [#quack.operand<"x", in row>, #quack.operand<"eps", inout value>]}> ({
^bb0(%x: memref<?x64xf32>, %eps: f32):
}) : () -> ()

// -----

// expected-error @below {{'quack.kernel' op operand 'x' must have element type f32, bf16, f16, f8E4M3FN, f8E5M2, i8, i32 or i64, got 'f64'}}
quack.kernel @kernel_c8_f64(%x: memref<?x64xf64> in row) {}

// -----

// expected-error @below {{'quack.kernel' op must have an operand with role row}}
quack.kernel @kernel_c9_no_row(%s: memref<?xf32> in scalar) {}

// -----

// expected-error @below {{'quack.kernel' op must have one operand entry for each of its 2 operands and no results, got 1 entries and 0 results}}
"quack.kernel"() <{sym_name = "kernel_c10_too_few_entries",
    function_type = (memref<?x64xf32>, memref<?x64xf32>) -> (),
    operand_specs = [#quack.operand<"x", in row>]}> ({
^bb0(%x: memref<?x64xf32>, %y: memref<?x64xf32>):
}) : () -> ()

// -----

// expected-error @below {{'quack.kernel' op must have one operand entry for each of its 1 operands and no results, got 1 entries and 1 results}}
"quack.kernel"() <{sym_name = "kernel_c10_result",
    function_type = (memref<?x64xf32>) -> f32,
    operand_specs = [#quack.operand<"x", in row>]}> ({
^bb0(%x: memref<?x64xf32>):
}) : () -> ()

// -----

// expected-error @below {{'quack.kernel' op body must take the kernel's operand types 'memref<?x64xf32>', got 'memref<?x32xf32>'}}
"quack.kernel"() <{sym_name = "kernel_c10_body_of_other_types",
    function_type = (memref<?x64xf32>) -> (),
    operand_specs = [#quack.operand<"x", in row>]}> ({
^bb0(%x: memref<?x32xf32>):
}) : () -> ()

// -----

// expected-error @below {{'quack.kernel' op operand '0' must have a name of letters, digits, '_', '$', '.' and '-' that does not begin with a digit}}
quack.kernel @kernel_c11_number_as_name(%0: memref<?x64xf32> in row) {}

// -----

// expected-error @below {{'quack.kernel' op operand '' must have a name of letters, digits, '_', '$', '.' and '-' that does not begin with a digit}}
"quack.kernel"() <{sym_name = "kernel_c11_no_name",
    function_type = (memref<?x64xf32>) -> (),
    operand_specs = [#quack.operand<"", in row>]}> ({
^bb0(%x: memref<?x64xf32>):
}) : () -> ()

// -----

// expected-error @below {{'quack.kernel' op must have a name of letters, digits, '_' and '$' that does not begin with a digit, got 'kernel_c12_a.dot'}}
quack.kernel @kernel_c12_a.dot(%x: memref<?x64xf32> in row) {}

// -----

// expected-error @below {{'quack.kernel' op must have a name of letters, digits, '_' and '$' that does not begin with a digit, got '12_kernel'}}
quack.kernel @"12_kernel"(%x: memref<?x64xf32> in row) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'x' must have at most 1073741824 columns, got 1073741825}}
quack.kernel @kernel_c3_too_many_columns(%x: memref<?x1073741825xf32> in row) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'x' has role row and must be memref<?xNxT>, got 'memref<?x64xf32, 3>'}}
quack.kernel @kernel_c1_memory_space(%x: memref<?x64xf32, 3> in row) {}

// -----

// expected-error @below {{'quack.kernel' op must have a name of letters, digits, '_' and '$' that does not begin with a digit, got 'WARP_SZ'}}
quack.kernel @WARP_SZ(%x: memref<?x64xf32> in row) {}

// -----

// expected-error @below {{'quack.kernel' op otherwise must name another quack.kernel, got @missing}}
quack.kernel @kernel_c13_missing(%x: memref<?x64xf32> in row) otherwise @missing {}

// -----

// expected-error @below {{'quack.kernel' op otherwise must name another quack.kernel, got @kernel_c13_itself}}
quack.kernel @kernel_c13_itself(%x: memref<?x64xf32> in row) otherwise @kernel_c13_itself {}

// -----

// expected-error @below {{'quack.kernel' op otherwise must lead to a kernel that has none, but @second leads back to this one}}
quack.kernel @kernel_c13_circle(%x: memref<?x64xf32> in row) otherwise @second {}
quack.kernel @second(%x: memref<?x64xf32> in row) otherwise @third {}
quack.kernel @third(%x: memref<?x64xf32> in row) otherwise @kernel_c13_circle {}

// -----

quack.kernel @leads_to_a_circle(%x: memref<?x64xf32> in row) otherwise @kernel_c13_circle_after {}
// expected-error @below {{'quack.kernel' op otherwise must lead to a kernel that has none, but @second leads back to this one}}
quack.kernel @kernel_c13_circle_after(%x: memref<?x64xf32> in row) otherwise @second {}
quack.kernel @second(%x: memref<?x64xf32> in row) otherwise @kernel_c13_circle_after {}

// -----

// expected-error @below {{'quack.kernel' op otherwise must name a kernel with the same operands, but those of @other differ}}
quack.kernel @kernel_c13_other_operands(%x: memref<?x64xf32> in row) otherwise @other {}
quack.kernel @other(%x: memref<?x64xbf16> in row) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'x' must have element type f32, bf16, f16, f8E4M3FN, f8E5M2, i8, i32 or i64, got 'si32'}}
quack.kernel @kernel_c8_signed(%x: memref<?x64xsi32> in row) {}

// -----

// expected-error @below {{'quack.kernel' op operand 'n' has role value and must be f32, i32 or i64, got 'ui32'}}
quack.kernel @kernel_c1_unsigned_value(%x: memref<?x64xf32> in row, %n: ui32) {}

// -----

// expected-error @below {{has role row and must be memref<?xNxT>, got 'memref<4x64xf32>': the number of rows is an argument of the launch, write ?}}
quack.kernel @kernel_c1_rows(%x: memref<4x64xf32> in row) {}

// -----

// expected-error @below {{has role row and must be memref<?xNxT>, got 'memref<?x64xf32, strided<[?, 2]>>': columns lie side by side, and the row stride is an argument of the launch}}
quack.kernel @kernel_c1_strided(%x: memref<?x64xf32, strided<[?, 2]>> in row) {}

// -----

// expected-error @below {{has role row and must be memref<?xNxT>, got 'memref<?x64xf32, 3>': operands lie in global memory, without a memory space}}
quack.kernel @kernel_c1_space(%x: memref<?x64xf32, 3> in row) {}

// -----

// expected-error @below {{operand 'w' is optional and must have a float that stands for its elements where it is absent, got none}}
quack.kernel @kernel_c15_no_number(%x: memref<?x64xf32> in row, %w: memref<64xf32> in columns optional) {}

// -----

// expected-error @below {{operand 'w' is optional and must have an integer that stands for its elements where it is absent, got 1.000000e+00 : f64}}
quack.kernel @kernel_c15_number_of_another_kind(%x: memref<?x64xf32> in row, %w: memref<64xi32> in columns optional 1.0) {}

// -----

// expected-error @below {{operand 'y' must have no number that stands for its elements, got 1.000000e+00 : f64: only an optional in operand has one}}
quack.kernel @kernel_c15_number_of_an_output(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row optional 1.0) {}

// -----

// expected-error @below {{operand 'y' is inout and must not be optional}}
quack.kernel @kernel_c15_updated(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> inout row optional 1.0) {}

// -----

// expected-error @below {{operand 'w' must be out to be absent, got in}}
quack.kernel @kernel_c15_absent_input(%x: memref<?x64xf32> in row, %w: memref<64xf32> in columns absent) {}
