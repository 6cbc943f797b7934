// RUN: quack-check %s --columns=1,7,40,64 --rows=1,5 --specials %pins_parts_of_warps | FileCheck %s
// RUN: quack-check %s --columns=3,256,1000 --rows=3 --specials %pins_whole_warps | FileCheck %s
// RUN: quack-check %s --columns=2003 --rows=2 --specials %pins_clusters | FileCheck %s
// RUN: quack-check %s --columns=1000 --rows=2 %pins_split | FileCheck %s
// RUN: quack-check %s --columns=1064 --rows=3 --storage=x:bf16 %pins_holds_of_x | FileCheck %s
// CHECK: all equal

quack.kernel @extremes(%x: memref<?x?xf32> in row, %max: memref<?xf32> out scalar,
                       %i: memref<?xi32> out scalar, %min: memref<?xf32> out scalar,
                       %j: memref<?xi32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %most, %at = quack.argmax %v : tensor<?xf32>
  %least, %where = quack.argmin %v : tensor<?xf32>
  quack.store %most, %max : f32, memref<?xf32>
  quack.store %at, %i : i32, memref<?xi32>
  quack.store %least, %min : f32, memref<?xf32>
  quack.store %where, %j : i32, memref<?xi32>
}

// The row is needed again when its mean and squares are known.
quack.kernel @normalise(%x: memref<?x?xf32> in row, %mean: memref<?xf32> out scalar,
                        %y: memref<?x?xf32> out row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %m, %low, %q = quack.moments %v : tensor<?xf32>
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %var = arith.divf %q, %count : f32
  %eps = arith.constant 1.0e-5 : f32
  %more = arith.addf %var, %eps : f32
  %rstd = math.rsqrt %more : f32
  %m_row = quack.broadcast %m : f32 -> tensor<?xf32>
  %r_row = quack.broadcast %rstd : f32 -> tensor<?xf32>
  %d = arith.subf %v, %m_row : tensor<?xf32>
  %p = arith.mulf %d, %r_row : tensor<?xf32>
  quack.store %m, %mean : f32, memref<?xf32>
  quack.store %p, %y : tensor<?xf32>, memref<?x?xf32>
}

// Beside reductions by kind, which travel in the same exchange.
quack.kernel @all_of_it(%x: memref<?x?xf32> in row, %a: memref<?xf32> out scalar,
                        %b: memref<?xf32> out scalar, %c: memref<?xi32> out scalar,
                        %d: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %m, %low, %q = quack.moments %v : tensor<?xf32>
  %most, %at = quack.argmax %v : tensor<?xf32>
  %zero_s = arith.constant 0.0 : f32
  %zero = quack.broadcast %zero_s : f32 -> tensor<?xf32>
  %is = arith.cmpf ogt, %v, %zero : tensor<?xf32>
  %one = arith.extui %is : tensor<?xi1> to tensor<?xi32>
  %count = quack.reduce addi %one : tensor<?xi32> -> i32
  %sum = quack.reduce addf %v : tensor<?xf32> -> f32
  quack.store %q, %a : f32, memref<?xf32>
  quack.store %sum, %b : f32, memref<?xf32>
  %both = arith.addi %count, %at : i32
  quack.store %both, %c : i32, memref<?xi32>
  quack.store %most, %d : f32, memref<?xf32>
}
