// Three reductions, each of what the one before gives: four passes over the row.
// RUN: quack-check %s --columns=8,24 --rows=1,5,70 --specials %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000,1064 --rows=5 --specials %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=2000 --rows=3 %pins_clusters | FileCheck %s --check-prefix=CLUSTERS
// RUN: quack-check %s --columns=1064 --rows=5 --storage=bf16 %pins_holds_of_x | FileCheck %s --check-prefix=HOLDS
// RUN: quack-check %s --columns=1003 --rows=3 --specials %pins_split | FileCheck %s --check-prefix=SPLIT
// PARTS: all equal: 10 runs
// WARPS: all equal: 12 runs
// CLUSTERS: all equal: 7 runs
// HOLDS: all equal: 15 runs
// SPLIT: all equal: 5 runs
quack.kernel @chain(%x: memref<?x?xf32> in row, %y: memref<?x?xf32> out row,
                    %peak: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %sum = quack.reduce addf %v : tensor<?xf32> -> f32
  %mean = arith.divf %sum, %count : f32
  %mean_row = quack.broadcast %mean : f32 -> tensor<?xf32>
  %centred = arith.subf %v, %mean_row : tensor<?xf32>
  %size = math.absf %centred : tensor<?xf32>
  %deviation = quack.reduce addf %size : tensor<?xf32> -> f32
  %deviation_row = quack.broadcast %deviation : f32 -> tensor<?xf32>
  %share = arith.divf %centred, %deviation_row : tensor<?xf32>
  %max = quack.reduce maximumf %share : tensor<?xf32> -> f32
  %max_row = quack.broadcast %max : f32 -> tensor<?xf32>
  %out = arith.subf %share, %max_row : tensor<?xf32>
  quack.store %max, %peak : f32, memref<?xf32>
  quack.store %out, %y : tensor<?xf32>, memref<?x?xf32>
}
