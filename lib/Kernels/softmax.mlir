// softmax(x)[c] = exp(x[c] - max x) / sum exp(x - max x). A row of -inf gives
// NaN, as in torch.
quack.kernel @softmax(%x: memref<?x?xf32> in row, %y: memref<?x?xf32> out row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %max = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %max_row = quack.broadcast %max : f32 -> tensor<?xf32>
  %shifted = arith.subf %v, %max_row : tensor<?xf32>
  %e = math.exp %shifted : tensor<?xf32>
  %sum = quack.reduce addf %e : tensor<?xf32> -> f32
  %sum_row = quack.broadcast %sum : f32 -> tensor<?xf32>
  %p = arith.divf %e, %sum_row : tensor<?xf32>
  quack.store %p, %y : tensor<?xf32>, memref<?x?xf32>
}
