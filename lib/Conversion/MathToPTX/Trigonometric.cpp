//===- lib/Conversion/MathToPTX/Trigonometric.cpp - sin, cos ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sin and cos for every finite argument: x = q pi/2 + r with |r| <= pi/4, then
// a polynomial in r. The reduction is Cody and Waite's in fma for the arguments
// that occur, and Payne and Hanek's in integers where any lane is beyond.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace quack {

namespace {
/// x less its nearest multiple of pi/2, and which multiple, modulo 4.
struct Reduced {
  Value rest;
  Value quadrant;
};
} // namespace

/// Up to here q x 24 bits of pi/2 cancel x without error: q < 2^17, and the
/// difference is below 1 and a multiple of 2^-24.
static constexpr float codyWaiteLimit = 105615.0f;

/// 1/(2 pi) from the binary point, 32 bits a word.
static constexpr uint32_t inverseTurn[] = {0x28be60db, 0x9391054a, 0x7f09d5f4,
                                           0x7d4d3770, 0x36d8a566, 0x4f10e410,
                                           0x7f9458ea};

/// pi/2 in three parts of 24 bits, all of one sign, so that the rest of -0 is
/// -0; an infinity gives NaN.
static Reduced reduceSmall(MathEmitter &e, Value x) {
  // Adding 1.5 * 2^23 rounds to an integer, which the low bits then hold.
  Value magic = e.constant(0x1.8p+23f);
  Value shifted = e.fma(x, 0x1.45f306p-1f, magic);
  Value q = e.sub(shifted, magic);
  Value rest = e.fma(q, -0x1.921fb4p+0f, x);
  rest = e.fma(q, -0x1.4442dp-24f, rest);
  rest = e.fma(q, -0x1.84698ap-48f, rest);
  return {rest, e.toBits(shifted)};
}

/// Returns the words of 1/(2 pi) from `index` - 1 on; `index` is at most 4, and
/// word -1 is zero.
static SmallVector<Value, 4> selectWords(MathEmitter &e, Value index) {
  auto wordAt = [&](uint32_t position) {
    return e.integer(index, position == 0 ? 0 : inverseTurn[position - 1]);
  };
  SmallVector<Value, 4> words;
  for (uint32_t offset = 0; offset < 4; ++offset)
    words.push_back(wordAt(offset));
  for (uint32_t candidate = 1; candidate <= 4; ++candidate) {
    Value number = e.integer(index, candidate);
    Value isIt = e.make<arith::CmpIOp>(arith::CmpIPredicate::eq, index, number);
    for (uint32_t offset = 0; offset < 4; ++offset)
      words[offset] = e.select(isIt, wordAt(candidate + offset), words[offset]);
  }
  return words;
}

/// Returns the high half of (high : low) << shift; `shift` is a 64-bit value
/// below 32.
static Value funnel(MathEmitter &e, Value high, Value low, Value shift) {
  Value wideHigh = e.make<arith::ExtUIOp>(e.i64(), high);
  Value wideLow = e.make<arith::ExtUIOp>(e.i64(), low);
  wideHigh = e.apply<arith::ShLIOp>(wideHigh, 32);
  Value both = e.make<arith::OrIOp>(wideHigh, wideLow);
  Value shifted = e.make<arith::ShLIOp>(both, shift);
  return e.apply<arith::ShRUIOp>(shifted, 32);
}

/// Returns |x| / (2 pi) modulo 1, as a 64-bit fraction: the 24 bits of x times
/// the 96 bits of 1/(2 pi) whose weight in the product is below 1. For
/// |x| >= 2^16 the bits left out are worth less than 2^-62 turns.
static Value turnFraction(MathEmitter &e, Value xBits) {
  Value exponent = e.apply<arith::ShRUIOp>(xBits, 23);
  exponent = e.apply<arith::AndIOp>(exponent, 0xff);
  exponent = e.apply<arith::SubIOp>(exponent, 126);
  Value index = e.apply<arith::ShRUIOp>(exponent, 5);
  SmallVector<Value, 4> words = selectWords(e, index);
  Value shift = e.apply<arith::AndIOp>(exponent, 31);
  shift = e.make<arith::ExtUIOp>(e.i64(), shift);
  Value high = funnel(e, words[0], words[1], shift);
  Value middle = funnel(e, words[1], words[2], shift);
  Value low = funnel(e, words[2], words[3], shift);

  // The significand with its implicit one, at the top of 32 bits.
  Value significand = e.apply<arith::ShLIOp>(xBits, 8);
  significand = e.apply<arith::OrIOp>(significand, 0x80000000);
  significand = e.make<arith::ExtUIOp>(e.i64(), significand);
  high = e.make<arith::MulIOp>(significand, high);
  middle = e.make<arith::MulIOp>(significand, middle);
  low = e.make<arith::MulIOp>(significand, low);
  high = e.apply<arith::ShLIOp>(high, 32);
  low = e.apply<arith::ShRUIOp>(low, 32);
  Value sum = e.make<arith::AddIOp>(high, middle);
  return e.make<arith::AddIOp>(sum, low);
}

