// Elements that are picked of what is loaded and of what is computed from its maximum: of slices
// in the stages in which these are there.
// RUN: quack-check %s --columns=9,61,1000 --rows=1,5 --specials --pin='threads = 64, threads_per_row = 32' --pin='threads = 96, threads_per_row = 96' | FileCheck %s --check-prefix=WHOLE
// RUN: quack-check %s --columns=97,1000 --rows=3 --specials --pin='threads = 32, threads_per_row = 32, cluster = 1, split = 3' --pin='threads = 64, threads_per_row = 64, cluster = 1, split = 2' | FileCheck %s --check-prefix=SPLIT
// WHOLE: all equal: 6 runs
// SPLIT: all equal: 4 runs
quack.kernel @picks(%x: memref<?x?xf32> in row, %v: memref<?x9xf32> out picks, %c: memref<?x9xi32> out picks,
                    %w: memref<?x9xf32> out picks, %d: memref<?x9xi64> out picks) {
  %r = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  quack.topk %r to %v, %c softmax : tensor<?xf32>, memref<?x9xf32>, memref<?x9xi32>
  %max = quack.reduce maximumf %r : tensor<?xf32> -> f32
  %all = quack.broadcast %max : f32 -> tensor<?xf32>
  %below = arith.subf %all, %r : tensor<?xf32>
  quack.topk %below to %w, %d : tensor<?xf32>, memref<?x9xf32>, memref<?x9xi64>
}
