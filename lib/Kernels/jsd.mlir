// loss = beta * KL(p || m) + (1 - beta) * KL(q || m) with m = beta * p + (1 - beta) * q: the
// generalised Jensen-Shannon divergence of log-probabilities x = log q and t = log p, for
// 0 < beta < 1 (0.5 unless given). A probability of 0 adds nothing.
quack.kernel @jsd(%x: memref<?x?xf32> in row, %t: memref<?x?xf32> in row,
                  %loss: memref<?xf32> out scalar, %beta: f32 optional 0.5) {
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
  %p_less = arith.subf %lp, %lm : tensor<?xf32>
  %q_less = arith.subf %lq, %lm : tensor<?xf32>
  %p_product = arith.mulf %p_part, %p_less : tensor<?xf32>
  %q_product = arith.mulf %q_part, %q_less : tensor<?xf32>
  %p_none = arith.cmpf oeq, %p, %zero_row : tensor<?xf32>
  %q_none = arith.cmpf oeq, %q, %zero_row : tensor<?xf32>
  %p_term = arith.select %p_none, %zero_row, %p_product : tensor<?xi1>, tensor<?xf32>
  %q_term = arith.select %q_none, %zero_row, %q_product : tensor<?xi1>, tensor<?xf32>
  %term = arith.addf %p_term, %q_term : tensor<?xf32>
  %sum = quack.reduce addf %term : tensor<?xf32> -> f32
  quack.store %sum, %loss : f32, memref<?xf32>
}