/// Any finite x of at least 2^16 in magnitude.
static Reduced reduceLarge(MathEmitter &e, Value x) {
  Value xBits = e.toBits(x);
  Value fraction = turnFraction(e, xBits);
  // The nearest quarter turn, and the signed rest below it.
  Value rounded = e.apply<arith::AddIOp>(fraction, uint64_t(1) << 61);
  Value quadrant = e.apply<arith::ShRUIOp>(rounded, 62);
  quadrant = e.make<arith::TruncIOp>(e.i32(), quadrant);
  Value rest = e.apply<arith::ShLIOp>(fraction, 2);
  rest = e.make<arith::SIToFPOp>(e.f64(), rest);
  Value scale = e.constant64(0x1.921fb54442d18p-64);
  rest = e.make<arith::MulFOp>(rest, scale);
  Value restBits = e.toBits(e.make<arith::TruncFOp>(e.f32(), rest));

  // Both change sign with x.
  Value sign = e.apply<arith::AndIOp>(xBits, 0x80000000);
  Value mask = e.apply<arith::ShRSIOp>(xBits, 31);
  quadrant = e.make<arith::XOrIOp>(quadrant, mask);
  quadrant = e.make<arith::SubIOp>(quadrant, mask);
  return {e.fromBits(e.make<arith::XOrIOp>(restBits, sign)), quadrant};
}

/// Reduces as small, and again as large where a lane needs it.
static Reduced reduce(MathEmitter &e, Value x) {
  Reduced small = reduceSmall(e, x);
  Value magnitude = e.abs(x);
  Value isBeyond = e.less(codyWaiteLimit, magnitude);
  Value isFinite = e.less(magnitude, std::numeric_limits<float>::infinity());
  Value isLarge = e.make<arith::AndIOp>(isBeyond, isFinite);
  Value anyLarge = isLarge;
  if (isa<VectorType>(x.getType()))
    anyLarge = e.make<vector::ReductionOp>(vector::CombiningKind::OR, isLarge);

  auto buildLarge = [&](OpBuilder &builder, Location loc) {
    MathEmitter inner(builder, loc, x.getType());
    Reduced large = reduceLarge(inner, x);
    Value rest = inner.select(isLarge, large.rest, small.rest);
    Value quadrant = inner.select(isLarge, large.quadrant, small.quadrant);
    scf::YieldOp::create(builder, loc, ValueRange{rest, quadrant});
  };
  auto keepSmall = [&](OpBuilder &builder, Location loc) {
    scf::YieldOp::create(builder, loc, ValueRange{small.rest, small.quadrant});
  };
  auto choice =
      scf::IfOp::create(e.builder, e.loc, anyLarge, buildLarge, keepSmall);
  return {choice.getResult(0), choice.getResult(1)};
}

/// Returns sin(rest + quadrant pi/2).
static Value sineOf(MathEmitter &e, Value rest, Value quadrant) {
  // (sin(r) / r - 1) / r^2 and (cos(r) - 1) / r^2 in r^2 on |r| <= 0.79,
  // minimax: 2^-27.8 relative and 2^-33.1 absolute.
  static constexpr float sine[] = {-0x1.991c2ap-13f, 0x1.1106c6p-7f,
                                   -0x1.555544p-3f};
  static constexpr float cosine[] = {0x1.99e0fp-16f, -0x1.6c0c1ap-10f,
                                     0x1.55554ap-5f, -0x1p-1f, 1.0f};
  Value square = e.mul(rest, rest);
  // Adding +0 keeps the sign of a zero argument in the last step.
  Value cube = e.fma(square, rest, 0.0f);
  Value sinRest = e.fma(e.horner(square, sine), cube, rest);
  Value cosRest = e.horner(square, cosine);

  Value isOdd = e.apply<arith::AndIOp>(quadrant, 1);
  isOdd = e.make<arith::TruncIOp>(e.like(e.builder.getI1Type()), isOdd);
  Value chosen = e.toBits(e.select(isOdd, cosRest, sinRest));
  Value sign = e.apply<arith::AndIOp>(quadrant, 2);
  sign = e.apply<arith::ShLIOp>(sign, 30);
  return e.fromBits(e.make<arith::XOrIOp>(chosen, sign));
}

static Value emitSin(MathEmitter &e, Value x) {
  Reduced reduced = reduce(e, x);
  return sineOf(e, reduced.rest, reduced.quadrant);
}

static Value emitCos(MathEmitter &e, Value x) {
  Reduced reduced = reduce(e, x);
  Value next = e.apply<arith::AddIOp>(reduced.quadrant, 1);
  return sineOf(e, reduced.rest, next);
}

void populateTrigonometricPatterns(RewritePatternSet &patterns) {
  patterns
      .add<LowerUnary<math::SinOp, emitSin>, LowerUnary<math::CosOp, emitCos>>(
          patterns.getContext());
}

} // namespace quack
