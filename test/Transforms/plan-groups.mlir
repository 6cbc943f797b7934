// RUN: quack-opt %s --split-input-file --quack-plan --verify-diagnostics | FileCheck %s

// Plans that leave each group to one warp.

// A lane's run is 8 columns at least, or a thread has several.
// CHECK: quack.kernel @picked
quack.kernel @picked(%x: memref<?x1000xbf16> in row, %s: memref<?x8xf32> out groups) {
  %v = quack.load %x : memref<?x1000xbf16> -> tensor<1000xf32>
  %a = quack.group_reduce addf %v : tensor<1000xf32> -> tensor<8xf32, #quack.groups<128>>
  quack.store %a, %s : tensor<8xf32, #quack.groups<128>>, memref<?x8xf32>
}

// -----

// expected-error @below {{a group of 128 columns must lie within a warp and end where a thread's run does}}
quack.kernel @pinned(%x: memref<?x1024xf32> in row, %s: memref<?x8xf32> out groups)
    plan #quack_tv.plan<threads = 1024, threads_per_row = 1024, vector = 1> {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
  %a = quack.group_reduce addf %v : tensor<1024xf32> -> tensor<8xf32, #quack.groups<128>>
  quack.store %a, %s : tensor<8xf32, #quack.groups<128>>, memref<?x8xf32>
}
