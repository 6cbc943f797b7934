// As torch-mlir has it: a maximum has its place beside it, which nobody uses.
#row = affine_map<(d0, d1) -> (d0, d1)>
#kept = affine_map<(d0, d1) -> (d0, 0)>
module {
  func.func @main(%x: tensor<4x160xf32>) -> tensor<4x160xf32> {
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %first = arith.constant 0 : i64
    %places = tensor.empty() : tensor<4x1xi64>
    %place = linalg.fill ins(%first : i64) outs(%places : tensor<4x1xi64>) -> tensor<4x1xi64>
    %rows = tensor.empty() : tensor<4x1xf32>
    %lowest = linalg.fill ins(%least : f32) outs(%rows : tensor<4x1xf32>) -> tensor<4x1xf32>
    %max:2 = linalg.generic {indexing_maps = [#row, #kept, #kept], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x160xf32>) outs(%lowest, %place : tensor<4x1xf32>, tensor<4x1xi64>) {
    ^bb0(%in: f32, %out: f32, %at: i64):
      %i = linalg.index 1 : index
      %column = arith.index_cast %i : index to i64
      %m = arith.maximumf %in, %out : f32
      %is_more = arith.cmpf ogt, %in, %out : f32
      %where = arith.select %is_more, %column, %at : i64
      linalg.yield %m, %where : f32, i64
    } -> (tensor<4x1xf32>, tensor<4x1xi64>)
    %empty = tensor.empty() : tensor<4x160xf32>
    %shifted = linalg.generic {indexing_maps = [#row, #kept, #row], iterator_types = ["parallel", "parallel"]}
        ins(%x, %max#0 : tensor<4x160xf32>, tensor<4x1xf32>) outs(%empty : tensor<4x160xf32>) {
    ^bb0(%in: f32, %m: f32, %out: f32):
      %d = arith.subf %in, %m : f32
      linalg.yield %d : f32
    } -> tensor<4x160xf32>
    %e = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
        ins(%shifted : tensor<4x160xf32>) outs(%empty : tensor<4x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      %v = math.exp %in : f32
      linalg.yield %v : f32
    } -> tensor<4x160xf32>
    %none = linalg.fill ins(%zero : f32) outs(%rows : tensor<4x1xf32>) -> tensor<4x1xf32>
    %sum = linalg.generic {indexing_maps = [#row, #kept], iterator_types = ["parallel", "reduction"]}
        ins(%e : tensor<4x160xf32>) outs(%none : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %s = arith.addf %in, %out : f32
      linalg.yield %s : f32
    } -> tensor<4x1xf32>
    %p = linalg.generic {indexing_maps = [#row, #kept, #row], iterator_types = ["parallel", "parallel"]}
        ins(%e, %sum : tensor<4x160xf32>, tensor<4x1xf32>) outs(%empty : tensor<4x160xf32>) {
    ^bb0(%in: f32, %s: f32, %out: f32):
      %q = arith.divf %in, %s : f32
      linalg.yield %q : f32
    } -> tensor<4x160xf32>
    return %p : tensor<4x160xf32>
  }
}
