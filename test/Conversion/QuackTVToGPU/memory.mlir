// RUN: quack-opt %s --convert-quack-tv-to-gpu --canonicalize --cse | FileCheck %s

#one = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 8>
#four = #quack_tv.plan<threads = 32, threads_per_row = 8, rows_per_thread = 1, cluster = 1, vector = 4>
#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
#v1 = #quack_tv.layout<lane = [32:1]>
#v2 = #quack_tv.layout<lane = [32:2], value = [2:1]>
#v4 = #quack_tv.layout<lane = [32:4], value = [4:1]>
#v8 = #quack_tv.layout<lane = [32:8], value = [8:1]>
#runs = #quack_tv.layout<lane = [32:4], value = [4:1, 2:128]>
#rows = #quack_tv.layout<lane = [8:4, 4:32], value = [4:1]>
#half = #quack_tv.layout<cta = [2:128], lane = [32:4], value = [4:1]>
#row = #quack_tv.layout<lane = [32:0]>
#row4 = #quack_tv.layout<lane = [8:0, 4:1]>

// The row's offset is 64 bits wide: row * stride, then the column (S01).
// CHECK-LABEL: llvm.func @row_offset(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %[[STRIDE:.*]]: i64, %{{.*}}: i64)
// CHECK-DAG: %[[CTA:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-DAG: %[[ROW:.*]] = arith.extui %[[CTA]] : i32 to i64
// CHECK-DAG: %[[START:.*]] = arith.muli %[[ROW]], %[[STRIDE]] : i64
// CHECK-DAG: %[[FIRST:.*]] = llvm.getelementptr %[[X]][%[[START]]]
// CHECK-DAG: %[[AT:.*]] = llvm.getelementptr %[[FIRST]][%{{.*}}]
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l" %[[AT]]
// CHECK: "st.global.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r" %[[AT]]
quack_tv.kernel @row_offset(%x: memref<?x128xf32> inout row) plan #one shared 0 {
  %0 = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #v4>
  quack_tv.store %0, %x : tensor<1x128xf32, #v4>, memref<?x128xf32>
}

// In a cluster all CTAs share the row.
// CHECK-LABEL: llvm.func @cluster(
// CHECK-NOT: sreg.ctaid.x
// CHECK-DAG: nvvm.read.ptx.sreg.clusterid.x
// CHECK-DAG: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK-DAG: arith.muli %[[RANK]], %{{.*}} : i32
// CHECK: st.global
quack_tv.kernel @cluster(%x: memref<?x256xf32> inout row) plan #pair shared 0 {
  %0 = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #half>
  quack_tv.store %0, %x : tensor<1x256xf32, #half>, memref<?x256xf32>
}

// As wide as the run allows, 16 bytes at most.
// CHECK-LABEL: llvm.func @bytes_16(
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4];"
// CHECK: "st.global.v4.b32 [$0], {$1, $2, $3, $4};"
quack_tv.kernel @bytes_16(%x: memref<?x256xbf16> in row, %y: memref<?x256xbf16> out row) plan #one shared 0 {
  %0 = quack_tv.load %x : memref<?x256xbf16> -> tensor<1x256xbf16, #v8>
  quack_tv.store %0, %y : tensor<1x256xbf16, #v8>, memref<?x256xbf16>
}

// Two accesses a run.
// CHECK-LABEL: llvm.func @bytes_32(
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4];"
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4+16];"
// CHECK: "st.global.v4.b32 [$0], {$1, $2, $3, $4};"
// CHECK: "st.global.v4.b32 [$0+16], {$1, $2, $3, $4};"
quack_tv.kernel @bytes_32(%x: memref<?x256xf32> in row, %y: memref<?x256xf32> out row) plan #one shared 0 {
  %0 = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #v8>
  quack_tv.store %0, %y : tensor<1x256xf32, #v8>, memref<?x256xf32>
}

