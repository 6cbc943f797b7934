//===- Reductions.cpp - combining a row ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The named reductions in float64. The bounds hold for any order that a kernel
// may choose: a tree above a serial run within each thread.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

using namespace quack;
using namespace quack::reference;

static const FloatTraits f32 = getTraits(FloatFormat::f32);

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// How many roundings an element can meet on its way into a sum of `n`: a tree
/// over the threads, and a serial run of at most 160 elements in each, with
/// some to spare for what crosses warps and CTAs.
static double sumDepth(size_t n) {
  return llvm::Log2_64_Ceil(n) + std::min<double>(n, 160) + 20;
}

namespace {
/// What a pass over a row adds up.
struct Sums {
  double value = 0, magnitude = 0, error = 0;
};
} // namespace

/// Adds `n` elements, in blocks so that float64's own error stays negligible.
static Sums addUp(const double *values, const double *errors, size_t n) {
  constexpr size_t block = 512;
  Sums total;
  for (size_t begin = 0; begin < n; begin += block) {
    Sums part;
    for (size_t i = begin, end = std::min(n, begin + block); i < end; ++i) {
      part.value += values[i];
      part.magnitude += std::fabs(values[i]);
      part.error += errors[i];
    }
    total.value += part.value;
    total.magnitude += part.magnitude;
    total.error += part.error;
  }
  return total;
}

Number reference::settleSum(double value, double magnitude, double error,
                            double depth) {
  double bound = error + depth * unit * (magnitude + error);
  // Partial sums may overflow where the whole does not.
  if (magnitude + error > f32.maxFinite && std::isfinite(value))
    bound = infinity;
  return settle(f32, value, bound, error == infinity);
}

static Number sum(const Lane &lane) {
  Sums sums = addUp(lane.values.data(), lane.errors.data(), lane.size());
  return settleSum(sums.value, sums.magnitude, sums.error,
                   lane.size() == 1 ? 0 : sumDepth(lane.size()));
}

/// The product of the elements greater than 1 and that of the smaller ones tell
/// whether some order overflows or underflows.
static Number product(const Lane &lane) {
  double value = 1, relative = 0, large = 1, small = 1;
  bool isUnsure = false, hasZero = false;
  for (size_t i = 0, n = lane.size(); i < n; ++i) {
    Number x = lane[i];
    double magnitude = std::fabs(x.value);
    isUnsure |= isUnknown(x) || mayBeZero(x);
    hasZero |= magnitude == 0;
    value *= x.value;
    relative += unit + (x.error == 0 ? 0.0 : x.error / magnitude);
    (magnitude > 1 ? large : small) *= magnitude == 0 ? 1.0 : magnitude;
  }
  if (isUnsure || (std::isfinite(value) && large > f32.maxFinite))
    return {value, infinity};
  double error = std::fabs(value) * std::expm1(relative);
  if (!hasZero && small < flush) // a partial product may be flushed
    error += std::max(large, 1.0) * flush;
  return settle(f32, value, error, /*isUnsure=*/false);
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

/// The maximum of `sign` times the elements. `skipsNaN`: NaN loses against any
/// number. A row of nothing but NaN is then unknown: NaN, or the identity if a
/// lane without an element took part.
static Number maximum(const Lane &lane, double sign, bool skipsNaN) {
  double value = -infinity, high = -infinity, low = -infinity;
  bool hasNaN = false, hasNumber = false, isUnsure = false;
  for (size_t i = 0, n = lane.size(); i < n; ++i) {
    double x = sign * lane.values[i], error = lane.errors[i];
    hasNaN |= std::isnan(x);
    hasNumber |= !std::isnan(x);
    isUnsure |= error == infinity;
    value = x > value ? x : value;
    high = x + error > high ? x + error : high;
    low = x - error > low ? x - error : low;
  }
  if (hasNaN && (!skipsNaN || !hasNumber))
    value = std::numeric_limits<double>::quiet_NaN();
  if (isUnsure || (skipsNaN && !hasNumber))
    return {sign * value, infinity};
  if (std::isnan(value))
    return {value, 0.0};
  return {sign * value, std::max(distance(high, value), distance(value, low))};
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Combines the elements one by one with the arith operation of the kind.
static Number fold(ReduceKind kind, unsigned width, const Lane &lane) {
  ElementwiseLoop combine =
      lookupElementwise(("arith." + stringifyReduceKind(kind)).str());
  OpContext context;
  context.inputWidth = context.resultWidth = width;
  Lane total, next, result;
  for (Lane *scalar : {&total, &next, &result})
    scalar->resize(1);
  total.set(0, lane[0]);
  for (size_t i = 1, n = lane.size(); i < n; ++i) {
    next.set(0, lane[i]);
    combine(context, {&total, &next}, result);
    total.set(0, result[0]);
  }
  return total[0];
}

Number reference::reduceLane(ReduceKind kind, unsigned width,
                             const Lane &lane) {
  switch (kind) {
  case ReduceKind::addf:
    return sum(lane);
  case ReduceKind::mulf:
    return product(lane);
  case ReduceKind::maximumf:
    return maximum(lane, /*sign=*/1, /*skipsNaN=*/false);
  case ReduceKind::minimumf:
    return maximum(lane, /*sign=*/-1, /*skipsNaN=*/false);
  case ReduceKind::maxnumf:
    return maximum(lane, /*sign=*/1, /*skipsNaN=*/true);
  case ReduceKind::minnumf:
    return maximum(lane, /*sign=*/-1, /*skipsNaN=*/true);
  default:
    return fold(kind, width, lane);
  }
}
