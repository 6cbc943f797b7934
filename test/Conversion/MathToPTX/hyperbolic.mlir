// RUN: quack-opt %s --quack-lower-math | FileCheck %s -enable-var-scope

// The hardware's tanh.approx is too coarse for f32.
// CHECK-LABEL: func @tanh_by_exp_and_polynomial
// CHECK-SAME: (%[[X:.*]]: vector<8xf32>)
func.func @tanh_by_exp_and_polynomial(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK: %[[T:.*]] = llvm.intr.fabs(%[[X]])
  // CHECK-COUNT-6: llvm.intr.fma
  // CHECK-COUNT-8: llvm.nvvm.ex2.approx.ftz.f32
  // CHECK-COUNT-8: llvm.nvvm.rcp.approx.ftz.f
  // CHECK: %[[LARGE:.*]] = llvm.intr.fma
  // CHECK: %[[CHOSEN:.*]] = arith.select %{{.*}}, %{{.*}}, %[[LARGE]]
  // CHECK: llvm.intr.copysign(%[[CHOSEN]], %[[X]])
  %0 = math.tanh %x : vector<8xf32>
  return %0 : vector<8xf32>
}
