//===- Approx.cpp - approximate functions ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA: ex2, lg2, sin, cos, tanh, rsqrt, rcp, sqrt, div with .approx, and
// div.full. Polynomials are Taylor's, long enough for the reduced range.
//
//===----------------------------------------------------------------------===//

#include "Approx.h"

#include "Decoder.h"
#include "FloatBits.h"
#include "Lanes.h"

using namespace quack::sim;

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

/// Adding and subtracting this rounds a double below 2^51 to an integer.
static constexpr double roundingShift = 6755399441055744.0;

/// Returns e^t for |t| <= log(2) / 2, to 2^-32.
static inline double expOfReduced(double t) {
  double p = 1.0 / 40320;
  p = p * t + 1.0 / 5040;
  p = p * t + 1.0 / 720;
  p = p * t + 1.0 / 120;
  p = p * t + 1.0 / 24;
  p = p * t + 1.0 / 6;
  p = p * t + 0.5;
  p = p * t + 1.0;
  return p * t + 1.0;
}

/// Returns 2^x for |x| <= 1000.
static inline double exp2Of(double x) {
  double shifted = x + roundingShift;
  double t = (x - (shifted - roundingShift)) * 0.6931471805599453;
  // The integer stands in the low bits of the shifted sum.
  uint64_t scale = (asBits(shifted) + 1023) << 52;
  return expOfReduced(t) * asDouble(scale);
}

static inline double clampTo(double x, double bound) {
  x = x < bound ? x : bound;
  return x > -bound ? x : -bound;
}

/// Returns 2^x in f32 throughout, within 2^-23.2, so that a warp's loop becomes
/// vector code. Beyond the clamp lie only infinities and zeros.
static inline uint32_t exp2Single(uint32_t bits) {
  constexpr float shift = 12582912.0f; // rounds a float below 2^22
  uint32_t magnitude = bits & 0x7fffffff;
  uint32_t clamped = magnitude < 0x43200000 ? magnitude : 0x43200000; // 160
  float x = asFloat(clamped | (bits & 0x80000000));
  float shifted = x + shift;
  float t = x - (shifted - shift);
  // The Taylor series of 2^t, |t| <= 1/2, in pairs that do not wait for each
  // other.
  float t2 = t * t;
  float high = (1.525273e-5f * t + 1.540353e-4f) * t2 +
               (1.333355815e-3f * t + 9.618129108e-3f);
  float low = 5.550410866e-2f * t + 2.402265070e-1f;
  float p = ((high * t2 + low) * t2 + 6.931471806e-1f * t) + 1.0f;
  // In two steps, so that a subnormal result is rounded once.
  int32_t n = int32_t(asBits(shifted) - asBits(shift)), half = n >> 1;
  float result = p * asFloat(uint32_t(half + 127) << 23) *
                 asFloat(uint32_t(n - half + 127) << 23);
  return magnitude > 0x7f800000 ? canonicalNaN : asBits(result);
}

uint32_t quack::sim::approxEx2(uint32_t bits) { return exp2Single(bits); }

uint32_t quack::sim::approxLg2(uint32_t bits) {
  float single = asFloat(bits);
  if (single != single || single < 0)
    return canonicalNaN;
  if (single == 0)
    return 0xff800000;
  if (bits == 0x7f800000)
    return bits;
  uint64_t wide = asBits(double(single));
  // The mantissa moves to [sqrt(1/2), sqrt(2)).
  int64_t exponent = int64_t((wide - 0x3fe6a09e667f3bcdu) >> 52);
  if (exponent >= 2048)
    exponent -= 4096;
  double m = asDouble(wide - (uint64_t(exponent) << 52));
  double s = (m - 1.0) / (m + 1.0), t = s * s;
  double p = 1.0 / 19;
  for (int k = 17; k >= 1; k -= 2)
    p = p * t + 1.0 / k;
  return asBits(float(double(exponent) + s * p * 2.8853900817779268));
}

/// Returns sin(r) for `quadrant` 0, cos(r) for 1, and so on, |r| <= pi / 4.
static double sineOfQuadrant(double r, uint64_t quadrant) {
  double t = r * r;
  double sine =
      r *
      (1 -
       t / 6 *
           (1 -
            t / 20 *
                (1 -
                 t / 42 *
                     (1 - t / 72 *
                              (1 - t / 110 * (1 - t / 156 * (1 - t / 210)))))));
  double cosine =
      1 -
      t / 2 *
          (1 - t / 12 *
                   (1 - t / 30 *
                            (1 - t / 56 *
                                     (1 - t / 90 *
                                              (1 - t / 132 * (1 - t / 182))))));
  double value = quadrant & 1 ? cosine : sine;
  return quadrant & 2 ? -value : value;
}

