// RUN: quack-opt %s --convert-quack-to-quack-tv | FileCheck %s

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>

// CHECK-DAG: #[[$T:.*]] = #quack_tv.layout<lane = [32:4], value = [4:1]>
// CHECK-DAG: #[[$R:.*]] = #quack_tv.layout<lane = [32:0]>

// init joins once, after all partials, and need not be the identity (L12).
// CHECK-LABEL: quack_tv.kernel @init
// CHECK: %[[START:.*]] = quack_tv.broadcast %start : f32 -> tensor<1x1xf32, #[[$R]]>
// CHECK-NOT: %[[START]]
// CHECK: %[[SUM:.*]] = arith.addf %[[START]], %{{.*}} : tensor<1x1xf32, #[[$R]]>
// CHECK-NEXT: quack_tv.store %[[SUM]], %s
quack.kernel @init(%x: memref<?x128xf32> in row, %start: f32, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack.load %x : memref<?x128xf32> -> tensor<128xf32>
  %sum = quack.reduce addf %v init %start : tensor<128xf32> -> f32
  quack.store %sum, %s : f32, memref<?xf32>
}

// N, constants and scalars of the launch, in each row.
// CHECK-LABEL: quack_tv.kernel @scalars
// CHECK-DAG: %[[N:.*]] = arith.constant dense<128> : tensor<1x1xi32, #[[$R]]>
// CHECK-DAG: %[[COUNT:.*]] = arith.sitofp %[[N]] : tensor<1x1xi32, #[[$R]]> to tensor<1x1xf32, #[[$R]]>
// CHECK-DAG: %[[EPS:.*]] = quack_tv.broadcast %eps : f32 -> tensor<1x1xf32, #[[$R]]>
// CHECK-DAG: arith.mulf %[[COUNT]], %[[EPS]] : tensor<1x1xf32, #[[$R]]>
// CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<1x1xf32, #[[$R]]>
// CHECK-DAG: arith.constant dense<3.000000e+00> : tensor<1x128xf32, #[[$T]]>
quack.kernel @scalars(%x: memref<?x128xf32> in row, %eps: f32, %y: memref<?x128xf32> out row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack.load %x : memref<?x128xf32> -> tensor<128xf32>
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %0 = arith.mulf %count, %eps : f32
  %two = arith.constant 2.0 : f32
  %1 = arith.addf %0, %two : f32
  %three = arith.constant dense<3.0> : tensor<128xf32>
  %2 = arith.addf %v, %three : tensor<128xf32>
  quack.store %2, %y : tensor<128xf32>, memref<?x128xf32>
  quack.store %1, %s : f32, memref<?xf32>
}

// One weight for all rows, one scalar for each; both in the storage type.
// CHECK-LABEL: quack_tv.kernel @other_roles
// CHECK-DAG: quack_tv.load %w : memref<128xbf16> -> tensor<1x128xbf16, #[[$T]]>
// CHECK-DAG: %[[S:.*]] = quack_tv.load %s : memref<?xi32> -> tensor<1x1xi32, #[[$R]]>
// CHECK: arith.extsi %[[S]] : tensor<1x1xi32, #[[$R]]> to tensor<1x1xi64, #[[$R]]>
// CHECK: quack_tv.store %{{.*}}, %s : tensor<1x1xi32, #[[$R]]>, memref<?xi32>
quack.kernel @other_roles(%x: memref<?x128xf32> in row, %w: memref<128xbf16> in columns, %s: memref<?xi32> inout scalar, %y: memref<?x128xf32> out row) plan #plan {
  %v = quack.load %x : memref<?x128xf32> -> tensor<128xf32>
  %g = quack.load %w : memref<128xbf16> -> tensor<128xf32>
  %p = arith.mulf %v, %g : tensor<128xf32>
  quack.store %p, %y : tensor<128xf32>, memref<?x128xf32>
  %k = quack.load %s : memref<?xi32> -> i64
  quack.store %k, %s : i64, memref<?xi32>
}

