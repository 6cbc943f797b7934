// l2_normalize(x)[c] = x[c] / max(sqrt(sum x^2), eps), as
// torch.nn.functional.normalize does with p = 2 (eps = 1e-12 there).
quack.kernel @l2_normalize(%x: memref<?x?xf32> in row, %y: memref<?x?xf32> out row,
                           %eps: f32) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %square = arith.mulf %v, %v : tensor<?xf32>
  %sum = quack.reduce addf %square : tensor<?xf32> -> f32
  %norm = math.sqrt %sum : f32
  %divisor = arith.maximumf %norm, %eps : f32
  %divisor_row = quack.broadcast %divisor : f32 -> tensor<?xf32>
  %unit = arith.divf %v, %divisor_row : tensor<?xf32>
  quack.store %unit, %y : tensor<?xf32>, memref<?x?xf32>
}
