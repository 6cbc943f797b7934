//===- IntegerOps.cpp - integers and their conversions ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic wraps at its width. Integers are exact up to 2^53 in the
// doubles that hold them. An integer that hangs on a float's error has a bound;
// what is computed from it, sums apart, is unknown.
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
static void muli(const OpContext &c, Lanes x, Lane &r) {
  mapBits(c, x, r, /*addsErrors=*/false,
          [](uint64_t a, uint64_t b) -> OptionalBits { return a * b; });
}
static void andi(const OpContext &c, Lanes x, Lane &r) {
  mapBits(c, x, r, /*addsErrors=*/false,
          [](uint64_t a, uint64_t b) -> OptionalBits { return a & b; });
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
  mapBits(c, x, r, /*addsErrors=*/false,
          [&](int64_t a, uint64_t b) -> OptionalBits {
            b &= maskOf(c.resultWidth);
            return b < c.resultWidth ? OptionalBits(a >> b) : std::nullopt;
          });
}
static void shrui(const OpContext &c, Lanes x, Lane &r) {
  mapBits(c, x, r, /*addsErrors=*/false,
          [&](uint64_t a, uint64_t b) -> OptionalBits {
            a &= maskOf(c.resultWidth);
            b &= maskOf(c.resultWidth);
            return b < c.resultWidth ? OptionalBits(a >> b) : std::nullopt;
          });
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

/// Towards zero; what does not fit is poison in MLIR, and unknown here.
static Number convertedToInteger(Number a, double least, double most,
                                 unsigned width) {
  double value = std::trunc(a.value);
  bool fits = value - a.error >= least && value + a.error <= most;
  if (!fits)
    return {0.0, infinity};
  double error = std::max(std::trunc(a.value + a.error) - value,
                          value - std::trunc(a.value - a.error));
  auto bits = value >= 0x1p63 ? static_cast<uint64_t>(value)
                              : static_cast<uint64_t>(toSigned(value));
  return {fromBits(bits, width), error};
}

static void fptosi(const OpContext &c, Lanes x, Lane &r) {
  double limit = std::ldexp(1.0, c.resultWidth - 1);
  mapUnary(x, r, [&](Number a) {
    return convertedToInteger(a, -limit, std::nextafter(limit, 0.0),
                              c.resultWidth);
  });
}

static void fptoui(const OpContext &c, Lanes x, Lane &r) {
  double limit = std::ldexp(1.0, c.resultWidth);
  mapUnary(x, r, [&](Number a) {
    return convertedToInteger(a, 0.0, std::nextafter(limit, 0.0),
                              c.resultWidth);
  });
}

/// Only between f32 and i32 (the evaluator checks it): the float is rounded to
/// f32, as memory would hold it.
static void bitcastToInteger(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) {
    auto single = static_cast<float>(a.value);
    int32_t bits;
    std::memcpy(&bits, &single, sizeof(bits));
    return Number{static_cast<double>(bits), a.error == 0 ? 0.0 : infinity};
  });
}

static void bitcastToFloat(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) {
    auto bits = static_cast<int32_t>(toSigned(a.value));
    float single;
    std::memcpy(&single, &bits, sizeof(single));
    return Number{static_cast<double>(single), a.error == 0 ? 0.0 : infinity};
  });
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
