// RUN: quack-opt %s --convert-quack-tv-to-gpu | FileCheck %s

// Columns that do not exist hold the identity of what consumes them.

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#runs = #quack_tv.layout<lane = [32:4], value = [4:1, 3:128]>
#halves = #quack_tv.layout<lane = [32:4], value = [4:1, 3:128]>

// The load leaves -inf (0xff800000), so that the mask is free.
// CHECK-LABEL: llvm.func @filled(
// CHECK: mov.b32 $0, 4286578688;
// CHECK-NOT: arith.select
// CHECK: llvm.return
quack_tv.kernel @filled(%x: memref<?x316xf32> in row) plan #plan shared 0 {
  %0 = quack_tv.load %x : memref<?x316xf32> -> tensor<1x384xf32, #runs>
  %1 = quack_tv.mask %0 from 316 identity 0xFF800000 : f32 : tensor<1x384xf32, #runs>
  %2 = quack_tv.thread_reduce maximumf %1 : tensor<1x384xf32, #runs>
}

// In 16 bits both halves of a word are filled; the tail keeps what lies above it.
// CHECK-LABEL: llvm.func @filled_halves(
// CHECK: mov.b32 $0, 4286644096; mov.b32 $1, 4286644096; @$3 ld.global.v2.b32 {$0, $1}, [$2+512];
// CHECK-SAME: @$4 ld.global.u16 $0, [$2+512]; @$4 or.b32 $0, $0, 4286578688;
// CHECK-NOT: arith.select
// CHECK: llvm.return
quack_tv.kernel @filled_halves(%x: memref<?x317xbf16> in row) plan #plan shared 0 {
  %0 = quack_tv.load %x : memref<?x317xbf16> -> tensor<1x384xbf16, #halves>
  %1 = arith.extf %0 : tensor<1x384xbf16, #halves> to tensor<1x384xf32, #halves>
  %2 = quack_tv.mask %1 from 317 identity 0xFF800000 : f32 : tensor<1x384xf32, #halves>
  %3 = quack_tv.thread_reduce maximumf %2 : tensor<1x384xf32, #halves>
}

// What a computed piece would add is skipped as a whole.
// CHECK-LABEL: llvm.func @skipped(
// CHECK: %[[SUM:.*]] = arith.addf %[[BEFORE:.*]], %{{.*}} : vector<4xf32>
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>
quack_tv.kernel @skipped(%x: memref<?x316xf32> in row) plan #plan shared 0 {
  %0 = quack_tv.load %x : memref<?x316xf32> -> tensor<1x384xf32, #runs>
  %1 = math.exp %0 : tensor<1x384xf32, #runs>
  %2 = quack_tv.mask %1 from 316 identity 0.0 : f32 : tensor<1x384xf32, #runs>
  %3 = quack_tv.thread_reduce addf %2 : tensor<1x384xf32, #runs>
}

// A run that the row's end cuts, of a value that no load left: selects, but for
// pieces that all threads have.
// CHECK-LABEL: llvm.func @selected(
// CHECK: %[[E0:.*]] = math.exp
// CHECK: %[[E1:.*]] = math.exp
// CHECK: %[[S1:.*]] = arith.addf %[[E0]], %[[E1]]
// CHECK: %[[E2:.*]] = math.exp
// CHECK: %[[IDENTITY:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: %[[MASKED:.*]] = arith.select %{{.*}}, %[[E2]], %[[IDENTITY]] : vector<4xi1>
// CHECK: arith.addf %[[S1]], %[[MASKED]]
quack_tv.kernel @selected(%x: memref<?x317xf32> in row) plan #plan shared 0 {
  %0 = quack_tv.load %x : memref<?x317xf32> -> tensor<1x384xf32, #runs>
  %1 = math.exp %0 : tensor<1x384xf32, #runs>
  %2 = quack_tv.mask %1 from 317 identity 0.0 : f32 : tensor<1x384xf32, #runs>
  %3 = quack_tv.thread_reduce addf %2 : tensor<1x384xf32, #runs>
}
