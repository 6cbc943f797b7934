//===- rms_norm_quantize_fp8_groups.mlir - RMSNorm, 8 bits by groups ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   n = x / sqrt(mean x^2 + eps) w, then what quantize_fp8_groups makes of n
//
// n is never rounded to a narrower type: the store of q is the one rounding.
//
//===----------------------------------------------------------------------===//

quack.kernel @rms_norm_quantize_fp8_groups(%x: memref<?x?xf32> in row,
                                           %w: memref<?xf32> in columns,
                                           %y: memref<?x?xf8E4M3FN> out row,
                                           %scale: memref<?x?xf32> out groups,
                                           %eps: f32) {
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
  %amax = quack.group_reduce maximumf %magnitude : tensor<?xf32> -> tensor<?xf32, #quack.groups<128>>
  %most = quack.max_finite %y : memref<?x?xf8E4M3FN> -> f32
  %mosts = quack.broadcast %most : f32 -> tensor<?xf32, #quack.groups<128>>
  %quotient = arith.divf %amax, %mosts : tensor<?xf32, #quack.groups<128>>
  %least = arith.constant 0x00800000 : f32
  %leasts = quack.broadcast %least : f32 -> tensor<?xf32, #quack.groups<128>>
  %s = arith.maximumf %quotient, %leasts : tensor<?xf32, #quack.groups<128>>
  %s_row = quack.group_broadcast %s : tensor<?xf32, #quack.groups<128>> -> tensor<?xf32>
  %q = arith.divf %weighted, %s_row : tensor<?xf32>
  quack.store %q, %y : tensor<?xf32>, memref<?x?xf8E4M3FN>
  quack.store %s, %scale : tensor<?xf32, #quack.groups<128>>, memref<?x?xf32>
}
