// A row is stored before the reduction that the other output waits for.
// RUN: quack-check %s --columns=8,24 --rows=1,70 --specials %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000 --rows=5 --specials --storage= --storage=bf16 %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=2000 --rows=3 %pins_clusters | FileCheck %s --check-prefix=CLUSTERS
// RUN: quack-check %s --columns=1003 --rows=3 --specials %pins_split | FileCheck %s --check-prefix=SPLIT
// PARTS: all equal: 10 runs
// WARPS: all equal: 12 runs
// CLUSTERS: all equal: 7 runs
// SPLIT: all equal: 5 runs
quack.kernel @residual_rms_norm(%x: memref<?x?xf32> in row, %residual: memref<?x?xf32> in row,
                                %w: memref<?xf32> in columns,
                                %sum_out: memref<?x?xf32> out row,
                                %y: memref<?x?xf32> out row,
                                %rstd: memref<?xf32> out scalar, %eps: f32) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %r = quack.load %residual : memref<?x?xf32> -> tensor<?xf32>
  %h = arith.addf %v, %r : tensor<?xf32>
  quack.store %h, %sum_out : tensor<?xf32>, memref<?x?xf32>
  %square = arith.mulf %h, %h : tensor<?xf32>
  %squares = quack.reduce addf %square : tensor<?xf32> -> f32
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %mean = arith.divf %squares, %count : f32
  %shifted = arith.addf %mean, %eps : f32
  %scale = math.rsqrt %shifted : f32
  quack.store %scale, %rstd : f32, memref<?xf32>
  %scale_row = quack.broadcast %scale : f32 -> tensor<?xf32>
  %unit = arith.mulf %h, %scale_row : tensor<?xf32>
  %weight = quack.load %w : memref<?xf32> -> tensor<?xf32>
  %out = arith.mulf %unit, %weight : tensor<?xf32>
  quack.store %out, %y : tensor<?xf32>, memref<?x?xf32>
}
