//===- Convert.cpp - cvt ---------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, cvt. Widening of f16 and bf16 and the narrowing of f32 to nearest,
// packed or not, have fast handlers. Everything else goes lane by lane through
// one wide value: an integer of 64 bits or an f64, rounded once at the end. A
// float becomes an integer with saturation. Which NaN comes of a NaN is what an
// H200 gives, where PTX leaves it open.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "FloatBits.h"
#include "Lanes.h"

#include <cmath>
#include <limits>

using namespace quack::sim;

//===----------------------------------------------------------------------===//
// Fast forms
//===----------------------------------------------------------------------===//

namespace {
struct FromHalf {
  static uint32_t apply(uint16_t a) { return halfToBits(a); }
};
struct FromBF16 {
  static uint32_t apply(uint16_t a) { return bf16ToBits(a); }
};
struct ToHalf {
  static uint16_t apply(uint32_t a) { return bitsToHalf(a); }
};
struct ToBF16 {
  static uint16_t apply(uint32_t a) { return bitsToBF16(a); }
};
/// The first source becomes the upper half.
template <typename F> struct ToPair {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return uint32_t(F::apply(a)) << 16 | F::apply(b);
  }
};
template <typename T> struct Same {
  static T apply(T a) { return a; }
};
struct Truncate {
  static uint32_t apply(uint64_t a) { return uint32_t(a); }
};
struct ZeroExtend {
  static uint64_t apply(uint32_t a) { return a; }
};
struct SignExtend {
  static uint64_t apply(int32_t a) { return uint64_t(int64_t(a)); }
};
} // namespace

//===----------------------------------------------------------------------===//
// The general form
//===----------------------------------------------------------------------===//

namespace {
/// A source value. 64-bit integers do not fit a double.
struct Wide {
  bool isFloat = false, isUnsigned64 = false;
  double real = 0;
  int64_t integer = 0;
};
} // namespace

static uint64_t readBits(Warp &warp, Slot slot, unsigned bytes, unsigned lane) {
  switch (bytes) {
  case 2:
    return warp.reg<uint16_t>(slot)[lane];
  case 4:
    return warp.reg<uint32_t>(slot)[lane];
  default:
    return warp.reg<uint64_t>(slot)[lane];
  }
}

/// A NaN keeps its sign and payload, and becomes quiet.
static double halfToDouble(uint16_t bits) {
  if ((bits & 0x7fff) <= 0x7c00)
    return asFloat(halfToBits(bits));
  uint64_t payload = uint64_t(bits & 0x3ff) << 42;
  return asDouble(
      quieted(uint64_t(bits & 0x8000) << 48 | 0x7ffull << 52 | payload));
}

/// Of a NaN of f64 as the source, its upper bits.
static uint64_t narrowNaN(Type type, uint64_t bits) {
  bits = quieted(bits);
  switch (type) {
  case Type::f64:
    return bits;
  case Type::f32:
    return (bits >> 32 & 0x80000000) | 0x7f800000 | (bits >> 29 & 0x7fffff);
  case Type::f16:
    return (bits >> 48 & 0x8000) | 0x7c00 | (bits >> 42 & 0x3ff);
  default:
    return (bits >> 48 & 0x8000) | 0x7f80 | (bits >> 45 & 0x7f);
  }
}

static Wide readWide(const Op &op, Type type, uint64_t bits) {
  Wide wide;
  wide.isFloat = isFloat(type);
  switch (type) {
  case Type::f16:
    wide.real = halfToDouble(uint16_t(bits));
    break;
  case Type::bf16:
    wide.real = asFloat(bf16ToBits(uint16_t(bits)));
    break;
  case Type::f32:
    // An H200 does not flush on the way to f16; a NaN is flushed to the
    // canonical one.
    if (op.flush && op.type != Type::f16)
      bits = canonical(asFloat(flushed(uint32_t(bits))));
    wide.real = asFloat(uint32_t(bits));
    break;
  case Type::f64:
    wide.real = asDouble(bits);
    break;
  case Type::s8:
    wide.integer = int8_t(bits);
    break;
  case Type::s16:
    wide.integer = int16_t(bits);
    break;
  case Type::s32:
    wide.integer = int32_t(bits);
    break;
  case Type::u8:
    wide.integer = uint8_t(bits);
    break;
  case Type::u16:
    wide.integer = uint16_t(bits);
    break;
  case Type::u32:
    wide.integer = uint32_t(bits);
    break;
  default:
    wide.integer = int64_t(bits);
    wide.isUnsigned64 = !isSigned(type);
  }
  return wide;
}

