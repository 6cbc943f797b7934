// RUN: %python -c "print('#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 1>\nquack_tv.kernel @kernel_c12_operations(%%x: memref<?x64xf32> in row) plan #plan {\n' + '  arith.constant 0 : i32\n' * 65537 + '}')" > %t.mlir
// RUN: not quack-opt %t.mlir 2>&1 | FileCheck %s
// CHECK: invalid-size.mlir.tmp.mlir:2:1: error: 'quack_tv.kernel' op must hold at most 65536 operations, got 65537
