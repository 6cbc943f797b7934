// RUN: quack-opt %s --verify-roundtrip | FileCheck %s
// RUN: quack-opt %s --mlir-print-op-generic | quack-opt | FileCheck %s

// CHECK-LABEL: quack.kernel @every_role(%x: memref<?x64xbf16> in row, %w: memref<64xf16> in columns, %t: memref<?xi64> in scalar, %y: memref<?x64xf32> out row, %s: memref<?xf32> inout scalar, %eps: f32, %k: i32, %n: i64) {
quack.kernel @every_role(%x: memref<?x64xbf16> in row, %w: memref<64xf16> in columns,
                         %t: memref<?xi64> in scalar, %y: memref<?x64xf32> out row,
                         %s: memref<?xf32> inout scalar, %eps: f32, %k: i32, %n: i64) {
  // CHECK-NEXT: %[[V:.*]] = quack.load %x : memref<?x64xbf16> -> tensor<64xf32>
  %v = quack.load %x : memref<?x64xbf16> -> tensor<64xf32>
  // CHECK-NEXT: quack.load %w : memref<64xf16> -> tensor<64xf16>
  %g = quack.load %w : memref<64xf16> -> tensor<64xf16>
  // CHECK-NEXT: quack.load %t : memref<?xi64> -> i64
  %target = quack.load %t : memref<?xi64> -> i64
  // CHECK-NEXT: %[[OLD:.*]] = quack.load %s : memref<?xf32> -> f32
  %old = quack.load %s : memref<?xf32> -> f32
  // CHECK-NEXT: quack.store %[[V]], %y : tensor<64xf32>, memref<?x64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
  // CHECK-NEXT: quack.store %[[OLD]], %s : f32, memref<?xf32>
  quack.store %old, %s : f32, memref<?xf32>
}

// CHECK-LABEL: quack.kernel @generic(%x: memref<?x?xf32> in row, %y: memref<?x?xi8> out row)
quack.kernel @generic(%x: memref<?x?xf32> in row, %y: memref<?x?xi8> out row) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %i = arith.fptosi %v : tensor<?xf32> to tensor<?xi32>
  // CHECK: quack.store %{{.*}}, %y : tensor<?xi32>, memref<?x?xi8>
  quack.store %i, %y : tensor<?xi32>, memref<?x?xi8>
}

// CHECK-LABEL: quack.kernel @planned
// CHECK-SAME: plan #plan attributes {note = "kept"} {
quack.kernel @planned(%x: memref<?x64xf32> inout row)
    plan #quack_tv.plan<threads = 64> attributes {note = "kept"} {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %x : tensor<64xf32>, memref<?x64xf32>
}

// CHECK-LABEL: quack.kernel @unplanned_attributes
// CHECK-SAME: attributes {note} {
quack.kernel @unplanned_attributes(%x: memref<?x64xf32> in row) attributes {note} {
}

// CHECK-LABEL: quack.kernel @private(%x: memref<?x1xf32> in row) {
// CHECK-NEXT: }
quack.kernel @private(%x: memref<?x1xf32> in row) {}

// CHECK-LABEL: quack.kernel @attributes_of_operations
quack.kernel @attributes_of_operations(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row,
                                       %s: memref<?xf32> out scalar, %i: memref<?xi32> out scalar) {
  // CHECK: %[[V:.*]] = quack.load %x {a} : memref<?x64xf32> -> tensor<64xf32>
  %v = quack.load %x {a} : memref<?x64xf32> -> tensor<64xf32>
  // CHECK: quack.columns {a} : i32
  %n = quack.columns {a} : i32
  // CHECK: %[[SUM:.*]] = quack.reduce addf %[[V]] {a} : tensor<64xf32> -> f32
  %sum = quack.reduce addf %v {a} : tensor<64xf32> -> f32
  // CHECK: quack.reduce maximumf %[[V]] init %[[SUM]] : tensor<64xf32> -> f32
  %max = quack.reduce maximumf %v init %sum : tensor<64xf32> -> f32
  // CHECK: %[[ROW:.*]] = quack.broadcast %[[SUM]] {a} : f32 -> tensor<64xf32>
  %row = quack.broadcast %sum {a} : f32 -> tensor<64xf32>
  // CHECK: quack.store %[[ROW]], %y {a} : tensor<64xf32>, memref<?x64xf32>
  quack.store %row, %y {a} : tensor<64xf32>, memref<?x64xf32>
  quack.store %max, %s : f32, memref<?xf32>
  quack.store %n, %i : i32, memref<?xi32>
}