/// Rounds to an integer; `mode` is 1 for rni, 2 rzi, 3 rmi, 4 rpi.
static double roundToInteger(double value, unsigned mode) {
  switch (mode) {
  case 2:
    return std::trunc(value);
  case 3:
    return std::floor(value);
  case 4:
    return std::ceil(value);
  default: {
    double down = std::floor(value), rest = value - down;
    if (rest > 0.5 || (rest == 0.5 && std::fmod(down, 2.0) != 0))
      down += 1;
    return std::copysign(down, value);
  }
  }
}

/// Clamps to the range of an integer type of `bytes` bytes. `ofNaN` is what a
/// NaN becomes.
static uint64_t clampToInteger(const Wide &wide, unsigned bytes, bool toSigned,
                               uint64_t ofNaN) {
  unsigned bits = 8 * bytes;
  uint64_t most = toSigned ? (1ull << (bits - 1)) - 1 : ~0ull >> (64 - bits);
  int64_t least = toSigned ? -int64_t(most) - 1 : 0;
  if (wide.isFloat) {
    if (wide.real != wide.real)
      return ofNaN;
    if (wide.real >= std::ldexp(1.0, int(bits) - int(toSigned)))
      return most;
    if (wide.real <= double(least))
      return uint64_t(least);
    return wide.real < 0 ? uint64_t(int64_t(wide.real)) : uint64_t(wide.real);
  }
  if (wide.isUnsigned64)
    return std::min(uint64_t(wide.integer), most);
  if (wide.integer < least)
    return uint64_t(least);
  return wide.integer > 0 ? std::min(uint64_t(wide.integer), most)
                          : uint64_t(wide.integer);
}

/// Returns an integer as a double rounded to odd, so that one more rounding to
/// 32 bits or less is the only one.
static double integerToOdd(const Wide &wide) {
  bool isNegative = !wide.isUnsigned64 && wide.integer < 0;
  uint64_t magnitude =
      isNegative ? 0 - uint64_t(wide.integer) : uint64_t(wide.integer);
  if (magnitude >> 53)
    magnitude = (magnitude & ~0xfffull) | ((magnitude & 0xfff) ? 0x800 : 0);
  double value = double(magnitude);
  return isNegative ? -value : value;
}

static uint64_t toFloatBits(const Op &op, const Wide &wide) {
  double value = wide.isFloat ? wide.real : integerToOdd(wide);
  if (op.mode && wide.isFloat)
    value = roundToInteger(value, op.mode);
  if (op.saturate)
    value = value > 1 ? 1 : value > 0 ? value : 0;
  if (op.nan) // .relu
    value = value != value ? value : value > 0 ? value : 0;
  if (op.from == Type::f64 && value != value)
    return narrowNaN(op.type, asBits(value));
  switch (op.type) {
  case Type::f64:
    if (!wide.isFloat) {
      HostRounding rounding(op.rounding);
      volatile double exact = wide.isUnsigned64 ? double(uint64_t(wide.integer))
                                                : double(wide.integer);
      return asBits(double(exact));
    }
    return asBits(value);
  case Type::f32: {
    uint32_t bits = roundTo(singleFormat, value, op.rounding);
    return op.flush ? flushed(bits) : bits;
  }
  case Type::f16:
    return roundTo(halfFormat, value, op.rounding);
  default:
    return roundTo(bf16Format, value, op.rounding);
  }
}

static uint64_t toIntegerBits(const Op &op, Wide wide) {
  unsigned bytes = sizeOf(op.type);
  bool toSigned = isSigned(op.type);
  if (wide.isFloat)
    wide.real = roundToInteger(wide.real, op.mode);
  // PTX ISA, cvt: NaN becomes 0, but if f64 or 64 bits are in play.
  bool isWide = op.from == Type::f64 || bytes == 8;
  uint64_t ofNaN = isWide ? 1ull << (8 * bytes - 1) : 0;
  uint64_t bits = wide.isFloat || op.saturate
                      ? clampToInteger(wide, bytes, toSigned, ofNaN)
                      : uint64_t(wide.integer);
  // Narrow results are extended to the register's width.
  unsigned shift = 64 - 8 * bytes;
  return toSigned ? uint64_t(int64_t(bits << shift) >> shift)
                  : bits << shift >> shift;
}

