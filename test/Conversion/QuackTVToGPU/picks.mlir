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

// A slice's columns are counted from its first one, and saved as the row's.

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 1>
#tile = #quack_tv.layout<slice = [2:32], lane = [32:1]>
// CHECK-LABEL: llvm.func @save
// CHECK: %[[SLICE:.*]] = arith.remui
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[COLUMN:.*]] = arith.xori
// CHECK: %[[FROM:.*]] = arith.muli %[[SLICE]], %c32_i32
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<1>
// CHECK: %[[NAME:.*]] = arith.addi %[[FROM]], %[[COLUMN]]
// CHECK: llvm.store %[[NAME]], {{.*}} : i32, !llvm.ptr<1>
quack_tv.kernel @save(%x: memref<?x64xf32> in row) plan #plan workspace 64 {
  %t = quack_tv.load %x : memref<?x64xf32> -> tensor<1x64xf32, #tile>
  quack_tv.save_topk %t, %t, %t count 3 into 0 : tensor<1x64xf32, #tile>
}

// -----

// What was saved is read where it is needed, whole runs or nothing; what is picked of it is
// looked up.

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 2>
#tile = #quack_tv.layout<lane = [32:2], value = [2:1]>
// CHECK-LABEL: llvm.func @pick
// CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %c6_i32
// CHECK: llvm.inline_asm {{.*}}"{ mov.b32 $0, 4286578688; mov.b32 $1, 4286578688; @$3 ld.global.v2.b32 {$0, $1}, [$2]; }", "=&r,=&r,l,b" %{{.*}}, %[[IN]]
// CHECK: %[[NAME:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK: llvm.store %[[NAME]], %{{.*}} : i32, !llvm.ptr<1>
quack_tv.kernel @pick(%x: memref<?x64xf32> in row, %v: memref<?x3xf32> out picks,
                      %c: memref<?x3xi32> out picks) plan #plan workspace 64 {
  %t, %n = quack_tv.recall 3 of 2 from 0 : tensor<1x64xf32, #tile>, tensor<1x64xi32, #tile>
  quack_tv.topk %t, %t, %t named %n : tensor<1x64xi32, #tile> to %v, %c : tensor<1x64xf32, #tile>, memref<?x3xf32>, memref<?x3xi32>
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

// -----

// A slice has its own columns only.

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 1>
#tile = #quack_tv.layout<slice = [2:32], lane = [32:1]>
// CHECK-LABEL: llvm.func @scatter_slices
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[COLUMN:.*]], %c60_i32
// CHECK: %[[FROM:.*]] = arith.muli %{{.*}}, %c32_i32
// CHECK: %[[LOCAL:.*]] = arith.subi %[[COLUMN]], %[[FROM]]
// CHECK: %[[OURS:.*]] = arith.cmpi ult, %[[LOCAL]], %c32_i32
// CHECK: arith.andi %[[IN]], %[[OURS]]
quack_tv.kernel @scatter_slices(%v: memref<?x4xf32> in picks, %c: memref<?x4xi32> in picks,
                                %y: memref<?x60xf32> out row) plan #plan {
  %zero = arith.constant dense<0.0> : tensor<1x64xf32, #tile>
  quack_tv.store %zero, %y : tensor<1x64xf32, #tile>, memref<?x60xf32>
  quack_tv.scatter %v, %c to %y : memref<?x4xf32>, memref<?x4xi32>, memref<?x60xf32>
}
