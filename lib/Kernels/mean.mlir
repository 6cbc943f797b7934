// mean(x) = sum(x) / N, accumulated and returned in f32.
quack.kernel @mean(%x: memref<?x?xf32> in row, %m: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %sum = quack.reduce addf %v : tensor<?xf32> -> f32
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %mean = arith.divf %sum, %count : f32
  quack.store %mean, %m : f32, memref<?xf32>
}
