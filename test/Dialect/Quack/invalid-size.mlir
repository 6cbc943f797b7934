// A kernel that no one would write, but a program might.
//
// RUN: %python -c "print('quack.kernel @kernel_c14_operations(%%x: memref<?x64xf32> in row) {\n' + '  quack.columns : i32\n' * 4097 + '}')" > %t.mlir
// RUN: not quack-opt %t.mlir 2>&1 | FileCheck %s
// CHECK: invalid-size.mlir.tmp.mlir:1:1: error: 'quack.kernel' op must hold at most 4096 operations, got 4097: split it into several kernels
