// RUN: quack-opt %s --quack-hoist-factors | FileCheck %s

// What is looked for is the largest of |u|: it waits for no sum.

// CHECK-LABEL: quack.kernel @product(
quack.kernel @product(%x: memref<?x64xf32> in row, %w: memref<64xf32> in columns,
                      %s: memref<?xf32> out scalar) {
  // CHECK-DAG: %[[U:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<64xf32>
  // CHECK-DAG: %[[SUM:.*]] = quack.reduce addf
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  %g = quack.load %w : memref<64xf32> -> tensor<64xf32>
  %sum = quack.reduce addf %v : tensor<64xf32> -> f32
  %u = arith.mulf %v, %g : tensor<64xf32>
  %b = quack.broadcast %sum : f32 -> tensor<64xf32>
  %n = arith.mulf %u, %b : tensor<64xf32>
  // CHECK: %[[M:.*]] = math.absf %[[U]] : tensor<64xf32>
  // CHECK-NEXT: %[[MAX:.*]] = quack.reduce maximumf %[[M]] : tensor<64xf32> -> f32
  // CHECK-NEXT: %[[MIN:.*]] = quack.reduce minimumf %[[M]] : tensor<64xf32> -> f32
  // CHECK-NEXT: %[[F:.*]] = math.absf %[[SUM]] : f32
  // CHECK-NEXT: %[[P:.*]] = arith.mulf %[[MAX]], %[[F]] : f32
  // CHECK-NEXT: %[[INF:.*]] = arith.constant 0x7F800000 : f32
  // CHECK-NEXT: %[[IS:.*]] = arith.cmpf oeq, %[[F]], %[[INF]] : f32
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-NEXT: %[[HAS:.*]] = arith.cmpf oeq, %[[MIN]], %[[ZERO]] : f32
  // CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[IS]], %[[HAS]] : i1
  // CHECK-NEXT: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
  // CHECK-NEXT: %[[R:.*]] = arith.select %[[BOTH]], %[[NAN]], %[[P]] : f32
  // CHECK-NEXT: quack.store %[[R]], %s
  %magnitude = math.absf %n : tensor<64xf32>
  %amax = quack.reduce maximumf %magnitude : tensor<64xf32> -> f32
  quack.store %amax, %s : f32, memref<?xf32>
}

// The factor may come first; the product may be used, too.

// CHECK-LABEL: quack.kernel @used(
quack.kernel @used(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  // CHECK: %[[V:.*]] = quack.load
  // CHECK: %[[N:.*]] = arith.mulf
  // CHECK-NEXT: %[[M:.*]] = math.absf %[[V]]
  // CHECK-NEXT: quack.reduce maximumf %[[M]]
  // CHECK: arith.divf %[[N]],
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  %sum = quack.reduce addf %v : tensor<64xf32> -> f32
  %b = quack.broadcast %sum : f32 -> tensor<64xf32>
  %n = arith.mulf %b, %v : tensor<64xf32>
  %magnitude = math.absf %n : tensor<64xf32>
  %amax = quack.reduce maximumf %magnitude : tensor<64xf32> -> f32
  %a = quack.broadcast %amax : f32 -> tensor<64xf32>
  %q = arith.divf %n, %a : tensor<64xf32>
  quack.store %q, %y : tensor<64xf32>, memref<?x64xf32>
}

// 0 / 0 is what is NaN of a quotient.

// CHECK-LABEL: quack.kernel @quotient(
quack.kernel @quotient(%x: memref<?x64xf32> in row, %s: memref<?xf32> out scalar) {
  // CHECK: %[[MAX:.*]] = quack.reduce maximumf
  // CHECK: %[[F:.*]] = math.absf %{{.*}} : f32
  // CHECK-NEXT: arith.divf %[[MAX]], %[[F]] : f32
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-NEXT: arith.cmpf oeq, %[[F]], %[[ZERO]] : f32
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  %sum = quack.reduce addf %v : tensor<64xf32> -> f32
  %b = quack.broadcast %sum : f32 -> tensor<64xf32>
  %n = arith.divf %v, %b : tensor<64xf32>
  %magnitude = math.absf %n : tensor<64xf32>
  %amax = quack.reduce maximumf %magnitude : tensor<64xf32> -> f32
  quack.store %amax, %s : f32, memref<?xf32>
}

// Left alone: a factor that no reduction gives; a row that waits for one itself; something
// added; s / u, whose largest is that of the smallest u; no magnitude, so that the factor's
// sign counts; the smallest.

// CHECK-LABEL: quack.kernel @not(
// CHECK-COUNT-5: quack.reduce maximumf
// CHECK-NOT: quack.reduce maximumf
// CHECK: quack.reduce minimumf
// CHECK-NOT: quack.reduce minimumf
quack.kernel @not(%x: memref<?x64xf32> in row, %k: f32, %a: memref<?xf32> out scalar,
                  %b: memref<?xf32> out scalar, %c: memref<?xf32> out scalar,
                  %d: memref<?xf32> out scalar, %e: memref<?xf32> out scalar,
                  %f: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  %sum = quack.reduce addf %v : tensor<64xf32> -> f32
  %sums = quack.broadcast %sum : f32 -> tensor<64xf32>
  %ks = quack.broadcast %k : f32 -> tensor<64xf32>
  %p0 = arith.mulf %v, %ks : tensor<64xf32>
  %m0 = math.absf %p0 : tensor<64xf32>
  %r0 = quack.reduce maximumf %m0 : tensor<64xf32> -> f32
  quack.store %r0, %a : f32, memref<?xf32>
  %above = arith.subf %v, %sums : tensor<64xf32>
  %p1 = arith.mulf %above, %sums : tensor<64xf32>
  %m1 = math.absf %p1 : tensor<64xf32>
  %r1 = quack.reduce maximumf %m1 : tensor<64xf32> -> f32
  quack.store %r1, %b : f32, memref<?xf32>
  %n = arith.mulf %v, %sums : tensor<64xf32>
  %p2 = arith.addf %n, %ks : tensor<64xf32>
  %m2 = math.absf %p2 : tensor<64xf32>
  %r2 = quack.reduce maximumf %m2 : tensor<64xf32> -> f32
  quack.store %r2, %c : f32, memref<?xf32>
  %p3 = arith.divf %sums, %v : tensor<64xf32>
  %m3 = math.absf %p3 : tensor<64xf32>
  %r3 = quack.reduce maximumf %m3 : tensor<64xf32> -> f32
  quack.store %r3, %d : f32, memref<?xf32>
  %r4 = quack.reduce maximumf %n : tensor<64xf32> -> f32
  quack.store %r4, %e : f32, memref<?xf32>
  %m5 = math.absf %n : tensor<64xf32>
  %r5 = quack.reduce minimumf %m5 : tensor<64xf32> -> f32
  quack.store %r5, %f : f32, memref<?xf32>
}
