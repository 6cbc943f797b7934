// y = (h - mean) * rstd * weight + bias, where h = x + residual, mean = mean(h) and
// rstd = 1 / sqrt(mean((h - mean)^2) + eps). The variance is that of deviations, never a
// difference of squares, and they are from a mean that no rounding has moved. h is stored as residual_out, for the next layer; y is made of h
// before its rounding.
quack.kernel @layer_norm(%x: memref<?x?xf32> in row,
                         %residual: memref<?x?xf32> in row optional -0.0,
                         %weight: memref<?xf32> in columns optional 1.0,
                         %bias: memref<?xf32> in columns optional -0.0,
                         %y: memref<?x?xf32> out row,
                         %residual_out: memref<?x?xf32> out row optional,
                         %mean: memref<?xf32> out scalar optional,
                         %rstd: memref<?xf32> out scalar optional, %eps: f32) {
  %given = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %r = quack.load %residual : memref<?x?xf32> -> tensor<?xf32>
  %h = arith.addf %given, %r : tensor<?xf32>
  quack.store %h, %residual_out : tensor<?xf32>, memref<?x?xf32>
  %m, %low, %squares = quack.moments %h : tensor<?xf32>
  quack.store %m, %mean : f32, memref<?xf32>
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %variance = arith.divf %squares, %count : f32
  %safe = arith.addf %variance, %eps : f32
  %scale = math.rsqrt %safe : f32
  quack.store %scale, %rstd : f32, memref<?xf32>
  %m_row = quack.broadcast %m : f32 -> tensor<?xf32>
  %above = arith.subf %h, %m_row : tensor<?xf32>
  %scale_row = quack.broadcast %scale : f32 -> tensor<?xf32>
  %rest = arith.mulf %low, %scale : f32
  %less = arith.negf %rest : f32
  %less_row = quack.broadcast %less : f32 -> tensor<?xf32>
  %normal = math.fma %above, %scale_row, %less_row : tensor<?xf32>
  %w = quack.load %weight : memref<?xf32> -> tensor<?xf32>
  %b = quack.load %bias : memref<?xf32> -> tensor<?xf32>
  %result = math.fma %normal, %w, %b : tensor<?xf32>
  quack.store %result, %y : tensor<?xf32>, memref<?x?xf32>
}
