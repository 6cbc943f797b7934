// RUN: quack-opt %s --quack-lower-math | FileCheck %s -enable-var-scope

// CHECK-LABEL: func @one_intrinsic_each
// CHECK-SAME: (%[[X:.*]]: vector<8xf32>, %[[Y:.*]]: vector<8xf32>)
func.func @one_intrinsic_each(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  // CHECK: %[[ABS:.*]] = llvm.intr.fabs(%[[X]])
  %0 = math.absf %x : vector<8xf32>
  // CHECK: %[[SIGN:.*]] = llvm.intr.copysign(%[[ABS]], %[[Y]])
  %1 = math.copysign %0, %y : vector<8xf32>
  // CHECK: %[[FMA:.*]] = llvm.intr.fma(%[[X]], %[[Y]], %[[SIGN]])
  %2 = math.fma %x, %y, %1 : vector<8xf32>
  // CHECK: %[[SQRT:.*]] = llvm.intr.sqrt(%[[FMA]])
  %3 = math.sqrt %2 : vector<8xf32>
  // CHECK-NOT: math.
  return %3 : vector<8xf32>
}

// CHECK-LABEL: func @roundings
func.func @roundings(%x: f32) -> (f32, f32, f32, f32, f32) {
  // CHECK: llvm.intr.floor
  %0 = math.floor %x : f32
  // CHECK: llvm.intr.ceil
  %1 = math.ceil %x : f32
  // CHECK: llvm.intr.trunc
  %2 = math.trunc %x : f32
  // CHECK: llvm.intr.round(
  %3 = math.round %x : f32
  // CHECK: llvm.intr.roundeven
  %4 = math.roundeven %x : f32
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// An intrinsic of NVVM takes a scalar.
// CHECK-LABEL: func @rsqrt_lane_by_lane
// CHECK-SAME: (%[[X:.*]]: vector<2xf32>)
func.func @rsqrt_lane_by_lane(%x: vector<2xf32>) -> vector<2xf32> {
  // CHECK: %[[LANES:.*]]:2 = vector.to_elements %[[X]]
  // CHECK: %[[A:.*]] = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%[[LANES]]#0)
  // CHECK: %[[B:.*]] = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%[[LANES]]#1)
  // CHECK: vector.from_elements %[[A]], %[[B]]
  %0 = math.rsqrt %x : vector<2xf32>
  return %0 : vector<2xf32>
}

// CHECK-LABEL: func @classes
func.func @classes(%x: f32, %v: vector<4xbf16>) -> (i1, i1, vector<4xi1>) {
  // CHECK: arith.cmpf uno
  %0 = math.isnan %x : f32
  // CHECK: arith.cmpf oeq
  %1 = math.isinf %x : f32
  // CHECK: arith.extf
  // CHECK: arith.cmpf olt
  %2 = math.isfinite %v : vector<4xbf16>
  return %0, %1, %2 : i1, i1, vector<4xi1>
}

// CHECK-LABEL: func @integers
func.func @integers(%x: vector<4xi32>) -> vector<4xi32> {
  // CHECK: "llvm.intr.abs"(%{{.*}}) <{is_int_min_poison = false}>
  %0 = math.absi %x : vector<4xi32>
  // CHECK: llvm.intr.ctpop
  %1 = math.ctpop %0 : vector<4xi32>
  // CHECK: "llvm.intr.ctlz"(%{{.*}}) <{is_zero_poison = false}>
  %2 = math.ctlz %1 : vector<4xi32>
  // CHECK: "llvm.intr.cttz"(%{{.*}}) <{is_zero_poison = false}>
  %3 = math.cttz %2 : vector<4xi32>
  return %3 : vector<4xi32>
}

// Other operations stay as they are.
// CHECK-LABEL: func @leaves_arith_alone
func.func @leaves_arith_alone(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: return
  %0 = arith.addf %x, %x : vector<8xf32>
  return %0 : vector<8xf32>
}
