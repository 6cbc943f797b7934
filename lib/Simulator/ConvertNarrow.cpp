//===- ConvertNarrow.cpp - cvt to and from narrow formats ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, cvt: the forms with .satfinite, those of e4m3x2 and e5m2x2, to tf32,
// and cvt.pack. Of two sources the first becomes the upper part.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "FloatBits.h"
#include "Lanes.h"

#include <algorithm>

using namespace quack::sim;

namespace {
/// A format that a float is narrowed to.
struct Narrow {
  SmallFormat format;
  uint32_t largest; ///< the largest finite number
  uint32_t nan;
};
constexpr Narrow e4m3{{4, 3}, 0x7e, 0x7f}; // has no infinity: 0x7f is NaN
constexpr Narrow e5m2{{5, 2}, 0x7b, 0x7f};
constexpr Narrow f16{halfFormat, 0x7bff, 0x7fff};
constexpr Narrow bf16{bf16Format, 0x7f7f, 0x7fff};

/// Bits of Op::mode.
enum : uint8_t { relu = 1, saturatesToFinite = 2, roundsAway = 4 };
} // namespace

/// e4m3 uses the exponent that others keep for infinity: its numbers are those
/// of a format with one more exponent, as far as they go.
static uint32_t roundToE4M3(double value, Rounding rounding) {
  constexpr SmallFormat wider{5, 3};
  // Both have their subnormals at multiples of 2^-9 only if the bias is the
  // same: scaled by the difference of the biases, 2^(15 - 7), and rounded to
  // that step by hand where e4m3 is subnormal.
  double magnitude = value < 0 ? -value : value;
  if (magnitude >= 0x1p-6)
    return roundTo(wider, magnitude, rounding) - (8u << 3);
  // Adding 2^43 leaves multiples of 2^-9, to nearest, ties to even.
  double shifted = magnitude + 0x1.8p43;
  return uint32_t(asBits(shifted) - asBits(0x1.8p43));
}

static uint32_t narrow(const Op &op, const Narrow &to, double value) {
  if (value != value)
    return to.nan;
  if (op.mode & relu && !(value > 0))
    value = 0;
  uint32_t sign = asBits(value) >> 63;
  uint32_t signBit = sign << (to.format.exponentBits + to.format.mantissaBits);
  uint32_t magnitude = &to == &e4m3
                           ? roundToE4M3(value, op.rounding)
                           : roundTo(to.format, value, op.rounding) & ~signBit;
  if (op.mode & saturatesToFinite)
    magnitude = std::min(magnitude, to.largest);
  return magnitude | signBit;
}

/// From one f32, two, or a pair of f16, to one number or a pair.
template <const Narrow &to, bool isPair, bool fromHalves>
static void narrowLanes(Warp &warp, const Op &op, uint32_t lanes) {
  constexpr unsigned bits = 1 + to.format.exponentBits + to.format.mantissaBits;
  using Result = std::conditional_t<isPair && bits == 16, uint32_t, uint16_t>;
  const uint32_t *a = warp.reg<uint32_t>(op.a), *b = warp.reg<uint32_t>(op.b);
  Result result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i) {
    uint32_t x = fromHalves ? halfToBits(uint16_t(a[i] >> 16)) : a[i];
    uint32_t y = fromHalves ? halfToBits(uint16_t(a[i])) : b[i];
    uint32_t upper = narrow(op, to, double(asFloat(x)));
    result[i] = Result(
        isPair ? upper << bits | narrow(op, to, double(asFloat(y))) : upper);
  }
  writeLanes(warp, op.d, lanes, result);
}

/// Every e4m3 and e5m2 is an f16.
static uint16_t widen(const Op &op, bool isE4M3, uint8_t bits) {
  uint16_t sign = uint16_t(bits & 0x80) << 8, magnitude = bits & 0x7f;
  uint16_t result = uint16_t(magnitude << 8);
  if (isE4M3) {
    // A subnormal is a multiple of 2^-9; a normal's bias grows by 8.
    result = magnitude < 8 ? bitsToHalf(asBits(float(magnitude) * 0x1p-9f))
                           : uint16_t((magnitude << 7) + (8 << 10));
    result = magnitude == 0x7f ? canonicalHalfNaN : result;
  } else if (magnitude > 0x7c) {
    result = canonicalHalfNaN;
  }
  bool isNaN = result == canonicalHalfNaN;
  if (op.mode & relu && sign && !isNaN)
    return 0;
  return isNaN ? result : result | sign;
}

