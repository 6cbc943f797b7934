// RUN: quack-opt %s --quack-plan="pin='@first: threads = 128, threads_per_row = 128; @second: alignment = element'" | FileCheck %s
// RUN: quack-opt %s --quack-plan="pin='threads = 256, vector = 2; @first: threads = 128'" | FileCheck %s --check-prefix=BOTH
// RUN: quack-opt %s --quack-plan="pin='@third: threads = 256; rows_per_thread = 1'" | FileCheck %s --check-prefix=OWN

// Each has its own pins, also in its variant for rows that are not aligned.
// CHECK-DAG: #[[$FIRST:.*]] = #quack_tv.plan<threads = 128, threads_per_row = 128, {{.*}}vector = 4,
// CHECK-DAG: #[[$ANYWHERE:.*]] = #quack_tv.plan<threads = 128, threads_per_row = 128, {{.*}}alignment = element
// CHECK-DAG: #[[$SECOND:.*]] = #quack_tv.plan<{{.*}}alignment = element
// CHECK: quack.kernel @first({{.*}} plan #[[$FIRST]] otherwise @first_anywhere
// CHECK: quack.kernel @first_anywhere({{.*}} plan #[[$ANYWHERE]]
// CHECK: quack.kernel @second({{.*}} plan #[[$SECOND]] {
// CHECK-NOT: @second_anywhere

// Those of a name win over those of all, field by field.
// BOTH-DAG: #[[$FIRST:.*]] = #quack_tv.plan<threads = 128, {{.*}}vector = 2, ctas_per_sm
// BOTH-DAG: #[[$OTHERS:.*]] = #quack_tv.plan<threads = 256, {{.*}}vector = 2, ctas_per_sm
// BOTH: quack.kernel @first({{.*}} plan #[[$FIRST]]
// BOTH: quack.kernel @second({{.*}} plan #[[$OTHERS]]

// Both win over the kernel's own; the order of the parts is nothing.
// OWN-DAG: #[[$THIRD:.*]] = #quack_tv.plan<threads = 256, threads_per_row = 64, rows_per_thread = 1, cluster = 1,
// OWN: quack.kernel @third({{.*}} plan #[[$THIRD]]

quack.kernel @first(%x: memref<?x1024xf32> in row, %y: memref<?x1024xf32> out row) {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
  quack.store %v, %y : tensor<1024xf32>, memref<?x1024xf32>
}

quack.kernel @second(%x: memref<?x1024xf32> in row, %y: memref<?x1024xf32> out row) {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
  quack.store %v, %y : tensor<1024xf32>, memref<?x1024xf32>
}

quack.kernel @third(%x: memref<?x1024xf32> in row, %y: memref<?x1024xf32> out row)
    plan #quack_tv.plan<threads = 128, threads_per_row = 64, cluster = 1> {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
  quack.store %v, %y : tensor<1024xf32>, memref<?x1024xf32>
}
