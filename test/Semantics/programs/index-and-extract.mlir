// RUN: quack-check %s --columns=1,7,40,64 --rows=1,5 %pins_parts_of_warps | FileCheck %s
// RUN: quack-check %s --columns=3,256,1000 --rows=3 %pins_whole_warps | FileCheck %s
// RUN: quack-check %s --columns=2003 --rows=2 %pins_clusters | FileCheck %s
// RUN: quack-check %s --columns=1000 --rows=2 %pins_split | FileCheck %s
// RUN: quack-check %s --columns=1064 --rows=3 --storage=x:bf16 %pins_holds_of_x | FileCheck %s
// CHECK: all equal

// Columns from a run-time bound on are left out of the softmax.
quack.kernel @softmax_of_first(%x: memref<?x?xf32> in row, %n: memref<?xi32> in scalar,
                               %y: memref<?x?xf32> out row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %bound = quack.load %n : memref<?xi32> -> i32
  %columns = quack.columns : i32
  %low = arith.constant 1 : i32
  %least = arith.maxsi %bound, %low : i32
  %b = quack.broadcast %least : i32 -> tensor<?xi32>
  %c = quack.index : tensor<?xi32>
  %is = arith.cmpi slt, %c, %b : tensor<?xi32>
  %out_s = arith.constant 0xFF800000 : f32
  %out = quack.broadcast %out_s : f32 -> tensor<?xf32>
  %w = arith.select %is, %v, %out : tensor<?xi1>, tensor<?xf32>
  %max = quack.reduce maximumf %w : tensor<?xf32> -> f32
  %max_row = quack.broadcast %max : f32 -> tensor<?xf32>
  %shifted = arith.subf %w, %max_row : tensor<?xf32>
  %e = math.exp %shifted : tensor<?xf32>
  %sum = quack.reduce addf %e : tensor<?xf32> -> f32
  %sum_row = quack.broadcast %sum : f32 -> tensor<?xf32>
  %p = arith.divf %e, %sum_row : tensor<?xf32>
  quack.store %p, %y : tensor<?xf32>, memref<?x?xf32>
}

// An element of a computed row; the row itself may be stored over x.
quack.kernel @minus_one_of_them(%x: memref<?x?xf32> in row, %w: memref<?xf32> in columns,
                                %t: memref<?xi32> in scalar, %e: memref<?xf32> out scalar,
                                %y: memref<?x?xf32> out row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %weight = quack.load %w : memref<?xf32> -> tensor<?xf32>
  %given = quack.load %t : memref<?xi32> -> i32
  // Now and then there is no such column.
  %columns = quack.columns : i32
  %more = arith.constant 3 : i32
  %many = arith.addi %columns, %more : i32
  %at = arith.remsi %given, %many : i32
  %product = arith.mulf %v, %weight : tensor<?xf32>
  %c = quack.index : tensor<?xi32>
  %f = arith.sitofp %c : tensor<?xi32> to tensor<?xf32>
  %moved = arith.addf %product, %f : tensor<?xf32>
  %none = arith.constant -1.0 : f32
  %one = quack.extract %moved[%at : i32] else %none : tensor<?xf32>
  quack.store %one, %e : f32, memref<?xf32>
  %row = quack.broadcast %one : f32 -> tensor<?xf32>
  %d = arith.subf %moved, %row : tensor<?xf32>
  quack.store %d, %y : tensor<?xf32>, memref<?x?xf32>
}

// In the exchange of an online pair; i64 columns; nothing stored that may be x.
quack.kernel @cross_entropy(%x: memref<?x?xf32> in row, %t: memref<?xi64> in scalar,
                            %loss: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %given = quack.load %t : memref<?xi64> -> i64
  %mask = arith.constant 63 : i64
  %at = arith.andi %given, %mask : i64
  %max = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %max_row = quack.broadcast %max : f32 -> tensor<?xf32>
  %shifted = arith.subf %v, %max_row : tensor<?xf32>
  %e = math.exp %shifted : tensor<?xf32>
  %sum = quack.reduce addf %e : tensor<?xf32> -> f32
  %log = math.log %sum : f32
  %nan = arith.constant 0x7FC00000 : f32
  %logit = quack.extract %shifted[%at : i64] else %nan : tensor<?xf32>
  %l = arith.subf %log, %logit : f32
  quack.store %l, %loss : f32, memref<?xf32>
}
