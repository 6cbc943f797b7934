//===- quantize_fp8_static.mlir - 8 bits, by a scale that is given --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   q = x / scale
//
// The scale is one number for the launch, not checked. The store rounds to nearest
// even and saturates: what the scale leaves out of range, infinities too, becomes the
// greatest finite number of its sign; NaN stays NaN.
//
//===----------------------------------------------------------------------===//

quack.kernel @quantize_fp8_static(%x: memref<?x?xf32> in row,
                                  %y: memref<?x?xf8E4M3FN> out row, %scale: f32) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %s_row = quack.broadcast %scale : f32 -> tensor<?xf32>
  %q = arith.divf %v, %s_row : tensor<?xf32>
  quack.store %q, %y : tensor<?xf32>, memref<?x?xf8E4M3FN>
}
