//===- IntegerOps.cpp - integers and their conversions ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic wraps at its width. Integers are exact up to 2^53 in the
// doubles that hold them. An integer that hangs on a float's error has a bound;
// what is computed from it is unknown, but for sums and for functions that
// never fall, whose ends bound them.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace quack;
using namespace quack::reference;
using mlir::arith::CmpIPredicate;

using Lanes = llvm::ArrayRef<const Lane *>;

//===----------------------------------------------------------------------===//
// Between doubles and integers
//===----------------------------------------------------------------------===//

static uint64_t maskOf(unsigned width) {
  return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}

/// Returns the pattern of `value` in 64 bits; what no integer holds is clamped.
static int64_t toSigned(double value) {
  if (value >= 0x1p63)
    return std::numeric_limits<int64_t>::max();
  if (value <= -0x1p63)
    return std::numeric_limits<int64_t>::min();
  return std::isnan(value) ? 0 : static_cast<int64_t>(value);
}

static uint64_t toUnsigned(double value, unsigned width) {
  return static_cast<uint64_t>(toSigned(value)) & maskOf(width);
}

/// Returns the number that `bits` are in `width` bits; an i1 is 0 or 1.
static double fromBits(uint64_t bits, unsigned width) {
  if (width == 1)
    return static_cast<double>(bits & 1);
  return static_cast<double>(llvm::SignExtend64(bits & maskOf(width), width));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// A result in `width` bits, or nothing where MLIR leaves it undefined.
using OptionalBits = std::optional<uint64_t>;

template <typename Fn>
static void mapBits(const OpContext &c, Lanes x, Lane &r, bool addsErrors,
                    Fn fn) {
  unsigned width = c.resultWidth;
  mapBinary(x, r, [&](Number a, Number b) {
    OptionalBits bits = fn(toSigned(a.value), toSigned(b.value));
    double error = a.error + b.error;
    if (!bits)
      return Number{0.0, infinity};
    return Number{fromBits(*bits, width),
                  error == 0 || addsErrors ? error : infinity};
  });
}

static void addi(const OpContext &c, Lanes x, Lane &r) {
  mapBits(c, x, r, /*addsErrors=*/true,
          [](uint64_t a, uint64_t b) -> OptionalBits { return a + b; });
}
static void subi(const OpContext &c, Lanes x, Lane &r) {
  mapBits(c, x, r, /*addsErrors=*/true,
          [](uint64_t a, uint64_t b) -> OptionalBits { return a - b; });
}
/// An operation by an exact number under which no integer overtakes another.
template <typename Fn, typename Rises>
static void mapRising(const OpContext &c, Lanes x, Lane &r, Fn fn,
                      Rises rises) {
  unsigned width = c.resultWidth;
  mapBinary(x, r, [&](Number a, Number b) {
    OptionalBits bits = fn(toSigned(a.value), toSigned(b.value));
    if (!bits)
      return Number{0.0, infinity};
    Number result{fromBits(*bits, width), 0};
    if (a.error == 0 && b.error == 0)
      return result;
    double least = a.value - a.error, most = a.value + a.error;
    bool fits = least >= -std::ldexp(1.0, width - 1) &&
                most < std::ldexp(1.0, width - 1);
    if (b.error != 0 || !fits || !rises(least, toSigned(b.value)))
      return Number{result.value, infinity};
    double low = fromBits(*fn(toSigned(least), toSigned(b.value)), width);
    double high = fromBits(*fn(toSigned(most), toSigned(b.value)), width);
    result.error = std::max(high - result.value, result.value - low);
    return result;
  });
}

static void muli(const OpContext &c, Lanes x, Lane &r) {
  mapBits(c, x, r, /*addsErrors=*/false,
          [](uint64_t a, uint64_t b) -> OptionalBits { return a * b; });
}
static void andi(const OpContext &c, Lanes x, Lane &r) {
  // A mask of the upper bits rounds down to their multiple.
  mapRising(
      c, x, r, [](uint64_t a, uint64_t b) -> OptionalBits { return a & b; },
      [&](double, uint64_t mask) {
        uint64_t below = ~mask & maskOf(c.resultWidth);
        return (below & (below + 1)) == 0;
      });
}
static void ori(const OpContext &c, Lanes x, Lane &r) {
  mapBits(c, x, r, /*addsErrors=*/false,
          [](uint64_t a, uint64_t b) -> OptionalBits { return a | b; });
}
static void xori(const OpContext &c, Lanes x, Lane &r) {
  mapBits(c, x, r, /*addsErrors=*/false,
          [](uint64_t a, uint64_t b) -> OptionalBits { return a ^ b; });
}

static void shli(const OpContext &c, Lanes x, Lane &r) {
  mapBits(c, x, r, /*addsErrors=*/false,
          [&](uint64_t a, uint64_t b) -> OptionalBits {
            b &= maskOf(c.resultWidth);
            return b < c.resultWidth ? OptionalBits(a << b) : std::nullopt;
          });
}
static void shrsi(const OpContext &c, Lanes x, Lane &r) {
  mapRising(
      c, x, r,
      [&](int64_t a, uint64_t b) -> OptionalBits {
        b &= maskOf(c.resultWidth);
        return b < c.resultWidth ? OptionalBits(a >> b) : std::nullopt;
      },
      [](double, uint64_t) { return true; });
}
static void shrui(const OpContext &c, Lanes x, Lane &r) {
  mapRising(
      c, x, r,
      [&](uint64_t a, uint64_t b) -> OptionalBits {
        a &= maskOf(c.resultWidth);
        b &= maskOf(c.resultWidth);
        return b < c.resultWidth ? OptionalBits(a >> b) : std::nullopt;
      },
      [](double least, uint64_t) { return least >= 0; });
}

static bool divides(const OpContext &c, int64_t a, int64_t b) {
  bool overflows =
      b == -1 && static_cast<uint64_t>(a) << (64 - c.resultWidth) == uint64_t(1)
                                                                         << 63;
  return b != 0 && !overflows;
}

static void divsi(const OpContext &c, Lanes x, Lane &r) {
  mapBits(c, x, r, /*addsErrors=*/false,
          [&](int64_t a, int64_t b) -> OptionalBits {
            return divides(c, a, b) ? OptionalBits(a / b) : std::nullopt;
          });
}
static void remsi(const OpContext &c, Lanes x, Lane &r) {
  mapBits(c, x, r, /*addsErrors=*/false,
          [&](int64_t a, int64_t b) -> OptionalBits {
            return divides(c, a, b) ? OptionalBits(a % b) : std::nullopt;
          });
}
static void divui(const OpContext &c, Lanes x, Lane &r) {
  mapBits(c, x, r, /*addsErrors=*/false,
          [&](uint64_t a, uint64_t b) -> OptionalBits {
            b &= maskOf(c.resultWidth);
            a &= maskOf(c.resultWidth);
            return b != 0 ? OptionalBits(a / b) : std::nullopt;
          });
}
static void remui(const OpContext &c, Lanes x, Lane &r) {
  mapBits(c, x, r, /*addsErrors=*/false,
          [&](uint64_t a, uint64_t b) -> OptionalBits {
            b &= maskOf(c.resultWidth);
            a &= maskOf(c.resultWidth);
            return b != 0 ? OptionalBits(a % b) : std::nullopt;
          });
}

//===----------------------------------------------------------------------===//
// Maxima, minima, comparison
//===----------------------------------------------------------------------===//

/// A maximum or minimum is as far off as its worse operand.
template <typename Fn> static void mapChoice(Lanes x, Lane &r, Fn takesFirst) {
  mapBinary(x, r, [&](Number a, Number b) {
    double value = takesFirst(a.value, b.value) ? a.value : b.value;
    return Number{value, std::max(a.error, b.error)};
  });
}

static void maxsi(const OpContext &, Lanes x, Lane &r) {
  mapChoice(x, r, [](double a, double b) { return a >= b; });
}
static void minsi(const OpContext &, Lanes x, Lane &r) {
  mapChoice(x, r, [](double a, double b) { return a <= b; });
}
static void maxui(const OpContext &c, Lanes x, Lane &r) {
  mapChoice(x, r, [&](double a, double b) {
    return toUnsigned(a, c.resultWidth) >= toUnsigned(b, c.resultWidth);
  });
}
static void minui(const OpContext &c, Lanes x, Lane &r) {
  mapChoice(x, r, [&](double a, double b) {
    return toUnsigned(a, c.resultWidth) <= toUnsigned(b, c.resultWidth);
  });
}

static bool compare(CmpIPredicate predicate, double a, double b,
                    unsigned width) {
  if (width == 1) { // a signed i1 is 0 or -1
    bool isSigned =
        predicate >= CmpIPredicate::slt && predicate <= CmpIPredicate::sge;
    a = isSigned ? -a : a;
    b = isSigned ? -b : b;
  }
  uint64_t ua = toUnsigned(a, width), ub = toUnsigned(b, width);
  switch (predicate) {
  case CmpIPredicate::eq:
    return a == b;
  case CmpIPredicate::ne:
    return a != b;
  case CmpIPredicate::slt:
    return a < b;
  case CmpIPredicate::sle:
    return a <= b;
  case CmpIPredicate::sgt:
    return a > b;
  case CmpIPredicate::sge:
    return a >= b;
  case CmpIPredicate::ult:
    return ua < ub;
  case CmpIPredicate::ule:
    return ua <= ub;
  case CmpIPredicate::ugt:
    return ua > ub;
  case CmpIPredicate::uge:
    return ua >= ub;
  }
  return false;
}

static void cmpi(const OpContext &c, Lanes x, Lane &r) {
  auto predicate = static_cast<CmpIPredicate>(c.predicate);
  mapBinary(x, r, [&](Number a, Number b) {
    bool holds = compare(predicate, a.value, b.value, c.inputWidth);
    return Number{holds ? 1.0 : 0.0, a.error + b.error > 0 ? 1.0 : 0.0};
  });
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static void extsi(const OpContext &c, Lanes x, Lane &r) {
  bool isBool = c.inputWidth == 1;
  mapUnary(x, r, [&](Number a) {
    return Number{isBool ? -a.value : a.value, a.error};
  });
}

static void extui(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) {
    uint64_t bits = toUnsigned(a.value, c.inputWidth);
    return Number{fromBits(bits, c.resultWidth), a.error};
  });
}

