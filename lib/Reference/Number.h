//===- Number.h - a value with its error bound -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of the running error analysis. A Number is a float64 value and
// a bound on how far a correct kernel, which computes in f32, may be from it.
// Invariant: a bound is never NaN; an infinite one means that any result, NaN
// included, is possible (an f32 overflow, a domain edge within the error).
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_REFERENCE_NUMBER_H
#define QUACK_LIB_REFERENCE_NUMBER_H

#include "quack/Support/FloatFormat.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quack::reference {

inline constexpr double unit = 0x1p-24;   ///< unit roundoff of f32
inline constexpr double tiny = 0x1p-149;  ///< underflow of an f32 operation
inline constexpr double flush = 0x1p-126; ///< where approximations may flush
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// A value and the bound on a correct kernel's distance from it.
struct Number {
  double value;
  double error;
};

/// Returns `a - b`, where equal infinities have no distance.
inline double distance(double a, double b) { return a == b ? 0.0 : a - b; }

/// Returns whether anything is possible.
inline bool isUnknown(Number a) { return a.error == infinity; }

/// Returns whether a correct kernel may see 0, but not surely does.
inline bool mayBeZero(Number a) {
  return a.error > 0 && a.error >= std::fabs(a.value);
}

/// The unit roundoff of the operations behind `traits`: bf16 and f16 results
/// are computed in f32 and rounded once more.
inline double operationUnit(const FloatTraits &traits) {
  return traits.precision == 53 ? traits.unitRoundoff : unit;
}

/// Rounds `a` to a format narrower than f32 (or, for `truncf`, to f32): the
/// bound covers what any value within the old one rounds to.
inline Number roundInterval(const FloatTraits &traits, Number a) {
  double value = roundTo(traits, a.value);
  if (a.error == 0 || isUnknown(a))
    return {value, a.error};
  double high = roundTo(traits, a.value + a.error);
  double low = roundTo(traits, a.value - a.error);
  return {value, std::max(distance(high, value), distance(value, low))};
}

/// Returns the result `value` of an operation whose inputs' errors give `error`
/// (NaN where a formula has no answer), its own rounding already counted.
/// `isUnsure` tells that a non-finite value hangs on those errors.
inline Number settle(const FloatTraits &traits, double value, double error,
                     bool isUnsure) {
  bool isFinite = std::fabs(value) <= std::numeric_limits<double>::max();
  if (!isFinite)
    return {value, isUnsure ? infinity : 0.0};
  // Narrower formats are computed in f32, and their overflow is their
  // rounding's.
  double limit =
      std::max(traits.maxFinite, getTraits(FloatFormat::f32).maxFinite);
  bool mayOverflow = !(std::fabs(value) + error <= limit);
  Number result{value, mayOverflow ? infinity : error};
  return traits.precision < 24 ? roundInterval(traits, result) : result;
}

/// settle() for an operation that IEEE 754 rounds correctly: adds its rounding,
/// unless the result is exact.
inline Number settleRounded(const FloatTraits &traits, double value,
                            double error, bool isUnsure) {
  bool isExact =
      error == 0 && (traits.precision == 53 ||
                     static_cast<double>(static_cast<float>(value)) == value);
  double own =
      operationUnit(traits) * std::fabs(value) + (value != 0 ? tiny : 0);
  return settle(traits, value, isExact ? 0.0 : error + own, isUnsure);
}

} // namespace quack::reference

#endif // QUACK_LIB_REFERENCE_NUMBER_H
