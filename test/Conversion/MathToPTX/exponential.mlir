// RUN: quack-opt %s --quack-lower-math | FileCheck %s -enable-var-scope

// CHECK-LABEL: func @exp_is_ex2_of_a_product
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @exp_is_ex2_of_a_product(%x: f32) -> f32 {
  // CHECK-NEXT: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
  // CHECK-NEXT: %[[P:.*]] = arith.mulf %[[X]], %[[LOG2E]] : f32
  // CHECK-NEXT: %[[E:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[P]])
  // CHECK-NEXT: return %[[E]]
  %0 = math.exp %x : f32
  return %0 : f32
}

// The product is one vector operation, each lane has its ex2.
// CHECK-LABEL: func @exp_of_vector
func.func @exp_of_vector(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK: arith.mulf %{{.*}} : vector<8xf32>
  // CHECK: vector.to_elements
  // CHECK-COUNT-8: llvm.nvvm.ex2.approx.ftz.f32
  // CHECK-NOT: llvm.nvvm.ex2.approx.ftz.f32
  // CHECK: vector.from_elements
  %0 = math.exp %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func @exp2_of_one_lane
func.func @exp2_of_one_lane(%x: vector<1xf32>) -> vector<1xf32> {
  // CHECK-NEXT: vector.to_elements
  // CHECK-NEXT: llvm.nvvm.ex2.approx.ftz.f32
  // CHECK-NEXT: vector.from_elements
  %0 = math.exp2 %x : vector<1xf32>
  return %0 : vector<1xf32>
}

// A flag would let LLVM fuse what has to be rounded twice.
// CHECK-LABEL: func @expm1_has_no_flags
func.func @expm1_has_no_flags(%x: vector<4xf32>) -> vector<4xf32> {
  // CHECK-NOT: fastmath
  // CHECK-NOT: ex2
  // CHECK: arith.maximumf
  // CHECK: arith.minimumf
  // CHECK-COUNT-10: llvm.intr.fma
  // CHECK: arith.select
  // CHECK-NEXT: return
  %0 = math.expm1 %x fastmath<fast> : vector<4xf32>
  return %0 : vector<4xf32>
}
