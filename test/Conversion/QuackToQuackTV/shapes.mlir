// RUN: quack-opt %s --convert-quack-to-quack-tv --split-input-file | FileCheck %s

// The plan's layout, from one row a thread to a cluster of 16; rows of the tile,
// and padding masked with the identity of what consumes it.

// One vector is the row; one thread a row.
// CHECK: #[[$T:.*]] = #quack_tv.layout<warp = [2:128], lane = [32:4], value = [4:1]>
// CHECK: #[[$R:.*]] = #quack_tv.layout<warp = [2:32], lane = [32:1]>
// CHECK-LABEL: quack_tv.kernel @one_vector
// CHECK-NEXT: %[[V:.*]] = quack_tv.load %x : memref<?x4xf32> -> tensor<64x4xf32, #[[$T]]>
// CHECK-NEXT: quack_tv.reduce addf %[[V]] : tensor<64x4xf32, #[[$T]]>
quack.kernel @one_vector(%x: memref<?x4xf32> in row, %s: memref<?xf32> out scalar)
    plan #quack_tv.plan<threads = 64, threads_per_row = 1, rows_per_thread = 1, cluster = 1, vector = 4> {
  %v = quack.load %x : memref<?x4xf32> -> tensor<4xf32>
  %0 = quack.reduce addf %v : tensor<4xf32> -> f32
  quack.store %0, %s : f32, memref<?xf32>
}

// -----

// Four rows a warp, two rows a thread.
// CHECK: #[[$T:.*]] = #quack_tv.layout<warp = [2:256], lane = [8:8, 4:64], value = [8:1, 2:512]>
// CHECK-LABEL: quack_tv.kernel @rows_per_thread
// CHECK-NEXT: quack_tv.load %x : memref<?x64xbf16> -> tensor<16x64xbf16, #[[$T]]>
quack.kernel @rows_per_thread(%x: memref<?x64xbf16> in row, %s: memref<?xf32> out scalar)
    plan #quack_tv.plan<threads = 64, threads_per_row = 8, rows_per_thread = 2, cluster = 1, vector = 8> {
  %v = quack.load %x : memref<?x64xbf16> -> tensor<64xf32>
  %0 = quack.reduce addf %v : tensor<64xf32> -> f32
  quack.store %0, %s : f32, memref<?xf32>
}

// -----

// 16 CTAs; the row is whole: no mask.
// CHECK: #[[$T:.*]] = #quack_tv.layout<cta = [16:16384], warp = [8:2048], lane = [32:8], value = [8:1, 8:256]>
// CHECK-LABEL: quack_tv.kernel @cluster_of_16
// CHECK-NEXT: quack_tv.load %x : memref<?x262144xbf16> -> tensor<1x262144xbf16, #[[$T]]>
// CHECK-NOT: quack_tv.mask
// CHECK: quack_tv.store
quack.kernel @cluster_of_16(%x: memref<?x262144xbf16> in row, %s: memref<?xf32> out scalar)
    plan #quack_tv.plan<threads = 256, threads_per_row = 256, rows_per_thread = 1, cluster = 16, vector = 8> {
  %v = quack.load %x : memref<?x262144xbf16> -> tensor<262144xf32>
  %0 = quack.reduce addf %v : tensor<262144xf32> -> f32
  quack.store %0, %s : f32, memref<?xf32>
}

// -----

