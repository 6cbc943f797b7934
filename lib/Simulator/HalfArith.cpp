//===- HalfArith.cpp - f16 and bf16 arithmetic -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Half Precision Floating-Point Instructions" and their packed forms:
// add, sub, mul, fma, min, max, abs, neg. A packed value is two lanes of 16
// bits, so that every handler runs over an array of 16-bit patterns. Sums and
// products of two are exact enough in f64 for one rounding; fma rounds to odd
// first.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "FloatBits.h"
#include "Lanes.h"

using namespace quack::sim;

namespace {
template <typename Format> double toDouble(uint16_t bits) {
  return double(asFloat(Format::toBits(bits)));
}
template <typename Format> uint16_t flushHalf(const Op &op, uint16_t bits) {
  return op.flush && (bits & Format::infinity) == 0 ? bits & 0x8000 : bits;
}
template <typename Format> uint16_t finish(const Op &op, double value) {
  uint16_t bits = flushHalf<Format>(
      op, uint16_t(roundTo(Format::format, value, Rounding::nearest)));
  if (!op.saturate)
    return bits;
  return value > 1   ? uint16_t(roundTo(Format::format, 1.0, Rounding::nearest))
         : value > 0 ? bits
                     : uint16_t(0);
}

/// Modifiers of fma and of min and max, in Op::mode.
enum : uint8_t { relu = 1, signs = 2, outOfBounds = 4 };

struct AddH {
  static double apply(double a, double b, double) { return a + b; }
};
struct SubH {
  static double apply(double a, double b, double) { return a - b; }
};
struct MulH {
  static double apply(double a, double b, double) { return a * b; }
};
struct FmaH {
  static double apply(double a, double b, double c) {
    return addToOdd(a * b, c);
  }
};

/// An operation on one pattern each.
template <typename Format, typename F> struct Arith {
  static uint16_t apply(const Op &op, uint16_t a, uint16_t b, uint16_t c) {
    double x = toDouble<Format>(flushHalf<Format>(op, a));
    double y = toDouble<Format>(flushHalf<Format>(op, b));
    double z = toDouble<Format>(flushHalf<Format>(op, c));
    double result = F::apply(x, y, z);
    if (op.mode & relu) // a NaN stays
      result = result <= 0 ? 0 : result;
    return finish<Format>(op, result);
  }
};
/// PTX ISA, "Half Precision Floating-Point Instructions: fma": .oob gives +0 if
/// a factor is the NaN that stands for what lies out of a tensor's bounds.
/// Which NaN that is, PTX doesn't say: on an H200, of all patterns, these of
/// either sign, for f16 and bf16 alike; in the summand they are NaNs like
/// others.
template <typename Format> struct FmaOutOfBounds {
  static bool isOutside(uint16_t bits) { return (bits & 0x7fff) == 0x7ff7; }
  static uint16_t apply(const Op &op, uint16_t a, uint16_t b, uint16_t c) {
    return isOutside(a) || isOutside(b)
               ? 0
               : Arith<Format, FmaH>::apply(op, a, b, c);
  }
};
/// +0 is above -0; a NaN loses, or wins with .NaN.
template <typename Format, bool isMax, bool nan> struct Extremum {
  static uint16_t apply(const Op &op, uint16_t a, uint16_t b, uint16_t) {
    uint16_t sign = 0;
    if (op.mode & signs) { // .xorsign.abs
      sign = (a ^ b) & 0x8000;
      a &= 0x7fff;
      b &= 0x7fff;
    }
    a = flushHalf<Format>(op, a);
    b = flushHalf<Format>(op, b);
    bool isNaNA = (a & 0x7fff) > Format::infinity;
    bool isNaNB = (b & 0x7fff) > Format::infinity;
    bool takesA = isMax ? orderOf(a) > orderOf(b) : orderOf(a) < orderOf(b);
    uint16_t result = takesA ? a : b;
    result = isNaNA ? b : isNaNB ? a : result;
    bool none = nan ? isNaNA | isNaNB : isNaNA & isNaNB;
    return none ? canonicalHalfNaN : result | sign;
  }
};
/// PTX leaves open which NaN abs and neg give: an H200 gives the canonical one.
template <typename Format> struct AbsH {
  static uint16_t apply(const Op &op, uint16_t a, uint16_t, uint16_t) {
    a &= 0x7fff;
    return a > Format::infinity ? canonicalHalfNaN : flushHalf<Format>(op, a);
  }
};
template <typename Format> struct NegH {
  static uint16_t apply(const Op &op, uint16_t a, uint16_t, uint16_t) {
    return (a & 0x7fff) > Format::infinity ? canonicalHalfNaN
                                           : flushHalf<Format>(op, a ^ 0x8000);
  }
};
} // namespace

