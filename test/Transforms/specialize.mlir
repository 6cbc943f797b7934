// RUN: quack-opt %s --split-input-file --quack-specialize="columns=64 storage=bf16,w:f16,t:i32" | FileCheck %s
// RUN: quack-opt %s --split-input-file --quack-specialize="columns=0 storage=w:f32,t:i64" | FileCheck %s --check-prefix=NONE
// RUN: quack-opt %s --split-input-file --quack-specialize="columns=64 storage=' w:f16, t:i32,bf16'" | FileCheck %s

// Every generic kernel of the module; scalars and integers keep their storage
// unless they are named; compute types stay.

// CHECK-LABEL: quack.kernel @all_roles(%x: memref<?x64xbf16> in row, %w: memref<64xf16> in columns, %t: memref<?xi32> in scalar, %i: memref<?x64xi8> in row, %y: memref<?x64xbf16> out row, %s: memref<?xf32> out scalar, %eps: f32)
// NONE-LABEL: quack.kernel @all_roles(%x: memref<?x?xf32> in row, %w: memref<?xf32> in columns, %t: memref<?xi64> in scalar, %i: memref<?x?xi8> in row, %y: memref<?x?xf32> out row, %s: memref<?xf32> out scalar, %eps: f32)
quack.kernel @all_roles(%x: memref<?x?xf32> in row, %w: memref<?xf32> in columns,
                        %t: memref<?xi32> in scalar, %i: memref<?x?xi8> in row,
                        %y: memref<?x?xf32> out row, %s: memref<?xf32> out scalar, %eps: f32) {
  // CHECK-NEXT: %[[V:.*]] = quack.load %x : memref<?x64xbf16> -> tensor<64xf32>
  // NONE-NEXT: quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  // CHECK-NEXT: quack.load %w : memref<64xf16> -> tensor<64xf32>
  %g = quack.load %w : memref<?xf32> -> tensor<?xf32>
  // CHECK-NEXT: quack.load %t : memref<?xi32> -> i64
  // NONE: quack.load %t : memref<?xi64> -> i64
  %k = quack.load %t : memref<?xi32> -> i64
  // CHECK-NEXT: %[[SUM:.*]] = quack.reduce addf %[[V]] : tensor<64xf32> -> f32
  %sum = quack.reduce addf %v : tensor<?xf32> -> f32
  // CHECK-NEXT: %[[ROW:.*]] = quack.broadcast %[[SUM]] : f32 -> tensor<64xf32>
  %row = quack.broadcast %sum : f32 -> tensor<?xf32>
  // CHECK-NEXT: %[[P:.*]] = arith.mulf %{{.*}}, %[[ROW]] : tensor<64xf32>
  %p = arith.mulf %g, %row : tensor<?xf32>
  // CHECK-NEXT: quack.store %[[P]], %y : tensor<64xf32>, memref<?x64xbf16>
  quack.store %p, %y : tensor<?xf32>, memref<?x?xf32>
  // CHECK-NEXT: quack.store %[[SUM]], %s : f32, memref<?xf32>
  quack.store %sum, %s : f32, memref<?xf32>
}

// -----

// A kernel that is concrete already keeps its N; its storage is chosen all the
// same.

// CHECK-LABEL: quack.kernel @concrete(%w: memref<?x64xf16> in row, %t: memref<?xi32> in scalar)
// NONE-LABEL: quack.kernel @concrete(%w: memref<?x64xf32> in row, %t: memref<?xi64> in scalar)
quack.kernel @concrete(%w: memref<?x64xf32> in row, %t: memref<?xi32> in scalar) {
  %v = quack.load %w : memref<?x64xf32> -> tensor<64xf32>
}
// CHECK-LABEL: quack.kernel @second(%x: memref<?x64xbf16> inout row)
// NONE-LABEL: quack.kernel @second(%x: memref<?x?xf16> inout row)
quack.kernel @second(%x: memref<?x?xf16> inout row) {
  %v = quack.load %x : memref<?x?xf16> -> tensor<?xf32>
  // CHECK: quack.store %{{.*}}, %x : tensor<64xf32>, memref<?x64xbf16>
  quack.store %v, %x : tensor<?xf32>, memref<?x?xf16>
}
