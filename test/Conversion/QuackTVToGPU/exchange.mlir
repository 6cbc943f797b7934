// RUN: quack-opt %s --convert-quack-tv-to-gpu --canonicalize --cse -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: FileCheck %s --input-file=%t --check-prefix=EXPECT

#block = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 1, vector = 4>
#odd = #quack_tv.plan<threads = 96, threads_per_row = 96, rows_per_thread = 1, cluster = 1, vector = 4>
#pair = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 2, vector = 4>
#full = #quack_tv.plan<threads = 1024, threads_per_row = 1024, rows_per_thread = 1, cluster = 16, vector = 4>
#warps = #quack_tv.layout<warp = [4:1], lane = [32:0]>
#row = #quack_tv.layout<warp = [4:0], lane = [32:0]>
#three = #quack_tv.layout<warp = [3:1], lane = [32:0]>
#row3 = #quack_tv.layout<warp = [3:0], lane = [32:0]>
#cwarps = #quack_tv.layout<cta = [2:4], warp = [4:1], lane = [32:0]>
#crow = #quack_tv.layout<cta = [2:0], warp = [4:0], lane = [32:0]>
#fwarps = #quack_tv.layout<cta = [16:32], warp = [32:1], lane = [32:0]>
#frow = #quack_tv.layout<cta = [16:0], warp = [32:0], lane = [32:0]>

// One lane of each warp stores; all lanes read, four partials, two shuffles.
// CHECK-LABEL: llvm.func @block(
// CHECK-DAG: %[[WARP:.*]] = arith.shrui
// CHECK-DAG: %[[LANE:.*]] = arith.andi
// CHECK: scf.if
// CHECK: %[[TO:.*]] = llvm.getelementptr %{{.*}}[%[[WARP]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
// CHECK: llvm.store %{{.*}}, %[[TO]] {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK: }
// CHECK: nvvm.barrier
// CHECK: %[[MEMBER:.*]] = arith.andi %[[LANE]], %{{.*}} : i32
// CHECK: %[[FROM:.*]] = llvm.getelementptr %{{.*}}[%[[MEMBER]]]
// CHECK: llvm.load %[[FROM]] {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK-NOT: arith.select
// CHECK: nvvm.shfl.sync  bfly %{{.*}}, %c2_i32
// CHECK: nvvm.shfl.sync  bfly %{{.*}}, %c1_i32
// CHECK-NOT: nvvm.shfl.sync
// CHECK: llvm.return
quack_tv.kernel @block(%x: memref<?x4xf32> in row, %y: memref<?xf32> out scalar) plan #block shared 16 {
  %v = quack_tv.load %x : memref<?x4xf32> -> tensor<1x4xf32, #warps>
  %b = quack_tv.alloc_exchange at 0 bytes 16
  quack_tv.publish %v to %b : tensor<1x4xf32, #warps>
  quack_tv.barrier
  %s = quack_tv.collect addf %b, %v : tensor<1x4xf32, #warps> -> tensor<1x1xf32, #row>
  quack_tv.store %s, %y : tensor<1x1xf32, #row>, memref<?xf32>
}

// Three warps: the fourth lane of a group brings the identity.
// CHECK-LABEL: llvm.func @three_warps(
// CHECK-DAG: %[[IDENTITY:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[VALID:.*]] = arith.cmpi ult, %{{.*}}, %c3_i32
// CHECK: %[[WORD:.*]] = llvm.load
// CHECK: %[[VALUE:.*]] = llvm.bitcast %[[WORD]] : i32 to f32
// CHECK: arith.select %[[VALID]], %[[VALUE]], %[[IDENTITY]]
// CHECK: nvvm.shfl.sync  bfly %{{.*}}, %c2_i32
quack_tv.kernel @three_warps(%x: memref<?x3xf32> in row, %y: memref<?xf32> out scalar) plan #odd shared 12 {
  %v = quack_tv.load %x : memref<?x3xf32> -> tensor<1x3xf32, #three>
  %b = quack_tv.alloc_exchange at 0 bytes 12
  quack_tv.publish %v to %b : tensor<1x3xf32, #three>
  quack_tv.barrier
  %s = quack_tv.collect mulf %b, %v : tensor<1x3xf32, #three> -> tensor<1x1xf32, #row3>
  quack_tv.store %s, %y : tensor<1x1xf32, #row3>, memref<?xf32>
}

// Three values fill slots of four words, written and read at once; the padding
// lanes of a combiner take its identities.
// CHECK-LABEL: llvm.func @slots(
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
quack_tv.kernel @slots(%x: memref<?x4xf32> in row, %y: memref<?xf32> out scalar) plan #block shared 64 {
  %v = quack_tv.load %x : memref<?x4xf32> -> tensor<1x4xf32, #warps>
  %b = quack_tv.alloc_exchange at 0 bytes 64
  quack_tv.publish %v, %v, %v to %b : tensor<1x4xf32, #warps>, tensor<1x4xf32, #warps>, tensor<1x4xf32, #warps>
  quack_tv.barrier
  %s:3 = quack_tv.collect addf, mulf, maxnumf %b, %v, %v, %v : tensor<1x4xf32, #warps>, tensor<1x4xf32, #warps>, tensor<1x4xf32, #warps>
      -> tensor<1x1xf32, #row>, tensor<1x1xf32, #row>, tensor<1x1xf32, #row>
  quack_tv.store %s#0, %y : tensor<1x1xf32, #row>, memref<?xf32>
}

