// Shapes of (max, sum of exp) that fusion takes, and some that it must leave:
// base 2, two pairs in one kernel, a maximum that skips NaN, a guarded maximum,
// a maximum of something else, a maximum that is used in between.
// RUN: quack-check %s --columns=24 --rows=1,70 --specials %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000 --rows=15 --specials %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=2000 --rows=15 --specials %pins_clusters | FileCheck %s --check-prefix=CLUSTERS
// PARTS: all equal: 5 runs
// WARPS: all equal: 6 runs
// CLUSTERS: all equal: 7 runs
quack.kernel @base_two(%x: memref<?x?xf32> in row, %y: memref<?x?xf32> out row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %max = quack.reduce maxnumf %v : tensor<?xf32> -> f32
  %max_row = quack.broadcast %max : f32 -> tensor<?xf32>
  %shifted = arith.subf %v, %max_row : tensor<?xf32>
  %e = math.exp2 %shifted : tensor<?xf32>
  %sum = quack.reduce addf %e : tensor<?xf32> -> f32
  %sum_row = quack.broadcast %sum : f32 -> tensor<?xf32>
  %p = arith.divf %e, %sum_row : tensor<?xf32>
  quack.store %p, %y : tensor<?xf32>, memref<?x?xf32>
}

quack.kernel @two_pairs(%x: memref<?x?xf32> in row, %z: memref<?x?xf32> in row,
                        %a: memref<?xf32> out scalar, %b: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %w = quack.load %z : memref<?x?xf32> -> tensor<?xf32>
  %max_v = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %max_w = quack.reduce maximumf %w : tensor<?xf32> -> f32
  %v_row = quack.broadcast %max_v : f32 -> tensor<?xf32>
  %w_row = quack.broadcast %max_w : f32 -> tensor<?xf32>
  %v_shifted = arith.subf %v, %v_row : tensor<?xf32>
  %w_shifted = arith.subf %w, %w_row : tensor<?xf32>
  %v_e = math.exp %v_shifted : tensor<?xf32>
  %w_e = math.exp %w_shifted : tensor<?xf32>
  %v_sum = quack.reduce addf %v_e : tensor<?xf32> -> f32
  %w_sum = quack.reduce addf %w_e : tensor<?xf32> -> f32
  quack.store %v_sum, %a : f32, memref<?xf32>
  quack.store %w_sum, %b : f32, memref<?xf32>
}

quack.kernel @guarded(%x: memref<?x?xf32> in row, %s: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %max = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %is_low = arith.cmpf oeq, %max, %low : f32
  %shift = arith.select %is_low, %zero, %max : f32
  %shift_row = quack.broadcast %shift : f32 -> tensor<?xf32>
  %shifted = arith.subf %v, %shift_row : tensor<?xf32>
  %e = math.exp %shifted : tensor<?xf32>
  %sum = quack.reduce addf %e : tensor<?xf32> -> f32
  quack.store %sum, %s : f32, memref<?xf32>
}

quack.kernel @other_maximum(%x: memref<?x?xf32> in row, %s: memref<?xf32> out scalar,
                            %m: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %size = math.absf %v : tensor<?xf32>
  %max = quack.reduce maximumf %size : tensor<?xf32> -> f32
  %max_row = quack.broadcast %max : f32 -> tensor<?xf32>
  %shifted = arith.subf %v, %max_row : tensor<?xf32>
  %e = math.exp %shifted : tensor<?xf32>
  %sum = quack.reduce addf %e : tensor<?xf32> -> f32
  quack.store %sum, %s : f32, memref<?xf32>
  quack.store %max, %m : f32, memref<?xf32>
}

// The sum's terms are no exp of the difference alone: sum of x * exp(x - max).
quack.kernel @weighted(%x: memref<?x?xf32> in row, %s: memref<?xf32> out scalar,
                       %t: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %max = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %max_row = quack.broadcast %max : f32 -> tensor<?xf32>
  %shifted = arith.subf %v, %max_row : tensor<?xf32>
  %e = math.exp %shifted : tensor<?xf32>
  %sum = quack.reduce addf %e : tensor<?xf32> -> f32
  %product = arith.mulf %e, %shifted : tensor<?xf32>
  %entropy = quack.reduce addf %product : tensor<?xf32> -> f32
  quack.store %sum, %s : f32, memref<?xf32>
  quack.store %entropy, %t : f32, memref<?xf32>
}

// A clamped maximum is no maximum of the row: nothing to fuse.
quack.kernel @clamped(%x: memref<?x?xf32> in row, %s: memref<?xf32> out scalar,
                      %least: f32) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %max = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %clamped = arith.maximumf %max, %least : f32
  %row = quack.broadcast %clamped : f32 -> tensor<?xf32>
  %shifted = arith.subf %v, %row : tensor<?xf32>
  %e = math.exp %shifted : tensor<?xf32>
  %sum = quack.reduce addf %e : tensor<?xf32> -> f32
  quack.store %sum, %s : f32, memref<?xf32>
}
