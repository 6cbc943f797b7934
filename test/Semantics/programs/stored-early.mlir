// Rows that are stored before others are computed, and after them, where the rows
// that they are made from are held in each way; and a scalar that is updated first.
// RUN: quack-check %s --columns=1000,1064 --rows=5 --specials %pins_holds_of_x | FileCheck %s
// RUN: quack-check %s --columns=1000 --rows=3 --storage=bf16 %pins_holds_of_x | FileCheck %s --check-prefix=NARROW
// RUN: quack-check %s --columns=1003 --rows=3 --pin="threads = 96, threads_per_row = 96, alignment = element, hold = {x = reload, r = reload}" --pin="threads = 64, threads_per_row = 64, cluster = 2, alignment = element, hold = {x = reload}" | FileCheck %s --check-prefix=ANYWHERE
// RUN: quack-check %s --columns=2000 --rows=3 %pins_clusters | FileCheck %s --check-prefix=CTAS
// RUN: quack-check %s --columns=2000 --rows=3 %pins_split | FileCheck %s --check-prefix=SPLIT
// CHECK: all equal: 30 runs
// NARROW: all equal: 15 runs
// ANYWHERE: all equal: 2 runs
// CTAS: all equal: 7 runs
// SPLIT: all equal: 5 runs
quack.kernel @stored_early(%x: memref<?x?xf32> in row, %r: memref<?x?xf32> in row,
                           %count: memref<?xi32> inout scalar, %sum: memref<?x?xf32> out row,
                           %y: memref<?x?xf32> out row, %z: memref<?x?xf32> out row) {
  %n = quack.load %count : memref<?xi32> -> i32
  %one = arith.constant 1 : i32
  %next = arith.addi %n, %one : i32
  quack.store %next, %count : i32, memref<?xi32>
  %a = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %b = quack.load %r : memref<?x?xf32> -> tensor<?xf32>
  %h = arith.addf %a, %b : tensor<?xf32>
  quack.store %h, %sum : tensor<?xf32>, memref<?x?xf32>
  %m = quack.reduce maximumf %h : tensor<?xf32> -> f32
  %mb = quack.broadcast %m : f32 -> tensor<?xf32>
  %d = arith.subf %h, %mb : tensor<?xf32>
  quack.store %d, %y : tensor<?xf32>, memref<?x?xf32>
  %s = quack.reduce addf %d : tensor<?xf32> -> f32
  %sb = quack.broadcast %s : f32 -> tensor<?xf32>
  %e = arith.addf %a, %sb : tensor<?xf32>
  quack.store %e, %z : tensor<?xf32>, memref<?x?xf32>
}
