// RUN: quack-opt %s --split-input-file --quack-tv-place-barriers --convert-quack-tv-to-gpu | FileCheck %s

// A warp's row: no barrier, no exchange but by redux.

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1, 2:128]>
// CHECK-LABEL: llvm.func @warp
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.redux.sync umax
// CHECK: nvvm.redux.sync umin
// CHECK: scf.while
// CHECK: nvvm.redux.sync add
// CHECK: atom.shared.add.u32
// CHECK: bar.warp.sync
// The bound is raised where candidates have no room.
// CHECK: scf.if
// CHECK: scf.while
// CHECK-NOT: nvvm.barrier
quack_tv.kernel @warp(%x: memref<?x256xf32> in row, %v: memref<?x4xf32> out picks,
                      %c: memref<?x4xi32> out picks) plan #plan {
  %t = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #tile>
  quack_tv.topk %t, %t, %t to %v, %c : tensor<1x256xf32, #tile>, memref<?x4xf32>, memref<?x4xi32>
}

// -----

// A row that has no more elements than candidates have room needs no other bound.

#plan = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 1>
#tile = #quack_tv.layout<warp = [2:32], lane = [32:1]>
// CHECK-LABEL: llvm.func @few
// CHECK: nvvm.barrier
// CHECK-COUNT-1: atom.shared.add.u32
// CHECK-NOT: scf.while
// CHECK: llvm.return
quack_tv.kernel @few(%x: memref<?x64xf32> in row, %v: memref<?x32xf32> out picks,
                     %c: memref<?x32xi64> out picks) plan #plan {
  %t = quack_tv.load %x : memref<?x64xf32> -> tensor<1x64xf32, #tile>
  quack_tv.topk %t, %t, %t to %v, %c : tensor<1x64xf32, #tile>, memref<?x32xf32>, memref<?x32xi64>
}

// -----

// Columns wait in shared memory, where each is compared with those after it.

#plan = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 1>
#tile = #quack_tv.layout<warp = [2:32], lane = [32:1]>
// CHECK-LABEL: llvm.func @scatter
// CHECK: st.global
// CHECK: nvvm.barrier
// CHECK: scf.for
quack_tv.kernel @scatter(%v: memref<?x4xf32> in picks, %c: memref<?x4xi64> in picks,
                         %y: memref<?x64xbf16> out row) plan #plan {
  %zero = arith.constant dense<0.0> : tensor<1x64xbf16, #tile>
  quack_tv.store %zero, %y : tensor<1x64xbf16, #tile>, memref<?x64xbf16>
  quack_tv.scatter %v, %c to %y : memref<?x4xf32>, memref<?x4xi64>, memref<?x64xbf16>
}
