// RUN: quack-opt %s --quack-lower-math | FileCheck %s -enable-var-scope

// Subnormal arguments count, so the instruction is the one without .ftz.
// CHECK-LABEL: func @log2_is_lg2
func.func @log2_is_lg2(%x: f32) -> f32 {
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
  // CHECK-NEXT: return
  %0 = math.log2 %x : f32
  return %0 : f32
}

// CHECK-LABEL: func @log_is_a_multiple
func.func @log_is_a_multiple(%x: f32) -> f32 {
  // CHECK: %[[LG2:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
  // CHECK: %[[LN2:.*]] = arith.constant 0.693147182 : f32
  // CHECK: arith.mulf %[[LG2]], %[[LN2]]
  %0 = math.log %x : f32
  return %0 : f32
}

// CHECK-LABEL: func @log10_is_a_multiple
func.func @log10_is_a_multiple(%x: f32) -> f32 {
  // CHECK: %[[LG2:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
  // CHECK: %[[FACTOR:.*]] = arith.constant 3.010300e-01 : f32
  // CHECK: arith.mulf %[[LG2]], %[[FACTOR]]
  %0 = math.log10 %x : f32
  return %0 : f32
}

// lg2 serves the special values only.
// CHECK-LABEL: func @log1p_is_a_polynomial
func.func @log1p_is_a_polynomial(%x: f32) -> f32 {
  // CHECK-COUNT-11: llvm.intr.fma
  // CHECK: %[[LG2:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
  // CHECK: arith.select %{{.*}}, %{{.*}}, %[[LG2]]
  %0 = math.log1p %x : f32
  return %0 : f32
}
