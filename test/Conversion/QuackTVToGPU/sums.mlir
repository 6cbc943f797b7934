// RUN: quack-opt %s --convert-quack-tv-to-gpu | FileCheck %s

// A loop over the cluster's tiles carries each thread's sums and the parity of its turn.

#plan = #quack_tv.plan<threads = 64, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, partials = 3>
#one = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, partials = 3>
#fold = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 4, partials = 20>
#tile = #quack_tv.layout<warp = [2:128], lane = [32:4], value = [4:1]>
#single = #quack_tv.layout<lane = [32:4], value = [4:1]>

// Two rows a tile: of the last one perhaps only one exists, and the sum stays.
// CHECK-LABEL: llvm.func @groups(
// CHECK: arith.divui %{{.*}}, %c2
// CHECK: %[[LOOP:.*]]:5 = scf.for %[[TILE:.*]] = %{{.*}} to %{{.*}} step %c3_i64{{.*}} iter_args(%[[S:.*]] = %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[PHASE:.*]] = %c0_i32
// CHECK: arith.muli %[[TILE]], %c2
// CHECK: ld.global.v4.b32
// CHECK: %[[NEXT:.*]] = llvm.inline_asm has_side_effects {{.*}}"add.rn.f32 $0, $1, $2;", "=f,f,f" %[[S]],
// CHECK-NEXT: arith.select %{{.*}}, %[[NEXT]], %[[S]] : f32
// CHECK-COUNT-3: "add.rn.f32 $0, $1, $2;"
// CHECK: arith.xori %[[PHASE]], %c1_i32
// CHECK: scf.yield
// The groups meet in shared memory, and each thread adds up some columns.
// CHECK: st.shared.v4.b32
// CHECK: nvvm.barrier
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
quack_tv.kernel @groups(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #plan shared 1024 workspace 512 {
  quack_tv.each_tile
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<2x128xf32, #tile>
  quack_tv.accumulate %v, %s at 0 gather 0 : tensor<2x128xf32, #tile>, memref<128xf32>
}

// One row a tile: each is there, and the sums go to the workspace as they are.
// CHECK-LABEL: llvm.func @direct(
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK-COUNT-4: "add.rn.f32 $0, $1, $2;"
// CHECK: scf.yield
// CHECK-NOT: shared
// CHECK: st.global.v4.b32
// CHECK: llvm.return
quack_tv.kernel @direct(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #one shared 0 workspace 512 {
  quack_tv.each_tile
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #single>
  quack_tv.accumulate %v, %s at 0 : tensor<1x128xf32, #single>, memref<128xf32>
}

// Staged rows: the first tile's copies before the loop, the next one's at a tile's start; all
// but those have arrived where the tile is read, and none is under way at the end.
// CHECK-LABEL: llvm.func @staged(
// CHECK: cp.async.cg.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK: arith.xori %{{.*}}, %c1_i32
// CHECK: cp.async.cg.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
// CHECK: ld.shared.v4.b32
// CHECK: scf.yield
// CHECK: nvvm.cp.async.wait.group 0
quack_tv.kernel @staged(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #one shared 1024 workspace 512 {
  quack_tv.each_tile
  %a = quack_tv.stage %x by async at 0 : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #single>>
  quack_tv.await %a : !quack_tv.staged<tensor<1x128xf32, #single>>
  %v = quack_tv.read %a pass 0 : !quack_tv.staged<tensor<1x128xf32, #single>>
  quack_tv.accumulate %v, %s at 0 : tensor<1x128xf32, #single>, memref<128xf32>
}

// Twenty partials for two warps: 8 for each at once, and 2 more.
// CHECK-LABEL: llvm.func @folds(
// CHECK: scf.for
// CHECK-COUNT-8: llvm.load {{.*}} !llvm.ptr<1> -> f32
// CHECK-COUNT-8: arith.addf
// CHECK: scf.yield
// CHECK-COUNT-2: llvm.load {{.*}} !llvm.ptr<1> -> f32
// CHECK: nvvm.barrier
// CHECK-COUNT-2: llvm.load {{.*}} !llvm.ptr<3> -> f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: llvm.store {{.*}} : bf16, !llvm.ptr<1>
quack_tv.kernel @folds(%x: memref<?x128xf32> in row, %s: memref<128xbf16> out columns) plan #fold shared 256 workspace 512 {
  quack_tv.fold %s of 20 at 0 : memref<128xbf16>
}
