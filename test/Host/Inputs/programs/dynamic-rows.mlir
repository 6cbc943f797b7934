// M is known when the program runs: 6, 1 and 0 rows. A scalar, a number for each row and
// a row that all share go into the kernel.
func.func private @scaled_norm(%x: tensor<?x96xf32>, %w: tensor<96xf32>, %s: tensor<?xf32>, %eps: f32) -> tensor<?x96xf32>
    attributes {no_inline} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 96.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x96xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x96xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %sq = arith.mulf %a, %a : f32
    %r = arith.addf %acc, %sq : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %ey = tensor.empty(%m) : tensor<?x96xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %w, %s, %sum : tensor<?x96xf32>, tensor<96xf32>, tensor<?xf32>, tensor<?xf32>) outs(%ey : tensor<?x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %q: f32, %o: f32):
    %mean = arith.divf %q, %n : f32
    %plus = arith.addf %mean, %eps : f32
    %rstd = math.rsqrt %plus : f32
    %t = arith.mulf %a, %rstd : f32
    %u = arith.mulf %t, %b : f32
    %v = arith.mulf %u, %c : f32
    linalg.yield %v : f32
  } -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

func.func @main(%x: tensor<7x96xf32>, %w: tensor<96xf32>, %s: tensor<7xf32>, %eps: f32) -> tensor<7x96xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %many = tensor.extract_slice %x[0, 0] [%c6, 96] [1, 1] : tensor<7x96xf32> to tensor<?x96xf32>
  %many_s = tensor.extract_slice %s[0] [%c6] [1] : tensor<7xf32> to tensor<?xf32>
  %a = call @scaled_norm(%many, %w, %many_s, %eps) : (tensor<?x96xf32>, tensor<96xf32>, tensor<?xf32>, f32) -> tensor<?x96xf32>
  %one = tensor.extract_slice %x[6, 0] [%c1, 96] [1, 1] : tensor<7x96xf32> to tensor<?x96xf32>
  %one_s = tensor.extract_slice %s[6] [%c1] [1] : tensor<7xf32> to tensor<?xf32>
  %b = call @scaled_norm(%one, %w, %one_s, %eps) : (tensor<?x96xf32>, tensor<96xf32>, tensor<?xf32>, f32) -> tensor<?x96xf32>
  %none = tensor.extract_slice %x[3, 0] [%c0, 96] [1, 1] : tensor<7x96xf32> to tensor<?x96xf32>
  %none_s = tensor.extract_slice %s[3] [%c0] [1] : tensor<7xf32> to tensor<?xf32>
  %c = call @scaled_norm(%none, %w, %none_s, %eps) : (tensor<?x96xf32>, tensor<96xf32>, tensor<?xf32>, f32) -> tensor<?x96xf32>
  %e = tensor.empty() : tensor<7x96xf32>
  %t = tensor.insert_slice %a into %e[0, 0] [%c6, 96] [1, 1] : tensor<?x96xf32> into tensor<7x96xf32>
  %u = tensor.insert_slice %b into %t[6, 0] [%c1, 96] [1, 1] : tensor<?x96xf32> into tensor<7x96xf32>
  %v = tensor.insert_slice %c into %u[3, 0] [%c0, 96] [1, 1] : tensor<?x96xf32> into tensor<7x96xf32>
  return %v : tensor<7x96xf32>
}
