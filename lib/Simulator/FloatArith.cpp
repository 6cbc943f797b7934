//===- FloatArith.cpp - f32 and f64 arithmetic -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Floating-Point Instructions", those that IEEE 754 fixes: add, sub,
// mul, fma, mad, div, rcp, sqrt with rounding, min, max, abs, neg, copysign,
// and testp. Nearest rounding has fast handlers; the others set the host's
// rounding.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "FloatBits.h"
#include "Lanes.h"

#include <cmath>

using namespace quack::sim;

namespace {
struct AddF {
  template <typename T> static T apply(T a, T b) { return a + b; }
};
struct SubF {
  template <typename T> static T apply(T a, T b) { return a - b; }
};
struct MulF {
  template <typename T> static T apply(T a, T b) { return a * b; }
};
struct DivF {
  template <typename T> static T apply(T a, T b) { return a / b; }
};
struct RcpF {
  template <typename T> static T apply(T a) { return T(1) / a; }
};
struct SqrtF {
  static float apply(float a) { return __builtin_sqrtf(a); }
  static double apply(double a) { return __builtin_sqrt(a); }
};
struct FmaF {
  static float apply(float a, float b, float c) { return std::fma(a, b, c); }
  static double apply(double a, double b, double c) {
    return std::fma(a, b, c);
  }
};
/// The same to nearest, in a form that vectorises.
struct FmaNearest {
  static float apply(float a, float b, float c) {
    return float(addToOdd(double(a) * double(b), double(c)));
  }
};

template <bool flush> uint32_t input(uint32_t bits) {
  return flush ? flushed(bits) : bits;
}
template <bool flush> uint32_t output(float value) {
  uint32_t bits = canonical(value);
  return flush ? flushed(bits) : bits;
}
/// f32 to nearest.
template <typename F, bool flush> struct Single {
  static uint32_t apply(uint32_t a) {
    return output<flush>(F::apply(asFloat(input<flush>(a))));
  }
  static uint32_t apply(uint32_t a, uint32_t b) {
    return output<flush>(
        F::apply(asFloat(input<flush>(a)), asFloat(input<flush>(b))));
  }
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    return output<flush>(F::apply(asFloat(input<flush>(a)),
                                  asFloat(input<flush>(b)),
                                  asFloat(input<flush>(c))));
  }
};

/// min and max (PTX ISA): +0 is above -0; a NaN loses, or wins with .NaN.
template <bool isMax> struct Extremum {
  static uint64_t apply(uint64_t a, uint64_t b) {
    double x = asDouble(a), y = asDouble(b);
    uint64_t result = (isMax ? x > y : x < y) ? a : b;
    uint64_t tied = isMax ? a & b : a | b;
    result = x == y ? tied : result;
    result = x != x ? b : y != y ? a : result;
    return x != x && y != y ? canonicalDoubleNaN : result;
  }
};
template <bool isMax, bool nan, bool flush> struct SingleExtremum {
  static uint32_t apply(uint32_t a, uint32_t b) {
    a = input<flush>(a);
    b = input<flush>(b);
    float x = asFloat(a), y = asFloat(b);
    uint32_t result = (isMax ? x > y : x < y) ? a : b;
    uint32_t tied = isMax ? a & b : a | b;
    result = x == y ? tied : result;
    uint32_t forX = nan ? canonicalNaN : y != y ? canonicalNaN : b;
    uint32_t forY = nan ? canonicalNaN : a;
    result = y != y ? forY : result;
    return x != x ? forX : result;
  }
};
/// .xorsign.abs: of the magnitudes; the sign is the signs' exclusive or.
template <bool isMax, bool nan, bool flush> struct SignedExtremum {
  static uint32_t apply(uint32_t a, uint32_t b) {
    uint32_t result = SingleExtremum<isMax, nan, flush>::apply(a & 0x7fffffff,
                                                               b & 0x7fffffff);
    return result == canonicalNaN ? result : result | ((a ^ b) & 0x80000000);
  }
};

/// PTX leaves open which NaN abs and neg give: an H200 gives f32's canonical
/// one, and f64's operand, made quiet.
struct AbsF {
  static uint32_t apply(const Op &op, uint32_t a) {
    return canonical(asFloat((op.flush ? flushed(a) : a) & 0x7fffffff));
  }
  static uint64_t apply(const Op &, uint64_t a) {
    return isNaN(a) ? quieted(a) : a << 1 >> 1;
  }
};
struct NegF {
  static uint32_t apply(const Op &op, uint32_t a) {
    return canonical(asFloat((op.flush ? flushed(a) : a) ^ 0x80000000));
  }
  static uint64_t apply(const Op &, uint64_t a) {
    return isNaN(a) ? quieted(a) : a ^ (1ull << 63);
  }
};
/// copysign.f32 d, a, b: a's sign, b's magnitude.
template <typename T> struct CopySign {
  static T apply(T a, T b) {
    constexpr T sign = T(1) << (8 * sizeof(T) - 1);
    return (a & sign) | (b & ~sign);
  }
};
} // namespace