template <bool isE4M3>
static void widenLanes(Warp &warp, const Op &op, uint32_t lanes) {
  const uint16_t *a = warp.reg<uint16_t>(op.a);
  uint32_t result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = uint32_t(widen(op, isE4M3, uint8_t(a[i] >> 8))) << 16 |
                widen(op, isE4M3, uint8_t(a[i]));
  writeLanes(warp, op.d, lanes, result);
}

/// To tf32: an f32 whose lower 13 bits are zero. PTX leaves open what a NaN
/// gives; an H200 treats its bits as .rna does a number's.
static void toTF32(Warp &warp, const Op &op, uint32_t lanes) {
  const uint32_t *a = warp.reg<uint32_t>(op.a);
  uint32_t result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i) {
    uint32_t magnitude = a[i] & 0x7fffffff, sign = a[i] & 0x80000000;
    uint32_t half = op.mode & roundsAway ? 0x1000
                    : op.rounding == Rounding::nearest
                        ? 0xfff + (magnitude >> 13 & 1)
                        : 0;
    bool isNaN = magnitude > 0x7f800000;
    uint32_t rounded =
        (magnitude < 0x7f800000 ? magnitude + half : magnitude) & ~0x1fffu;
    if (op.mode & saturatesToFinite && rounded >= 0x7f800000)
      rounded = isNaN ? rounded - 0x2000 : 0x7f7fe000;
    if (op.mode & roundsAway)
      result[i] = rounded | sign;
    else
      result[i] = isNaN                    ? canonicalNaN & ~0x1fffu
                  : op.mode & relu && sign ? 0
                                           : rounded | sign;
  }
  writeLanes(warp, op.d, lanes, result);
}

/// cvt.pack.sat: two numbers of `count` bits, below what c holds.
template <bool isSigned>
static void packLanes(Warp &warp, const Op &op, uint32_t lanes) {
  const int32_t *a = warp.reg<int32_t>(op.a), *b = warp.reg<int32_t>(op.b);
  const uint32_t *c = warp.reg<uint32_t>(op.c);
  unsigned bits = op.count;
  uint32_t mask = (1u << bits) - 1;
  int32_t most = isSigned ? int32_t(mask >> 1) : int32_t(mask);
  int32_t least = isSigned ? -most - 1 : 0;
  uint32_t result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i) {
    uint32_t upper = uint32_t(std::clamp(a[i], least, most)) & mask;
    uint32_t lower = uint32_t(std::clamp(b[i], least, most)) & mask;
    uint32_t above = bits == 16 ? 0 : c[i] << (2 * bits);
    result[i] = above | upper << bits | lower;
  }
  writeLanes(warp, op.d, lanes, result);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// cvt.pack.sat.u8.s32.b32 d, a, b, c
static void decodePack(Decoder &d, Op &op) {
  static constexpr std::pair<llvm::StringLiteral, uint8_t> types[] = {
      {"16", 16}, {"8", 8}, {"4", 4}, {"2", 2}};
  if (!d.take("sat"))
    d.fail("'cvt.pack' needs .sat");
  for (auto [name, bits] : types) {
    if (d.take(("u" + name).str()))
      op.run = packLanes<false>;
    else if (d.take(("s" + name).str()))
      op.run = packLanes<true>;
    else
      continue;
    op.count = bits;
    break;
  }
  bool hasThird = op.count < 16;
  if (!op.run || !d.take("s32") || (hasThird && !d.take("b32")))
    d.failForm();
  if (d.hasFailed() || !d.expectOperands(hasThird ? 4 : 3))
    return;
  op.d = d.dest(0, Type::b32);
  op.a = d.source(1, Type::b32);
  op.b = d.source(2, Type::b32);
  if (hasThird)
    op.c = d.source(3, Type::b32);
}

