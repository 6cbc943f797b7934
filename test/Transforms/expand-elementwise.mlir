// RUN: example-opt %s --quack-expand-elementwise --verify-each | FileCheck %s
// RUN: example-opt %s --quack-to-plan=columns=64 | FileCheck %s --check-prefix=PLANNED --implicit-check-not=example.
// RUN: example-opt %s --quack-to-llvm=columns=64 | FileCheck %s --check-prefix=LOWERED --implicit-check-not=example.
// RUN: example-opt %s --verify-roundtrip | FileCheck %s --check-prefix=ASIS
// RUN: not quack-opt %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Planner and lowering get operations that they know, whatever N is.
// PLANNED: quack.kernel @rows({{.*}} plan #plan
// PLANNED: func.func @outside
// PLANNED-NEXT: %{{.*}} = example.gelu %arg0
// LOWERED: func.func @outside
// LOWERED-NEXT: %{{.*}} = example.gelu %arg0
// LOWERED: llvm.func @rows(

// No tool of ours knows the dialect.
// ASIS: example.gelu
// UNKNOWN: error: {{.*}}example

// Rows of ? columns, scalars, and a row with an element for each group of columns.
// CHECK-LABEL: quack.kernel @rows(
// CHECK:         %[[V:.*]] = quack.load
// CHECK-NEXT:    %[[C:.*]] = arith.constant 0.707106769 : f32
// CHECK-NEXT:    %[[CS:.*]] = quack.broadcast %[[C]] : f32 -> tensor<?xf32>
// CHECK-NEXT:    %[[SCALED:.*]] = arith.mulf %[[V]], %[[CS]] : tensor<?xf32>
// CHECK-NEXT:    %[[ERF:.*]] = math.erf %[[SCALED]] : tensor<?xf32>
// CHECK:         %[[W:.*]] = arith.addf %[[ERF]], %{{.*}} : tensor<?xf32>
// CHECK:         %[[HALF:.*]] = arith.mulf %[[V]], %{{.*}} : tensor<?xf32>
// CHECK-NEXT:    %[[G:.*]] = arith.mulf %[[HALF]], %[[W]] : tensor<?xf32>
// CHECK-NEXT:    %[[SUM:.*]] = quack.reduce addf %[[G]]
// CHECK-NEXT:    %[[LO:.*]] = arith.constant -1.000000e+00 : f32
// CHECK-NEXT:    %[[LEAST:.*]] = arith.maximumf %[[SUM]], %[[LO]] : f32
// CHECK-NEXT:    %[[HI:.*]] = arith.constant 2.500000e+00 : f32
// CHECK-NEXT:    %[[CLAMPED:.*]] = arith.minimumf %[[LEAST]], %[[HI]] : f32
// CHECK-NEXT:    quack.store %[[CLAMPED]]
quack.kernel @rows(%x: memref<?x?xf32> in row, %s: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %g = example.gelu %v : tensor<?xf32>
  %sum = quack.reduce addf %g : tensor<?xf32> -> f32
  %clamped = example.clamp %sum from -1.0 to 2.5 : f32
  quack.store %clamped, %s : f32, memref<?xf32>
}

// Several results.
// CHECK-LABEL: quack.kernel @results(
// CHECK:         %[[V:.*]] = quack.load
// CHECK-NEXT:    %[[BELOW:.*]] = math.floor %[[V]] : tensor<64xf32>
// CHECK-NEXT:    %[[REST:.*]] = arith.subf %[[V]], %[[BELOW]] : tensor<64xf32>
// CHECK-NEXT:    quack.store %[[BELOW]], %y
// CHECK-NEXT:    quack.store %[[REST]], %z
quack.kernel @results(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row,
                      %z: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  %below, %rest = example.parts %v : tensor<64xf32> -> tensor<64xf32>, tensor<64xf32>
  quack.store %below, %y : tensor<64xf32>, memref<?x64xf32>
  quack.store %rest, %z : tensor<64xf32>, memref<?x64xf32>
}

// Rows of narrow floats, and groups.
// CHECK-LABEL: quack.kernel @groups(
// CHECK:         arith.constant dense<5.000000e-01> : tensor<64xbf16>
// CHECK:         arith.maximumf %{{.*}}, %{{.*}} : tensor<4xf32, #quack.groups<16>>
// CHECK:         arith.minimumf %{{.*}}, %{{.*}} : tensor<4xf32, #quack.groups<16>>
quack.kernel @groups(%x: memref<?x64xbf16> in row, %y: memref<?x64xbf16> out row,
                     %s: memref<?x4xf32> out groups) {
  %v = quack.load %x : memref<?x64xbf16> -> tensor<64xbf16>
  %g = example.gelu %v : tensor<64xbf16>
  quack.store %g, %y : tensor<64xbf16>, memref<?x64xbf16>
  %w = arith.extf %g : tensor<64xbf16> to tensor<64xf32>
  %max = quack.group_reduce maximumf %w : tensor<64xf32> -> tensor<4xf32, #quack.groups<16>>
  %c = example.clamp %max from 0.0 to 1.0 : tensor<4xf32, #quack.groups<16>>
  quack.store %c, %s : tensor<4xf32, #quack.groups<16>>, memref<?x4xf32>
}

// A combiner is a part of its kernel.
// CHECK-LABEL: quack.kernel @combiner(
// CHECK:         quack.reduce combine
// CHECK:           %[[ADDED:.*]] = arith.addf
// CHECK:           arith.maximumf %[[ADDED]]
// CHECK-NOT:     example.
quack.kernel @combiner(%x: memref<?x64xf32> in row, %s: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  %0 = quack.reduce combine %v identity [0.0 : f32] : tensor<64xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %added = arith.addf %a, %b : f32
    %c = example.clamp %added from 0.0 to 8.0 : f32
    quack.yield %c : f32
  }
  quack.store %0, %s : f32, memref<?xf32>
}

// An operation of upstream's that has a meaning.
// CHECK-LABEL: quack.kernel @upstream(
// CHECK:         math.exp
// CHECK-NOT:     math.sinh
quack.kernel @upstream(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  %s = math.sinh %v : tensor<64xf32>
  quack.store %s, %y : tensor<64xf32>, memref<?x64xf32>
}

// Outside of kernels nothing changes.
// CHECK-LABEL: func.func @outside
// CHECK-NEXT:    example.gelu
func.func @outside(%x: tensor<64xf32>) -> tensor<64xf32> {
  %g = example.gelu %x : tensor<64xf32>
  return %g : tensor<64xf32>
}
