//===- quantize_fp8_groups_pow2.mlir - groups scaled by powers of two -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   scale[g] = the least power of two that is >= max(max |x| / L, 2^-126)
//   q = x / scale[g], which loses no bit but to the store
//
// As quantize_fp8_groups but for the scales, which are made as in quantize_fp8_pow2.
//
//===----------------------------------------------------------------------===//

quack.kernel @quantize_fp8_groups_pow2(%x: memref<?x?xf32> in row,
                                       %y: memref<?x?xf8E4M3FN> out row,
                                       %scale: memref<?x?xf32> out groups) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %magnitude = math.absf %v : tensor<?xf32>
  %amax = quack.group_reduce maximumf %magnitude : tensor<?xf32> -> tensor<?xf32, #quack.groups<128>>
  %most = quack.max_finite %y : memref<?x?xf8E4M3FN> -> f32
  %mosts = quack.broadcast %most : f32 -> tensor<?xf32, #quack.groups<128>>
  %quotient = arith.divf %amax, %mosts : tensor<?xf32, #quack.groups<128>>
  %least = arith.constant 0x00800000 : f32
  %leasts = quack.broadcast %least : f32 -> tensor<?xf32, #quack.groups<128>>
  %exact = arith.maximumf %quotient, %leasts : tensor<?xf32, #quack.groups<128>>
  %bits = arith.bitcast %exact : tensor<?xf32, #quack.groups<128>> to tensor<?xi32, #quack.groups<128>>
  %below = arith.constant 0x7FFFFF : i32
  %belows = quack.broadcast %below : i32 -> tensor<?xi32, #quack.groups<128>>
  %upper = arith.constant 0xFF800000 : i32
  %uppers = quack.broadcast %upper : i32 -> tensor<?xi32, #quack.groups<128>>
  %carried = arith.addi %bits, %belows : tensor<?xi32, #quack.groups<128>>
  %cleared = arith.andi %carried, %uppers : tensor<?xi32, #quack.groups<128>>
  %power = arith.bitcast %cleared : tensor<?xi32, #quack.groups<128>> to tensor<?xf32, #quack.groups<128>>
  %is_nan = arith.cmpf uno, %exact, %exact : tensor<?xf32, #quack.groups<128>>
  %s = arith.select %is_nan, %exact, %power : tensor<?xi1, #quack.groups<128>>, tensor<?xf32, #quack.groups<128>>
  %s_row = quack.group_broadcast %s : tensor<?xf32, #quack.groups<128>> -> tensor<?xf32>
  %q = arith.divf %v, %s_row : tensor<?xf32>
  quack.store %q, %y : tensor<?xf32>, memref<?x?xf8E4M3FN>
  quack.store %s, %scale : tensor<?xf32, #quack.groups<128>>, memref<?x?xf32>
}
