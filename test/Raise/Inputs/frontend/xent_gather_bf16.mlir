// As a frontend emits it. Cross-entropy by log-softmax and a gather, each in a function of its own.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0) -> ()>
#map4 = affine_map<(d0, d1) -> (d0, 0)>
#map5 = affine_map<(d0, d1) -> ()>
#map6 = affine_map<(d0, d1, d2) -> ()>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d2)>
#map9 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#map10 = affine_map<(d0, d1, d2) -> (d0, d1)>
module @jit_xent {
  func.func public @main(%arg0: tensor<4x250xbf16>, %arg1: tensor<4xi32>) -> (tensor<4xf32>) {
    %0 = tensor.empty() : tensor<4x250xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x250xbf16>) outs(%0 : tensor<4x250xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %8 = arith.extf %in : bf16 to f32
      linalg.yield %8 : f32
    } -> tensor<4x250xf32>
    %2 = call @log_softmax(%1) : (tensor<4x250xf32>) -> tensor<4x250xf32>
    %3 = tensor.empty() : tensor<4x1xi32>
    %4 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4xi32>) outs(%3 : tensor<4x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<4x1xi32>
    %5 = call @take_along_axis(%2, %4) : (tensor<4x250xf32>, tensor<4x1xi32>) -> tensor<4x1xf32>
    %collapsed = tensor.collapse_shape %5 [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
    %6 = tensor.empty() : tensor<4xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%collapsed : tensor<4xf32>) outs(%6 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %8 = arith.negf %in : f32
      linalg.yield %8 : f32
    } -> tensor<4xf32>
    return %7 : tensor<4xf32>
  }
  func.func private @log_softmax(%arg0: tensor<4x250xf32>) -> tensor<4x250xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_1 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<4xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x250xf32>) outs(%1 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = arith.maximumf %out, %in : f32
      linalg.yield %17 : f32
    } -> tensor<4xf32>
    %3 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel"]} ins(%cst_0 : tensor<f32>) outs(%0 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    %4 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%3, %2 : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %17 = arith.maximumf %in, %in_2 : f32
      linalg.yield %17 : f32
    } -> tensor<4xf32>
    %5 = tensor.empty() : tensor<4x1xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<4xf32>) outs(%5 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    %7 = tensor.empty() : tensor<4x250xf32>
    %8 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<4x1xf32>) outs(%7 : tensor<4x250xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x250xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %8 : tensor<4x250xf32>, tensor<4x250xf32>) outs(%7 : tensor<4x250xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %17 = arith.subf %in, %in_2 : f32
      linalg.yield %17 : f32
    } -> tensor<4x250xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<4x250xf32>) outs(%7 : tensor<4x250xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = math.exp %in : f32
      linalg.yield %17 : f32
    } -> tensor<4x250xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<4x250xf32>) outs(%11 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = arith.addf %out, %in : f32
      linalg.yield %17 : f32
    } -> tensor<4xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<4xf32>) outs(%5 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<4x1xf32>) outs(%5 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = math.log %in : f32
      linalg.yield %17 : f32
    } -> tensor<4x1xf32>
    %15 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<4x1xf32>) outs(%7 : tensor<4x250xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x250xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %15 : tensor<4x250xf32>, tensor<4x250xf32>) outs(%7 : tensor<4x250xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %17 = arith.subf %in, %in_2 : f32
      linalg.yield %17 : f32
    } -> tensor<4x250xf32>
    return %16 : tensor<4x250xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<4x250xf32>, %arg1: tensor<4x1xi32>) -> tensor<4x1xf32> {
    %c249 = arith.constant 249 : index
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %cst = arith.constant dense<0x7FC00000> : tensor<f32>
    %cst_0 = arith.constant dense<249> : tensor<1xi32>
    %cst_1 = arith.constant dense<250> : tensor<i32>
    %cst_2 = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<4x1xi32>
    %1 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<i32>) outs(%0 : tensor<4x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<4x1xi32>
    %2 = tensor.empty() : tensor<4x1xi1>
    %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %1 : tensor<4x1xi32>, tensor<4x1xi32>) outs(%2 : tensor<4x1xi1>) {
    ^bb0(%in: i32, %in_3: i32, %out: i1):
      %22 = arith.cmpi slt, %in, %in_3 : i32
      linalg.yield %22 : i1
    } -> tensor<4x1xi1>
    %4 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<i32>) outs(%0 : tensor<4x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<4x1xi32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %4 : tensor<4x1xi32>, tensor<4x1xi32>) outs(%0 : tensor<4x1xi32>) {
    ^bb0(%in: i32, %in_3: i32, %out: i32):
      %22 = arith.addi %in, %in_3 : i32
      linalg.yield %22 : i32
    } -> tensor<4x1xi32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %5, %arg1 : tensor<4x1xi1>, tensor<4x1xi32>, tensor<4x1xi32>) outs(%0 : tensor<4x1xi32>) {
    ^bb0(%in: i1, %in_3: i32, %in_4: i32, %out: i32):
      %22 = arith.select %in, %in_3, %in_4 : i32
      linalg.yield %22 : i32
    } -> tensor<4x1xi32>
    %expanded = tensor.expand_shape %6 [[0], [1, 2]] output_shape [4, 1, 1] : tensor<4x1xi32> into tensor<4x1x1xi32>
    %7 = tensor.empty() : tensor<4x1x1xi32>
    %8 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<i32>) outs(%7 : tensor<4x1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<4x1x1xi32>
    %9 = tensor.empty() : tensor<4x1x1xi1>
    %10 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %8 : tensor<4x1x1xi32>, tensor<4x1x1xi32>) outs(%9 : tensor<4x1x1xi1>) {
    ^bb0(%in: i32, %in_3: i32, %out: i1):
      %22 = arith.cmpi sge, %in, %in_3 : i32
      linalg.yield %22 : i1
    } -> tensor<4x1x1xi1>
    %11 = tensor.empty() : tensor<1x1x1xi32>
    %12 = linalg.generic {indexing_maps = [#map8, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<1xi32>) outs(%11 : tensor<1x1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x1x1xi32>
    %13 = linalg.generic {indexing_maps = [#map9, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<1x1x1xi32>) outs(%7 : tensor<4x1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<4x1x1xi32>
    %14 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %13 : tensor<4x1x1xi32>, tensor<4x1x1xi32>) outs(%9 : tensor<4x1x1xi1>) {
    ^bb0(%in: i32, %in_3: i32, %out: i1):
      %22 = arith.cmpi sle, %in, %in_3 : i32
      linalg.yield %22 : i1
    } -> tensor<4x1x1xi1>
    %15 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %14 : tensor<4x1x1xi1>, tensor<4x1x1xi1>) outs(%9 : tensor<4x1x1xi1>) {
    ^bb0(%in: i1, %in_3: i1, %out: i1):
      %22 = arith.andi %in, %in_3 : i1
      linalg.yield %22 : i1
    } -> tensor<4x1x1xi1>
    %16 = linalg.fill ins(%true : i1) outs(%2 : tensor<4x1xi1>) -> tensor<4x1xi1>
    %17 = linalg.generic {indexing_maps = [#map7, #map10], iterator_types = ["parallel", "parallel", "reduction"]} ins(%15 : tensor<4x1x1xi1>) outs(%16 : tensor<4x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %22 = arith.andi %out, %in : i1
      linalg.yield %22 : i1
    } -> tensor<4x1xi1>
    %18 = tensor.empty() : tensor<4x1xf32>
    %19 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%18 : tensor<4x1xf32>) {
    ^bb0(%out: f32):
      %22 = linalg.index 0 : index
      %extracted = tensor.extract %expanded[%22, %c0, %c0] : tensor<4x1x1xi32>
      %23 = arith.index_cast %extracted : i32 to index
      %24 = arith.maxsi %23, %c0 : index
      %25 = arith.minsi %24, %c249 : index
      %extracted_3 = tensor.extract %arg0[%22, %25] : tensor<4x250xf32>
      linalg.yield %extracted_3 : f32
    } -> tensor<4x1xf32>
    %20 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%18 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%17, %19, %20 : tensor<4x1xi1>, tensor<4x1xf32>, tensor<4x1xf32>) outs(%18 : tensor<4x1xf32>) {
    ^bb0(%in: i1, %in_3: f32, %in_4: f32, %out: f32):
      %22 = arith.select %in, %in_3, %in_4 : f32
      linalg.yield %22 : f32
    } -> tensor<4x1xf32>
    return %21 : tensor<4x1xf32>
  }
}
