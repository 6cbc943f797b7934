//===- layer_norm_quantize_fp8_groups.mlir - LayerNorm, 8 bits by groups --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   h = x + residual    n = (h - mean h) / sqrt(mean (h - mean h)^2 + eps) weight + bias
//
// then what quantize_fp8_groups makes of n.
//
// n is never rounded to a narrower type: the store of q is the one rounding. h is stored
// as residual_out, for the next layer.
//
//===----------------------------------------------------------------------===//

quack.kernel @layer_norm_quantize_fp8_groups(%x: memref<?x?xf32> in row,
                                             %residual: memref<?x?xf32> in row optional -0.0,
                                             %weight: memref<?xf32> in columns optional 1.0,
                                             %bias: memref<?xf32> in columns optional -0.0,
                                             %y: memref<?x?xf8E4M3FN> out row,
                                             %scale: memref<?x?xf32> out groups,
                                             %residual_out: memref<?x?xf32> out row optional,
                                             %eps: f32) {
  %given = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %r = quack.load %residual : memref<?x?xf32> -> tensor<?xf32>
  %h = arith.addf %given, %r : tensor<?xf32>
  quack.store %h, %residual_out : tensor<?xf32>, memref<?x?xf32>
  %m, %low, %squares = quack.moments %h : tensor<?xf32>
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %variance = arith.divf %squares, %count : f32
  %safe = arith.addf %variance, %eps : f32
  %rstd = math.rsqrt %safe : f32
  %m_row = quack.broadcast %m : f32 -> tensor<?xf32>
  %above = arith.subf %h, %m_row : tensor<?xf32>
  %rstd_row = quack.broadcast %rstd : f32 -> tensor<?xf32>
  %rest = arith.mulf %low, %rstd : f32
  %less = arith.negf %rest : f32
  %less_row = quack.broadcast %less : f32 -> tensor<?xf32>
  %normal = math.fma %above, %rstd_row, %less_row : tensor<?xf32>
  %w = quack.load %weight : memref<?xf32> -> tensor<?xf32>
  %b = quack.load %bias : memref<?xf32> -> tensor<?xf32>
  %normed = math.fma %normal, %w, %b : tensor<?xf32>
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