// CHECK-LABEL: quack.kernel @float_kinds
quack.kernel @float_kinds(%x: memref<?x64xf32> in row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  // CHECK: reduce addf
  %0 = quack.reduce addf %v : tensor<64xf32> -> f32
  // CHECK: reduce mulf
  %1 = quack.reduce mulf %v : tensor<64xf32> -> f32
  // CHECK: reduce maximumf
  %2 = quack.reduce maximumf %v : tensor<64xf32> -> f32
  // CHECK: reduce minimumf
  %3 = quack.reduce minimumf %v : tensor<64xf32> -> f32
  // CHECK: reduce maxnumf
  %4 = quack.reduce maxnumf %v : tensor<64xf32> -> f32
  // CHECK: reduce minnumf
  %5 = quack.reduce minnumf %v : tensor<64xf32> -> f32
}

// CHECK-LABEL: quack.kernel @integer_kinds
quack.kernel @integer_kinds(%x: memref<?x64xi8> in row) {
  %v = quack.load %x : memref<?x64xi8> -> tensor<64xi32>
  // CHECK: reduce addi
  %0 = quack.reduce addi %v : tensor<64xi32> -> i32
  // CHECK: reduce muli
  %1 = quack.reduce muli %v : tensor<64xi32> -> i32
  // CHECK: reduce maxsi
  %2 = quack.reduce maxsi %v : tensor<64xi32> -> i32
  // CHECK: reduce minsi
  %3 = quack.reduce minsi %v : tensor<64xi32> -> i32
  // CHECK: reduce maxui
  %4 = quack.reduce maxui %v : tensor<64xi32> -> i32
  // CHECK: reduce minui
  %5 = quack.reduce minui %v : tensor<64xi32> -> i32
  // CHECK: reduce andi
  %6 = quack.reduce andi %v : tensor<64xi32> -> i32
  // CHECK: reduce ori
  %7 = quack.reduce ori %v : tensor<64xi32> -> i32
  // CHECK: reduce xori
  %8 = quack.reduce xori %v : tensor<64xi32> -> i32
}

// The attributes on their own.
// CHECK-LABEL: func.func private @attributes
// CHECK-SAME: kind = #quack.kind<maxnumf>
// CHECK-SAME: operand = #quack.operand<"x", inout scalar>
func.func private @attributes() attributes {
  kind = #quack.kind<maxnumf>, operand = #quack.operand<"x", inout scalar>}

// CHECK-LABEL: quack.kernel @for_aligned_rows(%x: memref<?x64xf32> in row) otherwise @for_all_rows {
quack.kernel @for_aligned_rows(%x: memref<?x64xf32> in row) otherwise @for_all_rows {}
quack.kernel @for_all_rows(%x: memref<?x64xf32> in row) {}

// CHECK-LABEL: quack.kernel @bytes(%x: memref<?x64xf8E5M2> in row, %w: memref<64xf8E4M3FN> in columns, %s: memref<?xf8E4M3FN> in scalar, %y: memref<?x64xf8E4M3FN> out row)
quack.kernel @bytes(%x: memref<?x64xf8E5M2> in row, %w: memref<64xf8E4M3FN> in columns,
                    %s: memref<?xf8E4M3FN> in scalar, %y: memref<?x64xf8E4M3FN> out row) {
  // CHECK: quack.load %x : memref<?x64xf8E5M2> -> tensor<64xf32>
  %v = quack.load %x : memref<?x64xf8E5M2> -> tensor<64xf32>
  // CHECK: quack.load %w : memref<64xf8E4M3FN> -> tensor<64xbf16>
  %g = quack.load %w : memref<64xf8E4M3FN> -> tensor<64xbf16>
  // CHECK: quack.load %s : memref<?xf8E4M3FN> -> f16
  %h = quack.load %s : memref<?xf8E4M3FN> -> f16
  // CHECK: quack.max_finite %y {a} : memref<?x64xf8E4M3FN> -> f32
  %most = quack.max_finite %y {a} : memref<?x64xf8E4M3FN> -> f32
  // CHECK: quack.store %{{.*}}, %y : tensor<64xbf16>, memref<?x64xf8E4M3FN>
  quack.store %g, %y : tensor<64xbf16>, memref<?x64xf8E4M3FN>
}
