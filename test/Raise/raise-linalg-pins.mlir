// RUN: quack-opt %s --split-input-file --quack-raise-linalg | FileCheck %s
// RUN: quack-opt %s --split-input-file --quack-raise-linalg --quack-plan="pin='cluster = 1'" | FileCheck %s --check-prefix=OPTION

// What operations of a group pin is pinned of their kernel, from wherever in the group.
// CHECK: #[[$PLAN:.*]] = #quack_tv.plan<threads = 256, cluster = 2, hold = {in0 = packed}>
// CHECK: quack.kernel @pinned_0({{.*}} plan #[[$PLAN]] {
// CHECK-NOT: quack.pin
// An option wins.
// OPTION: #quack_tv.plan<threads = 256, {{.*}} cluster = 1, {{.*}}hold = {in0 = packed}
func.func @pinned(%x: tensor<8x8192xbf16>) -> tensor<8x8192xbf16> {
  %least = arith.constant 0xFF80 : bf16
  %number = tensor.empty() : tensor<8xbf16>
  %row = tensor.empty() : tensor<8x8192xbf16>
  %init = linalg.fill ins(%least : bf16) outs(%number : tensor<8xbf16>) -> tensor<8xbf16>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<8x8192xbf16>) outs(%init : tensor<8xbf16>) dimensions = [1] {quack.pin = "cluster = 2, threads = 256"}
  %spread = linalg.broadcast ins(%max : tensor<8xbf16>) outs(%row : tensor<8x8192xbf16>) dimensions = [1]
  %d = linalg.sub {quack.pin = "threads = 256, hold = {in0 = packed}"} ins(%x, %spread : tensor<8x8192xbf16>, tensor<8x8192xbf16>) outs(%row : tensor<8x8192xbf16>) -> tensor<8x8192xbf16>
  return %d : tensor<8x8192xbf16>
}

// -----

// No pin, no plan.
// CHECK: quack.kernel @free_0(%in0: memref<?x64xf32> in row, %out0: memref<?xf32> out scalar) {
func.func @free(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  %least = arith.constant 0xFF800000 : f32
  %number = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%least : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<8x64xf32>) outs(%init : tensor<8xf32>) dimensions = [1]
  return %max : tensor<8xf32>
}
