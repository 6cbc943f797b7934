// RUN: quack-opt %s --convert-quack-tv-to-gpu --canonicalize --cse | FileCheck %s

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#two = #quack_tv.plan<threads = 32, threads_per_row = 16, rows_per_thread = 1, cluster = 1, vector = 4>
#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
#rows = #quack_tv.layout<lane = [16:4, 2:64], value = [4:1]>
#half = #quack_tv.layout<cta = [2:128], lane = [32:4], value = [4:1]>

// 16 bytes a thread and run, which the same thread reads: no barrier. Two groups;
// the first await leaves the second one under way.
// CHECK-LABEL: llvm.func @async(
// CHECK: "cp.async.cg.shared.global [$0], [$1], 16;", "r,l,~{memory}"
// CHECK: nvvm.cp.async.commit.group
// CHECK: "cp.async.cg.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.cp.async.wait.group 1
// CHECK: "ld.shared.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,r,~{memory}"
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: "ld.shared.v4.b32
quack_tv.kernel @async(%x: memref<?x128xf32> in row, %z: memref<?x128xf32> inout row, %y: memref<?x128xf32> out row) plan #plan shared 1024 {
  %s = quack_tv.stage %x by async at 0 : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
  %t = quack_tv.stage %z by async at 512 : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
  quack_tv.await %s : !quack_tv.staged<tensor<1x128xf32, #tile>>
  %a = quack_tv.read %s pass 0 : !quack_tv.staged<tensor<1x128xf32, #tile>>
  quack_tv.store %a, %y : tensor<1x128xf32, #tile>, memref<?x128xf32>
  quack_tv.await %t : !quack_tv.staged<tensor<1x128xf32, #tile>>
  %b = quack_tv.read %t pass 0 : !quack_tv.staged<tensor<1x128xf32, #tile>>
  quack_tv.store %b, %z : tensor<1x128xf32, #tile>, memref<?x128xf32>
}

// What lies outside the rows or columns is filled with zero: source size 0.
// CHECK-LABEL: llvm.func @async_outside(
// CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}} : i1
// CHECK: %[[BYTES:.*]] = arith.select %[[INSIDE]], %c16_i32, %c0_i32 : i32
// CHECK: "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}" %{{.*}}, %{{.*}}, %[[BYTES]]
// CHECK: "ld.shared.v4.b32 {$0, $1, $2, $3}, [$4];"
quack_tv.kernel @async_outside(%x: memref<?x60xf32> inout row) plan #two shared 512 {
  %s = quack_tv.stage %x by async at 0 : memref<?x60xf32> -> !quack_tv.staged<tensor<2x64xf32, #rows>>
  quack_tv.await %s : !quack_tv.staged<tensor<2x64xf32, #rows>>
  %a = quack_tv.read %s pass 0 : !quack_tv.staged<tensor<2x64xf32, #rows>>
  quack_tv.store %a, %x : tensor<2x64xf32, #rows>, memref<?x60xf32>
}

// One thread announces the bytes of the rows that exist and issues one copy a
// row; the readers wait on the mbarrier of their own CTA.
// CHECK-LABEL: llvm.func @bulk(
// CHECK-SAME: %{{.*}}: !llvm.ptr<1>, %[[STRIDE:.*]]: i64, %[[M:.*]]: i64)
// CHECK: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NOT: expect_tx
// CHECK: %[[LEFT:.*]] = arith.subi %[[M]], %{{.*}} : i64
// CHECK: %[[ROWS:.*]] = arith.minsi %[[LEFT]], %c2_i64
// CHECK: %[[TOTAL:.*]] = arith.muli %[[ROWS]], %c256_i64
// CHECK: %[[BYTES:.*]] = arith.trunci %[[TOTAL]] : i64 to i32
// CHECK: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}" %{{.*}}, %[[BYTES]]
// CHECK: arith.cmpi sgt, %[[ROWS]], %c0_i64
// CHECK: "@$4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];", "r,l,r,r,b,~{memory}" %{{.*}}, %{{.*}}, %c256_i32
// CHECK: arith.cmpi sgt, %[[ROWS]], %c1_i64
// CHECK: arith.muli %{{.*}}, %[[STRIDE]] : i64
// CHECK: cp.async.bulk
// CHECK: nvvm.barrier
// CHECK: scf.while
// CHECK: nvvm.mbarrier.try_wait %{{.*}}, %c0_i32 : !llvm.ptr<3>, i32 -> i1
// CHECK: @$5 ld.shared.v4.b32 {$0, $1, $2, $3}, [$4]; }"
quack_tv.kernel @bulk(%x: memref<?x64xf32> inout row) plan #two shared 520 {
  quack_tv.cluster_init barriers [512] expect [0]
  %s = quack_tv.stage %x by bulk at 0 barrier 512 : memref<?x64xf32> -> !quack_tv.staged<tensor<2x64xf32, #rows>>
  quack_tv.barrier
  quack_tv.await %s : !quack_tv.staged<tensor<2x64xf32, #rows>>
  %a = quack_tv.read %s pass 0 : !quack_tv.staged<tensor<2x64xf32, #rows>>
  quack_tv.store %a, %x : tensor<2x64xf32, #rows>, memref<?x64xf32>
}

// Each CTA of a cluster copies its own columns: at most 128, and never beyond N.
// CHECK-LABEL: llvm.func @bulk_in_a_cluster(
// CHECK: %[[CTA:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: scf.if
// CHECK: %[[RANK:.*]] = arith.extui %[[CTA]] : i32 to i64
// CHECK: %[[START:.*]] = arith.muli %[[RANK]], %c128_i64
// CHECK: %[[LEFT:.*]] = arith.subi %c200_i64, %[[START]]
// CHECK: arith.maxsi %[[LEFT]], %c0_i64
// CHECK: arith.minsi %{{.*}}, %c128_i64
// CHECK: cp.async.bulk
quack_tv.kernel @bulk_in_a_cluster(%x: memref<?x200xf32> inout row) plan #pair shared 520 {
  quack_tv.cluster_init barriers [512] expect [0]
  %s = quack_tv.stage %x by bulk at 0 barrier 512 : memref<?x200xf32> -> !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.barrier
  quack_tv.await %s : !quack_tv.staged<tensor<1x256xf32, #half>>
  %a = quack_tv.read %s pass 0 : !quack_tv.staged<tensor<1x256xf32, #half>>
  quack_tv.store %a, %x : tensor<1x256xf32, #half>, memref<?x200xf32>
}
