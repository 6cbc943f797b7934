// Operands that are read and written, rows and scalars, and a weight that is
// itself reduced.
// RUN: quack-check %s --columns=8,24 --rows=1,5,70 --specials %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000,1064 --rows=5 --specials %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=2000 --rows=3 %pins_clusters | FileCheck %s --check-prefix=CTAS
// RUN: quack-check %s --columns=2000 --rows=3 %pins_split | FileCheck %s --check-prefix=SPLIT
// RUN: quack-check %s --columns=1000 --rows=3 %pins_holds_of_x | FileCheck %s --check-prefix=HOLDS
// PARTS: all equal: 10 runs
// WARPS: all equal: 12 runs
// CTAS: all equal: 7 runs
// SPLIT: all equal: 5 runs
// HOLDS: all equal: 15 runs
quack.kernel @in_place(%x: memref<?x?xf32> inout row, %w: memref<?xf32> in columns,
                       %running: memref<?xf32> inout scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %weight = quack.load %w : memref<?xf32> -> tensor<?xf32>
  %norm = quack.reduce addf %weight : tensor<?xf32> -> f32
  %weighted = arith.mulf %v, %weight : tensor<?xf32>
  %sum = quack.reduce addf %weighted : tensor<?xf32> -> f32
  %mean = arith.divf %sum, %norm : f32
  %mean_row = quack.broadcast %mean : f32 -> tensor<?xf32>
  %out = arith.subf %v, %mean_row : tensor<?xf32>
  quack.store %out, %x : tensor<?xf32>, memref<?x?xf32>
  %before = quack.load %running : memref<?xf32> -> f32
  %after = arith.maximumf %before, %mean : f32
  quack.store %after, %running : f32, memref<?xf32>
}
