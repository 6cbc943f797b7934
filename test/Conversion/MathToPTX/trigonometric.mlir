// RUN: quack-opt %s --quack-lower-math | FileCheck %s -enable-var-scope

// CHECK-LABEL: func @sin_branches_on_large_arguments
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @sin_branches_on_large_arguments(%x: f32) -> f32 {
  // Three parts of pi/2.
  // CHECK-COUNT-4: llvm.intr.fma
  // CHECK: %[[LARGE:.*]] = arith.andi %{{.*}} : i1
  // CHECK: %[[REDUCED:.*]]:2 = scf.if %[[LARGE]] -> (f32, i32)
  // CHECK-COUNT-3: arith.muli %{{.*}} : i64
  // CHECK: } else {
  // CHECK-NEXT: scf.yield
  // CHECK: arith.mulf %[[REDUCED]]#0, %[[REDUCED]]#0
  // CHECK: arith.andi %[[REDUCED]]#1
  %0 = math.sin %x : f32
  return %0 : f32
}

// One branch for all lanes; cos is sin a quarter turn on.
// CHECK-LABEL: func @cos_of_vector
func.func @cos_of_vector(%x: vector<4xf32>) -> vector<4xf32> {
  // CHECK: %[[ANY:.*]] = vector.reduction <or>, %{{.*}} : vector<4xi1> into i1
  // CHECK: %[[REDUCED:.*]]:2 = scf.if %[[ANY]] -> (vector<4xf32>, vector<4xi32>)
  // CHECK-NOT: scf.if
  // CHECK: arith.addi %[[REDUCED]]#1
  %0 = math.cos %x : vector<4xf32>
  return %0 : vector<4xf32>
}