static uint32_t sine(uint32_t bits, uint64_t shift) {
  double x = asFloat(bits);
  if ((bits & 0x7f800000) == 0x7f800000)
    return canonicalNaN;
  if (shift == 0 && (bits & 0x7fffffff) == 0)
    return bits;
  // The range beyond this has no documented error.
  double turns = clampTo(x, 1e12) * 0.63661977236758134;
  double shifted = turns + roundingShift, n = shifted - roundingShift;
  double r = x - n * 1.5707963267341256;
  r = r - n * 6.0771005065061922e-11;
  return asBits(
      float(sineOfQuadrant(clampTo(r, 1.0), asBits(shifted) + shift)));
}

uint32_t quack::sim::approxSin(uint32_t bits) { return sine(bits, 0); }
uint32_t quack::sim::approxCos(uint32_t bits) { return sine(bits, 1); }

uint32_t quack::sim::approxTanh(uint32_t bits) {
  double x = asFloat(bits);
  if (x != x)
    return canonicalNaN;
  double t = x * x;
  if (t < 0.01)
    return asBits(
        float(x * (1 - t * (1.0 / 3 - t * (2.0 / 15 - t * (17.0 / 315))))));
  double e = exp2Of(clampTo(x, 20.0) * 2.8853900817779268);
  return asBits(float((e - 1) / (e + 1)));
}

