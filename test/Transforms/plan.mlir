// RUN: quack-opt %s --quack-plan | FileCheck %s
// RUN: quack-opt %s --quack-plan --remarks-filter="quack-plan" --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: quack-opt %s --quack-plan="target=h100 pin='rows_per_thread = 2, store = {y = streaming}'" \
// RUN:   | FileCheck %s --check-prefix=PINNED
// RUN: quack-opt %s --quack-plan | quack-opt --quack-plan > %t.twice
// RUN: quack-opt %s --quack-plan | diff - %t.twice

// The choice is explained, with the numbers it rests on; each field is there.

// REMARK: remark: [Analysis] Plan | Category:quack-plan | Function=free | Remark="N = 1024 on h200: {{[0-9]+}} threads a row in {{[0-9]+}}, cluster of {{[0-9]+}}, {{[0-9]+}} rows a tile; about {{[0-9]+}} registers, {{[0-9]+}} CTAs an SM, {{[0-9]+}} KB in flight an SM; decided by {{[a-z ]+}}; best of {{[0-9]+}} legal plans; tree: {{[0-9]+}} runs of 4, {{[0-9]+}} lanes, {{[0-9]+}} warps, {{[0-9]+}} CTAs{{.*}}; rows that are not aligned run in a variant of that tree, at about {{[0-9]+}}% of the speed"
// CHECK-DAG: #[[$FREE:.*]] = #quack_tv.plan<threads = {{[0-9]+}}, threads_per_row = {{[0-9]+}}, rows_per_thread = {{[0-9]+}}, cluster = {{[0-9]+}}, vector = 4, ctas_per_sm = {{[0-9]+}}, exchange = {{warps|ctas}}, hold = {x = {{[a-z]+[}]}}, load = {x = {{[a-z_]+[}]}}, store = {y = {{[a-z_0-9]+[}]}}>
// CHECK-DAG: #[[$KEPT:.*]] = #quack_tv.plan<threads = 256, threads_per_row = 64, rows_per_thread = 1, cluster = 2, vector = 2, ctas_per_sm = 1, exchange = ctas, hold = {x = reload}, kept = 0, load = {x = evict_last}, store = {y = skip_l1}>
// CHECK-DAG: #[[$UNTOLD:.*]] = #quack_tv.plan<{{.*}}, vector = 4, ctas_per_sm = 0, {{.*}}, hold = {x = reload}

// CHECK-LABEL: quack.kernel @free
// CHECK-SAME: plan #[[$FREE]]

quack.kernel @free(%x: memref<?x1024xf32> in row, %y: memref<?x1024xf32> out row) {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
  quack.store %v, %y : tensor<1024xf32>, memref<?x1024xf32>
}

// What is pinned stays; the option wins over the attribute, field by field and
// operand by operand.
// CHECK-LABEL: quack.kernel @kept
// CHECK-SAME: plan #[[$KEPT]]
// PINNED-DAG: #quack_tv.plan<threads = 256, threads_per_row = 64, rows_per_thread = 2, cluster = 2, vector = 2, ctas_per_sm = 1, exchange = ctas, hold = {x = reload}, kept = 0, load = {x = evict_last}, store = {y = streaming}>
quack.kernel @kept(%x: memref<?x1024xf32> in row, %y: memref<?x1024xf32> out row)
    plan #quack_tv.plan<threads = 256, threads_per_row = 64, rows_per_thread = 1, cluster = 2, vector = 2,
                        ctas_per_sm = 1, exchange = ctas, hold = {x = reload}, kept = 0,
                        load = {x = evict_last}, store = {y = skip_l1}> {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
  %s = quack.reduce addf %v : tensor<1024xf32> -> f32
  %b = quack.broadcast %s : f32 -> tensor<1024xf32>
  quack.store %b, %y : tensor<1024xf32>, memref<?x1024xf32>
}

// Accesses of one element are aligned anyway.
// CHECK-LABEL: quack.kernel @short
// CHECK-NOT: otherwise
quack.kernel @short(%x: memref<?x3xf32> in row, %y: memref<?x3xf32> out row) {
  %v = quack.load %x : memref<?x3xf32> -> tensor<3xf32>
  quack.store %v, %y : tensor<3xf32>, memref<?x3xf32>
}

// That ptxas is told no number of CTAs is kept, too, where rows are read again.
// CHECK-LABEL: quack.kernel @untold
// CHECK-SAME: plan #[[$UNTOLD]]
quack.kernel @untold(%x: memref<?x1048576xf32> in row, %y: memref<?x1048576xf32> out row)
    plan #quack_tv.plan<ctas_per_sm = 0, hold = {x = reload}> {
  %v = quack.load %x : memref<?x1048576xf32> -> tensor<1048576xf32>
  %s = quack.reduce addf %v : tensor<1048576xf32> -> f32
  %b = quack.broadcast %s : f32 -> tensor<1048576xf32>
  %d = arith.subf %v, %b : tensor<1048576xf32>
  quack.store %d, %y : tensor<1048576xf32>, memref<?x1048576xf32>
}
