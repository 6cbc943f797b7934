//===- quantize_fp8_pow2.mlir - rows in 8 bits, scaled by powers of two ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   scale = the least power of two that is >= max(max |x| / L, 2^-126)
//   q = x / scale, which loses no bit but to the store
//
// As quantize_fp8 but for the scale. Adding all ones below the exponent carries into
// it unless there are only zeros; what is then left below it is cleared. A NaN and an
// infinity keep their patterns.
//
//===----------------------------------------------------------------------===//

quack.kernel @quantize_fp8_pow2(%x: memref<?x?xf32> in row,
                                %y: memref<?x?xf8E4M3FN> out row,
                                %scale: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %magnitude = math.absf %v : tensor<?xf32>
  %amax = quack.reduce maximumf %magnitude : tensor<?xf32> -> f32
  %most = quack.max_finite %y : memref<?x?xf8E4M3FN> -> f32
  %quotient = arith.divf %amax, %most : f32
  %least = arith.constant 0x00800000 : f32
  %exact = arith.maximumf %quotient, %least : f32
  %bits = arith.bitcast %exact : f32 to i32
  %below = arith.constant 0x7FFFFF : i32
  %upper = arith.constant 0xFF800000 : i32
  %carried = arith.addi %bits, %below : i32
  %cleared = arith.andi %carried, %upper : i32
  %power = arith.bitcast %cleared : i32 to f32
  %is_nan = arith.cmpf uno, %exact, %exact : f32
  %s = arith.select %is_nan, %exact, %power : f32
  %s_row = quack.broadcast %s : f32 -> tensor<?xf32>
  %q = arith.divf %v, %s_row : tensor<?xf32>
  quack.store %q, %y : tensor<?xf32>, memref<?x?xf8E4M3FN>
  quack.store %s, %scale : f32, memref<?xf32>
}
