// RUN: quack-opt %s --quack-to-tv="storage=s:f32,t:f32" 2>/dev/null | FileCheck %s
// RUN: quack-opt %s --quack-to-tv="storage=y:f32" 2>/dev/null | FileCheck %s --check-prefix=NONE

// A sum of rows that nobody wants leaves its clusters, which work on one tile after the
// other without it; one of scalars leaves nothing.

// CHECK: quack_tv.kernel @rows({{.*}}%s: memref<64xf32> out columns){{.*}} next @rows_fold
// CHECK-NEXT: quack_tv.each_tile
// CHECK: quack_tv.accumulate
// NONE: #[[PLAN:.*]] = #quack_tv.plan<{{.*}}partials =
// NONE: quack_tv.kernel @rows(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) plan #[[PLAN]] shared 16384 otherwise
// NONE-NEXT: quack_tv.each_tile
// NONE-NOT: {{accumulate|fold}}
quack.kernel @rows(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row,
                   %s: memref<64xf32> out columns optional) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.accumulate %v, %s : tensor<64xf32>, memref<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}

// CHECK: quack_tv.kernel @scalars({{.*}}%t: memref<f32> out single)
// CHECK: quack_tv.accumulate
// NONE: quack_tv.kernel @scalars(
// NONE-NOT: {{each_tile|accumulate|fold}}
quack.kernel @scalars(%x: memref<?x64xf32> in row, %y: memref<?xf32> out scalar,
                      %t: memref<f32> out single optional) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  %sum = quack.reduce addf %v : tensor<64xf32> -> f32
  quack.store %sum, %y : f32, memref<?xf32>
  quack.accumulate %sum, %t : f32, memref<f32>
}
