// RUN: example-opt %s --split-input-file --quack-raise-linalg --verify-each | FileCheck %s
// RUN: example-opt %s --split-input-file --convert-elementwise-to-linalg --quack-raise-linalg --verify-each \
// RUN:   | FileCheck %s --check-prefix=TENSORS
// RUN: example-opt %s --split-input-file --quack-raise-linalg --remarks-filter=quack-raise-linalg \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Operations of a dialect that nobody here knows, in linalg bodies: before a reduction, in
// its body, on its result, and behind it. One kernel reads the row once.
// CHECK-LABEL: quack.kernel @bodies_0(
// CHECK:         quack.load
// CHECK-NOT:     quack.load
// CHECK:         math.erf %{{.*}} : tensor<96xf32>
// CHECK:         %[[SUM:.*]] = quack.reduce addf
// CHECK:         %[[LEAST:.*]] = arith.maximumf %[[SUM]], %{{.*}} : f32
// CHECK:         arith.minimumf %[[LEAST]], %{{.*}} : f32
// CHECK-LABEL: func.func @bodies(
// CHECK-NOT:     linalg
// CHECK:         quack.call @bodies_0(
// CHECK-NOT:     linalg
// REMARK: Function=bodies | Remark="@bodies_0 has operations: 5, among them reductions: 1; rows of 96 columns are read or written 2 times in place of 5;
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
func.func @bodies(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<4xf32>
  %row = tensor.empty() : tensor<4x96xf32>
  %g = linalg.map { example.gelu } ins(%x : tensor<4x96xf32>) outs(%row : tensor<4x96xf32>)
  %init = linalg.fill ins(%zero : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["parallel", "reduction"]}
      ins(%g : tensor<4x96xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %partial: f32):
    %again = example.gelu %in : f32
    %next = arith.addf %partial, %again : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %clamped = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%sum : tensor<4xf32>) outs(%number : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = example.clamp %in from 0.5 to 100.0 : f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %clamped : tensor<4x96xf32>, tensor<4xf32>) outs(%row : tensor<4x96xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %q = arith.divf %in, %scale : f32
    %c = example.clamp %q from -1.0 to 1.0 : f32
    linalg.yield %c : f32
  } -> tensor<4x96xf32>
  return %r : tensor<4x96xf32>
}

// -----

// What is rounded to bf16 at each step is so in the kernel.
// CHECK-LABEL: quack.kernel @narrow_0(
// CHECK:         %[[ERF:.*]] = math.erf %{{.*}} : tensor<96xf32>
// CHECK-NEXT:    %[[ROUNDED:.*]] = arith.truncf %[[ERF]] : tensor<96xf32> to tensor<96xbf16>
// CHECK-NEXT:    arith.extf %[[ROUNDED]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#number = affine_map<(d0, d1) -> (d0)>
func.func @narrow(%x: tensor<4x96xbf16>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#id, #number], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x96xbf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: bf16, %partial: f32):
    %g = example.gelu %in : bf16
    %wide = arith.extf %g : bf16 to f32
    %next = arith.addf %partial, %wide : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  return %sum : tensor<4xf32>
}

// -----

// On tensors, upstream's traits lead to linalg. An operation of upstream's with a meaning.
// TENSORS-LABEL: quack.kernel @tensors_0(
// TENSORS:         math.erf %{{.*}} : tensor<96xf32>
// TENSORS:         math.exp %{{.*}} : tensor<96xf32>
// TENSORS:         quack.reduce maximumf
// TENSORS-LABEL: func.func @tensors(
// TENSORS-NOT:     linalg
// TENSORS:         quack.call @tensors_0(
func.func @tensors(%x: tensor<4x96xf32>) -> tensor<4xf32> {
  %least = arith.constant 0xFF800000 : f32
  %number = tensor.empty() : tensor<4xf32>
  %g = example.gelu %x : tensor<4x96xf32>
  %s = math.sinh %g : tensor<4x96xf32>
  %init = linalg.fill ins(%least : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %max = linalg.reduce { arith.maximumf } ins(%s : tensor<4x96xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  return %max : tensor<4xf32>
}

// -----

// An operation without a meaning, or with a wrong one, stays out, and its reason is heard.
// CHECK-LABEL: quack.kernel @refused_0(
// CHECK-NOT:     example.
// CHECK-LABEL: func.func @refused(
// CHECK:         linalg.map { example.broken {how = "explained"} }
// CHECK-NEXT:    linalg.map { example.mute }
// REMARK-DAG: LeftOut | Category:quack-raise-linalg | Function=refused | Remark="this operation stays out of @refused_0: 'example.broken' op is broken today"
// REMARK-DAG: LeftOut | Category:quack-raise-linalg | Function=refused | Remark="this operation stays out of @refused_0: it computes example.mute, which kernels cannot"
func.func @refused(%x: tensor<4x96xf32>) -> tensor<4xf32> {
  %least = arith.constant 0xFF800000 : f32
  %number = tensor.empty() : tensor<4xf32>
  %row = tensor.empty() : tensor<4x96xf32>
  %0 = linalg.map { example.broken {how = "explained"} } ins(%x : tensor<4x96xf32>) outs(%row : tensor<4x96xf32>)
  %1 = linalg.map { example.mute } ins(%0 : tensor<4x96xf32>) outs(%row : tensor<4x96xf32>)
  %init = linalg.fill ins(%least : f32) outs(%number : tensor<4xf32>) -> tensor<4xf32>
  %max = linalg.reduce { arith.maximumf } ins(%1 : tensor<4x96xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  return %max : tensor<4xf32>
}
