// layer_norm(x)[c] = (x[c] - mean) * rstd, rstd = 1 / sqrt(var + eps).
quack.kernel @layer_norm(%x: memref<?x?xf32> in row, %y: memref<?x?xf32> out row,
                         %mean: memref<?xf32> out scalar, %rstd: memref<?xf32> out scalar,
                         %eps: f32) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %sum = quack.reduce addf %v : tensor<?xf32> -> f32
  %m = arith.divf %sum, %count : f32
  %m_row = quack.broadcast %m : f32 -> tensor<?xf32>
  %centred = arith.subf %v, %m_row : tensor<?xf32>
  %square = arith.mulf %centred, %centred : tensor<?xf32>
  %squares = quack.reduce addf %square : tensor<?xf32> -> f32
  %var = arith.divf %squares, %count : f32
  %shifted = arith.addf %var, %eps : f32
  %r = math.rsqrt %shifted : f32
  %r_row = quack.broadcast %r : f32 -> tensor<?xf32>
  %out = arith.mulf %centred, %r_row : tensor<?xf32>
  quack.store %out, %y : tensor<?xf32>, memref<?x?xf32>
  quack.store %m, %mean : f32, memref<?xf32>
  quack.store %r, %rstd : f32, memref<?xf32>
}