static void decodeTF32(Decoder &d, Op &op) {
  if (d.take("rna"))
    op.mode |= roundsAway;
  else if (std::optional<Rounding> rounding = d.takeRounding())
    op.rounding = *rounding;
  else
    d.fail("'" + d.inst().text + "' needs a rounding");
  if (!(op.mode & roundsAway) && d.take("relu"))
    op.mode |= relu;
  // With .rn and .rz, .satfinite is sm_100's.
  if (op.mode & roundsAway && d.take("satfinite"))
    op.mode |= saturatesToFinite;
  if (!d.take("f32") || op.rounding == Rounding::up ||
      op.rounding == Rounding::down)
    d.failForm();
  op.run = toTF32;
  if (!d.expectOperands(2))
    return;
  op.d = d.dest(0, Type::b32);
  op.a = d.source(1, Type::b32);
}

/// From e4m3x2 or e5m2x2.
static void decodeWidening(Decoder &d, Op &op, bool isE4M3) {
  if (!d.take("f16x2") || !d.take("rn"))
    d.failForm();
  if (d.take("relu"))
    op.mode |= relu;
  op.run = isE4M3 ? widenLanes<true> : widenLanes<false>;
  if (!d.expectOperands(2))
    return;
  op.d = d.dest(0, Type::b32);
  op.a = d.source(1, Type::b16);
}

/// To e4m3x2 or e5m2x2.
static void decodeFP8(Decoder &d, Op &op, bool isE4M3) {
  bool fromHalves = d.take("f16x2");
  if (!d.take("rn") || !d.take("satfinite") || (!fromHalves && !d.take("f32")))
    d.failForm();
  op.mode = saturatesToFinite;
  if (d.take("relu"))
    op.mode |= relu;
  op.run = isE4M3 ? (fromHalves ? narrowLanes<e4m3, true, true>
                                : narrowLanes<e4m3, true, false>)
                  : (fromHalves ? narrowLanes<e5m2, true, true>
                                : narrowLanes<e5m2, true, false>);
  if (!d.expectOperands(fromHalves ? 2 : 3))
    return;
  op.d = d.dest(0, Type::b16);
  op.a = d.source(1, Type::b32);
  if (!fromHalves)
    op.b = d.source(2, Type::b32);
}

/// From f32 to f16 or bf16, one or two, with .satfinite.
static void decodeFinite(Decoder &d, Op &op) {
  d.take("satfinite");
  op.mode = saturatesToFinite;
  if (d.take("relu"))
    op.mode |= relu;
  op.type = d.takeType();
  std::optional<Rounding> rounding = d.takeRounding();
  op.rounding = rounding.value_or(Rounding::nearest);
  bool isPair = op.type == Type::f16x2 || op.type == Type::bf16x2;
  bool isHalf = op.type == Type::f16 || op.type == Type::f16x2;
  bool exists = isHalf || op.type == Type::bf16 || op.type == Type::bf16x2;
  if (!exists || !d.take("f32") || !rounding ||
      (rounding != Rounding::nearest && rounding != Rounding::zero))
    d.failForm();
  op.run = isHalf ? (isPair ? narrowLanes<f16, true, false>
                            : narrowLanes<f16, false, false>)
                  : (isPair ? narrowLanes<bf16, true, false>
                            : narrowLanes<bf16, false, false>);
  if (d.hasFailed() || !d.expectOperands(isPair ? 3 : 2))
    return;
  op.d = d.dest(0, op.type);
  op.a = d.source(1, Type::b32);
  if (isPair)
    op.b = d.source(2, Type::b32);
}

bool quack::sim::decodeNarrow(Decoder &d, Op &op) {
  bool isE4M3 = d.has("e4m3x2");
  if (d.take("pack"))
    decodePack(d, op);
  else if (d.take("tf32"))
    decodeTF32(d, op);
  else if (isE4M3 || d.has("e5m2x2")) {
    d.take(isE4M3 ? "e4m3x2" : "e5m2x2");
    // The result's type stands first.
    bool widens = d.inst().text.find("x2.e") != std::string::npos;
    if (widens)
      decodeWidening(d, op, isE4M3);
    else
      decodeFP8(d, op, isE4M3);
  } else if (d.has("satfinite")) {
    decodeFinite(d, op);
  } else {
    return false;
  }
  return true;
}
