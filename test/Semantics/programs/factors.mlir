// The largest of a row times, or over, what a reduction of it gives: finite numbers,
// infinities and zeros, beside zeros in the row.
// RUN: quack-check %s --columns=8,24,61 --rows=70 --specials %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000 --rows=15 --specials --storage= --storage=bf16 %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=2000 --rows=15 --specials %pins_clusters | FileCheck %s --check-prefix=CLUSTERS
// PARTS: all equal: 15 runs
// WARPS: all equal: 12 runs
// CLUSTERS: all equal: 7 runs
quack.kernel @factors(%x: memref<?x?xf32> in row, %t: memref<?x?xf32> in row,
                      %a: memref<?xf32> out scalar, %b: memref<?xf32> out scalar,
                      %c: memref<?xf32> out scalar, %d: memref<?xf32> out scalar,
                      %e: memref<?xf32> out scalar, %q: memref<?x?xf32> out row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %other = quack.load %t : memref<?x?xf32> -> tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = quack.broadcast %zero : f32 -> tensor<?xf32>
  %one = arith.constant 1.0 : f32
  // Has zeros.
  %u = arith.maxnumf %v, %zeros : tensor<?xf32>

  %f = quack.reduce addf %other : tensor<?xf32> -> f32
  %fs = quack.broadcast %f : f32 -> tensor<?xf32>
  %p0 = arith.mulf %u, %fs : tensor<?xf32>
  %m0 = math.absf %p0 : tensor<?xf32>
  %r0 = quack.reduce maximumf %m0 : tensor<?xf32> -> f32
  quack.store %r0, %a : f32, memref<?xf32>
  %p1 = arith.divf %v, %fs : tensor<?xf32>
  %m1 = math.absf %p1 : tensor<?xf32>
  %r1 = quack.reduce maximumf %m1 : tensor<?xf32> -> f32
  quack.store %r1, %b : f32, memref<?xf32>
  %rs = quack.broadcast %r1 : f32 -> tensor<?xf32>
  %normed = arith.divf %p1, %rs : tensor<?xf32>
  quack.store %normed, %q : tensor<?xf32>, memref<?x?xf32>

  // 0, but in rows with infinities or NaN.
  %nothing = arith.mulf %other, %zeros : tensor<?xf32>
  %none = quack.reduce addf %nothing : tensor<?xf32> -> f32
  %nones = quack.broadcast %none : f32 -> tensor<?xf32>
  %p2 = arith.mulf %v, %nones : tensor<?xf32>
  %m2 = math.absf %p2 : tensor<?xf32>
  %r2 = quack.reduce maximumf %m2 : tensor<?xf32> -> f32
  quack.store %r2, %c : f32, memref<?xf32>
  %p3 = arith.divf %u, %nones : tensor<?xf32>
  %m3 = math.absf %p3 : tensor<?xf32>
  %r3 = quack.reduce maximumf %m3 : tensor<?xf32> -> f32
  quack.store %r3, %d : f32, memref<?xf32>
  %infinite = arith.divf %one, %none : f32
  %infinites = quack.broadcast %infinite : f32 -> tensor<?xf32>
  %p4 = arith.mulf %infinites, %u : tensor<?xf32>
  %m4 = math.absf %p4 : tensor<?xf32>
  %r4 = quack.reduce maximumf %m4 : tensor<?xf32> -> f32
  quack.store %r4, %e : f32, memref<?xf32>
}
