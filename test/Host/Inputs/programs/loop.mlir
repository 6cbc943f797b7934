// Calls under control flow: each in turn, on a part of the rows.
func.func @main(%x: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<6x64xf32>
  %all = scf.for %i = %c0 to %c6 step %c2 iter_args(%y = %e) -> tensor<6x64xf32> {
    %rows = tensor.extract_slice %x[%i, 0] [2, 64] [1, 1] : tensor<6x64xf32> to tensor<2x64xf32>
    %empty = tensor.empty() : tensor<2x64xf32>
    %p = linalg.softmax dimension(1) ins(%rows : tensor<2x64xf32>) outs(%empty : tensor<2x64xf32>) -> tensor<2x64xf32>
    %z = tensor.insert_slice %p into %y[%i, 0] [2, 64] [1, 1] : tensor<2x64xf32> into tensor<6x64xf32>
    scf.yield %z : tensor<6x64xf32>
  }
  return %all : tensor<6x64xf32>
}
