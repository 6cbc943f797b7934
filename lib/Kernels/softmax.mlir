// softmax(v)[c] = exp(v[c] - max v) / sum exp(v - max v), where v = x * scale + mask. A row
// of -inf gives NaN, as in torch.
quack.kernel @softmax(%x: memref<?x?xf32> in row, %mask: memref<?x?xf32> in row optional -0.0,
                      %y: memref<?x?xf32> out row, %scale: f32 optional 1.0) {
  %given = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %scale_row = quack.broadcast %scale : f32 -> tensor<?xf32>
  %scaled = arith.mulf %given, %scale_row : tensor<?xf32>
  %m = quack.load %mask : memref<?x?xf32> -> tensor<?xf32>
  %v = arith.addf %scaled, %m : tensor<?xf32>
  %max = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %max_row = quack.broadcast %max : f32 -> tensor<?xf32>
  %shifted = arith.subf %v, %max_row : tensor<?xf32>
  %e = math.exp %shifted : tensor<?xf32>
  %sum = quack.reduce addf %e : tensor<?xf32> -> f32
  %sum_row = quack.broadcast %sum : f32 -> tensor<?xf32>
  %p = arith.divf %e, %sum_row : tensor<?xf32>
  quack.store %p, %y : tensor<?xf32>, memref<?x?xf32>
}
