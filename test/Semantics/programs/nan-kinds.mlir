// maximumf and minimumf propagate NaN, maxnumf and minnumf skip it, wherever it
// stands in the row.
// RUN: quack-check %s --columns=8,24,61 --rows=70 --specials %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000 --rows=15 --specials --storage= --storage=bf16 %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=2000 --rows=15 --specials %pins_clusters | FileCheck %s --check-prefix=CLUSTERS
// PARTS: all equal: 15 runs
// WARPS: all equal: 12 runs
// CLUSTERS: all equal: 7 runs
quack.kernel @nan_kinds(%x: memref<?x?xf32> in row, %a: memref<?xf32> out scalar,
                        %b: memref<?xf32> out scalar, %c: memref<?xf32> out scalar,
                        %d: memref<?xf32> out scalar, %p: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %max = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %min = quack.reduce minimumf %v : tensor<?xf32> -> f32
  %maxnum = quack.reduce maxnumf %v : tensor<?xf32> -> f32
  %minnum = quack.reduce minnumf %v : tensor<?xf32> -> f32
  %scale = arith.constant 0.01 : f32
  %scale_row = quack.broadcast %scale : f32 -> tensor<?xf32>
  %one = arith.constant 1.0 : f32
  %one_row = quack.broadcast %one : f32 -> tensor<?xf32>
  %small = arith.mulf %v, %scale_row : tensor<?xf32>
  %factor = arith.addf %small, %one_row : tensor<?xf32>
  %product = quack.reduce mulf %factor : tensor<?xf32> -> f32
  quack.store %max, %a : f32, memref<?xf32>
  quack.store %min, %b : f32, memref<?xf32>
  quack.store %maxnum, %c : f32, memref<?xf32>
  quack.store %minnum, %d : f32, memref<?xf32>
  quack.store %product, %p : f32, memref<?xf32>
}
