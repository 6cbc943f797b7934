//===- include/quack/Bench/Statistics.h - times as a number -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The median of repeated measurements, and how sure it is.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_BENCH_STATISTICS_H
#define QUACK_BENCH_STATISTICS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace quack {

/// A median with the interval that holds the true one with a probability of 95
/// %.
struct Estimate {
  double median = 0, low = 0, high = 0;

  /// Returns the interval's width as a share of the median.
  double width() const { return median > 0 ? (high - low) / median : 0; }
};

/// Returns how many of `count` samples, in order, lie below the interval, and
/// as many above: the most for which each side is missed with a probability
/// of 2.5 % at most, by the binomial distribution. -1 if even the extremes are
/// not as sure: fewer than 6.
int64_t countOutside(int64_t count);

/// Returns the estimate from at least one sample. Nothing is assumed of how
/// they are distributed. The interval of fewer than 6 is from the least to the
/// greatest.
Estimate estimateMedian(llvm::ArrayRef<double> samples);

} // namespace quack

#endif // QUACK_BENCH_STATISTICS_H
