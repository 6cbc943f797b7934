// RUN: quack-opt %s --convert-quack-tv-to-gpu --canonicalize --cse | FileCheck %s

// Rows that start at any element: each window is loaded once, and shifted.

#wide = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, alignment = element>
#two = #quack_tv.plan<threads = 32, threads_per_row = 16, rows_per_thread = 1, cluster = 1, vector = 4, alignment = element>
#v4 = #quack_tv.layout<lane = [32:4], value = [4:1, 2:128]>
#rows = #quack_tv.layout<lane = [16:4, 2:64], value = [4:1]>

// The skew is that of the row's start. Of the row's first window, what exists is
// loaded element by element; lane 0 loads the one after the last run. The shift
// by whole words is a branch, in which the words of the next lane come by shuffle.
// CHECK-LABEL: llvm.func @anywhere(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %[[STRIDE:.*]]: i64, %{{.*}}: i64)
// CHECK: %[[OFFSET:.*]] = arith.muli %{{.*}}, %[[STRIDE]] : i64
// CHECK: %[[ROW:.*]] = llvm.getelementptr %[[X]][%[[OFFSET]]]
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[ROW]]
// CHECK: %[[LOW:.*]] = arith.trunci %[[ADDRESS]]
// CHECK: %[[SKEW:.*]] = arith.andi %[[LOW]], %c15_i32
// CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[SKEW]]
// CHECK: @$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4]; }"
// CHECK: scf.if
// CHECK: "{ mov.b32 $0, 0; @$2 ld.global.b32 $0, [$1]; }"
// CHECK: } else {
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4+512];"
// CHECK: %[[LANE0:.*]] = arith.cmpi eq
// CHECK: @$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4+1024]; }"
// CHECK: scf.if
// CHECK: nvvm.shfl.sync idx
// CHECK: "@$5 st.global.v4.b32 [$0], {$1, $2, $3, $4};"
// CHECK: "@$2 st.global.b32 [$0], $1;"
// CHECK: "st.global.v4.b32 [$0+512], {$1, $2, $3, $4};"
// CHECK: "@$5 st.global.v4.b32 [$0+1024], {$1, $2, $3, $4};"
quack_tv.kernel @anywhere(%x: memref<?x256xf32> inout row) plan #wide shared 0 {
  %0 = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #v4>
  quack_tv.store %0, %x : tensor<1x256xf32, #v4>, memref<?x256xf32>
}

// Two rows a warp have two skews: words are selected.
// CHECK-LABEL: llvm.func @rows_of_a_warp(
// CHECK: nvvm.shfl.sync idx
// CHECK: arith.select
// CHECK-NOT: nvvm.shfl.sync up
quack_tv.kernel @rows_of_a_warp(%x: memref<?x64xf32> inout row) plan #two shared 0 {
  %0 = quack_tv.load %x : memref<?x64xf32> -> tensor<2x64xf32, #rows>
  quack_tv.store %0, %x : tensor<2x64xf32, #rows>, memref<?x64xf32>
}
