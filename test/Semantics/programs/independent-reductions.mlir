// Reductions that do not depend on each other share exchanges: of one kind, of
// several kinds, of floats and integers, and five at once.
// RUN: quack-check %s --columns=8,24,61 --rows=1,5,70 --specials %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000,1064 --rows=5 --specials %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=2000 --rows=3 %pins_clusters | FileCheck %s --check-prefix=CLUSTERS
// RUN: quack-check %s --columns=1003 --rows=3 --specials %pins_split | FileCheck %s --check-prefix=SPLIT
// PARTS: all equal: 15 runs
// WARPS: all equal: 12 runs
// CLUSTERS: all equal: 7 runs
// SPLIT: all equal: 5 runs
quack.kernel @two_sums(%x: memref<?x?xf32> in row, %s: memref<?xf32> out scalar,
                       %q: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %sum = quack.reduce addf %v : tensor<?xf32> -> f32
  %square = arith.mulf %v, %v : tensor<?xf32>
  %squares = quack.reduce addf %square : tensor<?xf32> -> f32
  quack.store %sum, %s : f32, memref<?xf32>
  quack.store %squares, %q : f32, memref<?xf32>
}

quack.kernel @five(%x: memref<?x?xf32> in row, %k: memref<?x?xi32> in row,
                   %a: memref<?xf32> out scalar, %b: memref<?xf32> out scalar,
                   %c: memref<?xf32> out scalar, %d: memref<?xi32> out scalar,
                   %e: memref<?xi32> out scalar, %y: memref<?x?xf32> out row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %i = quack.load %k : memref<?x?xi32> -> tensor<?xi32>
  %max = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %min = quack.reduce minimumf %v : tensor<?xf32> -> f32
  %size = math.absf %v : tensor<?xf32>
  %norm = quack.reduce addf %size : tensor<?xf32> -> f32
  %total = quack.reduce addi %i : tensor<?xi32> -> i32
  %greatest = quack.reduce maxsi %i : tensor<?xi32> -> i32
  %range = arith.subf %max, %min : f32
  %range_row = quack.broadcast %range : f32 -> tensor<?xf32>
  %out = arith.divf %v, %range_row : tensor<?xf32>
  quack.store %max, %a : f32, memref<?xf32>
  quack.store %min, %b : f32, memref<?xf32>
  quack.store %norm, %c : f32, memref<?xf32>
  quack.store %total, %d : i32, memref<?xi32>
  quack.store %greatest, %e : i32, memref<?xi32>
  quack.store %out, %y : tensor<?xf32>, memref<?x?xf32>
}
