// Rows, columns and scalars of floats of 8 bits, both formats, in every hold and at
// every start; what is out of range is saturated alike at every level.
// RUN: quack-check %s --columns=8,24,61 --rows=1,5,70 --specials %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000,1064 --rows=5 --specials --storage= --storage=x:f8E4M3FN,y:f8E5M2 %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=2000 --rows=3 --specials %pins_clusters | FileCheck %s --check-prefix=CLUSTERS
// RUN: quack-check %s --columns=1072 --rows=5 --specials %pins_bytes_held | FileCheck %s --check-prefix=HOLDS
// PARTS: all equal: 15 runs
// WARPS: all equal: 24 runs
// CLUSTERS: all equal: 7 runs
// HOLDS: all equal: 10 runs
// RUN: quack-run %s --device=sim --columns=39 --rows=16 --verify --pin='threads_per_row = 4, rows_per_thread = 4, threads = 64' | FileCheck %s
// RUN: quack-run %s --device=sim --columns=17 --rows=5 --verify --offset x=1 --offset y=3 | FileCheck %s
// RUN: quack-run %s --device=sim --columns=1003 --rows=5 --verify --offset x=3 | FileCheck %s
// RUN: quack-run %s --device=sim --columns=1003 --rows=5 --verify --storage=x:f32,y:f8E5M2 --offset y=1 | FileCheck %s
// RUN: quack-run %s --device=sim --columns=4096 --rows=3 --verify --pin='vector = 16' | FileCheck %s
// RUN: quack-run %s --device=sim --columns=1072 --rows=5 --verify --pin='vector = 16, hold = {x = async}' | FileCheck %s
// RUN: quack-run %s --device=sim --columns=1072 --rows=5 --verify --pin='vector = 16, hold = {x = bulk}' | FileCheck %s
// RUN: quack-run %s --device=sim --columns=1072 --rows=5 --verify --pin='hold = {x = packed}' | FileCheck %s
// RUN: quack-run %s --device=sim --columns=20001 --rows=3 --verify --offset x=7 --pin='hold = {x = packed}' | FileCheck %s
// RUN: quack-run %s --device=sim --columns=20001 --rows=3 --verify --offset x=7 --pin='hold = {x = reload}' | FileCheck %s
// CHECK: verify: ok
quack.kernel @bytes(%x: memref<?x?xf8E5M2> in row, %w: memref<?xf8E4M3FN> in columns,
                    %s: memref<?xf8E4M3FN> in scalar, %y: memref<?x?xf8E4M3FN> out row,
                    %m: memref<?xf8E5M2> out scalar) {
  %v = quack.load %x : memref<?x?xf8E5M2> -> tensor<?xf32>
  %g = quack.load %w : memref<?xf8E4M3FN> -> tensor<?xf32>
  %f = quack.load %s : memref<?xf8E4M3FN> -> f32
  %max = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %sum = quack.reduce addf %g : tensor<?xf32> -> f32
  %scaled = arith.mulf %max, %f : f32
  %max_row = quack.broadcast %scaled : f32 -> tensor<?xf32>
  %a = arith.mulf %v, %max_row : tensor<?xf32>
  %b = arith.addf %a, %g : tensor<?xf32>
  %all = arith.mulf %scaled, %sum : f32
  quack.store %b, %y : tensor<?xf32>, memref<?x?xf8E4M3FN>
  quack.store %all, %m : f32, memref<?xf8E5M2>
}
