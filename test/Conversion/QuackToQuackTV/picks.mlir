// RUN: quack-opt %s --quack-plan="pin='threads = 32, threads_per_row = 32, hold = {x = packed}'" --convert-quack-to-quack-tv --allow-unregistered-dialect | FileCheck %s

// A row for each pass, with what is never picked in columns that do not exist; and a row of
// zeros before what is stored over it.

// CHECK-LABEL: quack_tv.kernel @topk
// CHECK: %[[X:.*]] = quack_tv.load %x
// CHECK: %[[FIRST:.*]] = quack_tv.mask %{{.*}} from 1000 identity 0xFF800000
// CHECK: %[[AGAIN:.*]] = quack_tv.mask %{{.*}} from 1000 identity 0xFF800000
// CHECK: %[[RETRY:.*]] = quack_tv.mask %{{.*}} from 1000 identity 0xFF800000
// CHECK: quack_tv.topk %[[FIRST]], %[[AGAIN]], %[[RETRY]] to %v, %c softmax :
quack.kernel @topk(%x: memref<?x1000xbf16> in row, %v: memref<?x8xf32> out picks,
                   %c: memref<?x8xi32> out picks) {
  %r = quack.load %x : memref<?x1000xbf16> -> tensor<1000xf32>
  quack.topk %r to %v, %c softmax : tensor<1000xf32>, memref<?x8xf32>, memref<?x8xi32>
}
