// RUN: quack-opt %s --quack-lower-math | FileCheck %s -enable-var-scope

// CHECK-LABEL: func @bf16_through_f32
// CHECK-SAME: (%[[X:.*]]: vector<2xbf16>)
func.func @bf16_through_f32(%x: vector<2xbf16>) -> vector<2xbf16> {
  // CHECK: %[[WIDE:.*]] = arith.extf %[[X]] : vector<2xbf16> to vector<2xf32>
  // CHECK: arith.mulf %[[WIDE]]
  // CHECK: %[[Y:.*]] = vector.from_elements
  // CHECK: arith.truncf %[[Y]] : vector<2xf32> to vector<2xbf16>
  %0 = math.exp %x : vector<2xbf16>
  return %0 : vector<2xbf16>
}

// CHECK-LABEL: func @f16_through_f32
func.func @f16_through_f32(%x: f16) -> f16 {
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: llvm.intr.sqrt(%{{.*}}) : (f32) -> f32
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %0 = math.sqrt %x : f16
  return %0 : f16
}

// fma rounds once, which a sum in f32 would not.
// CHECK-LABEL: func @fma_in_its_own_type
func.func @fma_in_its_own_type(%x: vector<2xf16>) -> vector<2xf16> {
  // CHECK-NOT: arith.extf
  // CHECK: llvm.intr.fma(%{{.*}}) : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> vector<2xf16>
  %0 = math.fma %x, %x, %x : vector<2xf16>
  return %0 : vector<2xf16>
}
