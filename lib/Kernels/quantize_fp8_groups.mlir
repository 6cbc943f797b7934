//===- quantize_fp8_groups.mlir - 8 bits with a scale for 128 columns -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   scale[g] = max(max |x| / L, 2^-126) over the columns of group g
//   q = x / scale[g]    x ~ q scale[g]
//
// As quantize_fp8 for each 128 columns of a row by themselves; the last group has the
// columns that are left. Write another power of two for other groups. What a NaN or an
// infinity does stays in its group.
//
//===----------------------------------------------------------------------===//

quack.kernel @quantize_fp8_groups(%x: memref<?x?xf32> in row,
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
  %s = arith.maximumf %quotient, %leasts : tensor<?xf32, #quack.groups<128>>
  %s_row = quack.group_broadcast %s : tensor<?xf32, #quack.groups<128>> -> tensor<?xf32>
  %q = arith.divf %v, %s_row : tensor<?xf32>
  quack.store %q, %y : tensor<?xf32>, memref<?x?xf8E4M3FN>
  quack.store %s, %scale : tensor<?xf32, #quack.groups<128>>, memref<?x?xf32>
}
