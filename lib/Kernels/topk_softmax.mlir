// The K greatest elements of each row, the greatest first, as shares exp(x - max) / sum
// over the K: a router's choice of experts and their weights.
quack.kernel @topk_softmax(%x: memref<?x?xf32> in row, %values: memref<?x?xf32> out picks,
                           %columns: memref<?x?xi32> out picks) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  quack.topk %v to %values, %columns softmax : tensor<?xf32>, memref<?x?xf32>, memref<?x?xi32>
}
