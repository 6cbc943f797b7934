//===- rms_norm_quantize_fp8.mlir - RMSNorm, then 8 bits ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   n = x / sqrt(mean x^2 + eps) w
//   scale = max(max |n| / L, 2^-126)    q = n / scale    n ~ q scale
//
// n is never rounded to a narrower type: the store of q is the one rounding. What is
// stored of special rows is what quantize_fp8 stores of n. A row of zeros is normalised
// to zeros if eps > 0.
//
//===----------------------------------------------------------------------===//

quack.kernel @rms_norm_quantize_fp8(%x: memref<?x?xf32> in row,
                                    %w: memref<?xf32> in columns,
                                    %y: memref<?x?xf8E4M3FN> out row,
                                    %scale: memref<?xf32> out scalar, %eps: f32) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %square = arith.mulf %v, %v : tensor<?xf32>
  %sum = quack.reduce addf %square : tensor<?xf32> -> f32
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %mean = arith.divf %sum, %count : f32
  %shifted = arith.addf %mean, %eps : f32
  %rstd = math.rsqrt %shifted : f32
  %rstd_row = quack.broadcast %rstd : f32 -> tensor<?xf32>
  %normal = arith.mulf %v, %rstd_row : tensor<?xf32>
  %weight = quack.load %w : memref<?xf32> -> tensor<?xf32>
  %weighted = arith.mulf %normal, %weight : tensor<?xf32>
  %magnitude = math.absf %weighted : tensor<?xf32>
  %amax = quack.reduce maximumf %magnitude : tensor<?xf32> -> f32
  %most = quack.max_finite %y : memref<?x?xf8E4M3FN> -> f32
  %quotient = arith.divf %amax, %most : f32
  %least = arith.constant 0x00800000 : f32
  %s = arith.maximumf %quotient, %least : f32
  %s_row = quack.broadcast %s : f32 -> tensor<?xf32>
  %q = arith.divf %weighted, %s_row : tensor<?xf32>
  quack.store %q, %y : tensor<?xf32>, memref<?x?xf8E4M3FN>
  quack.store %s, %scale : f32, memref<?xf32>
}
