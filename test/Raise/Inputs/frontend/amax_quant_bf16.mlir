// As a frontend emits it. The largest magnitude of a row, its scale, and codes of f8E4M3FN.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
module @jit_amaxq {
  func.func public @main(%arg0: tensor<4x256xbf16>) -> (tensor<4x256xf8E4M3FN>, tensor<4xf32>) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant dense<4.480000e+02> : tensor<f32>
    %cst_1 = arith.constant dense<9.99999996E-13> : tensor<f32>
    %0 = tensor.empty() : tensor<4x256xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x256xbf16>) outs(%0 : tensor<4x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %16 = arith.extf %in : bf16 to f32
      linalg.yield %16 : f32
    } -> tensor<4x256xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x256xf32>) outs(%0 : tensor<4x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = math.absf %in : f32
      linalg.yield %16 : f32
    } -> tensor<4x256xf32>
    %3 = tensor.empty() : tensor<4xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<4xf32>) -> tensor<4xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%2 : tensor<4x256xf32>) outs(%4 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.maximumf %out, %in : f32
      linalg.yield %16 : f32
    } -> tensor<4xf32>
    %6 = tensor.empty() : tensor<4x1xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<4xf32>) outs(%6 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%6 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %8 : tensor<4x1xf32>, tensor<4x1xf32>) outs(%6 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %16 = arith.maximumf %in, %in_2 : f32
      linalg.yield %16 : f32
    } -> tensor<4x1xf32>
    %10 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%6 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %10 : tensor<4x1xf32>, tensor<4x1xf32>) outs(%6 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %16 = arith.divf %in, %in_2 : f32
      linalg.yield %16 : f32
    } -> tensor<4x1xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<4x1xf32>) outs(%0 : tensor<4x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x256xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %12 : tensor<4x256xf32>, tensor<4x256xf32>) outs(%0 : tensor<4x256xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %16 = arith.divf %in, %in_2 : f32
      linalg.yield %16 : f32
    } -> tensor<4x256xf32>
    %14 = tensor.empty() : tensor<4x256xf8E4M3FN>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<4x256xf32>) outs(%14 : tensor<4x256xf8E4M3FN>) {
    ^bb0(%in: f32, %out: f8E4M3FN):
      %16 = arith.truncf %in : f32 to f8E4M3FN
      linalg.yield %16 : f8E4M3FN
    } -> tensor<4x256xf8E4M3FN>
    %collapsed = tensor.collapse_shape %11 [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
    return %15, %collapsed : tensor<4x256xf8E4M3FN>, tensor<4xf32>
  }
}
