// The gradients of RMSNorm, y = x * rstd * w with rstd = 1 / sqrt(mean x^2 + eps): with
// xhat = x * rstd and g = dy * w,
//   dx = rstd * (g - xhat * mean(g * xhat)),   dw = sum over rows of dy * xhat.
quack.kernel @rms_norm_backward(%x: memref<?x?xf32> in row, %w: memref<?xf32> in columns,
                                %dy: memref<?x?xf32> in row, %rstd: memref<?xf32> in scalar,
                                %dx: memref<?x?xf32> out row, %dw: memref<?xf32> out columns) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %weight = quack.load %w : memref<?xf32> -> tensor<?xf32>
  %d = quack.load %dy : memref<?x?xf32> -> tensor<?xf32>
  %r = quack.load %rstd : memref<?xf32> -> f32
  %r_row = quack.broadcast %r : f32 -> tensor<?xf32>
  %xhat = arith.mulf %v, %r_row : tensor<?xf32>
  %weight_part = arith.mulf %d, %xhat : tensor<?xf32>
  quack.accumulate %weight_part, %dw : tensor<?xf32>, memref<?xf32>
  %g = arith.mulf %d, %weight : tensor<?xf32>
  %product = arith.mulf %weight_part, %weight : tensor<?xf32>
  %sum = quack.reduce addf %product : tensor<?xf32> -> f32
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %mean = arith.divf %sum, %count : f32
  %mean_row = quack.broadcast %mean : f32 -> tensor<?xf32>
  %along = arith.mulf %xhat, %mean_row : tensor<?xf32>
  %across = arith.subf %g, %along : tensor<?xf32>
  %result = arith.mulf %across, %r_row : tensor<?xf32>
  quack.store %result, %dx : tensor<?xf32>, memref<?x?xf32>
}
