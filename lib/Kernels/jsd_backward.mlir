// The gradient of jsd by x = log q: dx = (1 - beta) * q * (log q - log m) * dloss, where
// m = beta * p + (1 - beta) * q; 0 where q is.
quack.kernel @jsd_backward(%x: memref<?x?xf32> in row, %t: memref<?x?xf32> in row,
                           %dloss: memref<?xf32> in scalar, %dx: memref<?x?xf32> out row,
                           %beta: f32 optional 0.5) {
  %lq = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %lp = quack.load %t : memref<?x?xf32> -> tensor<?xf32>
  %q = math.exp %lq : tensor<?xf32>
  %p = math.exp %lp : tensor<?xf32>
  %one = arith.constant 1.0 : f32
  %rest = arith.subf %one, %beta : f32
  %beta_row = quack.broadcast %beta : f32 -> tensor<?xf32>
  %rest_row = quack.broadcast %rest : f32 -> tensor<?xf32>
  %p_part = arith.mulf %p, %beta_row : tensor<?xf32>
  %q_part = arith.mulf %q, %rest_row : tensor<?xf32>
  %mixed = arith.addf %p_part, %q_part : tensor<?xf32>
  %lm = math.log %mixed : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %zero_row = quack.broadcast %zero : f32 -> tensor<?xf32>
  %g = quack.load %dloss : memref<?xf32> -> f32
  %q_less = arith.subf %lq, %lm : tensor<?xf32>
  %product = arith.mulf %q_part, %q_less : tensor<?xf32>
  %q_none = arith.cmpf oeq, %q, %zero_row : tensor<?xf32>
  %slope = arith.select %q_none, %zero_row, %product : tensor<?xi1>, tensor<?xf32>
  %g_row = quack.broadcast %g : f32 -> tensor<?xf32>
  %d = arith.mulf %slope, %g_row : tensor<?xf32>
  quack.store %d, %dx : tensor<?xf32>, memref<?x?xf32>
}
