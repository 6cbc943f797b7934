// RUN: quack-opt %s --quack-lower-math | FileCheck %s -enable-var-scope

// CHECK-LABEL: func @erf_in_two_pieces
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @erf_in_two_pieces(%x: f32) -> f32 {
  // CHECK: %[[T:.*]] = llvm.intr.fabs(%[[X]])
  // CHECK-COUNT-5: llvm.intr.fma
  // CHECK: %[[NEAR:.*]] = llvm.intr.fma(%{{.*}}, %[[T]], %[[T]])
  // CHECK: arith.minimumf %[[T]]
  // CHECK-COUNT-7: llvm.intr.fma
  // CHECK: %[[POWER:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CHECK: %[[FAR:.*]] = arith.subf %{{.*}}, %[[POWER]]
  // CHECK: %[[CHOSEN:.*]] = arith.select %{{.*}}, %[[NEAR]], %[[FAR]]
  // CHECK: llvm.intr.copysign(%[[CHOSEN]], %[[X]])
  %0 = math.erf %x : f32
  return %0 : f32
}
