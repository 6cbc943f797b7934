//===- RowReductions.cpp - reductions of several numbers ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowReductions.h"

#include "llvm/Support/MathExtras.h"

using namespace quack;
using namespace quack::reference;

/// A thread combines at most so many elements one after the other.
static constexpr size_t longestRun = 160;

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

llvm::SmallVector<Number>
reference::combineRows(Combiner &combiner, llvm::ArrayRef<const Lane *> rows) {
  auto element = [&](size_t column) {
    llvm::SmallVector<Number> numbers;
    for (const Lane *row : rows)
      numbers.push_back((*row)[column]);
    return numbers;
  };
  std::vector<llvm::SmallVector<Number>> partials;
  for (size_t i = 0, n = rows.front()->size(); i < n; ++i)
    if (i % longestRun == 0)
      partials.push_back(element(i));
    else
      combiner.combine(partials.back(), element(i));
  while (partials.size() > 1) {
    for (size_t i = 0; 2 * i < partials.size(); ++i) {
      partials[i] = partials[2 * i];
      if (2 * i + 1 < partials.size())
        combiner.combine(partials[i], partials[2 * i + 1]);
    }
    partials.resize((partials.size() + 1) / 2);
  }
  return partials.front();
}

//===----------------------------------------------------------------------===//
// Extremes
//===----------------------------------------------------------------------===//

std::pair<Number, Number> reference::findExtreme(const Lane &row, bool isMax) {
  size_t at = 0, n = row.size();
  auto isBetter = [&](double x, double best) {
    if (std::isnan(best) || std::isnan(x))
      return std::isnan(x) && !std::isnan(best);
    return isMax ? x > best : x < best;
  };
  for (size_t i = 1; i < n; ++i)
    if (isBetter(row.values[i], row.values[at]))
      at = i;
  // Another element, which is as good within its error, may be found instead.
  Number value = row[at], column{static_cast<double>(at), 0.0};
  for (size_t i = 0; i < n; ++i) {
    if (i == at || (row.errors[i] == 0 && row.errors[at] == 0))
      continue;
    bool isClose = !(std::fabs(row.values[i] - row.values[at]) >
                     row.errors[i] + row.errors[at]);
    if (!isClose)
      continue;
    column.error = std::max(column.error, std::fabs(static_cast<double>(i) - column.value));
    value.error = std::max(value.error, std::fabs(row.values[i] - row.values[at]) +
                                            row.errors[i]);
  }
  if (std::isnan(value.error))
    value.error = infinity;
  return {value, column};
}

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

/// What is averaged are the differences d of the elements from one of them. A
/// thread deviates from its own mean of d, which has an error e of at most E. Its squares
/// then are n e^2 too great. Where partials merge, the distance b of two means has an
/// error of 2 E, and b^2 w, with the weight w = n0 n1 / (n0 + n1), one of 4 |b| E w +
/// 4 E^2 w. By Cauchy and Schwarz the sum of |b| w over all merges is at most
/// sqrt(S W), where S is the row's sum of squares, which the b^2 w are part of, and W the
/// sum of the weights: at most N / 4 on each level of a tree, and N in all where a
/// thread merges chunks one after the other.
Moments reference::computeMoments(const Lane &row) {
  static const FloatTraits f32 = getTraits(FloatFormat::f32);
  auto n = static_cast<double>(row.size());
  double first = std::isfinite(row.values[0]) ? row.values[0] : 0.0;
  double sum = 0, magnitude = 0, greatest = 0, given = 0;
  // Which one it is may change: differences are at most twice as great then.
  for (size_t i = 0; i < row.size(); ++i) {
    double difference = row.values[i] - first;
    sum += difference;
    magnitude += std::fabs(difference);
    greatest = std::max(greatest, 2 * std::fabs(difference) + row.errors[i]);
    given += row.errors[i];
  }
  double mean = sum / n, squares = 0, moved = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    double difference = row.values[i] - first, deviation = difference - mean;
    double error = row.errors[i] + 2 * unit * greatest;
    squares += deviation * deviation;
    moved += (2 * std::fabs(deviation) + error) * error;
  }
  double levels = llvm::Log2_64_Ceil(row.size()) + 4;
  double depth = std::min<double>(n, longestRun) + 4 * levels;
  double ownError = depth * unit * greatest + tiny;
  double weights = n * (levels / 4 + 1);
  double squaresError = moved + n * ownError * ownError +
                        4 * ownError * std::sqrt((squares + moved) * weights) +
                        4 * ownError * ownError * weights;
  squaresError += 4 * depth * unit * (squares + squaresError) + n * tiny;
  mean += first;
  double meanError = given / n + depth * unit * (magnitude / n + greatest + given / n) +
                     unit * std::fabs(mean) + tiny;
  // Sums of threads may overflow where the mean does not, and squares of distances.
  bool mayOverflow = !(greatest * longestRun <= f32.maxFinite) && std::isfinite(sum);
  if (mayOverflow)
    return {{mean, infinity}, {0, infinity}, {squares, infinity}};
  bool isUnsure = given == infinity;
  // In float64 nothing is left of the mean; a kernel has what it has rounded.
  Number low{0, std::isfinite(mean) ? 2 * unit * std::fabs(mean) + tiny : 0};
  return {settle(f32, mean, meanError, isUnsure), low,
          settle(f32, squares, squaresError, isUnsure)};
}
