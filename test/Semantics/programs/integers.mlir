// Every integer kind; padding that takes part shows in each.
// RUN: quack-check %s --columns=8,24,61 --rows=1,5,70 %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000,1064 --rows=5 --storage= --storage=x:i8 %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=2000 --rows=3 %pins_clusters | FileCheck %s --check-prefix=CLUSTERS
// PARTS: all equal: 15 runs
// WARPS: all equal: 24 runs
// CLUSTERS: all equal: 7 runs
quack.kernel @sums(%x: memref<?x?xi32> in row, %a: memref<?xi32> out scalar,
                   %m: memref<?xi32> out scalar, %o: memref<?xi32> out scalar,
                   %n: memref<?xi32> out scalar, %e: memref<?xi32> out scalar) {
  %v = quack.load %x : memref<?x?xi32> -> tensor<?xi32>
  %sum = quack.reduce addi %v : tensor<?xi32> -> i32
  %product = quack.reduce muli %v : tensor<?xi32> -> i32
  %or = quack.reduce ori %v : tensor<?xi32> -> i32
  %and = quack.reduce andi %v : tensor<?xi32> -> i32
  %xor = quack.reduce xori %v : tensor<?xi32> -> i32
  quack.store %sum, %a : i32, memref<?xi32>
  quack.store %product, %m : i32, memref<?xi32>
  quack.store %or, %o : i32, memref<?xi32>
  quack.store %and, %n : i32, memref<?xi32>
  quack.store %xor, %e : i32, memref<?xi32>
}

quack.kernel @extremes(%x: memref<?x?xi32> in row, %a: memref<?xi32> out scalar,
                       %b: memref<?xi32> out scalar, %c: memref<?xi32> out scalar,
                       %d: memref<?xi32> out scalar, %y: memref<?x?xi32> out row) {
  %v = quack.load %x : memref<?x?xi32> -> tensor<?xi32>
  %max = quack.reduce maxsi %v : tensor<?xi32> -> i32
  %min = quack.reduce minsi %v : tensor<?xi32> -> i32
  %umax = quack.reduce maxui %v : tensor<?xi32> -> i32
  %umin = quack.reduce minui %v : tensor<?xi32> -> i32
  %min_row = quack.broadcast %min : i32 -> tensor<?xi32>
  %above = arith.subi %v, %min_row : tensor<?xi32>
  quack.store %max, %a : i32, memref<?xi32>
  quack.store %min, %b : i32, memref<?xi32>
  quack.store %umax, %c : i32, memref<?xi32>
  quack.store %umin, %d : i32, memref<?xi32>
  quack.store %above, %y : tensor<?xi32>, memref<?x?xi32>
}
