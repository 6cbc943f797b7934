// The gradient of logsumexp: dx = exp(v - lse) * dlse * scale, where v = x * scale + mask.
// Where lse is -inf, of a row of -inf, dx is NaN, as in torch.
quack.kernel @logsumexp_backward(%x: memref<?x?xf32> in row,
                                 %mask: memref<?x?xf32> in row optional -0.0,
                                 %lse: memref<?xf32> in scalar, %dlse: memref<?xf32> in scalar,
                                 %dx: memref<?x?xf32> out row, %scale: f32 optional 1.0) {
  %given = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %scale_row = quack.broadcast %scale : f32 -> tensor<?xf32>
  %scaled = arith.mulf %given, %scale_row : tensor<?xf32>
  %m = quack.load %mask : memref<?x?xf32> -> tensor<?xf32>
  %v = arith.addf %scaled, %m : tensor<?xf32>
  %l = quack.load %lse : memref<?xf32> -> f32
  %g = quack.load %dlse : memref<?xf32> -> f32
  %l_row = quack.broadcast %l : f32 -> tensor<?xf32>
  %shifted = arith.subf %v, %l_row : tensor<?xf32>
  %p = math.exp %shifted : tensor<?xf32>
  %factor = arith.mulf %g, %scale : f32
  %factor_row = quack.broadcast %factor : f32 -> tensor<?xf32>
  %d = arith.mulf %p, %factor_row : tensor<?xf32>
  quack.store %d, %dx : tensor<?xf32>, memref<?x?xf32>
}
