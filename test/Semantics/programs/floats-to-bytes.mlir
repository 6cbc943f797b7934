// Rounded and clamped floats as rows of i8 and i16, by vectors and one by one; patterns
// of floats as integers and back.
// RUN: quack-check %s --columns=8,24,61 --rows=1,5,70 --specials %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000,1064 --rows=15 --specials --storage= --storage=bf16 %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// PARTS: all equal: 15 runs
// WARPS: all equal: 24 runs
// RUN: quack-run %s --device=sim --columns=39 --rows=16 --verify --pin='threads_per_row = 4, rows_per_thread = 4, threads = 64' | FileCheck %s
// RUN: quack-run %s --device=sim --columns=17 --rows=5 --verify --offset x=1 --offset y=3 | FileCheck %s
// RUN: quack-run %s --device=sim --columns=1003 --rows=5 --verify --offset x=3 | FileCheck %s
// RUN: quack-run %s --device=sim --columns=4096 --rows=3 --verify --storage=bf16 | FileCheck %s
// CHECK: verify: ok
quack.kernel @bytes(%x: memref<?x?xf32> in row, %y: memref<?x?xi8> out row,
                    %cut: memref<?x?xi8> out row, %bits: memref<?x?xi32> out row,
                    %up: memref<?x?xf32> out row, %all: memref<?xi64> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %c = arith.constant 100.0 : f32
  %c_row = quack.broadcast %c : f32 -> tensor<?xf32>
  %wide = arith.mulf %v, %c_row : tensor<?xf32>
  %whole = math.roundeven %wide : tensor<?xf32>
  %byte = arith.fptosi %whole : tensor<?xf32> to tensor<?xi8>
  quack.store %byte, %y : tensor<?xi8>, memref<?x?xi8>
  %word = arith.fptosi %wide : tensor<?xf32> to tensor<?xi32>
  quack.store %word, %cut : tensor<?xi32>, memref<?x?xi8>
  %pattern = arith.bitcast %v : tensor<?xf32> to tensor<?xi32>
  %one = arith.constant 1 : i32
  %one_row = quack.broadcast %one : i32 -> tensor<?xi32>
  %next = arith.addi %pattern, %one_row : tensor<?xi32>
  quack.store %next, %bits : tensor<?xi32>, memref<?x?xi32>
  %above = arith.bitcast %next : tensor<?xi32> to tensor<?xf32>
  quack.store %above, %up : tensor<?xf32>, memref<?x?xf32>
  %max = quack.reduce maximumf %wide : tensor<?xf32> -> f32
  %long = arith.fptosi %max : f32 to i64
  quack.store %long, %all : i64, memref<?xi64>
}
