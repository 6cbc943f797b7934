// RUN: quack-opt %s --split-input-file --convert-quack-to-quack-tv --verify-diagnostics

// expected-error @below {{'quack.kernel' op must have static columns, got ?: run quack-specialize with columns=N first}}
quack.kernel @generic(%x: memref<?x?xf32> in row) {}

// -----

// expected-error @below {{'quack.kernel' op must have a complete plan: run quack-plan first}}
quack.kernel @no_plan(%x: memref<?x64xf32> in row) {}

// -----

// expected-error @below {{'quack.kernel' op must have a complete plan: run quack-plan first}}
quack.kernel @part_of_a_plan(%x: memref<?x64xf32> in row) plan #quack_tv.plan<threads = 32> {}

// -----

// expected-error @below {{'quack.kernel' op must have a complete plan: run quack-plan first}}
quack.kernel @plan_of_another_kind(%x: memref<?x64xf32> in row) plan "fast" {}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
quack.kernel @constant_row(%x: memref<?x4xf32> in row, %y: memref<?x4xf32> out row) plan #plan {
  %v = quack.load %x : memref<?x4xf32> -> tensor<4xf32>
  // expected-error @below {{'arith.constant' op must be the same in all columns: pass a row of constants as a columns operand}}
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %p = arith.mulf %v, %c : tensor<4xf32>
  quack.store %p, %y : tensor<4xf32>, memref<?x4xf32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
quack.kernel @sparse_constant(%x: memref<?x4xf32> in row, %y: memref<?x4xf32> out row) plan #plan {
  // expected-error @below {{'arith.constant' op must be a dense splat or a scalar, got sparse<0, 1.000000e+00> : tensor<4xf32>}}
  %c = arith.constant sparse<[[0]], [1.0]> : tensor<4xf32>
  quack.store %c, %y : tensor<4xf32>, memref<?x4xf32>
}

// -----

#plan = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 1>
quack.kernel @group_of_two_warps(%x: memref<?x64xf32> in row, %s: memref<?x1xf32> out groups) plan #plan {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // expected-error @below {{'quack.group_reduce' op has groups of 64 columns, which this plan cuts, or leaves to several warps: have quack-plan choose one}}
  %a = quack.group_reduce addf %v : tensor<64xf32> -> tensor<1xf32, #quack.groups<64>>
  quack.store %a, %s : tensor<1xf32, #quack.groups<64>>, memref<?x1xf32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
quack.kernel @extract_of_groups(%x: memref<?x128xf32> in row, %s: memref<?x4xf32> in groups,
                                %y: memref<?xf32> out scalar) plan #plan {
  %v = quack.load %s : memref<?x4xf32> -> tensor<4xf32, #quack.groups<32>>
  // expected-error @below {{'quack.group_broadcast' op must not be what an element is extracted from: other columns of its group have a part in it}}
  %r = quack.group_broadcast %v : tensor<4xf32, #quack.groups<32>> -> tensor<128xf32>
  %c = arith.constant 3 : i32
  %nan = arith.constant 0x7FC00000 : f32
  %e = quack.extract %r[%c : i32] else %nan : tensor<128xf32>
  quack.store %e, %y : f32, memref<?xf32>
}
