// Rows that start anywhere in memory, and rows that are further apart than they are long.
func.func @main(%x: tensor<5x171xf32>) -> (tensor<5x160xf32>, tensor<5x160xf32>) {
  %odd = tensor.extract_slice %x[0, 1] [5, 160] [1, 1] : tensor<5x171xf32> to tensor<5x160xf32>
  %even = tensor.extract_slice %x[0, 4] [5, 160] [1, 1] : tensor<5x171xf32> to tensor<5x160xf32>
  %e0 = tensor.empty() : tensor<5x160xf32>
  %p = linalg.softmax dimension(1) ins(%odd : tensor<5x160xf32>) outs(%e0 : tensor<5x160xf32>) -> tensor<5x160xf32>
  %e1 = tensor.empty() : tensor<5x160xf32>
  %q = linalg.softmax dimension(1) ins(%even : tensor<5x160xf32>) outs(%e1 : tensor<5x160xf32>) -> tensor<5x160xf32>
  return %p, %q : tensor<5x160xf32>, tensor<5x160xf32>
}
