//===- lib/Bench/Statistics.cpp - times as a number -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order statistics: of n samples, as many as a fair coin shows heads lie below
// the true median.
//
//===----------------------------------------------------------------------===//

#include "quack/Bench/Statistics.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;
using namespace quack;

int64_t quack::countOutside(int64_t count) {
  constexpr double mostMissed = 0.025;
  // Logarithms: 2^-count is no number from some thousand samples on.
  double logTerm = double(-count) * std::log(2.0); // of exactly k heads
  double missed = 0;
  for (int64_t k = 0; k <= count / 2; ++k) {
    missed += std::exp(logTerm);
    if (missed > mostMissed)
      return k - 1;
    logTerm += std::log(double(count - k)) - std::log(double(k + 1));
  }
  return count / 2;
}

Estimate quack::estimateMedian(ArrayRef<double> samples) {
  std::vector<double> sorted(samples);
  llvm::sort(sorted);
  size_t middle = sorted.size() / 2;
  Estimate estimate;
  estimate.median = sorted.size() % 2 != 0
                        ? sorted[middle]
                        : (sorted[middle - 1] + sorted[middle]) / 2;
  auto outside = static_cast<size_t>(
      std::max<int64_t>(countOutside(int64_t(sorted.size())), 0));
  estimate.low = sorted[outside];
  estimate.high = sorted[sorted.size() - 1 - outside];
  return estimate;
}
