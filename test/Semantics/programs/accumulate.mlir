// Sums over rows: of rows, computed before and after a reduction; of a row's scalar; with
// a number from memory.
// RUN: quack-check %s --columns=8,24,61 --rows=0,1,2,70 --specials %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000 --rows=0,1,7,131 --specials --storage= --storage=bf16 %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=2000 --rows=0,3,40 %pins_clusters | FileCheck %s --check-prefix=CLUSTERS
// RUN: quack-check %s --columns=1,3,64,769,1024 --rows=0,1,2,7,133 --pin='partials = 1' --pin='partials = 3' --pin='partials = 37, alignment = element' | FileCheck %s --check-prefix=PARTIALS
// PARTS: all equal: 15 runs
// WARPS: all equal: 12 runs
// CLUSTERS: all equal: 7 runs
// PARTIALS: all equal: 15 runs
quack.kernel @sums(%x: memref<?x?xf32> in row, %s: memref<?xf32> in scalar,
                   %scale: memref<f32> in single, %w: memref<?xf32> in columns,
                   %y: memref<?x?xf32> out row, %early: memref<?xf32> out columns,
                   %late: memref<?xf32> out columns, %total: memref<f32> out single) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %weight = quack.load %w : memref<?xf32> -> tensor<?xf32>
  %row_scale = quack.load %s : memref<?xf32> -> f32
  %k = quack.load %scale : memref<f32> -> f32
  %factor = arith.mulf %row_scale, %k : f32
  %f = quack.broadcast %factor : f32 -> tensor<?xf32>
  %scaled = arith.mulf %v, %f : tensor<?xf32>
  quack.accumulate %scaled, %early : tensor<?xf32>, memref<?xf32>
  %sum = quack.reduce addf %scaled : tensor<?xf32> -> f32
  %b = quack.broadcast %sum : f32 -> tensor<?xf32>
  %moved = arith.subf %scaled, %b : tensor<?xf32>
  %max = quack.reduce maximumf %moved : tensor<?xf32> -> f32
  quack.accumulate %max, %total : f32, memref<f32>
  %weighted = arith.mulf %moved, %weight : tensor<?xf32>
  quack.store %weighted, %y : tensor<?xf32>, memref<?x?xf32>
  quack.accumulate %weighted, %late : tensor<?xf32>, memref<?xf32>
}
