//===- MathOps.cpp - elementary functions ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The math dialect's functions. The own error of each allows what the lowering
// promises (lib/Conversion/MathToPTX/README.md), in units of 2^-24, an ulp
// being at most two of them.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "llvm/ADT/StringSwitch.h"

using namespace quack;
using namespace quack::reference;

using Lanes = llvm::ArrayRef<const Lane *>;

static constexpr double ln2 = 0.693147180559945309417;
static constexpr double log2Error = 0x1p-22;  // absolute, of log2 and log
static constexpr double logUnits = 2.5;       // of log, besides
static constexpr double rsqrtUnits = 2.5;     // of rsqrt
static constexpr double polynomialUnits = 4;  // of expm1, log1p and erf
static constexpr double tanhUnits = 6;        // of tanh
static constexpr double angleError = 0x1p-23; // absolute, of sin and cos

/// The rounding of a result that is `units` good and may be subnormal.
static double ownError(double value, double units) {
  return units * unit * std::fabs(value) + (value != 0 ? tiny : 0.0);
}

/// An upper bound of exp(x) - 1 for x >= 0, cheap for small x.
static double expm1Bound(double x) {
  return x < 0.5 ? x * (1 + x) : std::expm1(x);
}

/// What a flushed subnormal result costs.
static double flushError(double value) {
  return value > 0 && value < 2 * flush ? flush : 0.0;
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// exp(x) is ex2(x * log2 e): the rounded product costs |x| units, the rounded
/// constant as many.
static Number expNumber(const FloatTraits &traits, Number a) {
  double value = std::exp(a.value);
  double own =
      (2 * std::fabs(a.value) + 4.5) * unit * value + flushError(value);
  double error = a.error == 0 ? 0.0 : value * expm1Bound(a.error);
  return settle(traits, value, value == 0 && a.error == 0 ? 0.0 : error + own,
                isUnknown(a));
}

static void exp(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) { return expNumber(c.traits, a); });
}

static void exp2(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) {
    double value = std::exp2(a.value);
    double error = value * expm1Bound(a.error * ln2) + 4 * unit * value +
                   flushError(value);
    return settle(c.traits, value, error, isUnknown(a));
  });
}

static void expm1(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) {
    double value = std::expm1(a.value);
    double error = a.error == 0 ? 0.0 : std::exp(a.value) * expm1Bound(a.error);
    return settle(c.traits, value, error + ownError(value, polynomialUnits),
                  isUnknown(a));
  });
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// The least argument that a correct kernel may see.
static double leastArgument(const OpContext &c, Number a) {
  double least = a.value - a.error;
  return c.isNonNegative ? std::max(least, 0.0) : least;
}

/// What an argument between `least` and `most` adds to a logarithm to the base
/// e^(1 / scale); infinite where it may be 0 or less.
static double logSpread(Number a, double scale, double least, double most) {
  if (a.error == 0)
    return 0.0;
  return least > 0 ? scale * std::log(most / least) : infinity;
}

/// The logarithm `value` of `a`, computed by lg2.
static Number logNumber(const OpContext &c, Number a, double value,
                        double scale) {
  double error = logSpread(a, scale, leastArgument(c, a), a.value + a.error);
  if (error == infinity)
    return {value, infinity};
  double magnitude = std::fabs(value);
  double own =
      log2Error * std::max(1.0, magnitude) + logUnits * unit * magnitude;
  return settle(c.traits, value, error + own, isUnknown(a));
}

static void log(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) {
    return logNumber(c, a, std::log(a.value), /*scale=*/1.0);
  });
}

static void log2(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) {
    return logNumber(c, a, std::log2(a.value), /*scale=*/1 / ln2);
  });
}

static void log1p(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) {
    double value = std::log1p(a.value);
    double error = logSpread(a, /*scale=*/1.0, 1 + (a.value - a.error),
                             1 + (a.value + a.error));
    if (error == infinity)
      return Number{value, infinity};
    return settle(c.traits, value, error + ownError(value, polynomialUnits),
                  isUnknown(a));
  });
}

//===----------------------------------------------------------------------===//
// Roots and powers
//===----------------------------------------------------------------------===//

static void sqrt(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) {
    double value = std::sqrt(a.value);
    double least = leastArgument(c, a);
    if (a.error != 0 && !(least >= 0))
      return Number{value, infinity};
    double error = a.error == 0 ? 0.0
                                : std::max(std::sqrt(a.value + a.error) - value,
                                           value - std::sqrt(least));
    return settleRounded(c.traits, value, error, isUnknown(a));
  });
}

