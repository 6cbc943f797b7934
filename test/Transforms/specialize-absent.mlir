// RUN: quack-opt %s --quack-specialize="columns=64 storage=w:f32" | FileCheck %s

// x * y + z of absent operands is one operation, or none.

// CHECK-LABEL: quack.kernel @scaled_and_shifted(
quack.kernel @scaled_and_shifted(%x: memref<?x?xf32> in row,
                                 %w: memref<?xf32> in columns optional 1.0,
                                 %u: memref<?xf32> in columns optional 1.0,
                                 %b: memref<?xf32> in columns optional -0.0,
                                 %y: memref<?x?xf32> out row, %z: memref<?x?xf32> out row,
                                 %s: memref<?x?xf32> out row) {
  // CHECK-NEXT: %[[V:.*]] = quack.load %x
  // CHECK-NEXT: %[[G:.*]] = quack.load %w
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %g = quack.load %w : memref<?xf32> -> tensor<?xf32>
  %h = quack.load %u : memref<?xf32> -> tensor<?xf32>
  %c = quack.load %b : memref<?xf32> -> tensor<?xf32>
  // CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[V]], %[[G]]
  // CHECK-NEXT: quack.store %[[PRODUCT]], %y
  %p = math.fma %v, %g, %c : tensor<?xf32>
  quack.store %p, %y : tensor<?xf32>, memref<?x?xf32>
  // CHECK-NEXT: quack.store %[[V]], %z
  %q = math.fma %h, %v, %c : tensor<?xf32>
  quack.store %q, %z : tensor<?xf32>, memref<?x?xf32>
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[V]], %[[G]]
  // CHECK-NEXT: quack.store %[[SUM]], %s
  %r = math.fma %h, %v, %g : tensor<?xf32>
  quack.store %r, %s : tensor<?xf32>, memref<?x?xf32>
}
