// Scalars of a row come in (an lse, an upstream gradient, an integer target) and
// the gradient of a softmax goes out.
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
quack.kernel @softmax_gradient(%x: memref<?x?xf32> in row, %dy: memref<?x?xf32> in row,
                               %lse: memref<?xf32> in scalar, %scale: memref<?xf32> in scalar,
                               %target: memref<?xi64> in scalar,
                               %dx: memref<?x?xf32> out row, %dot: memref<?xf32> out scalar,
                               %next: memref<?xi64> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %g = quack.load %dy : memref<?x?xf32> -> tensor<?xf32>
  %l = quack.load %lse : memref<?xf32> -> f32
  %k = quack.load %scale : memref<?xf32> -> f32
  %l_row = quack.broadcast %l : f32 -> tensor<?xf32>
  %log = arith.subf %v, %l_row : tensor<?xf32>
  %p = math.exp %log : tensor<?xf32>
  %weighted = arith.mulf %p, %g : tensor<?xf32>
  %d = quack.reduce addf %weighted : tensor<?xf32> -> f32
  %d_row = quack.broadcast %d : f32 -> tensor<?xf32>
  %rest = arith.subf %g, %d_row : tensor<?xf32>
  %grad = arith.mulf %p, %rest : tensor<?xf32>
  %k_row = quack.broadcast %k : f32 -> tensor<?xf32>
  %out = arith.mulf %grad, %k_row : tensor<?xf32>
  %t = quack.load %target : memref<?xi64> -> i64
  %one = arith.constant 1 : i64
  %after = arith.addi %t, %one : i64
  quack.store %d, %dot : f32, memref<?xf32>
  quack.store %after, %next : i64, memref<?xi64>
  quack.store %out, %dx : tensor<?xf32>, memref<?x?xf32>
}
