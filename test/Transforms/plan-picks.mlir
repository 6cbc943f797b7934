// RUN: split-file %s %t
// RUN: quack-opt %t/topk.mlir --quack-plan | FileCheck %s
// RUN: not quack-opt %t/topk.mlir --quack-plan="pin='cluster = 2'" 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not quack-opt %t/topk.mlir --quack-plan="pin='threads = 128, threads_per_row = 64, cluster = 1'" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not quack-opt %t/topk.mlir --quack-plan="pin='rows_per_thread = 2, cluster = 1'" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not quack-opt %t/sum.mlir --quack-plan 2>&1 | FileCheck %s --check-prefix=SUM

// A row of which elements are picked has the lanes of a warp, or all threads of one CTA.

// CHECK: threads_per_row = {{[0-9]+}}, rows_per_thread = 1, cluster = 1
// CLUSTER: a row of which elements are picked must have a warp, or all threads of one CTA, and no thread a second row, got {{.*}}cluster = 2, split = 0
// THREADS: a row of which elements are picked must have a warp, or all threads of one CTA, and no thread a second row, got threads_per_row = 64 of 128
// ROWS: a row of which elements are picked must have a warp, or all threads of one CTA, and no thread a second row, got {{.*}}rows_per_thread = 2
// SUM: a kernel that picks elements of its rows must not accumulate over rows

//--- topk.mlir
quack.kernel @topk(%x: memref<?x4096xf32> in row, %v: memref<?x8xf32> out picks,
                   %c: memref<?x8xi32> out picks) {
  %r = quack.load %x : memref<?x4096xf32> -> tensor<4096xf32>
  quack.topk %r to %v, %c : tensor<4096xf32>, memref<?x8xf32>, memref<?x8xi32>
}

//--- sum.mlir
quack.kernel @topk(%x: memref<?x4096xf32> in row, %v: memref<?x8xf32> out picks,
                   %c: memref<?x8xi32> out picks, %s: memref<4096xf32> out columns) {
  %r = quack.load %x : memref<?x4096xf32> -> tensor<4096xf32>
  quack.topk %r to %v, %c : tensor<4096xf32>, memref<?x8xf32>, memref<?x8xi32>
  quack.accumulate %r, %s : tensor<4096xf32>, memref<4096xf32>
}
