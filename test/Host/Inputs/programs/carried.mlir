// Loops carry what kernels make: a number for each row, and sums over the rows.
func.func @main(%x: tensor<8x64xf32>, %y: tensor<8xf32>, %z: tensor<64xf32>) -> (tensor<8xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %y, %b = %z) -> (tensor<8xf32>, tensor<64xf32>) {
    %s = linalg.reduce {arith.addf} ins(%x : tensor<8x64xf32>) outs(%a : tensor<8xf32>) dimensions = [1]
    %t = linalg.reduce {arith.addf} ins(%x : tensor<8x64xf32>) outs(%b : tensor<64xf32>) dimensions = [0]
    scf.yield %s, %t : tensor<8xf32>, tensor<64xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<64xf32>
}