// The distance between runs is a constant of the instruction.
// CHECK-LABEL: llvm.func @two_runs(
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4];"
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4+512];"
// CHECK: "st.global.v4.b32 [$0], {$1, $2, $3, $4};"
// CHECK: "st.global.v4.b32 [$0+512], {$1, $2, $3, $4};"
quack_tv.kernel @two_runs(%x: memref<?x256xf32> in row, %y: memref<?x256xf32> out row) plan #one shared 0 {
  %0 = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #runs>
  quack_tv.store %0, %y : tensor<1x256xf32, #runs>, memref<?x256xf32>
}

// Narrower runs.
// CHECK-LABEL: llvm.func @bytes_8(
// CHECK: "ld.global.v2.b32 {$0, $1}, [$2];"
// CHECK: "st.global.v2.b32 [$0], {$1, $2};"
quack_tv.kernel @bytes_8(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) plan #one shared 0 {
  %0 = quack_tv.load %x : memref<?x64xf32> -> tensor<1x64xf32, #v2>
  quack_tv.store %0, %y : tensor<1x64xf32, #v2>, memref<?x64xf32>
}

// One element a thread.
// CHECK-LABEL: llvm.func @bytes_4(
// CHECK: "ld.global.b32 $0, [$1];"
// CHECK: "st.global.b32 [$0], $1;"
quack_tv.kernel @bytes_4(%x: memref<?x32xf32> in row, %y: memref<?x32xf32> out row) plan #one shared 0 {
  %0 = quack_tv.load %x : memref<?x32xf32> -> tensor<1x32xf32, #v1>
  quack_tv.store %0, %y : tensor<1x32xf32, #v1>, memref<?x32xf32>
}

// Sixteen bits.
// CHECK-LABEL: llvm.func @bytes_2(
// CHECK: "ld.global.b16 $0, [$1];", "=h,l"
// CHECK: "st.global.b16 [$0], $1;", "l,h"
quack_tv.kernel @bytes_2(%x: memref<?x32xf16> in row, %y: memref<?x32xf16> out row) plan #one shared 0 {
  %0 = quack_tv.load %x : memref<?x32xf16> -> tensor<1x32xf16, #v1>
  quack_tv.store %0, %y : tensor<1x32xf16, #v1>, memref<?x32xf16>
}

// A byte travels in a 16-bit register.
// CHECK-LABEL: llvm.func @bytes_1(
// CHECK: "ld.global.u8 $0, [$1];", "=h,l"
// CHECK: "st.global.u8 [$0], $1;", "l,h"
quack_tv.kernel @bytes_1(%x: memref<?x32xi8> in row, %y: memref<?x32xi8> out row) plan #one shared 0 {
  %0 = quack_tv.load %x : memref<?x32xi8> -> tensor<1x32xi8, #v1>
  quack_tv.store %0, %y : tensor<1x32xi8, #v1>, memref<?x32xi8>
}

// Rows from M on are neither read nor written, but all threads go on: four rows a
// warp.
// CHECK-LABEL: llvm.func @rows_beyond_m(
// CHECK-SAME: %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %[[M:.*]]: i64)
// CHECK-NOT: llvm.cond_br
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %{{.*}}, %[[M]] : i64
// CHECK: "{ mov.b32 $0, 0; mov.b32 $1, 0; mov.b32 $2, 0; mov.b32 $3, 0; @$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4]; }", "=&r,=&r,=&r,=&r,l,b" %{{.*}}, %[[EXISTS]]
// CHECK: "@$5 st.global.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,b" %{{.*}}, %[[EXISTS]]
// CHECK: llvm.return
quack_tv.kernel @rows_beyond_m(%x: memref<?x32xf32> inout row) plan #four shared 0 {
  %0 = quack_tv.load %x : memref<?x32xf32> -> tensor<4x32xf32, #rows>
  quack_tv.store %0, %x : tensor<4x32xf32, #rows>, memref<?x32xf32>
}

