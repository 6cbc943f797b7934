// Two dependent sums: the second is of centred values, where a padded zero
// would count as (0 - mean)^2.
// RUN: quack-check %s --columns=8,24,61 --rows=1,5,70 --specials %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=769,1064 --rows=1,5,15 --specials %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=2000 --rows=3 --storage=bf16 --storage=x:bf16,y:f16 %pins_clusters | FileCheck %s --check-prefix=CLUSTERS
// RUN: quack-check %s --columns=1064 --rows=5 --storage=bf16 %pins_holds_of_x | FileCheck %s --check-prefix=HOLDS
// RUN: quack-check %s --columns=1003 --rows=3 --specials %pins_split | FileCheck %s --check-prefix=SPLIT
// PARTS: all equal: 15 runs
// WARPS: all equal: 12 runs
// CLUSTERS: all equal: 14 runs
// HOLDS: all equal: 15 runs
// SPLIT: all equal: 5 runs
quack.kernel @layer_norm(%x: memref<?x?xf32> in row, %w: memref<?xf32> in columns,
                         %b: memref<?xf32> in columns, %y: memref<?x?xf32> out row,
                         %mean: memref<?xf32> out scalar,
                         %rstd: memref<?xf32> out scalar, %eps: f32) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %sum = quack.reduce addf %v : tensor<?xf32> -> f32
  %m = arith.divf %sum, %count : f32
  %m_row = quack.broadcast %m : f32 -> tensor<?xf32>
  %centred = arith.subf %v, %m_row : tensor<?xf32>
  %square = arith.mulf %centred, %centred : tensor<?xf32>
  %squares = quack.reduce addf %square : tensor<?xf32> -> f32
  %variance = arith.divf %squares, %count : f32
  %shifted = arith.addf %variance, %eps : f32
  %r = math.rsqrt %shifted : f32
  %r_row = quack.broadcast %r : f32 -> tensor<?xf32>
  %unit = arith.mulf %centred, %r_row : tensor<?xf32>
  %weight = quack.load %w : memref<?xf32> -> tensor<?xf32>
  %bias = quack.load %b : memref<?xf32> -> tensor<?xf32>
  %scaled = arith.mulf %unit, %weight : tensor<?xf32>
  %out = arith.addf %scaled, %bias : tensor<?xf32>
  quack.store %m, %mean : f32, memref<?xf32>
  quack.store %r, %rstd : f32, memref<?xf32>
  quack.store %out, %y : tensor<?xf32>, memref<?x?xf32>
}
