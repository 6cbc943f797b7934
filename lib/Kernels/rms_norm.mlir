// y = h * rstd * (weight + offset) + bias, where h = x + residual and
// rstd = 1 / sqrt(mean(h^2) + eps). With offset = 1 a weight of zero scales by one.
// h is stored as residual_out, for the next layer; y is made of h before its rounding.
quack.kernel @rms_norm(%x: memref<?x?xf32> in row, %residual: memref<?x?xf32> in row optional -0.0,
                       %weight: memref<?xf32> in columns optional 1.0,
                       %bias: memref<?xf32> in columns optional -0.0,
                       %y: memref<?x?xf32> out row, %residual_out: memref<?x?xf32> out row optional,
                       %rstd: memref<?xf32> out scalar optional, %eps: f32,
                       %offset: f32 optional -0.0) {
  %given = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %r = quack.load %residual : memref<?x?xf32> -> tensor<?xf32>
  %h = arith.addf %given, %r : tensor<?xf32>
  quack.store %h, %residual_out : tensor<?xf32>, memref<?x?xf32>
  %squares = arith.mulf %h, %h : tensor<?xf32>
  %sum = quack.reduce addf %squares : tensor<?xf32> -> f32
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %mean = arith.divf %sum, %count : f32
  %safe = arith.addf %mean, %eps : f32
  %scale = math.rsqrt %safe : f32
  quack.store %scale, %rstd : f32, memref<?xf32>
  %scale_row = quack.broadcast %scale : f32 -> tensor<?xf32>
  %normal = arith.mulf %h, %scale_row : tensor<?xf32>
  %w = quack.load %weight : memref<?xf32> -> tensor<?xf32>
  %offset_row = quack.broadcast %offset : f32 -> tensor<?xf32>
  %factor = arith.addf %w, %offset_row : tensor<?xf32>
  %b = quack.load %bias : memref<?xf32> -> tensor<?xf32>
  %result = math.fma %normal, %factor, %b : tensor<?xf32>
  quack.store %result, %y : tensor<?xf32>, memref<?x?xf32>
}
