// RUN: quack-opt %s --convert-quack-tv-to-gpu | FileCheck %s

// Each pass widens with another zero that no compiler can know, so that the
// widenings of two passes are not merged.

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 2>
#tile = #quack_tv.layout<lane = [32:2], value = [2:1]>
#single = #quack_tv.layout<lane = [32:1]>

// CHECK-LABEL: llvm.func @bf16(
// CHECK-DAG: %[[Y:.*]] = nvvm.read.ptx.sreg.ctaid.y : i32
// CHECK-DAG: %[[Z:.*]] = nvvm.read.ptx.sreg.ctaid.z : i32
// CHECK-DAG: %[[THIRD:.*]] = arith.muli %[[Y]], %{{.*}} : i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %[[Y]], %{{.*}})
// CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %[[Y]], %{{.*}})
// CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %[[Z]], %{{.*}})
// CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %[[Z]], %{{.*}})
// CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %[[THIRD]], %{{.*}})
// CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %[[THIRD]], %{{.*}})
quack_tv.kernel @bf16(%x: memref<?x64xbf16> in row, %y: memref<?x64xf32> out row) plan #plan shared 0 {
  %v = quack_tv.load %x : memref<?x64xbf16> -> tensor<1x64xbf16, #tile>
  %a = quack_tv.widen %v pass 0 : tensor<1x64xbf16, #tile>
  %b = quack_tv.widen %v pass 1 : tensor<1x64xbf16, #tile>
  %c = quack_tv.widen %v pass 2 : tensor<1x64xbf16, #tile>
  %d = arith.addf %a, %b : tensor<1x64xf32, #tile>
  %e = arith.addf %d, %c : tensor<1x64xf32, #tile>
  quack_tv.store %e, %y : tensor<1x64xf32, #tile>, memref<?x64xf32>
}

// CHECK-LABEL: llvm.func @f16(
// CHECK: %[[Y:.*]] = nvvm.read.ptx.sreg.ctaid.y : i32
// CHECK: %[[WORD:.*]] = arith.xori %{{.*}}, %[[Y]] : i32
// CHECK: %[[HALVES:.*]] = llvm.bitcast %[[WORD]] : i32 to vector<2xf16>
// CHECK: arith.extf %[[HALVES]] : vector<2xf16> to vector<2xf32>
quack_tv.kernel @f16(%x: memref<?x64xf16> in row, %y: memref<?x64xf32> out row) plan #plan shared 0 {
  %v = quack_tv.load %x : memref<?x64xf16> -> tensor<1x64xf16, #tile>
  %a = quack_tv.widen %v pass 0 : tensor<1x64xf16, #tile>
  quack_tv.store %a, %y : tensor<1x64xf32, #tile>, memref<?x64xf32>
}

// A lone element is no half of a word.
// CHECK-LABEL: llvm.func @single(
// CHECK-NOT: ctaid.y
// CHECK: arith.extf %{{.*}} : bf16 to f32
quack_tv.kernel @single(%x: memref<?x32xbf16> in row, %y: memref<?x32xf32> out row) plan #plan shared 0 {
  %v = quack_tv.load %x : memref<?x32xbf16> -> tensor<1x32xbf16, #single>
  %a = quack_tv.widen %v pass 0 : tensor<1x32xbf16, #single>
  quack_tv.store %a, %y : tensor<1x32xf32, #single>, memref<?x32xf32>
}