// Columns from N on: the first run is inside for every thread, the second is not.
// CHECK-LABEL: llvm.func @columns_beyond_n(
// CHECK: %[[LIMIT:.*]] = arith.constant 56 : i32
// CHECK: %[[EXISTS:.*]] = arith.cmpi sle, %{{.*}}, %[[LIMIT]] : i32
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4];"
// CHECK: @$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4+512]; }"
// CHECK-SAME: %[[EXISTS]]
// CHECK: "st.global.v4.b32
// CHECK: "@$5 st.global.v4.b32 [$0+512]
quack_tv.kernel @columns_beyond_n(%x: memref<?x188xf32> inout row) plan #one shared 0 {
  %0 = quack_tv.load %x : memref<?x188xf32> -> tensor<1x256xf32, #runs>
  quack_tv.store %0, %x : tensor<1x256xf32, #runs>, memref<?x188xf32>
}

// The row's end cuts a run: its first columns are accessed in exact pieces.
// CHECK-LABEL: llvm.func @cut_run(
// CHECK-DAG: %[[LIMIT:.*]] = arith.constant 55 : i32
// CHECK-DAG: %[[CUT:.*]] = arith.constant 56 : i32
// CHECK: %[[WHOLE:.*]] = arith.cmpi sle, %{{.*}}, %[[LIMIT]] : i32
// CHECK: %[[TAIL:.*]] = arith.cmpi eq, %{{.*}}, %[[CUT]] : i32
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4];"
// CHECK: "{ mov.b32 $0, 0; mov.b32 $1, 0; mov.b32 $2, 0; mov.b32 $3, 0; @$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4+512]; @$6 ld.global.v2.b32 {$0, $1}, [$4+512]; @$6 ld.global.b32 $2, [$4+520]; }"
// CHECK-SAME: %{{.*}}, %[[WHOLE]], %[[TAIL]]
// CHECK: "{ @$5 st.global.v4.b32 [$0+512], {$1, $2, $3, $4}; @$6 st.global.v2.b32 [$0+512], {$1, $2}; @$6 st.global.b32 [$0+520], $3; }"
quack_tv.kernel @cut_run(%x: memref<?x187xf32> inout row) plan #one shared 0 {
  %0 = quack_tv.load %x : memref<?x187xf32> -> tensor<1x256xf32, #runs>
  quack_tv.store %0, %x : tensor<1x256xf32, #runs>, memref<?x187xf32>
}

// A weight has no row; a row scalar is stored by the first copy.
// CHECK-LABEL: llvm.func @other_roles(
// CHECK-SAME: %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %[[W:.*]]: !llvm.ptr<1>, %{{.*}}: i64, %[[S:.*]]: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-DAG: %[[LANE:.*]] = arith.andi %{{.*}}, %{{.*}} : i32
// CHECK-DAG: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %{{.*}} : i32
// CHECK-DAG: %[[SCALAR:.*]] = llvm.getelementptr %[[S]]
// CHECK-DAG: llvm.getelementptr %[[W]]
// CHECK: "ld.global.v4.b32
// CHECK: "ld.global.b32 $0, [$1];", "=r,l" %[[SCALAR]]
// CHECK: "@$2 st.global.b32 [$0], $1;", "l,r,b" %[[SCALAR]], %{{.*}}, %[[FIRST]]
quack_tv.kernel @other_roles(%x: memref<?x128xf32> in row, %w: memref<128xf32> in columns,
                             %s: memref<?xf32> inout scalar) plan #one shared 0 {
  %0 = quack_tv.load %w : memref<128xf32> -> tensor<1x128xf32, #v4>
  %1 = quack_tv.load %s : memref<?xf32> -> tensor<1x1xf32, #row>
  quack_tv.barrier
  %2 = arith.negf %1 : tensor<1x1xf32, #row>
  quack_tv.store %2, %s : tensor<1x1xf32, #row>, memref<?xf32>
}