// One thread initialises and announces the bytes, once; each
// warp's lane i stores to CTA i; every thread waits for all bytes (C03, C05).
// CHECK-LABEL: llvm.func @cluster(
// CHECK: scf.if
// CHECK-NEXT: %[[BARRIER:.*]] = llvm.getelementptr %{{.*}}[64]
// CHECK-NEXT: nvvm.mbarrier.init %[[BARRIER]], %c1_i32
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK: nvvm.cluster.arrive{{(.relaxed)?}} {aligned}
// EXPECT-LABEL: llvm.func @cluster(
// EXPECT: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}" %{{.*}}, %c64_i32
// EXPECT-NOT: expect_tx
// EXPECT: llvm.return
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: %[[SENDS:.*]] = arith.cmpi ult, %[[LANE:.*]], %c2_i32
// CHECK: scf.if %[[SENDS]]
// CHECK: %[[TO:.*]] = nvvm.mapa %{{.*}}, %[[LANE]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: %[[AT:.*]] = nvvm.mapa %{{.*}}, %[[LANE]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [$0], {$2, $3}, [$1];", "l,l,r,r,~{memory}" %[[TO]], %[[AT]]
// CHECK: scf.while
// CHECK: nvvm.mbarrier.try_wait %{{.*}}, %c0_i32 {scope = #nvvm.mem_scope<cluster>}
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK: nvvm.shfl.sync  bfly %{{.*}}, %c4_i32
// CHECK: llvm.return
quack_tv.kernel @cluster(%x: memref<?x8xf32> in row, %y: memref<?xf32> out scalar) plan #pair shared 72 {
  quack_tv.cluster_init barriers [64] expect [64]
  quack_tv.cluster_arrive
  %v = quack_tv.load %x : memref<?x8xf32> -> tensor<1x8xf32, #cwarps>
  %b = quack_tv.alloc_exchange at 0 bytes 64 barrier 64
  quack_tv.cluster_wait
  quack_tv.publish %v, %v to %b : tensor<1x8xf32, #cwarps>, tensor<1x8xf32, #cwarps>
  quack_tv.exchange_wait %b
  %s:2 = quack_tv.collect addf, maximumf %b, %v, %v : tensor<1x8xf32, #cwarps>, tensor<1x8xf32, #cwarps> -> tensor<1x1xf32, #crow>, tensor<1x1xf32, #crow>
  quack_tv.store %s#0, %y : tensor<1x1xf32, #crow>, memref<?xf32>
}

// 16 CTAs of 32 warps: each lane reads 16 of the 512 partials.
// CHECK-LABEL: llvm.func @largest_cluster(
// CHECK: arith.cmpi ult, %{{.*}}, %c16_i32
// CHECK: st.async
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK-NOT: llvm.load
// CHECK: nvvm.shfl.sync  bfly %{{.*}}, %c16_i32
quack_tv.kernel @largest_cluster(%x: memref<?x512xf32> in row, %y: memref<?xf32> out scalar) plan #full shared 2056 {
  quack_tv.cluster_init barriers [2048] expect [2048]
  quack_tv.cluster_arrive
  %v = quack_tv.load %x : memref<?x512xf32> -> tensor<1x512xf32, #fwarps>
  %b = quack_tv.alloc_exchange at 0 bytes 2048 barrier 2048
  quack_tv.cluster_wait
  quack_tv.publish %v to %b : tensor<1x512xf32, #fwarps>
  quack_tv.exchange_wait %b
  %s = quack_tv.collect addf %b, %v : tensor<1x512xf32, #fwarps> -> tensor<1x1xf32, #frow>
  quack_tv.store %s, %y : tensor<1x1xf32, #frow>, memref<?xf32>
}

// After a block step only one warp of each CTA sends, to each CTA.
// CHECK-LABEL: llvm.func @one_partial_a_cta(
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32 : i32
// CHECK: %[[LANES:.*]] = arith.cmpi ult, %{{.*}}, %c2_i32 : i32
// CHECK: %[[SENDS:.*]] = arith.andi %[[LANES]], %{{.*}} : i1
// CHECK: scf.if %[[SENDS]]
// CHECK: st.async
quack_tv.kernel @one_partial_a_cta(%x: memref<?x2xf32> in row, %y: memref<?xf32> out scalar) plan #pair shared 16 {
  quack_tv.cluster_init barriers [8] expect [8]
  quack_tv.cluster_arrive
  %v = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #quack_tv.layout<cta = [2:1], warp = [4:0], lane = [32:0]>>
  %b = quack_tv.alloc_exchange at 0 bytes 8 barrier 8
  quack_tv.cluster_wait
  quack_tv.publish %v to %b : tensor<1x2xf32, #quack_tv.layout<cta = [2:1], warp = [4:0], lane = [32:0]>>
  quack_tv.exchange_wait %b
  %s = quack_tv.collect addf %b, %v : tensor<1x2xf32, #quack_tv.layout<cta = [2:1], warp = [4:0], lane = [32:0]>> -> tensor<1x1xf32, #crow>
  quack_tv.store %s, %y : tensor<1x1xf32, #crow>, memref<?xf32>
}

// What an arrival releases must have happened before a peer goes on.
// CHECK-LABEL: llvm.func @arrivals(
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-NEXT: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
quack_tv.kernel @arrivals(%x: memref<?x8xf32> in row) plan #pair shared 0 {
  quack_tv.cluster_arrive
  quack_tv.cluster_wait
  quack_tv.cluster_arrive release
  quack_tv.cluster_wait
}
