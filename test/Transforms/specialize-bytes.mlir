// RUN: quack-opt %s --quack-specialize="columns=64 storage=bf16" | FileCheck %s
// RUN: quack-opt %s --quack-specialize="columns=64 storage=f8E4M3FN,y:f8E5M2" | FileCheck %s --check-prefix=BYTES

// What is stored in 8 bits is scaled to their range: it keeps its type unless it is
// named.

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
