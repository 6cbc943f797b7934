//===- lib/Conversion/MathToPTX/Hyperbolic.cpp - tanh -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tanh of an f32 to a few ulp. The hardware's tanh.approx has 11 good bits
// (PTX ISA 9.7.3, tanh), too few for an f32 result.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;

namespace quack {

/// Below 0.7 an odd polynomial, above it 1 - 2 / (exp(2 |x|) + 1).
static Value emitTanh(MathEmitter &e, Value x) {
  // (tanh(t) / t - 1) / t^2 in t^2 on |t| <= 0.7, minimax: 2^-30.3 relative.
  static constexpr float coefficients[] = {0x1.f25680p-10f, -0x1.029750p-7f,
                                           0x1.617ff0p-6f,  -0x1.b9bb3cp-5f,
                                           0x1.110f52p-3f,  -0x1.555550p-2f};
  Value t = e.abs(x);
  Value square = e.mul(t, t);
  Value p = e.mul(e.horner(square, coefficients), square);
  Value small = e.fma(p, t, t);

  // The power overflows to infinity, whose reciprocal is zero.
  Value power = e.exp2(e.mul(t, 0x1.715476p+1f));
  Value divisor = e.add(power, 1.0f);
  Value reciprocal = e.intrinsic("llvm.nvvm.rcp.approx.ftz.f", divisor);
  Value large = e.fma(reciprocal, -2.0f, 1.0f);

  Value isSmall = e.less(t, 0.7f);
  return e.copySign(e.select(isSmall, small, large), x);
}

void populateHyperbolicPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerUnary<math::TanhOp, emitTanh>>(patterns.getContext());
}

} // namespace quack
