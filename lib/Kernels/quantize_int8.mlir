//===- quantize_int8.mlir - rows as integers of 8 bits with a scale each --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   scale = max(max |x| / 127, 2^-126)    q = round(x / scale)    x ~ q scale
//
// Rounded to nearest, half to even, and from -127 to 127: -128 is not used. A row of
// zeros has the scale 2^-126 and is stored as zeros. A row with a NaN has the scale
// NaN and is stored as zeros. Of a row with an infinity, the scale is +inf and all is
// stored as 0.
//
//===----------------------------------------------------------------------===//

quack.kernel @quantize_int8(%x: memref<?x?xf32> in row, %y: memref<?x?xi8> out row,
                            %scale: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %magnitude = math.absf %v : tensor<?xf32>
  %amax = quack.reduce maximumf %magnitude : tensor<?xf32> -> f32
  %most = quack.max_finite %y : memref<?x?xi8> -> f32
  %quotient = arith.divf %amax, %most : f32
  %least = arith.constant 0x00800000 : f32
  %s = arith.maximumf %quotient, %least : f32
  %s_row = quack.broadcast %s : f32 -> tensor<?xf32>
  %scaled = arith.divf %v, %s_row : tensor<?xf32>
  %whole = math.roundeven %scaled : tensor<?xf32>
  %most_row = quack.broadcast %most : f32 -> tensor<?xf32>
  %not_above = arith.minimumf %whole, %most_row : tensor<?xf32>
  %least_row = arith.negf %most_row : tensor<?xf32>
  %clamped = arith.maximumf %not_above, %least_row : tensor<?xf32>
  %q = arith.fptosi %clamped : tensor<?xf32> to tensor<?xi8>
  quack.store %q, %y : tensor<?xi8>, memref<?x?xi8>
  quack.store %s, %scale : f32, memref<?xf32>
}
