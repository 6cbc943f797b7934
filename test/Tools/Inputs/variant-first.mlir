// A kernel whose variant, for rows that start anywhere, is written before it.
quack.kernel @row_sum_anywhere(%x: memref<?x63xf32> in row, %s: memref<?xf32> out scalar)
    plan #quack_tv.plan<alignment = element> {
  %v = quack.load %x : memref<?x63xf32> -> tensor<63xf32>
  %sum = quack.reduce addf %v : tensor<63xf32> -> f32
  quack.store %sum, %s : f32, memref<?xf32>
}
quack.kernel @row_sum(%x: memref<?x63xf32> in row, %s: memref<?xf32> out scalar)
    plan #quack_tv.plan<alignment = vector, vector = 4, rows = 5> otherwise @row_sum_anywhere {
  %v = quack.load %x : memref<?x63xf32> -> tensor<63xf32>
  %sum = quack.reduce addf %v : tensor<63xf32> -> f32
  quack.store %sum, %s : f32, memref<?xf32>
}
