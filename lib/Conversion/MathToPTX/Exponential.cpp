//===- lib/Conversion/MathToPTX/Exponential.cpp - exp ops -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp2 is the hardware's ex2.approx.ftz (PTX ISA 9.7.3, ex2) and exp is ex2 of
// a product; expm1 is a polynomial scaled by a power of two, since the
// difference of two near ones would lose what it is asked for.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;

namespace quack {

static constexpr float log2E = 0x1.715476p+0f;

static Value emitExp2(MathEmitter &e, Value x) { return e.exp2(x); }

static Value emitExp(MathEmitter &e, Value x) {
  return e.exp2(e.mul(x, log2E));
}

/// With x = k ln 2 + f and |f| <= ln(2) / 2,
///   expm1(x) = 2 (2^(k-1) expm1(f) + (2^(k-1) - 1/2)),
/// halved so that 2^k of the largest finite result does not overflow.
static Value emitExpM1(MathEmitter &e, Value x) {
  // (expm1(f) - f) / f^2 on |f| <= 0.3475, minimax: 2^-28.1 relative.
  static constexpr float coefficients[] = {0x1.3b8538p-13f, 0x1.6d2e4cp-10f,
                                           0x1.1155aap-7f,  0x1.555502p-5f,
                                           0x1.55552cp-3f,  0x1p-1f};
  // Beyond -25 the result is -1, beyond 89 it is infinite. NaN passes.
  Value low = e.constant(-25.0f);
  Value high = e.constant(89.0f);
  Value clamped = e.make<arith::MaximumFOp>(x, low);
  clamped = e.make<arith::MinimumFOp>(clamped, high);

  // Adding 1.5 * 2^23 rounds to an integer, which the low bits then hold.
  Value magic = e.constant(0x1.8p+23f);
  Value shifted = e.fma(clamped, log2E, magic);
  Value k = e.sub(shifted, magic);
  Value f = e.fma(k, -0x1.62e43p-1f, clamped);
  f = e.fma(k, 0x1.05c61p-29f, f);
  Value square = e.mul(f, f);
  Value p = e.fma(square, e.horner(f, coefficients), f);

  // 2^(k-1); 0x3f000000 is 1/2.
  Value exponent = e.apply<arith::ShLIOp>(e.toBits(shifted), 23);
  Value scale = e.fromBits(e.apply<arith::AddIOp>(exponent, 0x3f000000));
  Value sum = e.fma(scale, p, e.sub(scale, 0.5f));
  Value result = e.add(sum, sum);
  // The halving would lose bits of subnormals, and f + f^2 the sign of -0.
  return e.select(e.less(e.abs(x), 0x1p-24f), x, result);
}

void populateExponentialPatterns(RewritePatternSet &patterns) {
  patterns
      .add<LowerUnary<math::Exp2Op, emitExp2>, LowerUnary<math::ExpOp, emitExp>,
           LowerUnary<math::ExpM1Op, emitExpM1>>(patterns.getContext());
}

} // namespace quack
