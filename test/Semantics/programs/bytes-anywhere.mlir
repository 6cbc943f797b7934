// Rows of bytes that start anywhere: what a load fills in for one reduction's sake is
// one byte wide, and no other byte of the word changes.
// RUN: quack-run %s --device=sim --columns=39 --rows=16 --verify --pin='threads_per_row = 4, rows_per_thread = 4, threads = 64' | FileCheck %s
// RUN: quack-run %s --device=sim --columns=17 --rows=5 --verify --offset x=1 | FileCheck %s
// RUN: quack-run %s --device=sim --columns=1003 --rows=5 --verify --offset x=3 | FileCheck %s
// RUN: quack-run %s --device=sim --columns=20001 --rows=3 --verify --offset x=7 | FileCheck %s
// CHECK: verify: ok
quack.kernel @bytes(%x: memref<?x?xi8> in row, %least: memref<?xi32> out scalar,
                    %sum: memref<?xi32> out scalar, %all: memref<?xi32> out scalar) {
  %v = quack.load %x : memref<?x?xi8> -> tensor<?xi32>
  %m = quack.reduce minui %v : tensor<?xi32> -> i32
  %s = quack.reduce addi %v : tensor<?xi32> -> i32
  %o = quack.reduce xori %v : tensor<?xi32> -> i32
  quack.store %m, %least : i32, memref<?xi32>
  quack.store %s, %sum : i32, memref<?xi32>
  quack.store %o, %all : i32, memref<?xi32>
}
