// RUN: quack-opt %s --verify-roundtrip | FileCheck %s
// RUN: quack-opt %s --quack-specialize=columns=1000 | FileCheck %s --check-prefix=FIXED

// CHECK-LABEL: quack.kernel @groups(%x: memref<?x?xf32> in row, %s: memref<?x?xbf16> in groups, %y: memref<?x?xf32> out groups)
// FIXED-LABEL: quack.kernel @groups(%x: memref<?x1000xf32> in row, %s: memref<?x8xbf16> in groups, %y: memref<?x8xf32> out groups)
quack.kernel @groups(%x: memref<?x?xf32> in row, %s: memref<?x?xbf16> in groups,
                     %y: memref<?x?xf32> out groups) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  // CHECK: %[[S:.*]] = quack.load %s : memref<?x?xbf16> -> tensor<?xf32, #quack.groups<128>>
  // FIXED: %[[S:.*]] = quack.load %s : memref<?x8xbf16> -> tensor<8xf32, #quack.groups<128>>
  %s_groups = quack.load %s : memref<?x?xbf16> -> tensor<?xf32, #quack.groups<128>>
  // CHECK: quack.group_broadcast %[[S]] {a} : tensor<?xf32, #quack.groups<128>> -> tensor<?xf32>
  // FIXED: quack.group_broadcast %[[S]] {a} : tensor<8xf32, #quack.groups<128>> -> tensor<1000xf32>
  %row = quack.group_broadcast %s_groups {a} : tensor<?xf32, #quack.groups<128>> -> tensor<?xf32>
  %scaled = arith.mulf %v, %row : tensor<?xf32>
  // CHECK: %[[A:.*]] = quack.group_reduce addf %{{.*}} {a} : tensor<?xf32> -> tensor<?xf32, #quack.groups<128>>
  // FIXED: %[[A:.*]] = quack.group_reduce addf %{{.*}} {a} : tensor<1000xf32> -> tensor<8xf32, #quack.groups<128>>
  %a = quack.group_reduce addf %scaled {a} : tensor<?xf32> -> tensor<?xf32, #quack.groups<128>>
  // FIXED: quack.group_reduce maxsi %{{.*}} : tensor<1000xi32> -> tensor<63xi32, #quack.groups<16>>
  %i = arith.fptosi %v : tensor<?xf32> to tensor<?xi32>
  %m = quack.group_reduce maxsi %i : tensor<?xi32> -> tensor<?xi32, #quack.groups<16>>
  // CHECK: quack.store %[[A]], %y : tensor<?xf32, #quack.groups<128>>, memref<?x?xf32>
  quack.store %a, %y : tensor<?xf32, #quack.groups<128>>, memref<?x?xf32>
}
