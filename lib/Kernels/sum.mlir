// sum(x), accumulated and returned in f32.
quack.kernel @sum(%x: memref<?x?xf32> in row, %s: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %sum = quack.reduce addf %v : tensor<?xf32> -> f32
  quack.store %sum, %s : f32, memref<?xf32>
}