static void trunci(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) {
    uint64_t bits = toUnsigned(a.value, c.resultWidth);
    return Number{fromBits(bits, c.resultWidth), a.error == 0 ? 0.0 : infinity};
  });
}

/// An integer becomes the nearest number of the float format.
static Number convertedToFloat(const OpContext &c, double value, double error) {
  return roundInterval(c.traits, {value, error});
}

static void sitofp(const OpContext &c, Lanes x, Lane &r) {
  bool isBool = c.inputWidth == 1;
  mapUnary(x, r, [&](Number a) {
    return convertedToFloat(c, isBool ? -a.value : a.value, a.error);
  });
}

static void uitofp(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) {
    auto value = static_cast<double>(toUnsigned(a.value, c.inputWidth));
    return convertedToFloat(c, value, a.error);
  });
}

/// Towards zero; what does not fit is clamped, and NaN becomes 0.
static Number convertedToInteger(Number a, double least, double most,
                                 unsigned width) {
  auto convert = [&](double number) {
    double whole = std::isnan(number) ? 0.0 : std::trunc(number);
    return std::clamp(whole, least, most);
  };
  double value = convert(a.value), error = a.error;
  if (error != 0 && !isUnknown(a))
    error = std::max(convert(a.value + error) - value,
                     value - convert(a.value - error));
  // An unsigned number of the upper half is negative as a signed one.
  bool wraps = least >= 0 && value + error > most / 2;
  auto bits = value >= 0x1p63 ? static_cast<uint64_t>(value)
                              : static_cast<uint64_t>(toSigned(value));
  return {fromBits(bits, width), wraps && error != 0 ? infinity : error};
}

