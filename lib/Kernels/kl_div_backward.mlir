// The gradient of kl_div: dx = -t * dloss; -exp(t) * dloss with log_target = 1.
quack.kernel @kl_div_backward(%t: memref<?x?xf32> in row, %dloss: memref<?xf32> in scalar,
                              %dx: memref<?x?xf32> out row, %log_target: i32 optional 0) {
  %p = quack.load %t : memref<?x?xf32> -> tensor<?xf32>
  %g = quack.load %dloss : memref<?xf32> -> f32
  %none = arith.constant 0 : i32
  %is_log = arith.cmpi ne, %log_target, %none : i32
  %exp = math.exp %p : tensor<?xf32>
  %weight = arith.select %is_log, %exp, %p : tensor<?xf32>
  %less = arith.negf %g : f32
  %less_row = quack.broadcast %less : f32 -> tensor<?xf32>
  %d = arith.mulf %weight, %less_row : tensor<?xf32>
  quack.store %d, %dx : tensor<?xf32>, memref<?x?xf32>
}
