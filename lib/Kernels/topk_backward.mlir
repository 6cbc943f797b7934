// The gradient of topk: dvalues at their columns, 0 elsewhere. Before it, softmax_backward
// of the K values gives dvalues of topk_softmax.
quack.kernel @topk_backward(%dvalues: memref<?x?xf32> in picks, %columns: memref<?x?xi32> in picks,
                            %dx: memref<?x?xf32> out row) {
  quack.scatter %dvalues, %columns to %dx : memref<?x?xf32>, memref<?x?xi32>, memref<?x?xf32>
}
