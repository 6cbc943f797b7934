// prod(x), accumulated and returned in f32.
quack.kernel @prod(%x: memref<?x?xf32> in row, %y: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %r = quack.reduce mulf %v : tensor<?xf32> -> f32
  quack.store %r, %y : f32, memref<?xf32>
}
