// What is in no kernel is the host's, and computed as the host computes it.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<4x64xf32>, %y: tensor<4xf32>, %w: tensor<5x7xf32>) -> (tensor<4xf32>, tensor<5x7xf32>) {
  %s = linalg.reduce {arith.addf} ins(%x : tensor<4x64xf32>) outs(%y : tensor<4xf32>) dimensions = [1]
  %e = tensor.empty() : tensor<5x7xf32>
  %o = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%a: f32, %b: f32):
    %q = math.exp %a : f32
    linalg.yield %q : f32
  } -> tensor<5x7xf32>
  return %s, %o : tensor<4xf32>, tensor<5x7xf32>
}
