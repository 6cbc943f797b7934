// The gradients of RMSNorm, y = x * rstd * f + b with f = w + offset and
// rstd = 1 / sqrt(mean x^2 + eps): with xhat = x * rstd and g = dy * f,
//   dx = rstd * (g - xhat * mean(g * xhat)) + dresidual_out,
//   dw = sum over rows of dy * xhat,   db = sum over rows of dy.
// Where the norm took x as a sum that it stored (residual_out), dresidual_out is what
// comes back through that store, and dx belongs to both terms: dresidual is dx again, in
// the residual's own type.
quack.kernel @rms_norm_backward(%x: memref<?x?xf32> in row,
                                %w: memref<?xf32> in columns optional 1.0,
                                %dy: memref<?x?xf32> in row,
                                %dresidual_out: memref<?x?xf32> in row optional -0.0,
                                %rstd: memref<?xf32> in scalar, %dx: memref<?x?xf32> out row,
                                %dresidual: memref<?x?xf32> out row optional,
                                %dw: memref<?xf32> out columns optional,
                                %db: memref<?xf32> out columns optional,
                                %offset: f32 optional -0.0) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %weight = quack.load %w : memref<?xf32> -> tensor<?xf32>
  %d = quack.load %dy : memref<?x?xf32> -> tensor<?xf32>
  %r = quack.load %rstd : memref<?xf32> -> f32
  %r_row = quack.broadcast %r : f32 -> tensor<?xf32>
  // The row's factor rstd is left to the sums.
  %part = arith.mulf %d, %v : tensor<?xf32>
  %weight_part = arith.mulf %part, %r_row : tensor<?xf32>
  quack.accumulate %weight_part, %dw : tensor<?xf32>, memref<?xf32>
  quack.accumulate %d, %db : tensor<?xf32>, memref<?xf32>
  %offset_row = quack.broadcast %offset : f32 -> tensor<?xf32>
  %factor = arith.addf %weight, %offset_row : tensor<?xf32>
  %product = arith.mulf %part, %factor : tensor<?xf32>
  %sum = quack.reduce addf %product : tensor<?xf32> -> f32
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %total = arith.mulf %sum, %r : f32
  %mean = arith.divf %total, %count : f32
  %scaled = arith.mulf %mean, %r : f32
  %back = arith.negf %scaled : f32
  %back_row = quack.broadcast %back : f32 -> tensor<?xf32>
  %along = arith.mulf %v, %back_row : tensor<?xf32>
  %across = math.fma %d, %factor, %along : tensor<?xf32>
  %own = arith.mulf %across, %r_row : tensor<?xf32>
  %through = quack.load %dresidual_out : memref<?x?xf32> -> tensor<?xf32>
  %result = arith.addf %own, %through : tensor<?xf32>
  quack.store %result, %dx : tensor<?xf32>, memref<?x?xf32>
  quack.store %result, %dresidual : tensor<?xf32>, memref<?x?xf32>
}