static void fptosi(const OpContext &c, Lanes x, Lane &r) {
  double limit = std::ldexp(1.0, c.resultWidth - 1);
  mapUnary(x, r, [&](Number a) {
    return convertedToInteger(a, -limit, limit - 1, c.resultWidth);
  });
}

static void fptoui(const OpContext &c, Lanes x, Lane &r) {
  double limit = std::ldexp(1.0, c.resultWidth);
  mapUnary(x, r, [&](Number a) {
    return convertedToInteger(a, 0.0,
                              std::min(limit - 1, std::nextafter(0x1p64, 0.0)),
                              c.resultWidth);
  });
}

/// Only between f32 and i32 (the evaluator checks it): the float is rounded to
/// f32, as memory would hold it.
static double patternOf(double value) {
  auto single = static_cast<float>(value);
  int32_t bits;
  std::memcpy(&bits, &single, sizeof(bits));
  return bits;
}

static double numberOf(double pattern) {
  auto bits = static_cast<int32_t>(toSigned(pattern));
  float single;
  std::memcpy(&single, &bits, sizeof(single));
  return single;
}

/// Patterns of positive floats are in the order of the floats, those of
/// negative ones in the opposite order: the ends of a bound that has one sign
/// bound them.
template <typename Fn> static void mapPatterns(Lanes x, Lane &r, Fn fn) {
  mapUnary(x, r, [&](Number a) {
    double value = fn(a.value);
    if (a.error == 0)
      return Number{value, 0.0};
    double low = fn(a.value - a.error), high = fn(a.value + a.error);
    bool hasOrder = std::fabs(a.value) > a.error && std::isfinite(low) &&
                    std::isfinite(high);
    return Number{value, hasOrder ? std::max(std::fabs(high - value),
                                             std::fabs(low - value))
                                  : infinity};
  });
}

