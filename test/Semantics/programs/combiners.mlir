// RUN: quack-check %s --columns=1,7,40,64 --rows=1,5 %pins_parts_of_warps | FileCheck %s
// RUN: quack-check %s --columns=3,256,1000 --rows=3 %pins_whole_warps | FileCheck %s
// RUN: quack-check %s --columns=2003 --rows=2 %pins_clusters | FileCheck %s
// RUN: quack-check %s --columns=1000 --rows=2 %pins_split | FileCheck %s
// CHECK: all equal

// Three rows that one combiner merges: the value whose key is greatest, and how many
// have that key.
quack.kernel @count_of_greatest(%key: memref<?x?xi32> in row, %value: memref<?x?xf32> in row,
                                %k: memref<?xi32> out scalar, %v: memref<?xf32> out scalar,
                                %n: memref<?xi32> out scalar) {
  %keys = quack.load %key : memref<?x?xi32> -> tensor<?xi32>
  %four_s = arith.constant 4 : i32
  %four = quack.broadcast %four_s : i32 -> tensor<?xi32>
  %few = arith.remsi %keys, %four : tensor<?xi32>
  %values = quack.load %value : memref<?x?xf32> -> tensor<?xf32>
  %ones_s = arith.constant 1 : i32
  %ones = quack.broadcast %ones_s : i32 -> tensor<?xi32>
  %r:3 = quack.reduce combine %few, %values, %ones identity [-2147483648 : i32, 0xFF800000 : f32, 0 : i32]
      : tensor<?xi32>, tensor<?xf32>, tensor<?xi32> -> i32, f32, i32 {
  ^bb0(%k0: i32, %v0: f32, %n0: i32, %k1: i32, %v1: f32, %n1: i32):
    %none = arith.constant 0 : i32
    %least = arith.constant 0xFF800000 : f32
    %max = arith.maxsi %k0, %k1 : i32
    %is0 = arith.cmpi eq, %k0, %max : i32
    %is1 = arith.cmpi eq, %k1, %max : i32
    %c0 = arith.select %is0, %n0, %none : i32
    %c1 = arith.select %is1, %n1, %none : i32
    %count = arith.addi %c0, %c1 : i32
    %w0 = arith.select %is0, %v0, %least : f32
    %w1 = arith.select %is1, %v1, %least : f32
    %best = arith.maximumf %w0, %w1 : f32
    quack.yield %max, %best, %count : i32, f32, i32
  }
  quack.store %r#0, %k : i32, memref<?xi32>
  quack.store %r#1, %v : f32, memref<?xf32>
  quack.store %r#2, %n : i32, memref<?xi32>
}

// A combiner that does not look symmetric: partials change places between lanes.
quack.kernel @greater_of_two(%x: memref<?x?xf32> in row, %y: memref<?x?xf32> in row,
                             %start: f32, %m: memref<?xf32> out scalar, %o: memref<?x?xf32> out row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %w = quack.load %y : memref<?x?xf32> -> tensor<?xf32>
  %sum = arith.addf %v, %w : tensor<?xf32>
  %c = quack.index : tensor<?xi32>
  %r:2 = quack.reduce combine %sum, %c identity [0xFF800000 : f32, 2147483647 : i32]
      : tensor<?xf32>, tensor<?xi32> -> f32, i32 {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %is_more = arith.cmpf ogt, %a, %b : f32
    %is_same = arith.cmpf oeq, %a, %b : f32
    %is_first = arith.cmpi slt, %i, %j : i32
    %wins_tie = arith.andi %is_same, %is_first : i1
    %wins = arith.ori %is_more, %wins_tie : i1
    %most = arith.select %wins, %a, %b : f32
    %at = arith.select %wins, %i, %j : i32
    quack.yield %most, %at : f32, i32
  }
  quack.store %r#0, %m : f32, memref<?xf32>
  %row = quack.broadcast %r#0 : f32 -> tensor<?xf32>
  %d = arith.subf %v, %row : tensor<?xf32>
  quack.store %d, %o : tensor<?xf32>, memref<?x?xf32>
}

// The init joins once.
quack.kernel @complex_product(%re: memref<?x?xf32> in row, %im: memref<?x?xf32> in row,
                              %r: memref<?xf32> out scalar, %i: memref<?xf32> out scalar) {
  %a = quack.load %re : memref<?x?xf32> -> tensor<?xf32>
  %b = quack.load %im : memref<?x?xf32> -> tensor<?xf32>
  %tenth_s = arith.constant 0.01 : f32
  %tenth = quack.broadcast %tenth_s : f32 -> tensor<?xf32>
  %one_s = arith.constant 1.0 : f32
  %one = quack.broadcast %one_s : f32 -> tensor<?xf32>
  %small = arith.mulf %a, %tenth : tensor<?xf32>
  %near = arith.addf %small, %one : tensor<?xf32>
  %aside = arith.mulf %b, %tenth : tensor<?xf32>
  %two = arith.constant 2.0 : f32
  %half = arith.constant 0.5 : f32
  %p:2 = quack.reduce combine %near, %aside identity [1.0 : f32, 0.0 : f32] init %two, %half
      : tensor<?xf32>, tensor<?xf32> -> f32, f32 {
  ^bb0(%r0: f32, %i0: f32, %r1: f32, %i1: f32):
    %rr = arith.mulf %r0, %r1 : f32
    %ii = arith.mulf %i0, %i1 : f32
    %real = arith.subf %rr, %ii : f32
    %ri = arith.mulf %r0, %i1 : f32
    %ir = arith.mulf %i0, %r1 : f32
    %imaginary = arith.addf %ri, %ir : f32
    quack.yield %real, %imaginary : f32, f32
  }
  quack.store %p#0, %r : f32, memref<?xf32>
  quack.store %p#1, %i : f32, memref<?xf32>
}