/// .sat: clamps to [0, 1]; NaN becomes +0.
static uint32_t saturated(uint32_t bits) {
  float value = asFloat(bits);
  return value > 1 ? 0x3f800000 : value > 0 ? bits : 0;
}

/// f32 with any modifiers.
template <typename F, unsigned arity>
static void singleSlow(Warp &warp, const Op &op, uint32_t lanes) {
  const uint32_t *a = warp.reg<uint32_t>(op.a), *b = warp.reg<uint32_t>(op.b),
                 *c = warp.reg<uint32_t>(op.c);
  uint32_t result[warpLanes];
  auto in = [&](uint32_t bits) {
    return asFloat(op.flush ? flushed(bits) : bits);
  };
  HostRounding rounding(op.rounding);
  for (unsigned i = 0; i < warpLanes; ++i) {
    float value;
    if constexpr (arity == 1)
      value = F::apply(in(a[i]));
    else if constexpr (arity == 2)
      value = F::apply(in(a[i]), in(b[i]));
    else
      value = F::apply(in(a[i]), in(b[i]), in(c[i]));
    uint32_t bits = canonical(value);
    bits = op.flush ? flushed(bits) : bits;
    result[i] = op.saturate ? saturated(bits) : bits;
  }
  writeLanes(warp, op.d, lanes, result);
}

/// The NaN that an operation of f64 gives, the same on each host: its first
/// operand that is one, made quiet, or an H200's own.
static double doubleNaN(double a, double b, double c) {
  for (double operand : {a, b, c})
    if (operand != operand)
      return asDouble(quieted(asBits(operand)));
  return asDouble(0xfff8000000000000);
}

template <typename F, unsigned arity>
static void doubleAny(Warp &warp, const Op &op, uint32_t lanes) {
  const double *a = warp.reg<double>(op.a), *b = warp.reg<double>(op.b),
               *c = warp.reg<double>(op.c);
  double result[warpLanes];
  HostRounding rounding(op.rounding);
  for (unsigned i = 0; i < warpLanes; ++i) {
    if constexpr (arity == 1)
      result[i] = F::apply(a[i]);
    else if constexpr (arity == 2)
      result[i] = F::apply(a[i], b[i]);
    else
      result[i] = F::apply(a[i], b[i], c[i]);
    if (result[i] != result[i])
      result[i] = doubleNaN(a[i], arity > 1 ? b[i] : 0, arity > 2 ? c[i] : 0);
  }
  writeLanes(warp, op.d, lanes, result);
}

template <typename F, unsigned arity, typename Fast = F>
static Handler pickArith(const Op &op) {
  if (op.type == Type::f64)
    return doubleAny<F, arity>;
  if (op.rounding != Rounding::nearest || op.saturate)
    return singleSlow<F, arity>;
  if constexpr (arity == 1)
    return op.flush ? unary<uint32_t, uint32_t, Single<Fast, true>>
                    : unary<uint32_t, uint32_t, Single<Fast, false>>;
  else if constexpr (arity == 2)
    return op.flush ? binary<uint32_t, uint32_t, Single<Fast, true>>
                    : binary<uint32_t, uint32_t, Single<Fast, false>>;
  else
    return op.flush ? ternary<uint32_t, uint32_t, Single<Fast, true>>
                    : ternary<uint32_t, uint32_t, Single<Fast, false>>;
}

template <template <bool, bool, bool> class F, bool isMax>
static Handler pickSingleExtremum(const Op &op) {
  if (op.flush)
    return op.nan ? binary<uint32_t, uint32_t, F<isMax, true, true>>
                  : binary<uint32_t, uint32_t, F<isMax, false, true>>;
  return op.nan ? binary<uint32_t, uint32_t, F<isMax, true, false>>
                : binary<uint32_t, uint32_t, F<isMax, false, false>>;
}

template <bool isMax> static Handler pickExtremum(const Op &op) {
  if (op.type == Type::f64)
    return binary<uint64_t, uint64_t, Extremum<isMax>>;
  return op.mode ? pickSingleExtremum<SignedExtremum, isMax>(op)
                 : pickSingleExtremum<SingleExtremum, isMax>(op);
}

//===----------------------------------------------------------------------===//
// testp
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral testNames[] = {
    "finite", "infinite", "number", "notanumber", "normal", "subnormal"};

