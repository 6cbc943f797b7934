//===- quantize_fp8.mlir - rows in 8 bits with a scale each ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   scale = max(max |x| / L, 2^-126)    q = x / scale    x ~ q scale
//
// L is the greatest finite number of y's type: 448 for f8E4M3FN, 57344 with
// --storage=y:f8E5M2. The store rounds to nearest even and saturates. A row of
// zeros has the scale 2^-126 and is stored as zeros; so no scale is 0 or subnormal.
// A row with a NaN has the scale NaN, and all of it is NaN. Of a row with an
// infinity, the scale is +inf: infinities are stored as NaN, all else as 0.
//
//===----------------------------------------------------------------------===//

quack.kernel @quantize_fp8(%x: memref<?x?xf32> in row, %y: memref<?x?xf8E4M3FN> out row,
                           %scale: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %magnitude = math.absf %v : tensor<?xf32>
  %amax = quack.reduce maximumf %magnitude : tensor<?xf32> -> f32
  %most = quack.max_finite %y : memref<?x?xf8E4M3FN> -> f32
  %quotient = arith.divf %amax, %most : f32
  %least = arith.constant 0x00800000 : f32
  %s = arith.maximumf %quotient, %least : f32
  %s_row = quack.broadcast %s : f32 -> tensor<?xf32>
  %q = arith.divf %v, %s_row : tensor<?xf32>
  quack.store %q, %y : tensor<?xf32>, memref<?x?xf8E4M3FN>
  quack.store %s, %scale : f32, memref<?xf32>
}