static void rsqrt(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) {
    double value = 1 / std::sqrt(a.value);
    double least = leastArgument(c, a);
    if (a.error != 0 && !(least > 0))
      return Number{value, infinity};
    double error = a.error == 0
                       ? 0.0
                       : std::max(1 / std::sqrt(least) - value,
                                  value - 1 / std::sqrt(a.value + a.error));
    return settle(c.traits, value, error + rsqrtUnits * unit * value,
                  isUnknown(a));
  });
}

/// pow(x, y) may be ex2(y * lg2(x)).
static void powf(const OpContext &c, Lanes x, Lane &r) {
  mapBinary(x, r, [&](Number a, Number b) {
    double value = std::pow(a.value, b.value);
    bool isExact = a.error == 0 && b.error == 0;
    double least = std::fabs(a.value) - a.error;
    if (!isExact && !(least > 0))
      return Number{value, infinity};
    double logarithm = std::fabs(std::log2(std::fabs(a.value)));
    double power = std::fabs(b.value);
    double exponentError =
        power * (log2Error * std::max(1.0, logarithm) + 2 * unit * logarithm) +
        b.error * logarithm;
    if (a.error != 0)
      exponentError += (power + b.error) * a.error / (least * ln2);
    double error =
        std::fabs(value) * (expm1Bound(exponentError * ln2) + 4 * unit);
    error += flushError(std::fabs(value));
    return settle(c.traits, value, value == 0 && isExact ? 0.0 : error,
                  isUnknown(a) || isUnknown(b));
  });
}

//===----------------------------------------------------------------------===//
// Bounded functions
//===----------------------------------------------------------------------===//

/// A function whose slope is at most `slope`.
template <typename Fn, typename Own>
static void mapBounded(const OpContext &c, Lanes x, Lane &r, double slope,
                       Fn fn, Own own) {
  mapUnary(x, r, [&](Number a) {
    double value = fn(a.value);
    return settle(c.traits, value, slope * a.error + own(value), isUnknown(a));
  });
}

static void tanh(const OpContext &c, Lanes x, Lane &r) {
  mapBounded(
      c, x, r, 1.0, [](double v) { return std::tanh(v); },
      [](double v) { return ownError(v, tanhUnits); });
}
static void erf(const OpContext &c, Lanes x, Lane &r) {
  mapBounded(
      c, x, r, 1.1284, [](double v) { return std::erf(v); },
      [](double v) { return ownError(v, polynomialUnits); });
}
static void sin(const OpContext &c, Lanes x, Lane &r) {
  mapBounded(
      c, x, r, 1.0, [](double v) { return std::sin(v); },
      [](double) { return angleError; });
}
static void cos(const OpContext &c, Lanes x, Lane &r) {
  mapBounded(
      c, x, r, 1.0, [](double v) { return std::cos(v); },
      [](double) { return angleError; });
}

//===----------------------------------------------------------------------===//
// Rounding to whole numbers
//===----------------------------------------------------------------------===//

/// A step function that never falls: the ends of the bound tell which steps a
/// kernel may take.
template <typename Fn> static void mapStep(Lanes x, Lane &r, Fn fn) {
  mapUnary(x, r, [&](Number a) {
    double value = fn(a.value);
    if (a.error == 0 || isUnknown(a))
      return Number{value, a.error};
    return Number{value, std::max(distance(fn(a.value + a.error), value),
                                  distance(value, fn(a.value - a.error)))};
  });
}

static void floor(const OpContext &, Lanes x, Lane &r) {
  mapStep(x, r, [](double v) { return std::floor(v); });
}
static void ceil(const OpContext &, Lanes x, Lane &r) {
  mapStep(x, r, [](double v) { return std::ceil(v); });
}
static void round(const OpContext &, Lanes x, Lane &r) {
  mapStep(x, r, [](double v) { return std::round(v); });
}
static void roundeven(const OpContext &, Lanes x, Lane &r) {
  mapStep(x, r, [](double v) { return std::nearbyint(v); });
}
static void trunc(const OpContext &, Lanes x, Lane &r) {
  mapStep(x, r, [](double v) { return std::trunc(v); });
}

ElementwiseLoop reference::lookupMathOp(llvm::StringRef name) {
  if (!name.consume_front("math."))
    return nullptr;
  return llvm::StringSwitch<ElementwiseLoop>(name)
      .Case("exp", exp)
      .Case("exp2", exp2)
      .Case("expm1", expm1)
      .Case("log", log)
      .Case("log2", log2)
      .Case("log1p", log1p)
      .Case("sqrt", sqrt)
      .Case("rsqrt", rsqrt)
      .Case("powf", powf)
      .Case("tanh", tanh)
      .Case("erf", erf)
      .Case("sin", sin)
      .Case("cos", cos)
      .Case("floor", floor)
      .Case("ceil", ceil)
      .Case("round", round)
      .Case("roundeven", roundeven)
      .Case("trunc", trunc)
      .Default(nullptr);
}