/// Whether a number is of the class testNames[which].
template <typename Bits> static bool isOfClass(Bits bits, unsigned which) {
  constexpr unsigned mantissa = sizeof(Bits) == 4 ? 23 : 52;
  Bits magnitude = Bits(bits << 1) >> 1;
  constexpr Bits infinity = (~Bits(0) << 1 >> 1) >> mantissa << mantissa;
  constexpr Bits leastNormal = Bits(1) << mantissa;
  switch (which) {
  case 0:
    return magnitude < infinity;
  case 1:
    return magnitude == infinity;
  case 2:
    return magnitude <= infinity;
  case 3:
    return magnitude > infinity;
  case 4: // zeros are normal
    return magnitude == 0 || (magnitude >= leastNormal && magnitude < infinity);
  default:
    return magnitude != 0 && magnitude < leastNormal;
  }
}

template <typename Bits>
static void testClass(Warp &warp, const Op &op, uint32_t lanes) {
  const Bits *a = warp.reg<Bits>(op.a);
  uint32_t result = 0;
  for (unsigned i = 0; i < warpLanes; ++i)
    result |= uint32_t(isOfClass(a[i], op.mode)) << i;
  warp.mask(op.d) = (warp.mask(op.d) & ~lanes) | (result & lanes);
}

static void decodeTest(Decoder &d, Op &op) {
  unsigned which = 0;
  while (which < std::size(testNames) && !d.take(testNames[which]))
    ++which;
  op.mode = uint8_t(which);
  op.type = d.takeType();
  op.run = op.type == Type::f64 ? testClass<uint64_t> : testClass<uint32_t>;
  if (which == std::size(testNames) ||
      (op.type != Type::f32 && op.type != Type::f64))
    d.failForm();
  if (d.hasFailed() || !d.expectOperands(2))
    return;
  op.d = d.dest(0, Type::pred);
  op.a = d.source(1, op.type);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static Handler pick(llvm::StringRef root, const Op &op) {
  bool isDouble = op.type == Type::f64;
  if (root == "add")
    return pickArith<AddF, 2>(op);
  if (root == "sub")
    return pickArith<SubF, 2>(op);
  if (root == "mul")
    return pickArith<MulF, 2>(op);
  if (root == "div")
    return pickArith<DivF, 2>(op);
  if (root == "fma" || root == "mad")
    return pickArith<FmaF, 3, FmaNearest>(op);
  if (root == "rcp")
    return pickArith<RcpF, 1>(op);
  if (root == "sqrt")
    return pickArith<SqrtF, 1>(op);
  if (root == "min")
    return pickExtremum<false>(op);
  if (root == "max")
    return pickExtremum<true>(op);
  if (root == "abs")
    return isDouble ? unaryWith<uint64_t, uint64_t, AbsF>
                    : unaryWith<uint32_t, uint32_t, AbsF>;
  if (root == "neg")
    return isDouble ? unaryWith<uint64_t, uint64_t, NegF>
                    : unaryWith<uint32_t, uint32_t, NegF>;
  return isDouble ? binary<uint64_t, uint64_t, CopySign<uint64_t>>
                  : binary<uint32_t, uint32_t, CopySign<uint32_t>>;
}

bool quack::sim::decodeFloat(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  if (root == "testp") {
    decodeTest(d, op);
    return true;
  }
  static constexpr llvm::StringLiteral roots[] = {
      "add",  "sub", "mul", "fma", "mad", "div",     "rcp",
      "sqrt", "min", "max", "abs", "neg", "copysign"};
  std::optional<Type> type = d.peekType();
  if (!llvm::is_contained(roots, root) || d.has("approx") || d.has("full") ||
      (type != Type::f32 && type != Type::f64))
    return false;
  op.type = d.takeType();
  bool isSingle = op.type == Type::f32;
  bool isExtremum = root == "min" || root == "max";
  bool isSign = root == "abs" || root == "neg" || root == "copysign";
  if (!isExtremum && !isSign) {
    std::optional<Rounding> rounding = d.takeRounding();
    bool mayOmit = root == "add" || root == "sub" || root == "mul";
    if (!rounding && !mayOmit)
      d.fail("'" + root + "' needs a rounding");
    op.rounding = rounding.value_or(Rounding::nearest);
    bool hasSaturation = mayOmit || root == "fma" || root == "mad";
    op.saturate = isSingle && hasSaturation && d.take("sat");
  }
  op.flush = isSingle && root != "copysign" && d.take("ftz");
  op.nan = isSingle && isExtremum && d.take("NaN");
  // .xorsign comes with .abs.
  op.mode = isSingle && isExtremum && d.has("abs") && d.take("xorsign") &&
            d.take("abs");
  op.run = pick(root, op);
  bool isUnary =
      root == "rcp" || root == "sqrt" || root == "abs" || root == "neg";
  size_t sources = isUnary ? 1 : root == "fma" || root == "mad" ? 3 : 2;
  d.operandsOf(op, op.type, sources);
  return true;
}
