// RUN: split-file %s %t
// RUN: quack-opt %t/kernels.mlir --quack-specialize="columns=128" --verify-diagnostics
// RUN: not quack-opt %t/generic.mlir --quack-specialize="columns=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: quack-opt %t/groups.mlir --split-input-file --quack-specialize="groups=32" --verify-diagnostics
// RUN: quack-opt %t/picks.mlir --split-input-file --quack-specialize="columns=64 picks=8" --verify-diagnostics
// RUN: not quack-opt %t/picks.mlir --quack-specialize="columns=64" 2>&1 | FileCheck %s --check-prefix=HOW-MANY
// RUN: not quack-opt %t/generic.mlir --quack-specialize="picks=8" 2>&1 | FileCheck %s --check-prefix=NO-PICKS
// RUN: not quack-opt %t/generic.mlir --quack-specialize="picks=257" 2>&1 | FileCheck %s --check-prefix=PICKS
// RUN: not quack-opt %t/generic.mlir --quack-specialize="groups=32" 2>&1 | FileCheck %s --check-prefix=NO-GROUPS
// RUN: not quack-opt %t/generic.mlir --quack-specialize="groups=48" 2>&1 | FileCheck %s --check-prefix=GROUPS
// RUN: not quack-opt %t/generic.mlir --quack-specialize="storage=f64" 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not quack-opt %t/generic.mlir --quack-specialize="storage=x:tf32" 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: not quack-opt %t/generic.mlir --quack-specialize="storage=i8" 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not quack-opt %t/generic.mlir --quack-specialize="storage=x:i8" 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: not quack-opt %t/generic.mlir --quack-specialize="storage=z:f16" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not quack-opt %t/generic.mlir --quack-specialize="storage=eps:f32" 2>&1 | FileCheck %s --check-prefix=VALUE

// RUN: not quack-opt %t/generic.mlir --quack-specialize="storage=','" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not quack-opt %t/generic.mlir --quack-specialize="storage=bf16,f16" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not quack-opt %t/generic.mlir --quack-specialize="storage=x:bf16,f32,x:f32" 2>&1 | FileCheck %s --check-prefix=NAMED-TWICE

// HOW-MANY: error: 'quack.kernel' op operand 'v' has ? columns, as many as elements of a row are picked: say how many, picks=K
// NO-PICKS: error: picks are given, but no kernel has an operand with role picks
// PICKS: error: picks must be 1 to 256, got 257
// NO-GROUPS: error: groups are given, but no kernel has groups of columns
// GROUPS: error: groups must have 16, 32, 64, ... or 1024 columns, got 48
// EMPTY: error: storage type must be f32, bf16, f16, f8E4M3FN, f8E5M2, i8, i32 or i64, got ''
// TWICE: error: storage must be given once for each operand, and once for all others, got 'f16' in 'bf16,f16'
// NAMED-TWICE: error: storage must be given once for each operand, and once for all others, got 'x:f32' in 'x:bf16,f32,x:f32'
// NEGATIVE: error: columns must be 1 to 1073741824, got -1
// TYPE: error: storage type must be f32, bf16, f16, f8E4M3FN, f8E5M2, i8, i32 or i64, got 'f64'
// NAMED: error: storage type must be f32, bf16, f16, f8E4M3FN, f8E5M2, i8, i32 or i64, got 'x:tf32'
// INTEGER: error: storage without an operand's name must be f32, bf16, f16, f8E4M3FN or f8E5M2, got 'i8'; write name:i8
// MIXED: error: 'quack.kernel' op operand 'x' stores 'f32' and cannot be stored as 'i8'
// UNKNOWN: error: storage names 'z', but no kernel has a memref or optional operand of that name
// VALUE: error: storage names 'eps', but no kernel has a memref or optional operand of that name

//--- kernels.mlir
// expected-error @below {{'quack.kernel' op has 64 columns and cannot be specialised to columns=128: only kernels with ? columns are generic}}
quack.kernel @concrete(%x: memref<?x64xf32> in row) {}

//--- groups.mlir
// expected-error @below {{'quack.kernel' op has 256 columns and cannot be specialised to groups=32: only kernels with ? columns are generic}}
quack.kernel @concrete_groups(%x: memref<?x256xf32> in row, %s: memref<?x2xf32> out groups) {
  %v = quack.load %x : memref<?x256xf32> -> tensor<256xf32>
  %m = quack.group_reduce addf %v : tensor<256xf32> -> tensor<2xf32, #quack.groups<128>>
  quack.store %m, %s : tensor<2xf32, #quack.groups<128>>, memref<?x2xf32>
}
// -----
// expected-error @below {{'quack.kernel' op has groups of 128 and of 64 columns and cannot be specialised to groups=32: only kernels with groups of one size are generic}}
quack.kernel @two_sizes(%x: memref<?x?xf32> in row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %m = quack.group_reduce addf %v : tensor<?xf32> -> tensor<?xf32, #quack.groups<128>>
  %n = quack.group_reduce addf %v : tensor<?xf32> -> tensor<?xf32, #quack.groups<64>>
}

//--- generic.mlir
quack.kernel @generic(%x: memref<?x?xf32> in row, %eps: f32) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
}

//--- picks.mlir
quack.kernel @topk(%x: memref<?x?xf32> in row, %v: memref<?x?xf32> out picks,
                   %c: memref<?x?xi32> out picks) {
  %r = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  quack.topk %r to %v, %c : tensor<?xf32>, memref<?x?xf32>, memref<?x?xi32>
}

// -----

// expected-error @below {{operand 'v' has 4 columns and cannot be specialised to picks=8: only ? columns are generic}}
quack.kernel @fixed(%x: memref<?x?xf32> in row, %v: memref<?x4xf32> out picks,
                    %c: memref<?x4xi32> out picks) {
  %r = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  quack.topk %r to %v, %c : tensor<?xf32>, memref<?x4xf32>, memref<?x4xi32>
}
