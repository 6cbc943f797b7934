//===- lib/Conversion/MathToPTX/Logarithm.cpp - log ops ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// log2 is the hardware's lg2.approx without .ftz, so that subnormal arguments
// count (PTX ISA 9.7.3, lg2); log and log10 are multiples of it. Its error near
// one is absolute, so log1p is a polynomial.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include <limits>

using namespace mlir;

namespace quack {

static Value emitLog2(MathEmitter &e, Value x) { return e.log2(x); }

static Value emitLog(MathEmitter &e, Value x) {
  return e.mul(e.log2(x), 0x1.62e43p-1f);
}

static Value emitLog10(MathEmitter &e, Value x) {
  return e.mul(e.log2(x), 0x1.344136p-2f);
}

/// With 1 + x = 2^k (1 + m) and m in [-0.25, 0.5],
///   log1p(x) = k ln 2 + log1p(m), where m = x 2^-k + (2^-k - 1).
/// m is made from x, not from the rounded sum, so that small x keep their bits.
static Value emitLog1p(MathEmitter &e, Value x) {
  // (log1p(m) - m) / m^2 on [-0.25, 0.5], minimax: 2^-27.4 relative.
  static constexpr float coefficients[] = {
      -0x1.793fc4p-5f, 0x1.b1e3eap-4f,  -0x1.0e8ad6p-3f,
      0x1.287568p-3f,  -0x1.54d6e6p-3f, 0x1.996726p-3f,
      -0x1.000082p-2f, 0x1.5555acp-2f,  -0x1p-1f};
  Value sum = e.add(x, 1.0f);
  // k, where the exponent of an f32 lies; 0x3f400000 is 0.75.
  Value k = e.apply<arith::SubIOp>(e.toBits(sum), 0x3f400000);
  k = e.apply<arith::AndIOp>(k, 0xff800000);
  Value xBits = e.toBits(x);
  Value scaled = e.fromBits(e.make<arith::SubIOp>(xBits, k));
  // 4 * 2^-k stays a normal number for the largest k; 0x40800000 is 4.
  Value four = e.integer(k, 0x40800000);
  Value inverse = e.fromBits(e.make<arith::SubIOp>(four, k));
  Value m = e.add(scaled, e.fma(inverse, 0.25f, -1.0f));

  Value square = e.mul(m, m);
  Value p = e.fma(square, e.horner(m, coefficients), m);
  Value kFloat = e.make<arith::SIToFPOp>(e.f32(), k);
  Value result = e.copySign(e.fma(kFloat, 0x1.62e43p-24f, p), x);

  // lg2 of the sum has the right special value everywhere else.
  Value isAboveMinusOne = e.less(-1.0f, x);
  Value isFinite = e.less(x, std::numeric_limits<float>::infinity());
  Value isRegular = e.make<arith::AndIOp>(isAboveMinusOne, isFinite);
  return e.select(isRegular, result, e.log2(sum));
}

void populateLogarithmPatterns(RewritePatternSet &patterns) {
  patterns
      .add<LowerUnary<math::Log2Op, emitLog2>, LowerUnary<math::LogOp, emitLog>,
           LowerUnary<math::Log10Op, emitLog10>,
           LowerUnary<math::Log1pOp, emitLog1p>>(patterns.getContext());
}

} // namespace quack
