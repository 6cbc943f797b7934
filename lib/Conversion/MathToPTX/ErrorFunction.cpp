//===- lib/Conversion/MathToPTX/ErrorFunction.cpp - erf ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// erf of an f32 to two ulp, for the exact GELU.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;

namespace quack {

/// Below 0.9277 an odd polynomial, above it 1 - 2^q(|x|), where q is a
/// polynomial for log2(erfc).
static Value emitErf(MathEmitter &e, Value x) {
  // erf(t) / t - 1 in t^2 on |t| <= 0.93, minimax: 2^-25.7 relative.
  static constexpr float nearCoefficients[] = {
      -0x1.386bf4p-11f, 0x1.46d836p-8f,  -0x1.b67bcep-6f,
      0x1.ce1984p-4f,   -0x1.8126e2p-2f, 0x1.06eba6p-3f};
  // log2(erfc(t)) on [0.92, 3.95], minimax in erf: 2^-30.2 relative.
  static constexpr float farCoefficients[] = {
      -0x1.0fd3f2p-16f, 0x1.e8500ep-12f, -0x1.58623ep-8f, 0x1.18d4f2p-5f,
      -0x1.39e426p-3f,  -0x1.d5292ep-1f, -0x1.a0d7fap+0f, 0.0f};
  Value t = e.abs(x);
  Value p = e.horner(e.mul(t, t), nearCoefficients);
  Value near = e.fma(p, t, t);

  // erf is 1 in f32 from 3.92 on. NaN passes.
  Value bounded = e.make<arith::MinimumFOp>(t, e.constant(3.95f));
  Value q = e.horner(bounded, farCoefficients);
  Value far = e.sub(1.0f, e.exp2(q));

  Value isNear = e.less(t, 0.9277f);
  return e.copySign(e.select(isNear, near, far), x);
}

void populateErrorFunctionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerUnary<math::ErfOp, emitErf>>(patterns.getContext());
}

} // namespace quack
