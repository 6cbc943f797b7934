// The gradients of LayerNorm, y = xhat * w + b with xhat = (x - mean) * rstd: with
// g = dy * w,
//   dx = rstd * (g - mean(g) - xhat * mean(g * xhat)) + dresidual_out,
//   dw = sum over rows of dy * xhat,   db = sum over rows of dy.
// dresidual_out and dresidual are those of rms_norm_backward.
quack.kernel @layer_norm_backward(%x: memref<?x?xf32> in row,
                                  %w: memref<?xf32> in columns optional 1.0,
                                  %dy: memref<?x?xf32> in row,
                                  %dresidual_out: memref<?x?xf32> in row optional -0.0,
                                  %mean: memref<?xf32> in scalar,
                                  %rstd: memref<?xf32> in scalar,
                                  %dx: memref<?x?xf32> out row,
                                  %dresidual: memref<?x?xf32> out row optional,
                                  %dw: memref<?xf32> out columns optional,
                                  %db: memref<?xf32> out columns optional) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %weight = quack.load %w : memref<?xf32> -> tensor<?xf32>
  %d = quack.load %dy : memref<?x?xf32> -> tensor<?xf32>
  %m = quack.load %mean : memref<?xf32> -> f32
  %r = quack.load %rstd : memref<?xf32> -> f32
  %m_row = quack.broadcast %m : f32 -> tensor<?xf32>
  %r_row = quack.broadcast %r : f32 -> tensor<?xf32>
  %centred = arith.subf %v, %m_row : tensor<?xf32>
  // The row's factor rstd is left to the sums.
  %part = arith.mulf %d, %centred : tensor<?xf32>
  %weight_part = arith.mulf %part, %r_row : tensor<?xf32>
  quack.accumulate %weight_part, %dw : tensor<?xf32>, memref<?xf32>
  quack.accumulate %d, %db : tensor<?xf32>, memref<?xf32>
  %g = arith.mulf %d, %weight : tensor<?xf32>
  %product = arith.mulf %part, %weight : tensor<?xf32>
  %g_sum = quack.reduce addf %g : tensor<?xf32> -> f32
  %product_sum = quack.reduce addf %product : tensor<?xf32> -> f32
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %g_mean = arith.divf %g_sum, %count : f32
  %product_total = arith.mulf %product_sum, %r : f32
  %product_mean = arith.divf %product_total, %count : f32
  %down = arith.negf %g_mean : f32
  %down_row = quack.broadcast %down : f32 -> tensor<?xf32>
  %level = math.fma %d, %weight, %down_row : tensor<?xf32>
  %along = arith.mulf %product_mean, %r : f32
  %back = arith.negf %along : f32
  %back_row = quack.broadcast %back : f32 -> tensor<?xf32>
  %across = math.fma %centred, %back_row, %level : tensor<?xf32>
  %own = arith.mulf %across, %r_row : tensor<?xf32>
  %through = quack.load %dresidual_out : memref<?x?xf32> -> tensor<?xf32>
  %result = arith.addf %own, %through : tensor<?xf32>
  quack.store %result, %dx : tensor<?xf32>, memref<?x?xf32>
  quack.store %result, %dresidual : tensor<?xf32>, memref<?x?xf32>
}
