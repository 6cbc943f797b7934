// RUN: quack-opt %s --convert-quack-tv-to-gpu | FileCheck %s

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>

// CHECK-LABEL: llvm.func @loads(
// CHECK-DAG: %[[FIRST:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l"
// CHECK-DAG: %[[LAST:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l"
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4];"
// CHECK: "ld.global.L1::no_allocate.v4.b32 {$0, $1, $2, $3}, [$4];"
// CHECK: "ld.global.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;", "=r,=r,=r,=r,l,l" %{{.*}}, %[[FIRST]]
// CHECK: "ld.global.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;", "=r,=r,=r,=r,l,l" %{{.*}}, %[[LAST]]
quack_tv.kernel @loads(%x: memref<?x128xf32> in row) plan #plan shared 0 {
  %0 = quack_tv.load %x policy cached : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %1 = quack_tv.load %x policy no_allocate : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %2 = quack_tv.load %x policy evict_first : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %3 = quack_tv.load %x policy evict_last : memref<?x128xf32> -> tensor<1x128xf32, #tile>
}

// CHECK-LABEL: llvm.func @stores(
// CHECK: "st.global.v4.b32
// CHECK: "st.global.cs.v4.b32
// CHECK: "st.global.L1::no_allocate.v4.b32
quack_tv.kernel @stores(%x: memref<?x128xf32> inout row) plan #plan shared 0 {
  %0 = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  quack_tv.store %0, %x policy write_back : tensor<1x128xf32, #tile>, memref<?x128xf32>
  quack_tv.store %0, %x policy streaming : tensor<1x128xf32, #tile>, memref<?x128xf32>
  quack_tv.store %0, %x policy skip_l1 : tensor<1x128xf32, #tile>, memref<?x128xf32>
}

// Made where it stands, or just before its use: the second load comes after the
// first one's shuffle.
// CHECK-LABEL: llvm.func @at_use(
// CHECK: ld.global
// CHECK: shfl.sync
// CHECK: ld.global
// CHECK: st.global
quack_tv.kernel @at_use(%x: memref<?x128xf32> inout row) plan #plan shared 0 {
  %0 = quack_tv.load %x pass 0 at_use : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %1 = quack_tv.load %x pass 1 at_use : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %p = quack_tv.thread_reduce addf %0 : tensor<1x128xf32, #tile>
  %s = quack_tv.warp_reduce addf %p : tensor<1x32xf32, #quack_tv.layout<lane = [32:1]>>
  %b = quack_tv.broadcast %s : tensor<1x1xf32, #quack_tv.layout<lane = [32:0]>> -> tensor<1x128xf32, #tile>
  %d = arith.subf %1, %b : tensor<1x128xf32, #tile>
  quack_tv.store %d, %x : tensor<1x128xf32, #tile>, memref<?x128xf32>
}

// CHECK-LABEL: llvm.func @at_once(
// CHECK: ld.global
// CHECK: ld.global
// CHECK: shfl.sync
quack_tv.kernel @at_once(%x: memref<?x128xf32> inout row, %z: memref<?x128xf32> in row) plan #plan shared 0 {
  %0 = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %1 = quack_tv.load %z : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %p = quack_tv.thread_reduce addf %0 : tensor<1x128xf32, #tile>
  %s = quack_tv.warp_reduce addf %p : tensor<1x32xf32, #quack_tv.layout<lane = [32:1]>>
  %b = quack_tv.broadcast %s : tensor<1x1xf32, #quack_tv.layout<lane = [32:0]>> -> tensor<1x128xf32, #tile>
  %d = arith.subf %1, %b : tensor<1x128xf32, #tile>
  quack_tv.store %d, %x : tensor<1x128xf32, #tile>, memref<?x128xf32>
}

// The first load puts what it keeps into a place of the thread's own, from which
// the second reads it.
// CHECK-LABEL: llvm.func @kept(
// CHECK-COUNT-2: "ld.global.v4.b32
// CHECK: "st.shared.v4.b32
// CHECK: shfl.sync
// CHECK: "ld.global.v4.b32
// CHECK: "ld.shared.v4.b32
// CHECK-NOT: ld.global
#two = #quack_tv.layout<lane = [32:4], value = [4:1, 2:128]>
quack_tv.kernel @kept(%x: memref<?x256xf32> in row, %y: memref<?x256xf32> out row) plan #plan shared 512 {
  %0 = quack_tv.load %x pass 0 at_use kept 4 at 0 : memref<?x256xf32> -> tensor<1x256xf32, #two>
  %1 = quack_tv.load %x pass 1 at_use kept 4 at 0 : memref<?x256xf32> -> tensor<1x256xf32, #two>
  %p = quack_tv.thread_reduce addf %0 : tensor<1x256xf32, #two>
  %s = quack_tv.warp_reduce addf %p : tensor<1x32xf32, #quack_tv.layout<lane = [32:1]>>
  %b = quack_tv.broadcast %s : tensor<1x1xf32, #quack_tv.layout<lane = [32:0]>> -> tensor<1x256xf32, #two>
  %d = arith.subf %1, %b : tensor<1x256xf32, #two>
  quack_tv.store %d, %y : tensor<1x256xf32, #two>, memref<?x256xf32>
}
