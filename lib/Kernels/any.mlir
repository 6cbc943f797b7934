// any(x): whether an element is not 0; NaN is not 0. 0 or 1, as i32.
quack.kernel @any(%x: memref<?x?xf32> in row, %y: memref<?xi32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %zero_row = quack.broadcast %zero : f32 -> tensor<?xf32>
  %is_not = arith.cmpf une, %v, %zero_row : tensor<?xf32>
  %flag = arith.extui %is_not : tensor<?xi1> to tensor<?xi32>
  %r = quack.reduce ori %flag : tensor<?xi32> -> i32
  quack.store %r, %y : i32, memref<?xi32>
}
