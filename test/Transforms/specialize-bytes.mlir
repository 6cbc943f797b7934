// RUN: quack-opt %s --quack-specialize="columns=64 storage=bf16" | FileCheck %s
// RUN: quack-opt %s --quack-specialize="columns=64 storage=f8E4M3FN,y:f8E5M2" | FileCheck %s --check-prefix=BYTES
// RUN: quack-opt %s --quack-specialize="columns=64 storage=y:i8" | FileCheck %s --check-prefix=INTEGER

// What is stored in 8 bits is scaled to their range: it keeps its type unless it is
// named. Integers are the nearest ones, from -127 to 127.

// CHECK-LABEL: quack.kernel @bytes(%x: memref<?x64xbf16> in row, %y: memref<?x64xf8E4M3FN> out row)
// BYTES-LABEL: quack.kernel @bytes(%x: memref<?x64xf8E4M3FN> in row, %y: memref<?x64xf8E5M2> out row)
quack.kernel @bytes(%x: memref<?x?xf32> in row, %y: memref<?x?xf8E4M3FN> out row) {
  // BYTES: quack.load %x : memref<?x64xf8E4M3FN> -> tensor<64xf32>
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  // BYTES: quack.max_finite %y : memref<?x64xf8E5M2> -> f32
  %most = quack.max_finite %y : memref<?x?xf8E4M3FN> -> f32
  // BYTES: quack.store %{{.*}}, %y : tensor<64xf32>, memref<?x64xf8E5M2>
  quack.store %v, %y : tensor<?xf32>, memref<?x?xf8E4M3FN>
}

// INTEGER-LABEL: quack.kernel @bytes(%x: memref<?x64xf32> in row, %y: memref<?x64xi8> out row)
// INTEGER: quack.max_finite %y : memref<?x64xi8> -> f32
// INTEGER: %[[WHOLE:.*]] = math.roundeven %{{.*}} : tensor<64xf32>
// INTEGER: %[[MOST:.*]] = arith.constant 1.270000e+02 : f32
// INTEGER: %[[MOSTS:.*]] = quack.broadcast %[[MOST]] : f32 -> tensor<64xf32>
// INTEGER: %[[LOW:.*]] = arith.minimumf %[[WHOLE]], %[[MOSTS]] : tensor<64xf32>
// INTEGER: arith.constant -1.270000e+02 : f32
// INTEGER: %[[CLAMPED:.*]] = arith.maximumf %[[LOW]], %{{.*}} : tensor<64xf32>
// INTEGER: %[[Q:.*]] = arith.fptosi %[[CLAMPED]] : tensor<64xf32> to tensor<64xi8>
// INTEGER: quack.store %[[Q]], %y : tensor<64xi8>, memref<?x64xi8>
