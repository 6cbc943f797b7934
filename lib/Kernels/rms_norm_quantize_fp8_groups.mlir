//===- rms_norm_quantize_fp8_groups.mlir - RMSNorm, 8 bits by groups ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   h = x + residual    n = h / sqrt(mean h^2 + eps) (weight + offset) + bias
//
// then what quantize_fp8_groups makes of n.
//
// n is never rounded to a narrower type: the store of q is the one rounding. h is stored
// as residual_out, for the next layer.
//
//===----------------------------------------------------------------------===//

quack.kernel @rms_norm_quantize_fp8_groups(%x: memref<?x?xf32> in row,
                                           %residual: memref<?x?xf32> in row optional -0.0,
                                           %weight: memref<?xf32> in columns optional 1.0,
                                           %bias: memref<?xf32> in columns optional -0.0,
                                           %y: memref<?x?xf8E4M3FN> out row,
                                           %scale: memref<?x?xf32> out groups,
                                           %residual_out: memref<?x?xf32> out row optional,
                                           %eps: f32, %offset: f32 optional -0.0) {
  %given = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %r = quack.load %residual : memref<?x?xf32> -> tensor<?xf32>
  %h = arith.addf %given, %r : tensor<?xf32>
  quack.store %h, %residual_out : tensor<?xf32>, memref<?x?xf32>
  %squares = arith.mulf %h, %h : tensor<?xf32>
  %sum = quack.reduce addf %squares : tensor<?xf32> -> f32
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %mean = arith.divf %sum, %count : f32
  %safe = arith.addf %mean, %eps : f32
  %rstd = math.rsqrt %safe : f32
  %rstd_row = quack.broadcast %rstd : f32 -> tensor<?xf32>
  %normal = arith.mulf %h, %rstd_row : tensor<?xf32>
  %w = quack.load %weight : memref<?xf32> -> tensor<?xf32>
  %offset_row = quack.broadcast %offset : f32 -> tensor<?xf32>
  %factor = arith.addf %w, %offset_row : tensor<?xf32>
  %b = quack.load %bias : memref<?xf32> -> tensor<?xf32>
  %normed = math.fma %normal, %factor, %b : tensor<?xf32>
  %magnitude = math.absf %normed : tensor<?xf32>
  %amax = quack.group_reduce maximumf %magnitude : tensor<?xf32> -> tensor<?xf32, #quack.groups<128>>
  %most = quack.max_finite %y : memref<?x?xf8E4M3FN> -> f32
  %mosts = quack.broadcast %most : f32 -> tensor<?xf32, #quack.groups<128>>
  %quotient = arith.divf %amax, %mosts : tensor<?xf32, #quack.groups<128>>
  %least = arith.constant 0x00800000 : f32
  %leasts = quack.broadcast %least : f32 -> tensor<?xf32, #quack.groups<128>>
  %s = arith.maximumf %quotient, %leasts : tensor<?xf32, #quack.groups<128>>
  %s_row = quack.group_broadcast %s : tensor<?xf32, #quack.groups<128>> -> tensor<?xf32>
  %q = arith.divf %normed, %s_row : tensor<?xf32>
  quack.store %q, %y : tensor<?xf32>, memref<?x?xf8E4M3FN>
  quack.store %s, %scale : tensor<?xf32, #quack.groups<128>>, memref<?x?xf32>
}
