// The column of the greatest element, as i32, and the element itself if wanted. As in torch, the
// first of equals, and the first NaN if there is one.
quack.kernel @argmax(%x: memref<?x?xf32> in row, %column: memref<?xi32> out scalar,
                    %value: memref<?xf32> out scalar optional) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %m, %c = quack.argmax %v : tensor<?xf32>
  quack.store %c, %column : i32, memref<?xi32>
  quack.store %m, %value : f32, memref<?xf32>
}