/// `count` holds the bytes of the source register, `list` of the result's.
static void convertGeneral(Warp &warp, const Op &op, uint32_t lanes) {
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    Wide wide = readWide(op, op.from, readBits(warp, op.a, op.count, lane));
    uint64_t bits =
        isFloat(op.type) ? toFloatBits(op, wide) : toIntegerBits(op, wide);
    switch (op.list) {
    case 2:
      warp.reg<uint16_t>(op.d)[lane] = uint16_t(bits);
      break;
    case 4:
      warp.reg<uint32_t>(op.d)[lane] = uint32_t(bits);
      break;
    default:
      warp.reg<uint64_t>(op.d)[lane] = bits;
    }
  }
}

static void convertPairGeneral(Warp &warp, const Op &op, uint32_t lanes) {
  const uint32_t *a = warp.reg<uint32_t>(op.a), *b = warp.reg<uint32_t>(op.b);
  uint32_t result[warpLanes];
  SmallFormat format = op.type == Type::f16x2 ? halfFormat : bf16Format;
  auto narrow = [&](uint32_t bits) {
    float value = asFloat(bits);
    if (op.nan && !(value > 0) && value == value)
      value = 0;
    return roundTo(format, value, op.rounding);
  };
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = narrow(a[i]) << 16 | narrow(b[i]);
  writeLanes(warp, op.d, lanes, result);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static void decodePair(Decoder &d, Op &op) {
  bool isHalf = op.type == Type::f16x2;
  op.halves = Halves::paired;
  if (op.rounding > Rounding::zero)
    return d.failForm();
  bool isPlain = op.rounding == Rounding::nearest && !op.nan;
  op.run = !isPlain ? convertPairGeneral
           : isHalf ? binary<uint32_t, uint32_t, ToPair<ToHalf>>
                    : binary<uint32_t, uint32_t, ToPair<ToBF16>>;
  if (!d.expectOperands(3))
    return;
  op.d = d.dest(0, Type::b32);
  op.a = d.source(1, Type::f32);
  op.b = d.source(2, Type::f32);
}

static Handler pickFast(const Op &op) {
  if (op.type == Type::f32 && op.from == Type::f32 && op.mode == 0 &&
      !op.flush && !op.saturate)
    return unary<uint32_t, uint32_t, Same<uint32_t>>;
  if (op.type == Type::f64 && op.from == Type::f64 && op.mode == 0 &&
      !op.saturate)
    return unary<uint64_t, uint64_t, Same<uint64_t>>;
  bool isPlain = !op.flush && !op.saturate && !op.nan && op.mode == 0 &&
                 op.rounding == Rounding::nearest;
  if (!isPlain)
    return nullptr;
  if (op.type == Type::f32 && op.from == Type::f16)
    return unary<uint32_t, uint16_t, FromHalf>;
  if (op.type == Type::f32 && op.from == Type::bf16)
    return unary<uint32_t, uint16_t, FromBF16>;
  if (op.from == Type::f32 && op.type == Type::f16)
    return unary<uint16_t, uint32_t, ToHalf>;
  if (op.from == Type::f32 && op.type == Type::bf16)
    return unary<uint16_t, uint32_t, ToBF16>;
  if (isInteger(op.type) && isInteger(op.from)) {
    if (op.list == 4 && sizeOf(op.type) == 4 && op.count == 8 &&
        sizeOf(op.from) == 8)
      return unary<uint32_t, uint64_t, Truncate>;
    if (op.list == 8 && sizeOf(op.type) == 8 && op.count == 4 &&
        sizeOf(op.from) == 4)
      return isSigned(op.from) ? unary<uint64_t, int32_t, SignExtend>
                               : unary<uint64_t, uint32_t, ZeroExtend>;
  }
  return nullptr;
}

/// Returns whether every number of `from` is one of `to`: .sat says nothing.
static bool holdsAll(Type to, Type from) {
  unsigned toBits = 8 * sizeOf(to) - isSigned(to);
  unsigned fromBits = 8 * sizeOf(from) - isSigned(from);
  return toBits >= fromBits && isSigned(to) >= isSigned(from);
}

/// PTX ISA, cvt: a rounding to numbers of the format is said where something
/// may be lost, one to integers where an integer results or the format stays;
/// nowhere else.
static void takeConvertRounding(Decoder &d, Op &op) {
  static constexpr llvm::StringLiteral integral[] = {"rni", "rzi", "rmi",
                                                     "rpi"};
  for (unsigned i = 0; i < 4; ++i)
    if (op.mode == 0 && d.take(integral[i]))
      op.mode = uint8_t(i + 1);
  std::optional<Rounding> rounding = d.takeRounding();
  op.rounding = rounding.value_or(Rounding::nearest);
  bool toFloat = isFloat(op.type), fromFloat = isFloat(op.from);
  bool isPair = op.type == Type::f16x2 || op.type == Type::bf16x2;
  bool loses =
      toFloat && (!fromFloat || isPair ||
                  (op.type != op.from && sizeOf(op.type) <= sizeOf(op.from)));
  if (loses && !rounding)
    d.fail("'" + d.inst().text + "' needs a rounding");
  if (fromFloat && !toFloat && op.mode == 0)
    d.fail("'" + d.inst().text + "' needs .rni, .rzi, .rmi or .rpi");
  if ((rounding && !loses) ||
      (op.mode && !(fromFloat && (!toFloat || op.type == op.from))))
    d.failForm();
}

static void takeConvertModifiers(Decoder &d, Op &op) {
  takeConvertRounding(d, op);
  op.flush = (op.type == Type::f32 || op.from == Type::f32) && d.take("ftz");
  op.saturate = d.take("sat");
  bool isBetweenIntegers = isInteger(op.type) && isInteger(op.from);
  bool hasBF16 = op.type == Type::bf16 || op.from == Type::bf16;
  bool hasByte = sizeOf(op.type) == 1 || sizeOf(op.from) == 1;
  bool hasBits = op.type <= Type::b64 || op.from <= Type::b64;
  if (hasBits || (hasBF16 && (hasByte || (op.saturate && isFloat(op.type)))) ||
      (op.saturate && isBetweenIntegers && holdsAll(op.type, op.from)))
    d.failForm();
  bool isNarrow =
      isFloat(op.type) && op.type != Type::f32 && op.type != Type::f64;
  if (isNarrow && op.from == Type::f32 && op.rounding <= Rounding::zero)
    op.nan = d.take("relu");
}

bool quack::sim::decodeConvert(Decoder &d, Op &op) {
  if (d.root() != "cvt")
    return false;
  if (decodeNarrow(d, op))
    return true;
  op.type = d.takeType();
  op.from = d.takeType();
  takeConvertModifiers(d, op);
  if (d.hasFailed())
    return true;
  if (op.type == Type::f16x2 || op.type == Type::bf16x2) {
    if (op.from == Type::f32)
      decodePair(d, op);
    else
      d.failForm();
    return true;
  }
  if (op.from == Type::f16x2 || op.from == Type::bf16x2 ||
      op.type == Type::pred || op.from == Type::pred) {
    d.failForm();
    return true;
  }
  if (!d.expectOperands(2))
    return true;
  // Registers may be wider than the types.
  static constexpr Type held[] = {Type::b16, Type::b16, Type::b32, Type::b64};
  auto widthOf = [&](const ParsedOperand &operand, Type type) {
    unsigned bytes = std::max(2u, sizeOf(type));
    unsigned actual = d.registerBytes(operand);
    return actual > bytes && actual <= 8 && isInteger(type) ? actual : bytes;
  };
  op.list = widthOf(d.operand(0), op.type);
  op.count = uint8_t(widthOf(d.operand(1), op.from));
  op.d = d.dest(0, held[__builtin_ctz(op.list)]);
  op.a = d.source(1, held[__builtin_ctz(op.count)]);
  if (isInteger(op.type) && isInteger(op.from) && !op.saturate)
    op.halves = Halves::resized;
  op.run = pickFast(op);
  if (!op.run)
    op.run = convertGeneral;
  return true;
}
