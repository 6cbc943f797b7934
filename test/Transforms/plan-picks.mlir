// RUN: split-file %s %t
// RUN: quack-opt %t/topk.mlir --quack-plan | FileCheck %s
// RUN: not quack-opt %t/topk.mlir --quack-plan="pin='cluster = 2'" 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not quack-opt %t/topk.mlir --quack-plan="pin='threads = 128, threads_per_row = 64, cluster = 1'" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not quack-opt %t/topk.mlir --quack-plan="pin='rows_per_thread = 2, cluster = 1'" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not quack-opt %t/sum.mlir --quack-plan 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: quack-opt %t/long.mlir --quack-plan | FileCheck %s --check-prefix=LONG
// RUN: not quack-opt %t/short.mlir --quack-plan="pin='threads = 32, threads_per_row = 32, split = 128, vector = 1'" 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not quack-opt %t/many.mlir --quack-plan="pin='split = 513'" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not quack-opt %t/longest.mlir --quack-plan 2>&1 | FileCheck %s --check-prefix=LONGEST
// RUN: quack-opt %t/scatter.mlir --quack-plan | FileCheck %s --check-prefix=SCATTER
// RUN: sed s/1000003/1000000000/ %t/scatter.mlir | not quack-opt --quack-plan 2>&1 | FileCheck %s --check-prefix=LONGEST-SCATTER

// A row of which elements are picked has the lanes of a warp, or all threads of one CTA; if it
// is too long for one it is split, into as many slices for each M.

// CHECK: threads_per_row = {{[0-9]+}}, rows_per_thread = 1, cluster = 1
// CLUSTER: a row of which elements are picked, or its slice, must have a warp, or all threads of one CTA, and no thread a second row, got {{.*}}cluster = 2
// THREADS: a row of which elements are picked, or its slice, must have a warp, or all threads of one CTA, and no thread a second row, got threads_per_row = 64 of 128
// ROWS: a row of which elements are picked, or its slice, must have a warp, or all threads of one CTA, and no thread a second row, got {{.*}}rows_per_thread = 2
// SUM: a kernel that picks elements of its rows must not accumulate over rows
// LONG: #quack_tv.plan<threads = {{[0-9]+}}, {{.*}}, rows_per_thread = 1, cluster = 1, split = [[SPLIT:[0-9]+]], {{.*}}
// LONG: #quack_tv.plan<threads = {{[0-9]+}}, {{.*}}, rows_per_thread = 1, cluster = 1, split = [[SPLIT]], {{.*}}alignment = element
// LONG: quack.kernel @topk({{.*}} otherwise @topk_anywhere
// SHORT: a slice of a row must have at least the 64 elements that are picked, got 32 columns with split = 128
// MANY: of a row's slices at most 131072 elements meet, got 256 of each of 513
// LONGEST: a row of which 256 elements are picked or scattered has at most 67108864 columns (512 slices of 131072), got 67108865
// LONGEST-SCATTER: a row of which 8 elements are picked or scattered has at most 134217728 columns (1024 slices of 131072), got 1000000000
// SCATTER: cluster = 1, split = {{[0-9]+}}

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

//--- long.mlir
quack.kernel @topk(%x: memref<?x132000xf32> in row, %v: memref<?x256xf32> out picks,
                   %c: memref<?x256xi32> out picks) {
  %r = quack.load %x : memref<?x132000xf32> -> tensor<132000xf32>
  quack.topk %r to %v, %c : tensor<132000xf32>, memref<?x256xf32>, memref<?x256xi32>
}

//--- short.mlir
quack.kernel @topk(%x: memref<?x4096xf32> in row, %v: memref<?x64xf32> out picks,
                   %c: memref<?x64xi32> out picks) {
  %r = quack.load %x : memref<?x4096xf32> -> tensor<4096xf32>
  quack.topk %r to %v, %c : tensor<4096xf32>, memref<?x64xf32>, memref<?x64xi32>
}

//--- many.mlir
quack.kernel @topk(%x: memref<?x1000000xf32> in row, %v: memref<?x256xf32> out picks,
                   %c: memref<?x256xi32> out picks) {
  %r = quack.load %x : memref<?x1000000xf32> -> tensor<1000000xf32>
  quack.topk %r to %v, %c : tensor<1000000xf32>, memref<?x256xf32>, memref<?x256xi32>
}

//--- longest.mlir
quack.kernel @topk(%x: memref<?x67108865xf32> in row, %v: memref<?x256xf32> out picks,
                   %c: memref<?x256xi32> out picks) {
  %r = quack.load %x : memref<?x67108865xf32> -> tensor<67108865xf32>
  quack.topk %r to %v, %c : tensor<67108865xf32>, memref<?x256xf32>, memref<?x256xi32>
}

//--- scatter.mlir
quack.kernel @scatter(%v: memref<?x8xf32> in picks, %c: memref<?x8xi32> in picks,
                      %x: memref<?x1000003xf32> out row) {
  quack.scatter %v, %c to %x : memref<?x8xf32>, memref<?x8xi32>, memref<?x1000003xf32>
}
