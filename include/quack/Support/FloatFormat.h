//===- include/quack/Support/FloatFormat.h - rounding -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds a double to a narrower float format, to nearest even, in one step:
// what a store and `arith.truncf` mean. Plain bit arithmetic, inlined into
// loops over whole rows; no LLVM and no MLIR here.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_SUPPORT_FLOATFORMAT_H
#define QUACK_SUPPORT_FLOATFORMAT_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace quack {

/// The float formats that a row program computes in or stores.
enum class FloatFormat { f64, f32, bf16, f16, f8E4M3FN, f8E5M2 };

/// What rounding to a format needs to know of it.
struct FloatTraits {
  int precision;       ///< bits of the significand, the hidden one included
  double minNormal;    ///< smallest normal number
  double minSubnormal; ///< distance of subnormal numbers
  double maxFinite;    ///< greatest finite number
  double unitRoundoff; ///< half the distance of 1 to the next number
  double overflow;     ///< what numbers beyond the greatest finite one become
};

/// Returns the traits of `format`.
constexpr FloatTraits getTraits(FloatFormat format) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (format) {
  case FloatFormat::f64:
    return {53,      0x1p-1022, 0x1p-1074, 0x1.fffffffffffffp1023,
            0x1p-53, infinity};
  case FloatFormat::f32:
    return {24, 0x1p-126, 0x1p-149, 0x1.fffffep127, 0x1p-24, infinity};
  case FloatFormat::bf16:
    return {8, 0x1p-126, 0x1p-133, 0x1.fep127, 0x1p-8, infinity};
  case FloatFormat::f16:
    return {11, 0x1p-14, 0x1p-24, 65504.0, 0x1p-11, infinity};
  case FloatFormat::f8E4M3FN:
    return {4, 0x1p-6, 0x1p-9, 448.0, 0x1p-4, 448.0};
  case FloatFormat::f8E5M2:
    return {3, 0x1p-14, 0x1p-16, 57344.0, 0x1p-3, 57344.0};
  }
  return {};
}

/// Returns `x` rounded to the format with `traits`, to nearest even. Numbers
/// beyond the greatest finite one become infinite as IEEE 754 says, but in 8
/// bits the greatest finite one, as infinities do (PTX ISA, cvt, .satfinite);
/// NaN stays.
///
/// | x               | bf16 | f16      | f8E4M3FN |
/// |-----------------|------|----------|----------|
/// | 1 + 2^-8        | 1    | 1 + 2^-8 | 1        |
/// | 1 + 3 * 2^-8    | 1 + 2^-6 | 1 + 3 * 2^-8 | 1 |
/// | 65520           | 65536 | inf     | 448      |
/// | 2^-25           | 2^-25 | 0       | 0        |
/// | inf             | inf  | inf      | 448      |
inline double roundTo(const FloatTraits &traits, double x) {
  if (traits.precision == 53)
    return x;
  double magnitude = std::fabs(x);
  // Adding and subtracting 1.5 * 2^52 units leaves whole units, to nearest
  // even.
  double magic = 0x1.8p52 * traits.minSubnormal;
  double subnormal = (magnitude + magic) - magic;
  uint64_t bits;
  std::memcpy(&bits, &magnitude, sizeof(bits));
  unsigned drop = 53 - traits.precision;
  uint64_t half = uint64_t(1) << (drop - 1);
  bits += half - 1 + ((bits >> drop) & 1);
  bits &= ~((uint64_t(1) << drop) - 1);
  double normal;
  std::memcpy(&normal, &bits, sizeof(normal));
  double rounded = magnitude < traits.minNormal ? subnormal : normal;
  rounded = rounded > traits.maxFinite ? traits.overflow : rounded;
  // A NaN keeps its own bits.
  rounded = magnitude == magnitude ? rounded : magnitude;
  return std::copysign(rounded, x);
}

inline double roundTo(FloatFormat format, double x) {
  return roundTo(getTraits(format), x);
}

} // namespace quack

#endif // QUACK_SUPPORT_FLOATFORMAT_H
