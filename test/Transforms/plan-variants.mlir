// RUN: quack-opt %s --quack-plan | FileCheck %s
// RUN: quack-opt %s --quack-plan="pin='alignment = vector'" | FileCheck %s --check-prefix=ALIGNED
// RUN: quack-opt %s --quack-plan="pin='hold = {x = bulk}'" | FileCheck %s --check-prefix=BULK

// Rows may start at any element, unless a pin says otherwise: a second kernel of the
// same tree takes those that do. What goes through shared memory it holds in another
// way.

// CHECK-DAG: #[[$FAST:.*]] = #quack_tv.plan<threads = {{[0-9]+}}, threads_per_row = [[$T:[0-9]+]], rows_per_thread = {{[0-9]+}}, cluster = [[$C:[0-9]+]], vector = 8, ctas_per_sm
// CHECK-DAG: #[[$ANY:.*]] = #quack_tv.plan<threads = {{[0-9]+}}, threads_per_row = {{[0-9]+}}, rows_per_thread = {{[0-9]+}}, cluster = {{[0-9]+}}, vector = 8, alignment = element,
// CHECK: quack.kernel @row(%x: memref<?x50257xbf16> in row, %y: memref<?x50257xbf16> out row) plan #[[$FAST]] otherwise @row_anywhere_ {
// CHECK: quack.kernel @row_anywhere_(%x: memref<?x50257xbf16> in row, %y: memref<?x50257xbf16> out row) plan #[[$ANY]] {
// CHECK: func.func private @row_anywhere
// ALIGNED: alignment = vector
// ALIGNED-NOT: otherwise
// BULK-DAG: vector = 8, ctas_per_sm = {{[0-9]+}}, exchange = {{[a-z]+}}, hold = {x = bulk}
// BULK-DAG: alignment = element, ctas_per_sm = {{[0-9]+}}, exchange = {{[a-z]+}}, hold = {x = {{registers|packed|reload}}}
quack.kernel @row(%x: memref<?x50257xbf16> in row, %y: memref<?x50257xbf16> out row) {
  %v = quack.load %x : memref<?x50257xbf16> -> tensor<50257xf32>
  %s = quack.reduce addf %v : tensor<50257xf32> -> f32
  %b = quack.broadcast %s : f32 -> tensor<50257xf32>
  quack.store %b, %y : tensor<50257xf32>, memref<?x50257xbf16>
}
func.func private @row_anywhere()
