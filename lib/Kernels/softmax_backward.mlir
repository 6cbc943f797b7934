// The gradient of softmax: dx = y * (dy - sum(y * dy)) * scale, from its result y.
quack.kernel @softmax_backward(%y: memref<?x?xf32> in row, %dy: memref<?x?xf32> in row,
                               %dx: memref<?x?xf32> out row, %scale: f32 optional 1.0) {
  %p = quack.load %y : memref<?x?xf32> -> tensor<?xf32>
  %g = quack.load %dy : memref<?x?xf32> -> tensor<?xf32>
  %product = arith.mulf %p, %g : tensor<?xf32>
  %dot = quack.reduce addf %product : tensor<?xf32> -> f32
  %dot_row = quack.broadcast %dot : f32 -> tensor<?xf32>
  %rest = arith.subf %g, %dot_row : tensor<?xf32>
  %d = arith.mulf %p, %rest : tensor<?xf32>
  %scale_row = quack.broadcast %scale : f32 -> tensor<?xf32>
  %result = arith.mulf %d, %scale_row : tensor<?xf32>
  quack.store %result, %dx : tensor<?xf32>, memref<?x?xf32>
}