static void bitcastToInteger(const OpContext &c, Lanes x, Lane &r) {
  mapPatterns(x, r, patternOf);
}

static void bitcastToFloat(const OpContext &c, Lanes x, Lane &r) {
  mapPatterns(x, r, numberOf);
}

ElementwiseLoop reference::lookupIntegerOp(llvm::StringRef name) {
  if (!name.consume_front("arith."))
    return nullptr;
  return llvm::StringSwitch<ElementwiseLoop>(name)
      .Case("addi", addi)
      .Case("subi", subi)
      .Case("muli", muli)
      .Case("andi", andi)
      .Case("ori", ori)
      .Case("xori", xori)
      .Case("shli", shli)
      .Case("shrsi", shrsi)
      .Case("shrui", shrui)
      .Case("divsi", divsi)
      .Case("divui", divui)
      .Case("remsi", remsi)
      .Case("remui", remui)
      .Case("maxsi", maxsi)
      .Case("minsi", minsi)
      .Case("maxui", maxui)
      .Case("minui", minui)
      .Case("cmpi", cmpi)
      .Case("extsi", extsi)
      .Case("extui", extui)
      .Case("trunci", trunci)
      .Case("sitofp", sitofp)
      .Case("uitofp", uitofp)
      .Case("fptosi", fptosi)
      .Case("fptoui", fptoui)
      .Case("bitcast.to_integer", bitcastToInteger)
      .Case("bitcast.to_float", bitcastToFloat)
      .Default(nullptr);
}
