// The gradient of log_softmax: dx = (dy - exp(y) * sum(dy)) * scale, from its result y.
quack.kernel @log_softmax_backward(%y: memref<?x?xf32> in row, %dy: memref<?x?xf32> in row,
                                   %dx: memref<?x?xf32> out row, %scale: f32 optional 1.0) {
  %l = quack.load %y : memref<?x?xf32> -> tensor<?xf32>
  %g = quack.load %dy : memref<?x?xf32> -> tensor<?xf32>
  %sum = quack.reduce addf %g : tensor<?xf32> -> f32
  %sum_row = quack.broadcast %sum : f32 -> tensor<?xf32>
  %p = math.exp %l : tensor<?xf32>
  %part = arith.mulf %p, %sum_row : tensor<?xf32>
  %d = arith.subf %g, %part : tensor<?xf32>
  %scale_row = quack.broadcast %scale : f32 -> tensor<?xf32>
  %result = arith.mulf %d, %scale_row : tensor<?xf32>
  quack.store %result, %dx : tensor<?xf32>, memref<?x?xf32>
}
