// RUN: quack-opt %s --convert-quack-tv-to-gpu | FileCheck %s --implicit-check-not=quack_tv

// The launch ABI and the launch bounds. One gpu.module with one external array of
// shared memory holds all kernels.

#plan = #quack_tv.plan<threads = 96, threads_per_row = 96, rows_per_thread = 1, cluster = 1, vector = 4>
#bounded = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 16, vector = 4, ctas_per_sm = 3>

// CHECK-LABEL: gpu.module @quack_kernels
// CHECK-NEXT: llvm.mlir.global external @quack_shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
// CHECK-NOT: llvm.mlir.global

// Pointer and row stride for each memref, then M, then the values.
// CHECK-LABEL: llvm.func @abi(
// CHECK-SAME: %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: f32, %{{.*}}: i32)
// CHECK-SAME: attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 96, 1, 1>}
// CHECK: llvm.return
quack_tv.kernel @abi(%eps: f32, %x: memref<?x512xf32> in row, %w: memref<512xbf16> in columns,
                     %k: i32, %s: memref<?xi64> in scalar) plan #plan shared 0 {}

// CHECK-LABEL: llvm.func @bounds(
// CHECK-SAME: attributes {gpu.kernel, nvvm.cluster_dim = array<i32: 16, 1, 1>, nvvm.kernel, nvvm.minctasm = 3 : i32, nvvm.reqntid = array<i32: 128, 1, 1>}
quack_tv.kernel @bounds(%x: memref<?x512xf32> in row) plan #bounded shared 0 {}

// A launch value reaches each row.
// CHECK-LABEL: llvm.func @value(
// CHECK-SAME: %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: i64, %[[EPS:.*]]: f32)
// CHECK: %[[WORD:.*]] = llvm.bitcast %[[EPS]] : f32 to i32
// CHECK: st.global.b32
// CHECK-SAME: %[[WORD]]
quack_tv.kernel @value(%x: memref<?x512xf32> in row, %s: memref<?xf32> out scalar, %eps: f32) plan #plan shared 0 {
  %0 = quack_tv.broadcast %eps : f32 -> tensor<1x1xf32, #quack_tv.layout<warp = [3:0], lane = [32:0]>>
  quack_tv.store %0, %s : tensor<1x1xf32, #quack_tv.layout<warp = [3:0], lane = [32:0]>>, memref<?xf32>
}
