//===- FloatBits.h - patterns of floating-point numbers ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways between f16, bf16, f32 and f64 patterns that vectorise, and the rounding
// of an exact double to any small format in any direction. NaN results are
// PTX's canonical NaN (PTX ISA, "Floating-Point Instructions").
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_FLOATBITS_H
#define QUACK_LIB_SIMULATOR_FLOATBITS_H

#include "Program.h"

#include <cstdint>
#include <cstring>

namespace quack::sim {

inline constexpr uint32_t canonicalNaN = 0x7fffffff;
inline constexpr uint16_t canonicalHalfNaN = 0x7fff;
inline constexpr uint64_t canonicalDoubleNaN = 0x7fffffffffffffff;

inline float asFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
inline uint32_t asBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
inline double asDouble(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, 8);
  return value;
}
inline uint64_t asBits(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return bits;
}

inline bool isNaN(uint64_t bits) { return bits << 1 > 0xffe0000000000000; }
/// Returns a NaN of f64 as a quiet one.
inline uint64_t quieted(uint64_t bits) { return bits | 1ull << 51; }

/// Returns the pattern of `value`, or the canonical NaN.
inline uint32_t canonical(float value) {
  uint32_t bits = asBits(value);
  return (bits & 0x7fffffff) > 0x7f800000 ? canonicalNaN : bits;
}
/// .ftz: a subnormal becomes a zero of its sign.
inline uint32_t flushed(uint32_t bits) {
  return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

inline uint32_t bf16ToBits(uint16_t bits) { return uint32_t(bits) << 16; }

inline uint32_t halfToBits(uint16_t bits) {
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  // The exponent's bias grows by 112; subnormals become normal by the way.
  uint32_t scaled = asBits(asFloat(magnitude) * asFloat(0x77800000));
  uint32_t special = magnitude > 0x0f800000 ? canonicalNaN : 0x7f800000 | sign;
  return magnitude >= 0x0f800000 ? special : scaled | sign;
}

inline uint16_t bitsToBF16(uint32_t bits) {
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return uint16_t((bits & 0x7fffffff) > 0x7f800000 ? canonicalHalfNaN
                                                   : rounded);
}

inline uint16_t bitsToHalf(uint32_t bits) {
  uint32_t magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
  uint32_t normal =
      (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13;
  // Adding a half leaves multiples of 2^-24, rounded by the addition.
  uint32_t subnormal = asBits(asFloat(magnitude) + 0.5f) - 0x3f000000;
  uint32_t result = magnitude < 0x38800000 ? subnormal : normal;
  result = magnitude >= 0x47800000 ? 0x7c00 : result;
  return uint16_t(magnitude > 0x7f800000 ? canonicalHalfNaN : result | sign);
}

/// The formats that are computed in f64 and rounded once.
struct SmallFormat {
  unsigned exponentBits, mantissaBits;
};
inline constexpr SmallFormat halfFormat{5, 10}, bf16Format{8, 7},
    singleFormat{8, 23};

/// f16 and bf16, for templates.
struct HalfFormat {
  static uint32_t toBits(uint16_t bits) { return halfToBits(bits); }
  static constexpr SmallFormat format = halfFormat;
  static constexpr uint16_t infinity = 0x7c00;
};
struct BF16Format {
  static uint32_t toBits(uint16_t bits) { return bf16ToBits(bits); }
  static constexpr SmallFormat format = bf16Format;
  static constexpr uint16_t infinity = 0x7f80;
};

/// Returns what orders numbers of 16 bits as sign and magnitude: +0 is above
/// -0.
inline int16_t orderOf(uint16_t bits) {
  return int16_t(bits & 0x8000 ? bits ^ 0x7fff : bits);
}

/// Returns `value` rounded to `format`. `value` must be exact, or rounded to
/// odd.
uint32_t roundTo(SmallFormat format, double value, Rounding rounding);

/// Returns a * b + c rounded to odd: rounding that once more, to f32 or less,
/// gives what one rounding gives. `product` is exact.
inline double addToOdd(double product, double c) {
  double sum = product + c;
  double back = sum - product;
  double error = (product - (sum - back)) + (c - back);
  uint64_t bits = asBits(sum);
  bool isFinite = (bits & 0x7ff0000000000000u) != 0x7ff0000000000000u;
  uint64_t moved = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  bool moves = isFinite && error != 0 && (bits & 1) == 0;
  return asDouble(moves ? moved : bits);
}

/// Sets the host's rounding while it lives.
class HostRounding {
public:
  explicit HostRounding(Rounding rounding);
  ~HostRounding();

private:
  int before;
};

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_FLOATBITS_H