template <typename F, unsigned count>
static void overPatterns(Warp &warp, const Op &op, uint32_t lanes) {
  const uint16_t *a = warp.reg<uint16_t>(op.a), *b = warp.reg<uint16_t>(op.b),
                 *c = warp.reg<uint16_t>(op.c);
  alignas(64) uint16_t result[warpLanes * count];
  for (unsigned i = 0; i < warpLanes * count; ++i)
    result[i] = F::apply(op, a[i], b[i], c[i]);
  if constexpr (count == 2) {
    uint32_t packed[warpLanes];
    std::memcpy(packed, result, sizeof(packed));
    writeLanes(warp, op.d, lanes, packed);
  } else {
    writeLanes(warp, op.d, lanes, result);
  }
}

template <typename F> static Handler pickWidth(const Op &op) {
  return sizeOf(op.type) == 4 ? overPatterns<F, 2> : overPatterns<F, 1>;
}

template <typename Format, bool isMax>
static Handler pickExtremum(const Op &op) {
  return op.nan ? pickWidth<Extremum<Format, isMax, true>>(op)
                : pickWidth<Extremum<Format, isMax, false>>(op);
}

template <typename Format>
static Handler pick(llvm::StringRef root, const Op &op) {
  if (root == "add")
    return pickWidth<Arith<Format, AddH>>(op);
  if (root == "sub")
    return pickWidth<Arith<Format, SubH>>(op);
  if (root == "mul")
    return pickWidth<Arith<Format, MulH>>(op);
  if (root == "fma")
    return op.mode & outOfBounds ? pickWidth<FmaOutOfBounds<Format>>(op)
                                 : pickWidth<Arith<Format, FmaH>>(op);
  if (root == "min")
    return pickExtremum<Format, false>(op);
  if (root == "max")
    return pickExtremum<Format, true>(op);
  return root == "abs" ? pickWidth<AbsH<Format>>(op)
                       : pickWidth<NegH<Format>>(op);
}

bool quack::sim::decodeHalf(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  static constexpr llvm::StringLiteral roots[] = {"add", "sub", "mul", "fma",
                                                  "min", "max", "abs", "neg"};
  std::optional<Type> type = d.peekType();
  bool isHalf = type == Type::f16 || type == Type::f16x2;
  bool isBF16 = type == Type::bf16 || type == Type::bf16x2;
  if (!llvm::is_contained(roots, root) || !(isHalf || isBF16))
    return false;
  op.type = d.takeType();
  bool isArith =
      root == "add" || root == "sub" || root == "mul" || root == "fma";
  bool isExtremum = root == "min" || root == "max";
  if (isArith && !d.take("rn") && root == "fma")
    d.fail("'fma' needs a rounding");
  op.flush = isHalf && d.take("ftz");
  op.saturate = isHalf && isArith && d.take("sat");
  op.nan = isExtremum && d.take("NaN");
  if (root == "fma" && d.take("relu"))
    op.mode |= relu;
  if (root == "fma" && !op.flush && !op.saturate && d.take("oob"))
    op.mode |= outOfBounds;
  // .xorsign comes with .abs.
  if (isExtremum && d.has("abs") && d.take("xorsign") && d.take("abs"))
    op.mode |= signs;
  op.run = isHalf ? pick<HalfFormat>(root, op) : pick<BF16Format>(root, op);
  op.halves = Halves::apart;
  size_t sources = root == "fma" ? 3 : root == "abs" || root == "neg" ? 1 : 2;
  d.operandsOf(op, op.type, sources);
  return true;
}
