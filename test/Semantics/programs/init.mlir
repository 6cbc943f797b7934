// An init joins once, however many partials there are: 1000 ones from 1 make
// 1001. Rows of constants fill padding too, so their masks count.
// RUN: quack-check %s --columns=1000 --print --pin='threads = 256, threads_per_row = 256' | FileCheck %s
// RUN: quack-check %s --columns=1000 --rows=1,5 %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=24 --rows=1,70 %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=2000 --rows=3 %pins_clusters | FileCheck %s --check-prefix=CLUSTERS
// CHECK: PASS quack-tv-place-barriers
// CHECK: @init count[0] = 1000
// CHECK: @init max[0] = 5
// CHECK: @init product[0] = 2
// CHECK: @init sum[0] = 1001
// CHECK: all equal: 1 runs
// WARPS: all equal: 6 runs
// PARTS: all equal: 5 runs
// CLUSTERS: all equal: 7 runs
quack.kernel @init(%x: memref<?x?xf32> in row, %start: memref<?xf32> in scalar,
                   %sum: memref<?xf32> out scalar, %max: memref<?xf32> out scalar,
                   %product: memref<?xf32> out scalar, %count: memref<?xi32> out scalar,
                   %from: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = quack.broadcast %zero : f32 -> tensor<?xf32>
  %one = arith.constant 1.0 : f32
  %ones = quack.broadcast %one : f32 -> tensor<?xf32>
  %two = arith.constant 2.0 : f32
  %five = arith.constant 5.0 : f32
  %s = quack.reduce addf %ones init %one : tensor<?xf32> -> f32
  %m = quack.reduce maximumf %zeros init %five : tensor<?xf32> -> f32
  %p = quack.reduce mulf %ones init %two : tensor<?xf32> -> f32
  %unit = arith.constant 1 : i32
  %units = quack.broadcast %unit : i32 -> tensor<?xi32>
  %n = quack.reduce addi %units : tensor<?xi32> -> i32
  %first = quack.load %start : memref<?xf32> -> f32
  %f = quack.reduce addf %v init %first : tensor<?xf32> -> f32
  quack.store %s, %sum : f32, memref<?xf32>
  quack.store %m, %max : f32, memref<?xf32>
  quack.store %p, %product : f32, memref<?xf32>
  quack.store %n, %count : i32, memref<?xi32>
  quack.store %f, %from : f32, memref<?xf32>
}