uint32_t quack::sim::approxRsqrt(uint32_t bits) {
  double x = asFloat(bits);
  if (x == 0)
    return 0x7f800000 | (bits & 0x80000000);
  return canonical(float(1.0 / __builtin_sqrt(x)));
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see the upper half of their
/// operand, and give the upper half of the result. It is cut off where the rest
/// is below some 0.91 and 0.95 units, as 500 results of an H200 show: functions
/// of double precision that begin so come out with the same bits.
static constexpr uint64_t upperHalf = 0xffffffff00000000;
static constexpr uint64_t signOfDouble = 1ull << 63;
static constexpr uint64_t infiniteDouble = 0x7ff0000000000000;
static constexpr uint64_t leastNormalDouble = 0x0010000000000000;

static uint64_t grossRcp(uint64_t bits) {
  uint64_t sign = bits & signOfDouble, magnitude = bits & ~signOfDouble;
  if (magnitude > infiniteDouble)
    return canonicalDoubleNaN & upperHalf;
  if (magnitude < leastNormalDouble)
    return sign | infiniteDouble;
  uint64_t result = asBits(1.0 / asDouble(magnitude & upperHalf)) + 0x16000000;
  return sign | (result < leastNormalDouble ? 0 : result & upperHalf);
}

static uint64_t grossRsqrt(uint64_t bits) {
  uint64_t sign = bits & signOfDouble, magnitude = bits & ~signOfDouble;
  if (magnitude < leastNormalDouble)
    return sign | infiniteDouble;
  if (sign || magnitude > infiniteDouble)
    return canonicalDoubleNaN & upperHalf;
  double root = __builtin_sqrt(asDouble(magnitude & upperHalf));
  return (asBits(1.0 / root) + 0x0d000000) & upperHalf;
}

/// rsqrt.approx.f64.
static uint64_t fullRsqrt(uint64_t bits) {
  if (isNaN(bits))
    return quieted(bits);
  if (bits << 1 == 0)
    return bits | infiniteDouble;
  if (bits >> 63)
    return signOfDouble | quieted(infiniteDouble);
  return asBits(1.0 / __builtin_sqrt(asDouble(bits)));
}

//===----------------------------------------------------------------------===//
// The instructions
//===----------------------------------------------------------------------===//

namespace {
using Function = uint32_t (*)(uint32_t);

uint32_t approxRcp(uint32_t bits) { return canonical(1.0f / asFloat(bits)); }
uint32_t approxSqrt(uint32_t bits) {
  return canonical(__builtin_sqrtf(asFloat(bits)));
}

template <Function function> struct OnSingle {
  static uint32_t apply(const Op &op, uint32_t a) {
    uint32_t result = function(op.flush ? flushed(a) : a);
    return op.flush ? flushed(result) : result;
  }
};
template <uint64_t (*function)(uint64_t)> struct OnDouble {
  static uint64_t apply(uint64_t a) { return function(a); }
};
/// ex2.approx without .ftz for f32 supports subnormals; so do the others here.
struct Quotient {
  static uint32_t apply(const Op &op, uint32_t a, uint32_t b) {
    a = op.flush ? flushed(a) : a;
    b = op.flush ? flushed(b) : b;
    float divisor = asFloat(b);
    // div.approx: a divisor above 2^126 gives 0, or NaN for an infinite a.
    if (op.mode == 1 && (b & 0x7fffffff) > 0x7e800000 &&
        (b & 0x7fffffff) < 0x7f800000)
      return (a & 0x7fffffff) >= 0x7f800000 ? canonicalNaN
                                            : (a ^ b) & 0x80000000;
    uint32_t result = canonical(asFloat(a) / divisor);
    return op.flush ? flushed(result) : result;
  }
};
template <bool flush> struct Exp2 {
  static uint32_t apply(uint32_t a) {
    uint32_t result = exp2Single(flush ? flushed(a) : a);
    return flush ? flushed(result) : result;
  }
};
template <Function function> struct OnHalf {
  static uint16_t apply(const Op &, uint16_t a) {
    return bitsToHalf(function(halfToBits(a)));
  }
};
template <Function function> struct OnBF16 {
  static uint16_t apply(const Op &, uint16_t a) {
    return bitsToBF16(function(bf16ToBits(a)));
  }
};
template <typename F> struct OnPair {
  static uint32_t apply(const Op &op, uint32_t a) {
    return F::apply(op, uint16_t(a)) | uint32_t(F::apply(op, uint16_t(a >> 16)))
                                           << 16;
  }
};
} // namespace

template <Function function>
static Handler pickFunction(Type type, bool hasHalf) {
  if (type == Type::f32)
    return unaryWith<uint32_t, uint32_t, OnSingle<function>>;
  if (!hasHalf)
    return nullptr;
  switch (type) {
  case Type::f16:
    return unaryWith<uint16_t, uint16_t, OnHalf<function>>;
  case Type::bf16:
    return unaryWith<uint16_t, uint16_t, OnBF16<function>>;
  case Type::f16x2:
    return unaryWith<uint32_t, uint32_t, OnPair<OnHalf<function>>>;
  case Type::bf16x2:
    return unaryWith<uint32_t, uint32_t, OnPair<OnBF16<function>>>;
  default:
    return nullptr;
  }
}

static Handler pickDouble(llvm::StringRef root, bool flush) {
  if (root == "rcp" && flush)
    return unary<uint64_t, uint64_t, OnDouble<grossRcp>>;
  if (root == "rsqrt")
    return flush ? unary<uint64_t, uint64_t, OnDouble<grossRsqrt>>
                 : unary<uint64_t, uint64_t, OnDouble<fullRsqrt>>;
  return nullptr;
}

static Handler pick(llvm::StringRef root, Type type) {
  if (root == "ex2")
    return pickFunction<approxEx2>(type, true);
  if (root == "tanh")
    return pickFunction<approxTanh>(type, true);
  if (root == "lg2")
    return pickFunction<approxLg2>(type, false);
  if (root == "sin")
    return pickFunction<approxSin>(type, false);
  if (root == "cos")
    return pickFunction<approxCos>(type, false);
  if (root == "rsqrt")
    return pickFunction<approxRsqrt>(type, false);
  if (root == "rcp")
    return pickFunction<approxRcp>(type, false);
  if (root == "sqrt")
    return pickFunction<approxSqrt>(type, false);
  return type == Type::f32 ? binaryWith<uint32_t, uint32_t, Quotient> : nullptr;
}

bool quack::sim::decodeApprox(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  static constexpr llvm::StringLiteral roots[] = {
      "ex2", "lg2", "sin", "cos", "tanh", "rsqrt", "rcp", "sqrt", "div"};
  std::optional<Type> type = d.peekType();
  if (!llvm::is_contained(roots, root) || (type && isInteger(*type)))
    return false;
  bool isFull = root == "div" && d.take("full");
  if (!isFull && !d.take("approx")) {
    d.fail("'" + root + "' needs .approx or a rounding");
    return true;
  }
  op.mode = !isFull;
  op.type = d.takeType();
  op.flush = root != "tanh" && d.take("ftz");
  // PTX ISA, ex2: of f16 without .ftz, of bf16 with it; neither flushes.
  bool isHalf = op.type == Type::f16 || op.type == Type::f16x2;
  bool isBF16 = op.type == Type::bf16 || op.type == Type::bf16x2;
  if (root == "ex2" && ((isHalf && op.flush) || (isBF16 && !op.flush)))
    d.failForm();
  op.run =
      op.type == Type::f64 ? pickDouble(root, op.flush) : pick(root, op.type);
  if (root == "ex2" && op.type == Type::f32)
    op.run = op.flush ? unary<uint32_t, uint32_t, Exp2<true>>
                      : unary<uint32_t, uint32_t, Exp2<false>>;
  if (!op.run)
    d.failForm();
  bool isQuotient = root == "div";
  if (d.hasFailed() || !d.expectOperands(isQuotient ? 3 : 2))
    return true;
  if (op.type == Type::f16x2 || op.type == Type::bf16x2)
    op.halves = Halves::apart;
  op.d = d.dest(0, op.type);
  op.a = d.source(1, op.type);
  if (isQuotient)
    op.b = d.source(2, op.type);
  return true;
}
