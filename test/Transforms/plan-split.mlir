// RUN: quack-opt %s --quack-plan --remarks-filter="quack-plan" --remark-format=emitRemark -o %t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: quack-opt %t.mlir --quack-plan | diff %t.mlir -
// RUN: quack-opt %s --emit=plan | FileCheck %s --check-prefix=TABLE
// RUN: quack-opt %s --quack-plan="pin='reproducible = true'" | FileCheck %s --check-prefix=ONE-TREE

// A row is split where the plan says how many rows there are, and they are few.

// CHECK-DAG: #[[$FEW:.*]] = #quack_tv.plan<threads = {{[0-9]+}}, {{.*}}, cluster = {{[0-9]+}}, split = {{[0-9]+}}, vector = 8, ctas_per_sm = {{.*}}, rows = 1>
// CHECK-DAG: #[[$ANY:.*]] = #quack_tv.plan<threads = {{[0-9]+}}, {{.*}}, cluster = {{[0-9]+}}, split = {{[0-9]+}}, vector = 8, alignment = element, {{.*}}, rows = 1>
// CHECK: quack.kernel @few(%{{.*}}) plan #[[$FEW]] otherwise @few_anywhere {
// CHECK: quack.kernel @few_anywhere(%{{.*}}) plan #[[$ANY]] {
// CHECK: quack.kernel @many
// REMARK: Function=few | {{.*}} cluster of {{[0-9]+}}, {{[0-9]+}} of them a row, 1 rows a tile; {{.*}}tree: {{.*}}, {{[0-9]+}} slices
// REMARK-NOT: one tree
// TABLE: // @few: N = 1048576
// TABLE-NEXT: split
// TABLE: // tree: {{.*}} slices
// TABLE-NOT: one tree
// TABLE: // @many: N = 1048576
// ONE-TREE-NOT: split
quack.kernel @few(%x: memref<?x1048576xbf16> in row, %y: memref<?x1048576xbf16> out row)
    plan #quack_tv.plan<rows = 1> {
  %v = quack.load %x : memref<?x1048576xbf16> -> tensor<1048576xf32>
  %e = math.exp %v : tensor<1048576xf32>
  %sum = quack.reduce addf %e : tensor<1048576xf32> -> f32
  %all = quack.broadcast %sum : f32 -> tensor<1048576xf32>
  %share = arith.divf %e, %all : tensor<1048576xf32>
  quack.store %share, %y : tensor<1048576xf32>, memref<?x1048576xbf16>
}

// So many fill the GPU.
// CHECK-NOT: split
// REMARK: Function=many
// REMARK-NOT: one tree
// TABLE-NOT: one tree
quack.kernel @many(%x: memref<?x1048576xbf16> in row, %y: memref<?x1048576xbf16> out row)
    plan #quack_tv.plan<rows = 2000> {
  %v = quack.load %x : memref<?x1048576xbf16> -> tensor<1048576xf32>
  %e = math.exp %v : tensor<1048576xf32>
  %sum = quack.reduce addf %e : tensor<1048576xf32> -> f32
  %all = quack.broadcast %sum : f32 -> tensor<1048576xf32>
  %share = arith.divf %e, %all : tensor<1048576xf32>
  quack.store %share, %y : tensor<1048576xf32>, memref<?x1048576xbf16>
}

// Where one tree must serve all M, or nothing is said, the cost of it is.
// REMARK: Function=kept | {{.*}}; one tree for all M costs a launch of 1 row about {{[0-9.]+}} us instead of {{[0-9.]+}} us with a row split over {{[0-9]+}} clusters of {{[0-9]+}}, which reproducible = false would allow
// TABLE: // @kept: N = 1048576
// TABLE: // one tree for all M costs a launch of 1 row about {{[0-9.]+}} us instead of {{[0-9.]+}} us
quack.kernel @kept(%x: memref<?x1048576xbf16> in row, %y: memref<?x1048576xbf16> out row)
    plan #quack_tv.plan<rows = 1, reproducible = true> {
  %v = quack.load %x : memref<?x1048576xbf16> -> tensor<1048576xf32>
  %e = math.exp %v : tensor<1048576xf32>
  %sum = quack.reduce addf %e : tensor<1048576xf32> -> f32
  %all = quack.broadcast %sum : f32 -> tensor<1048576xf32>
  %share = arith.divf %e, %all : tensor<1048576xf32>
  quack.store %share, %y : tensor<1048576xf32>, memref<?x1048576xbf16>
}
// REMARK: Function=free | {{.*}}; one tree for all M costs a launch of 1 row about {{[0-9.]+}} us instead of {{[0-9.]+}} us with a row split over {{[0-9]+}} clusters of {{[0-9]+}}, which rows = M or reproducible = false would allow
quack.kernel @free(%x: memref<?x1048576xbf16> in row, %y: memref<?x1048576xbf16> out row) {
  %v = quack.load %x : memref<?x1048576xbf16> -> tensor<1048576xf32>
  %e = math.exp %v : tensor<1048576xf32>
  %sum = quack.reduce addf %e : tensor<1048576xf32> -> f32
  %all = quack.broadcast %sum : f32 -> tensor<1048576xf32>
  %share = arith.divf %e, %all : tensor<1048576xf32>
  quack.store %share, %y : tensor<1048576xf32>, memref<?x1048576xbf16>
}

// Where the tree may change and nothing is said of M, launches of few rows have kernels
// of their own.
// CHECK: quack.kernel @both(%{{.*}}) plan #[[MANY:.*]] otherwise @both_anywhere {
// CHECK: quack.kernel @both_anywhere(%{{.*}} otherwise @both_few {
// CHECK: quack.kernel @both_few(%{{.*}} otherwise @both_few_anywhere {
// CHECK: quack.kernel @both_few_anywhere
// REMARK: Function=both | {{.*}}; launches of at most {{[0-9]+}} rows have kernels of their own, which split rows over several clusters
// REMARK: Function=both_few | {{.*}} of them a row
// TABLE: // @both: N = 1048576
// TABLE: // for launches of at most {{[0-9]+}} rows
// TABLE: // tree: {{.*}} slices
quack.kernel @both(%x: memref<?x1048576xbf16> in row, %y: memref<?x1048576xbf16> out row)
    plan #quack_tv.plan<reproducible = false> {
  %v = quack.load %x : memref<?x1048576xbf16> -> tensor<1048576xf32>
  %e = math.exp %v : tensor<1048576xf32>
  %sum = quack.reduce addf %e : tensor<1048576xf32> -> f32
  %all = quack.broadcast %sum : f32 -> tensor<1048576xf32>
  %share = arith.divf %e, %all : tensor<1048576xf32>
  quack.store %share, %y : tensor<1048576xf32>, memref<?x1048576xbf16>
}

// Rows that are only read are over before a second kernel begins, and so are short
// ones.
// REMARK: Function=read
// REMARK-NOT: one tree
quack.kernel @read(%x: memref<?x1048576xbf16> in row, %s: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x1048576xbf16> -> tensor<1048576xf32>
  %sum = quack.reduce addf %v : tensor<1048576xf32> -> f32
  quack.store %sum, %s : f32, memref<?xf32>
}
// REMARK: Function=short
// REMARK-NOT: one tree
quack.kernel @short(%x: memref<?x1024xbf16> in row, %s: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x1024xbf16> -> tensor<1024xf32>
  %sum = quack.reduce addf %v : tensor<1024xf32> -> f32
  quack.store %sum, %s : f32, memref<?xf32>
}
