// A softmax of the elements that an i8 mask lets through, and the count of
// those above a threshold.
// RUN: quack-check %s --columns=8,24 --rows=1,5,70 --specials %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000,1064 --rows=5 --specials --storage= --storage=x:bf16,y:f16 %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=2000 --rows=3 %pins_clusters | FileCheck %s --check-prefix=CLUSTERS
// PARTS: all equal: 10 runs
// WARPS: all equal: 24 runs
// CLUSTERS: all equal: 7 runs
quack.kernel @masked_softmax(%x: memref<?x?xf32> in row, %mask: memref<?x?xi8> in row,
                             %y: memref<?x?xf32> out row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %m = quack.load %mask : memref<?x?xi8> -> tensor<?xi32>
  %none = arith.constant 0 : i32
  %none_row = quack.broadcast %none : i32 -> tensor<?xi32>
  %lets = arith.cmpi sgt, %m, %none_row : tensor<?xi32>
  %low = arith.constant 0xFF800000 : f32
  %low_row = quack.broadcast %low : f32 -> tensor<?xf32>
  %kept = arith.select %lets, %v, %low_row : tensor<?xi1>, tensor<?xf32>
  %max = quack.reduce maximumf %kept : tensor<?xf32> -> f32
  %max_row = quack.broadcast %max : f32 -> tensor<?xf32>
  %shifted = arith.subf %kept, %max_row : tensor<?xf32>
  %e = math.exp %shifted : tensor<?xf32>
  %sum = quack.reduce addf %e : tensor<?xf32> -> f32
  %sum_row = quack.broadcast %sum : f32 -> tensor<?xf32>
  %p = arith.divf %e, %sum_row : tensor<?xf32>
  quack.store %p, %y : tensor<?xf32>, memref<?x?xf32>
}

quack.kernel @count_above(%x: memref<?x?xf32> in row, %count: memref<?xi32> out scalar,
                          %y: memref<?x?xf32> out row, %threshold: f32) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %t = quack.broadcast %threshold : f32 -> tensor<?xf32>
  %above = arith.cmpf ogt, %v, %t : tensor<?xf32>
  %one = arith.extui %above : tensor<?xi1> to tensor<?xi32>
  %total = quack.reduce addi %one : tensor<?xi32> -> i32
  quack.store %total, %count : i32, memref<?xi32>
  %limit = arith.constant 3 : i32
  %many = arith.cmpi sgt, %total, %limit : i32
  %negated = arith.negf %v : tensor<?xf32>
  %out = arith.select %many, %negated, %v : tensor<?xf32>
  quack.store %out, %y : tensor<?xf32>, memref<?x?xf32>
}
