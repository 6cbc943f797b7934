//===- FloatBits.cpp - patterns of floating-point numbers ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatBits.h"

#include <cfenv>

using namespace quack::sim;

HostRounding::HostRounding(Rounding rounding) : before(std::fegetround()) {
  constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  std::fesetround(modes[unsigned(rounding)]);
}

HostRounding::~HostRounding() { std::fesetround(before); }

/// Returns whether `rest`, the bits cut off below `half` * 2, rounds up.
static bool roundsUp(uint64_t kept, uint64_t rest, uint64_t half,
                     bool isNegative, Rounding rounding) {
  switch (rounding) {
  case Rounding::nearest:
    return rest > half || (rest == half && (kept & 1));
  case Rounding::zero:
    return false;
  case Rounding::down:
    return rest != 0 && isNegative;
  case Rounding::up:
    return rest != 0 && !isNegative;
  }
  return false;
}

uint32_t quack::sim::roundTo(SmallFormat format, double value,
                             Rounding rounding) {
  uint64_t bits = asBits(value);
  bool isNegative = bits >> 63;
  unsigned width = 1 + format.exponentBits + format.mantissaBits;
  uint32_t sign = uint32_t(isNegative) << (width - 1);
  uint32_t infinity = ((1u << format.exponentBits) - 1) << format.mantissaBits;
  if (value != value)
    return sign * 0 + ((1u << (width - 1)) - 1);
  int exponent = int(bits >> 52 & 0x7ff) - 1023;
  if (exponent == 1024)
    return sign | infinity;
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint64_t mantissa = (bits & ((1ull << 52) - 1)) | (1ull << 52);
  if (exponent == -1023) // zero, or far below every small format
    mantissa = bits << 1 ? 1 : 0;
  // The exponent of the unit in the last place, at least the subnormals'.
  int unit = std::max(exponent, 1 - bias) - int(format.mantissaBits);
  int cut = unit - (exponent - 52);
  uint64_t kept = 0, rest = mantissa, half = 1ull << 62;
  if (cut < 62) {
    kept = mantissa >> cut;
    rest = mantissa & ((1ull << cut) - 1);
    half = cut ? 1ull << (cut - 1) : 1;
  }
  if (roundsUp(kept, rest, half, isNegative, rounding))
    ++kept;
  // A carry out of the mantissa moves into the exponent by itself.
  uint64_t result = kept;
  if (kept >> format.mantissaBits)
    result =
        kept - (1ull << format.mantissaBits) +
        (uint64_t(std::max(exponent, 1 - bias) + bias) << format.mantissaBits);
  if (result >= infinity) {
    bool isToward = rounding == Rounding::zero ||
                    (rounding == Rounding::down && !isNegative) ||
                    (rounding == Rounding::up && isNegative);
    result = isToward ? infinity - 1 : infinity;
  }
  return sign | uint32_t(result);
}
