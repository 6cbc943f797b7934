// A row that is read and written, over several CTAs.
// RUN: quack-check %s --columns=2000 --rows=3 --storage=bf16 %pins_clusters | FileCheck %s
// CHECK: all equal: 7 runs
quack.kernel @in_place_row(%x: memref<?x?xf32> inout row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %sum = quack.reduce addf %v : tensor<?xf32> -> f32
  %sum_row = quack.broadcast %sum : f32 -> tensor<?xf32>
  %out = arith.subf %v, %sum_row : tensor<?xf32>
  quack.store %out, %x : tensor<?xf32>, memref<?x?xf32>
}
