// rms_norm(x)[c] = x[c] * rstd * w[c], rstd = 1 / sqrt(mean x^2 + eps); x plus the
// residual takes the residual's place.
quack.kernel @rms_norm(%x: memref<?x?xf32> in row, %residual: memref<?x?xf32> inout row,
                       %w: memref<?xf32> in columns, %y: memref<?x?xf32> out row,
                       %rstd: memref<?xf32> out scalar, %eps: f32) {
  %a = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %b = quack.load %residual : memref<?x?xf32> -> tensor<?xf32>
  %v = arith.addf %a, %b : tensor<?xf32>
  %square = arith.mulf %v, %v : tensor<?xf32>
  %sum = quack.reduce addf %square : tensor<?xf32> -> f32
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %mean = arith.divf %sum, %count : f32
  %shifted = arith.addf %mean, %eps : f32
  %r = math.rsqrt %shifted : f32
  %r_row = quack.broadcast %r : f32 -> tensor<?xf32>
  %unit = arith.mulf %v, %r_row : tensor<?xf32>
  %g = quack.load %w : memref<?xf32> -> tensor<?xf32>
  %out = arith.mulf %unit, %g : tensor<?xf32>
  quack.store %out, %y : tensor<?xf32>, memref<?x?xf32>
  quack.store %v, %residual : tensor<?xf32>, memref<?x?xf32>
  quack.store %r, %rstd : f32, memref<?xf32>
}
