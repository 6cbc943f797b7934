// As a frontend emits it. LayerNorm with weight and bias, the variance in a second pass.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1) -> (0, d1)>
module @jit_ln {
  func.func public @main(%arg0: tensor<4x160xbf16>, %arg1: tensor<160xf32>, %arg2: tensor<160xf32>) -> (tensor<4x160xbf16>) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<9.99999974E-6> : tensor<f32>
    %cst_1 = arith.constant dense<1.600000e+02> : tensor<f32>
    %0 = tensor.empty() : tensor<4x160xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x160xbf16>) outs(%0 : tensor<4x160xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %29 = arith.extf %in : bf16 to f32
      linalg.yield %29 : f32
    } -> tensor<4x160xf32>
    %2 = tensor.empty() : tensor<4xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<4xf32>) -> tensor<4xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<4x160xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %29 = arith.addf %out, %in : f32
      linalg.yield %29 : f32
    } -> tensor<4xf32>
    %5 = tensor.empty() : tensor<4x1xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<4xf32>) outs(%5 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%5 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%6, %7 : tensor<4x1xf32>, tensor<4x1xf32>) outs(%5 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %29 = arith.divf %in, %in_2 : f32
      linalg.yield %29 : f32
    } -> tensor<4x1xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<4x1xf32>) outs(%0 : tensor<4x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x160xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %9 : tensor<4x160xf32>, tensor<4x160xf32>) outs(%0 : tensor<4x160xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %29 = arith.subf %in, %in_2 : f32
      linalg.yield %29 : f32
    } -> tensor<4x160xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %10 : tensor<4x160xf32>, tensor<4x160xf32>) outs(%0 : tensor<4x160xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %29 = arith.mulf %in, %in_2 : f32
      linalg.yield %29 : f32
    } -> tensor<4x160xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%11 : tensor<4x160xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %29 = arith.addf %out, %in : f32
      linalg.yield %29 : f32
    } -> tensor<4xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<4xf32>) outs(%5 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%13, %7 : tensor<4x1xf32>, tensor<4x1xf32>) outs(%5 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %29 = arith.divf %in, %in_2 : f32
      linalg.yield %29 : f32
    } -> tensor<4x1xf32>
    %15 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%5 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%14, %15 : tensor<4x1xf32>, tensor<4x1xf32>) outs(%5 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %29 = arith.addf %in, %in_2 : f32
      linalg.yield %29 : f32
    } -> tensor<4x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<4x1xf32>) outs(%5 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %29 = math.rsqrt %in : f32
      linalg.yield %29 : f32
    } -> tensor<4x1xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<4x1xf32>) outs(%0 : tensor<4x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x160xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %18 : tensor<4x160xf32>, tensor<4x160xf32>) outs(%0 : tensor<4x160xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %29 = arith.mulf %in, %in_2 : f32
      linalg.yield %29 : f32
    } -> tensor<4x160xf32>
    %20 = tensor.empty() : tensor<1x160xf32>
    %21 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<160xf32>) outs(%20 : tensor<1x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x160xf32>
    %22 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<1x160xf32>) outs(%0 : tensor<4x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x160xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%19, %22 : tensor<4x160xf32>, tensor<4x160xf32>) outs(%0 : tensor<4x160xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %29 = arith.mulf %in, %in_2 : f32
      linalg.yield %29 : f32
    } -> tensor<4x160xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<160xf32>) outs(%20 : tensor<1x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x160xf32>
    %25 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel"]} ins(%24 : tensor<1x160xf32>) outs(%0 : tensor<4x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x160xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%23, %25 : tensor<4x160xf32>, tensor<4x160xf32>) outs(%0 : tensor<4x160xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %29 = arith.addf %in, %in_2 : f32
      linalg.yield %29 : f32
    } -> tensor<4x160xf32>
    %27 = tensor.empty() : tensor<4x160xbf16>
    %28 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<4x160xf32>) outs(%27 : tensor<4x160xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %29 = arith.truncf %in : f32 to bf16
      linalg.yield %29 : bf16
    } -> tensor<4x160xbf16>
    return %28 : tensor<4x160xbf16>
  }
}