// Padding, for each kind its identity. A row that is only stored needs no mask.
// CHECK-LABEL: quack_tv.kernel @padding
// CHECK: %[[V:.*]] = quack_tv.load %x : memref<?x1000xf32> -> tensor<1x1024xf32, #{{.*}}>
// CHECK: quack_tv.mask %[[V]] from 1000 identity 0.000000e+00 : f32
// CHECK-NEXT: quack_tv.reduce addf
// CHECK-NEXT: quack_tv.mask %[[V]] from 1000 identity 1.000000e+00 : f32
// CHECK-NEXT: quack_tv.reduce mulf
// CHECK-NEXT: quack_tv.mask %[[V]] from 1000 identity 0xFF800000 : f32
// CHECK-NEXT: quack_tv.reduce maximumf
// CHECK-NEXT: quack_tv.mask %[[V]] from 1000 identity 0x7F800000 : f32
// CHECK-NEXT: quack_tv.reduce minimumf
// CHECK-NEXT: quack_tv.mask %[[V]] from 1000 identity 0x7FC00000 : f32
// CHECK-NEXT: quack_tv.reduce maxnumf
// CHECK-NEXT: quack_tv.mask %[[V]] from 1000 identity 0x7FC00000 : f32
// CHECK-NEXT: quack_tv.reduce minnumf
// CHECK-NOT: quack_tv.mask
// CHECK: quack_tv.store %[[V]], %y
quack.kernel @padding(%x: memref<?x1000xf32> in row, %y: memref<?x1000xf32> out row)
    plan #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 4> {
  %v = quack.load %x : memref<?x1000xf32> -> tensor<1000xf32>
  %0 = quack.reduce addf %v : tensor<1000xf32> -> f32
  %1 = quack.reduce mulf %v : tensor<1000xf32> -> f32
  %2 = quack.reduce maximumf %v : tensor<1000xf32> -> f32
  %3 = quack.reduce minimumf %v : tensor<1000xf32> -> f32
  %4 = quack.reduce maxnumf %v : tensor<1000xf32> -> f32
  %5 = quack.reduce minnumf %v : tensor<1000xf32> -> f32
  quack.store %v, %y : tensor<1000xf32>, memref<?x1000xf32>
}

// -----

// CHECK-LABEL: quack_tv.kernel @integer_padding
// CHECK: quack_tv.mask %[[V:.*]] from 1000 identity 0 : i32
// CHECK-NEXT: quack_tv.reduce addi
// CHECK-NEXT: quack_tv.mask %[[V]] from 1000 identity 1 : i32
// CHECK-NEXT: quack_tv.reduce muli
// CHECK-NEXT: quack_tv.mask %[[V]] from 1000 identity -2147483648 : i32
// CHECK-NEXT: quack_tv.reduce maxsi
// CHECK-NEXT: quack_tv.mask %[[V]] from 1000 identity 2147483647 : i32
// CHECK-NEXT: quack_tv.reduce minsi
// CHECK-NEXT: quack_tv.mask %[[V]] from 1000 identity 0 : i32
// CHECK-NEXT: quack_tv.reduce maxui
// CHECK-NEXT: quack_tv.mask %[[V]] from 1000 identity -1 : i32
// CHECK-NEXT: quack_tv.reduce minui
// CHECK-NEXT: quack_tv.mask %[[V]] from 1000 identity -1 : i32
// CHECK-NEXT: quack_tv.reduce andi
// CHECK-NEXT: quack_tv.mask %[[V]] from 1000 identity 0 : i32
// CHECK-NEXT: quack_tv.reduce ori
// CHECK-NEXT: quack_tv.mask %[[V]] from 1000 identity 0 : i32
// CHECK-NEXT: quack_tv.reduce xori
quack.kernel @integer_padding(%x: memref<?x1000xi32> in row)
    plan #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 4> {
  %v = quack.load %x : memref<?x1000xi32> -> tensor<1000xi32>
  %0 = quack.reduce addi %v : tensor<1000xi32> -> i32
  %1 = quack.reduce muli %v : tensor<1000xi32> -> i32
  %2 = quack.reduce maxsi %v : tensor<1000xi32> -> i32
  %3 = quack.reduce minsi %v : tensor<1000xi32> -> i32
  %4 = quack.reduce maxui %v : tensor<1000xi32> -> i32
  %5 = quack.reduce minui %v : tensor<1000xi32> -> i32
  %6 = quack.reduce andi %v : tensor<1000xi32> -> i32
  %7 = quack.reduce ori %v : tensor<1000xi32> -> i32
  %8 = quack.reduce xori %v : tensor<1000xi32> -> i32
}
