//===- include/quack/Conversion/MathToPTX.h - no libdevice ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers the math dialect to PTX instructions and polynomials. f16 and bf16 are
// computed in f32 and rounded once, except fma, which has an instruction of its
// own. The bounds below are for f32; test/Unit/Math holds the lowering to them.
// An ulp is that of the exact result.
//
//   operation               largest error
//   absf copysign fma       exact; fma rounds once
//   floor ceil trunc        exact
//   round roundeven         exact
//   isnan isinf isfinite    exact
//   absi ctpop ctlz cttz    exact
//   sqrt                    0.5 ulp
//   rsqrt                   2^-22.9 relative
//   exp2                    2^-22 relative; below 2^-126 the result is 0
//   exp                     2^-22 + |x| 2^-23.6 relative; below 2^-126 as exp2
//   expm1                   2 ulp
//   log2                    2^-22 absolute in [0.5, 2], else 2^-22 relative
//   log                     2^-22 absolute in [0.5, 2], else 2^-21.4 relative
//   log10                   2^-23 absolute in [0.5, 2], else 2^-21.4 relative
//   log1p                   2 ulp
//   tanh                    3 ulp
//   erf                     2 ulp
//   sin cos                 1e-7 absolute, for every finite x
//
// Special values are those of C: NaN gives NaN, sin and cos of an infinity are
// NaN, odd functions keep the sign of zero.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_CONVERSION_MATHTOPTX_H
#define QUACK_CONVERSION_MATHTOPTX_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace quack {

/// Adds the patterns of all supported math operations. None makes a math
/// operation, so that one walk over the program is enough.
void populateMathToPTXPatterns(mlir::RewritePatternSet &patterns);

} // namespace quack

#endif // QUACK_CONVERSION_MATHTOPTX_H
