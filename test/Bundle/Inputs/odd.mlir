// Names that C has other uses for, values of each type, a row of one element.
quack.kernel @int(%class: memref<?x1xf32> in row, %a-b: memref<?x1xf32> out row, %rows: f32,
                  %long: i64, %stream: i32) {
  %v = quack.load %class : memref<?x1xf32> -> tensor<1xf32>
  %l = arith.sitofp %long : i64 to f32
  %s = arith.sitofp %stream : i32 to f32
  %n = arith.addf %l, %s : f32
  %m = arith.mulf %n, %rows : f32
  %r = quack.broadcast %m : f32 -> tensor<1xf32>
  %sum = arith.addf %v, %r : tensor<1xf32>
  quack.store %sum, %a-b : tensor<1xf32>, memref<?x1xf32>
}
quack.kernel @x$(%launch: memref<?x96xf8E4M3FN> in row, %launch_row_stride: memref<96xf8E5M2> in columns,
                 %_P: memref<?xf32> out scalar, %workspace: memref<f32> out single, %NULL: memref<f32> in single) {
  %v = quack.load %launch : memref<?x96xf8E4M3FN> -> tensor<96xf32>
  %w = quack.load %launch_row_stride : memref<96xf8E5M2> -> tensor<96xf32>
  %p = arith.mulf %v, %w : tensor<96xf32>
  %s = quack.reduce addf %p : tensor<96xf32> -> f32
  %n = quack.load %NULL : memref<f32> -> f32
  %t = arith.mulf %n, %s : f32
  quack.store %t, %_P : f32, memref<?xf32>
  quack.accumulate %t, %workspace : f32, memref<f32>
}
quack.kernel @_x(%x: memref<?x96xi8> in row, %y: memref<?x96xi8> out row) {
  %v = quack.load %x : memref<?x96xi8> -> tensor<96xi8>
  quack.store %v, %y : tensor<96xi8>, memref<?x96xi8>
}