// A row's condition decides for all its columns.
// CHECK-LABEL: quack_tv.kernel @scalar_condition
// CHECK: %[[C:.*]] = arith.cmpf ogt, %{{.*}} : tensor<1x1xf32, #[[$R]]>
// CHECK: %[[CONDITION:.*]] = quack_tv.broadcast %[[C]] : tensor<1x1xi1, #[[$R]]> -> tensor<1x128xi1, #[[$T]]>
// CHECK: arith.select %[[CONDITION]], %{{.*}} : tensor<1x128xi1, #[[$T]]>, tensor<1x128xf32, #[[$T]]>
quack.kernel @scalar_condition(%x: memref<?x128xf32> in row, %eps: f32, %y: memref<?x128xf32> out row) plan #plan {
  %v = quack.load %x : memref<?x128xf32> -> tensor<128xf32>
  %s = quack.reduce addf %v : tensor<128xf32> -> f32
  %c = arith.cmpf ogt, %s, %eps : f32
  %n = arith.negf %v : tensor<128xf32>
  %p = arith.select %c, %v, %n : tensor<128xf32>
  quack.store %p, %y : tensor<128xf32>, memref<?x128xf32>
}

// A row by its scalar: one division a row. A row by a row: as it stands.
// CHECK-LABEL: quack_tv.kernel @divide
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<1x1xf32, #[[$R]]>
// CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[SCALE:.*]] : tensor<1x1xf32, #[[$R]]>
// CHECK: %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[SCALED]] : tensor<1x1xf32, #[[$R]]>
// CHECK: quack_tv.broadcast %[[SCALE]]
// CHECK: arith.mulf %{{.*}} : tensor<1x128xf32, #[[$T]]>
// CHECK: %[[Q:.*]] = arith.mulf %{{.*}} : tensor<1x128xf32, #[[$T]]>
// CHECK: arith.divf %[[Q]], %{{.*}} : tensor<1x128xf32, #[[$T]]>
quack.kernel @divide(%x: memref<?x128xf32> in row, %y: memref<?x128xf32> out row) plan #plan {
  %v = quack.load %x : memref<?x128xf32> -> tensor<128xf32>
  %s = quack.reduce addf %v : tensor<128xf32> -> f32
  %b = quack.broadcast %s : f32 -> tensor<128xf32>
  %q = arith.divf %v, %b : tensor<128xf32>
  %r = arith.divf %q, %v : tensor<128xf32>
  quack.store %r, %y : tensor<128xf32>, memref<?x128xf32>
}

// bf16 and f16 meet in f32.
// CHECK-LABEL: quack_tv.kernel @narrow_to_narrow
// CHECK: %[[X:.*]] = quack_tv.load %x : memref<?x128xbf16>
// CHECK: %[[W:.*]] = arith.extf %[[X]] : tensor<1x128xbf16, #[[$T]]> to tensor<1x128xf32, #[[$T]]>
// CHECK: arith.truncf %[[W]] : tensor<1x128xf32, #[[$T]]> to tensor<1x128xf16, #[[$T]]>
quack.kernel @narrow_to_narrow(%x: memref<?x128xbf16> in row, %y: memref<?x128xf16> out row) plan #plan {
  %v = quack.load %x : memref<?x128xbf16> -> tensor<128xf16>
  quack.store %v, %y : tensor<128xf16>, memref<?x128xf16>
}

// The second result of an operation, alone.
// CHECK-LABEL: quack_tv.kernel @second_result
// CHECK: %{{.*}}, %[[HIGH:.*]] = arith.mului_extended
// CHECK: quack_tv.store %[[HIGH]], %y
quack.kernel @second_result(%x: memref<?x128xi32> in row, %y: memref<?x128xi32> out row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4> {
  %v = quack.load %x : memref<?x128xi32> -> tensor<128xi32>
  %low, %high = arith.mului_extended %v, %v : tensor<128xi32>
  quack.store %high, %y : tensor<128xi32>, memref<?x128xi32>
}
