// loss = sum t * (log t - x) of log-probabilities x and probabilities t, as torch.nn.KLDivLoss
// before its reduction over rows: 0 log 0 is 0, and 0 * -inf of t * x is NaN. With log_target
// = 1, t is a log-probability: loss = sum exp(t) * (t - x).
quack.kernel @kl_div(%x: memref<?x?xf32> in row, %t: memref<?x?xf32> in row,
                     %loss: memref<?xf32> out scalar, %log_target: i32 optional 0) {
  %q = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %p = quack.load %t : memref<?x?xf32> -> tensor<?xf32>
  %none = arith.constant 0 : i32
  %is_log = arith.cmpi ne, %log_target, %none : i32
  %exp = math.exp %p : tensor<?xf32>
  %difference = arith.subf %p, %q : tensor<?xf32>
  %of_log = arith.mulf %exp, %difference : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %zero_row = quack.broadcast %zero : f32 -> tensor<?xf32>
  %is_zero = arith.cmpf oeq, %p, %zero_row : tensor<?xf32>
  %log = math.log %p : tensor<?xf32>
  %product = arith.mulf %p, %log : tensor<?xf32>
  %own = arith.select %is_zero, %zero_row, %product : tensor<?xi1>, tensor<?xf32>
  %cross = arith.mulf %p, %q : tensor<?xf32>
  %of_plain = arith.subf %own, %cross : tensor<?xf32>
  %term = arith.select %is_log, %of_log, %of_plain : tensor<?xf32>
  %sum = quack.reduce addf %term : tensor<?xf32> -> f32
  quack.store %sum, %loss : f32, memref<?xf32>
}
