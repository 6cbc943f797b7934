// RUN: quack-opt %s --convert-quack-tv-to-gpu --canonicalize --cse | FileCheck %s

// Rows that start at any element: each window is loaded once, and shifted.

#wide = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, alignment = element>
#two = #quack_tv.plan<threads = 32, threads_per_row = 16, rows_per_thread = 1, cluster = 1, vector = 4, alignment = element>
#v4 = #quack_tv.layout<lane = [32:4], value = [4:1, 2:128]>
#rows = #quack_tv.layout<lane = [16:4, 2:64], value = [4:1]>

// The skew is that of the row's start. Of the first window and of the one after the
// last run, each lane loads and stores one element for lane 0. The shift by whole
// words is a branch, in which the words of the next lane come by shuffle.
// CHECK-LABEL: llvm.func @anywhere(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %[[STRIDE:.*]]: i64, %{{.*}}: i64)
// CHECK: %[[OFFSET:.*]] = arith.muli %{{.*}}, %[[STRIDE]] : i64
// CHECK: %[[ROW:.*]] = llvm.getelementptr %[[X]][%[[OFFSET]]]
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[ROW]]
// CHECK: %[[LOW:.*]] = arith.trunci %[[ADDRESS]]
// CHECK: %[[SKEW:.*]] = arith.andi %[[LOW]], %c15_i32
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4+512];"
// CHECK: "{ mov.b32 $0, 0; @$2 ld.global.b32 $0, [$1]; }"
// CHECK: @$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4]; }"
// CHECK: "{ mov.b32 $0, 0; @$2 ld.global.b32 $0, [$1+1024]; }"
// CHECK-COUNT-4: nvvm.shfl.sync{{ +}}idx
// CHECK: scf.if
// CHECK: nvvm.shfl.sync{{ +}}idx
// CHECK: "@$2 st.global.b32 [$0], $1;"
// CHECK: "@$5 st.global.v4.b32 [$0], {$1, $2, $3, $4};"
// CHECK: "st.global.v4.b32 [$0+512], {$1, $2, $3, $4};"
// CHECK: "@$2 st.global.b32 [$0+1024], $1;"
quack_tv.kernel @anywhere(%x: memref<?x256xf32> inout row) plan #wide shared 0 {
  %0 = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #v4>
  quack_tv.store %0, %x : tensor<1x256xf32, #v4>, memref<?x256xf32>
}

// What is only read is read in whole windows: of the row's first, what exists, element
// by element; lane 0 loads the one after the last run, if the row is skewed.
// CHECK-LABEL: llvm.func @read_alone(
// CHECK: %[[SKEW:.*]] = arith.andi %{{.*}}, %c15_i32
// CHECK: arith.cmpi ne, %[[SKEW]]
// CHECK: @$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4]; }"
// CHECK: scf.if
// CHECK: "{ mov.b32 $0, 0; @$2 ld.global.b32 $0, [$1]; }"
// CHECK: } else {
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4+512];"
// CHECK: @$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4+1024]; }"
// CHECK: scf.if
// CHECK: nvvm.shfl.sync idx
#lanes = #quack_tv.layout<lane = [32:1]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @read_alone(%x: memref<?x256xf32> in row, %y: memref<?xf32> out scalar) plan #wide shared 0 {
  %0 = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #v4>
  %1 = quack_tv.thread_reduce addf %0 : tensor<1x256xf32, #v4>
  %2 = quack_tv.warp_reduce addf %1 : tensor<1x32xf32, #lanes>
  quack_tv.store %2, %y : tensor<1x1xf32, #row>, memref<?xf32>
}

// Two rows a warp have two skews: words are selected.
// CHECK-LABEL: llvm.func @rows_of_a_warp(
// CHECK: nvvm.shfl.sync{{ +}}idx
// CHECK: arith.select
// CHECK-NOT: nvvm.shfl.sync up
quack_tv.kernel @rows_of_a_warp(%x: memref<?x64xf32> inout row) plan #two shared 0 {
  %0 = quack_tv.load %x : memref<?x64xf32> -> tensor<2x64xf32, #rows>
  quack_tv.store %0, %x : tensor<2x64xf32, #rows>, memref<?x64xf32>
}
