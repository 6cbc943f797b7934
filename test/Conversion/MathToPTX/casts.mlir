// RUN: quack-opt %s --quack-lower-math | FileCheck %s -enable-var-scope

// Out of range and NaN are defined: no cast of LLVM's is left.

// CHECK-LABEL: func @bytes
// CHECK-SAME: (%[[X:.*]]: vector<2xf32>)
func.func @bytes(%x: vector<2xf32>) -> vector<2xi8> {
  // CHECK: %[[LANES:.*]]:2 = vector.to_elements %[[X]]
  // CHECK: %[[A:.*]] = llvm.inline_asm asm_dialect = att "cvt.rzi.s8.f32 $0, $1;", "=r,f" %[[LANES]]#0 : (f32) -> i32
  // CHECK: %[[B:.*]] = arith.trunci %[[A]] : i32 to i8
  // CHECK: %[[C:.*]] = llvm.inline_asm asm_dialect = att "cvt.rzi.s8.f32 $0, $1;", "=r,f" %[[LANES]]#1 : (f32) -> i32
  // CHECK: %[[D:.*]] = arith.trunci %[[C]] : i32 to i8
  // CHECK: vector.from_elements %[[B]], %[[D]] : vector<2xi8>
  // CHECK-NOT: arith.fptosi
  %0 = arith.fptosi %x : vector<2xf32> to vector<2xi8>
  return %0 : vector<2xi8>
}

// CHECK-LABEL: func @words
func.func @words(%x: f32, %h: bf16) -> (i32, i16) {
  // CHECK: cvt.rzi.u32.f32
  %0 = arith.fptoui %x : f32 to i32
  // CHECK: %[[W:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK: cvt.rzi.s16.f32 {{.*}} %[[W]]
  %1 = arith.fptosi %h : bf16 to i16
  return %0, %1 : i32, i16
}

// PTX makes 2^63 of NaN here.
// CHECK-LABEL: func @wide
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f64)
func.func @wide(%x: f32, %y: f64) -> (i64, i32) {
  // CHECK: %[[L:.*]] = llvm.inline_asm {{.*}} "cvt.rzi.s64.f32 $0, $1;", "=l,f"
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
  // CHECK: arith.select %[[NAN]], %{{.*}}, %[[L]] : i64
  %0 = arith.fptosi %x : f32 to i64
  // CHECK: %[[R:.*]] = llvm.inline_asm {{.*}} "cvt.rzi.u32.f64 $0, $1;", "=r,d"
  // CHECK: %[[NAN64:.*]] = arith.cmpf uno, %[[Y]], %[[Y]] : f64
  // CHECK: arith.select %[[NAN64]], %{{.*}}, %[[R]] : i32
  %1 = arith.fptoui %y : f64 to i32
  return %0, %1 : i64, i32
}

// PTX has no such integers.
// CHECK-LABEL: func @boolean
func.func @boolean(%x: f32) -> i1 {
  // CHECK: arith.fptoui
  %0 = arith.fptoui %x : f32 to i1
  return %0 : i1
}
