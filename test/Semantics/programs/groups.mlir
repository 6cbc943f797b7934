// Sums and maxima of groups of columns, each by lanes, by runs of one thread and by
// both; tails; what is computed from them, and operands with an element a group.
// RUN: quack-check %s --columns=1,31,33,100 --rows=1,5,70 --specials %pins_group_parts | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000,1064 --rows=5 --specials --storage= --storage=x:bf16 %pins_grouped | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=5000 --rows=3 --specials %pins_group_clusters | FileCheck %s --check-prefix=CLUSTERS
// RUN: sed s/groups.64./groups\<16\>/ %s | quack-check - --columns=1,31,33,100,1000 --rows=5 --specials %pins_grouped | FileCheck %s --check-prefix=SMALL
// PARTS: all equal: 8 runs
// WARPS: all equal: 24 runs
// CLUSTERS: all equal: 4 runs
// SMALL: all equal: 30 runs
// RUN: quack-run %s --device=sim --columns=33 --rows=16 --verify --pin='threads_per_row = 4, rows_per_thread = 4, threads = 64' | FileCheck %s
// RUN: quack-run %s --device=sim --columns=1003 --rows=5 --verify --offset x=3 --offset s=1 --row-stride s=17 --row-stride a=19 | FileCheck %s
// RUN: quack-run %s --device=sim --columns=4096 --rows=3 --verify --storage=x:bf16 | FileCheck %s
// RUN: quack-run %s --device=sim --columns=5000 --rows=3 --verify --pin='cluster = 2, threads = 128' | FileCheck %s
// RUN: quack-run %s --device=sim --columns=5000 --rows=3 --verify --pin='split = 2, threads = 64' | FileCheck %s
// CHECK: verify: ok
quack.kernel @groups(%x: memref<?x?xf32> in row, %s: memref<?x?xf32> in groups,
                     %y: memref<?x?xf32> out row, %a: memref<?x?xf32> out groups,
                     %m: memref<?x?xbf16> out groups, %t: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %sum = quack.group_reduce addf %v : tensor<?xf32> -> tensor<?xf32, #quack.groups<64>>
  %max = quack.group_reduce maximumf %v : tensor<?xf32> -> tensor<?xf32, #quack.groups<64>>
  %given = quack.load %s : memref<?x?xf32> -> tensor<?xf32, #quack.groups<64>>
  %all = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %alls = quack.broadcast %all : f32 -> tensor<?xf32, #quack.groups<64>>
  %above = arith.subf %alls, %max : tensor<?xf32, #quack.groups<64>>
  %scaled = arith.mulf %above, %given : tensor<?xf32, #quack.groups<64>>
  %scaled_row = quack.group_broadcast %scaled : tensor<?xf32, #quack.groups<64>> -> tensor<?xf32>
  %w = arith.addf %v, %scaled_row : tensor<?xf32>
  quack.store %w, %y : tensor<?xf32>, memref<?x?xf32>
  quack.store %sum, %a : tensor<?xf32, #quack.groups<64>>, memref<?x?xf32>
  quack.store %max, %m : tensor<?xf32, #quack.groups<64>>, memref<?x?xbf16>
  quack.store %all, %t : f32, memref<?xf32>
}
