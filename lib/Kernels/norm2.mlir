// sqrt(sum x^2), f32 out. Squares that overflow f32 give inf, as in torch.
quack.kernel @norm2(%x: memref<?x?xf32> in row, %y: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %e = arith.mulf %v, %v : tensor<?xf32>
  %r = quack.reduce addf %e : tensor<?xf32> -> f32
  %s = math.sqrt %r : f32
  quack.store %s, %y : f32, memref<?xf32>
}
