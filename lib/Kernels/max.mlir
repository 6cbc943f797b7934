// max(x); NaN if any element is NaN, as in torch.amax.
quack.kernel @max(%x: memref<?x?xf32> in row, %m: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %max = quack.reduce maximumf %v : tensor<?xf32> -> f32
  quack.store %max, %m : f32, memref<?xf32>
}
