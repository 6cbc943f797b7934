// log_softmax(x)[c] = (x[c] - max x) - log sum exp(x - max x). The maximum is
// subtracted before the logarithm, so that a large common offset costs nothing.
// A row of -inf gives NaN, as in torch.
quack.kernel @log_softmax(%x: memref<?x?xf32> in row, %y: memref<?x?xf32> out row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %max = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %max_row = quack.broadcast %max : f32 -> tensor<?xf32>
  %shifted = arith.subf %v, %max_row : tensor<?xf32>
  %e = math.exp %shifted : tensor<?xf32>
  %sum = quack.reduce addf %e : tensor<?xf32> -> f32
  %log = math.log %sum : f32
  %log_row = quack.broadcast %log : f32 -> tensor<?xf32>
  %y_row = arith.subf %shifted, %log_row : tensor<?xf32>
  quack.store %y_row, %y : tensor<?xf32>, memref<?x?xf32>
}
