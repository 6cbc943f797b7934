// As a frontend emits it. A residual is added, then RMSNorm; both are results.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1) -> (0, d1)>
module @jit_addrms {
  func.func public @main(%arg0: tensor<4x192xbf16>, %arg1: tensor<4x192xbf16>, %arg2: tensor<192xbf16>) -> (tensor<4x192xbf16>, tensor<4x192xbf16>) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<9.99999997E-7> : tensor<f32>
    %cst_1 = arith.constant dense<1.920000e+02> : tensor<f32>
    %0 = tensor.empty() : tensor<4x192xbf16>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<4x192xbf16>, tensor<4x192xbf16>) outs(%0 : tensor<4x192xbf16>) {
    ^bb0(%in: bf16, %in_2: bf16, %out: bf16):
      %22 = arith.addf %in, %in_2 : bf16
      linalg.yield %22 : bf16
    } -> tensor<4x192xbf16>
    %2 = tensor.empty() : tensor<4x192xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x192xbf16>) outs(%2 : tensor<4x192xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %22 = arith.extf %in : bf16 to f32
      linalg.yield %22 : f32
    } -> tensor<4x192xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %3 : tensor<4x192xf32>, tensor<4x192xf32>) outs(%2 : tensor<4x192xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %22 = arith.mulf %in, %in_2 : f32
      linalg.yield %22 : f32
    } -> tensor<4x192xf32>
    %5 = tensor.empty() : tensor<4xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<4xf32>) -> tensor<4xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%4 : tensor<4x192xf32>) outs(%6 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.addf %out, %in : f32
      linalg.yield %22 : f32
    } -> tensor<4xf32>
    %8 = tensor.empty() : tensor<4x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<4xf32>) outs(%8 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    %10 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%8 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %10 : tensor<4x1xf32>, tensor<4x1xf32>) outs(%8 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %22 = arith.divf %in, %in_2 : f32
      linalg.yield %22 : f32
    } -> tensor<4x1xf32>
    %12 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%8 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%11, %12 : tensor<4x1xf32>, tensor<4x1xf32>) outs(%8 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %22 = arith.addf %in, %in_2 : f32
      linalg.yield %22 : f32
    } -> tensor<4x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<4x1xf32>) outs(%8 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = math.rsqrt %in : f32
      linalg.yield %22 : f32
    } -> tensor<4x1xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<4x1xf32>) outs(%2 : tensor<4x192xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x192xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %15 : tensor<4x192xf32>, tensor<4x192xf32>) outs(%2 : tensor<4x192xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %22 = arith.mulf %in, %in_2 : f32
      linalg.yield %22 : f32
    } -> tensor<4x192xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<4x192xf32>) outs(%0 : tensor<4x192xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %22 = arith.truncf %in : f32 to bf16
      linalg.yield %22 : bf16
    } -> tensor<4x192xbf16>
    %18 = tensor.empty() : tensor<1x192xbf16>
    %19 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<192xbf16>) outs(%18 : tensor<1x192xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x192xbf16>
    %20 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<1x192xbf16>) outs(%0 : tensor<4x192xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<4x192xbf16>
    %21 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%17, %20 : tensor<4x192xbf16>, tensor<4x192xbf16>) outs(%0 : tensor<4x192xbf16>) {
    ^bb0(%in: bf16, %in_2: bf16, %out: bf16):
      %22 = arith.mulf %in, %in_2 : bf16
      linalg.yield %22 : bf16
    } -> tensor<4x192xbf16>
    return %21, %1 : tensor<4x192xbf16>, tensor<4x192xbf16>
  }
}
