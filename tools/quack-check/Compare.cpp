//===- tools/quack-check/Compare.cpp - are two results one? -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares element by element, in storage types.
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include <cmath>

using namespace mlir;
using namespace quack;
using namespace quack::check;

static double toleranceOf(double expected, double bound) {
  return std::max(1e-9 * std::fabs(expected), bound * 0x1p-26);
}

/// Returns whether `got` is what a store to `storage` may make of `expected`.
static bool isClose(Type storage, double expected, double bound, double got) {
  if (std::isinf(bound))
    return std::isnan(expected) || !std::isnan(got);
  if (std::isnan(expected) || std::isnan(got))
    return std::isnan(expected) && std::isnan(got);
  // Where a number is uncertain, a rounding to whole ones may take one step or another:
  // the bound is that step then, and 0 elsewhere.
  if (isa<IntegerType>(storage))
    return toStorage(storage, expected) == toStorage(storage, got) ||
           std::fabs(expected - got) <= bound;
  // Not every type has infinities.
  if (std::isinf(expected))
    return toStorage(storage, expected) == toStorage(storage, got);
  double tolerance = toleranceOf(expected, bound);
  // Rounding is monotonic: what lies within the tolerance is rounded to what
  // lies within its rounded ends.
  bool rounds = storage.getIntOrFloatBitWidth() < 32;
  double low = expected - tolerance, high = expected + tolerance;
  if (!rounds)
    return low <= got && got <= high;
  // A row program's results are not rounded yet.
  got = toStorage(storage, got);
  return toStorage(storage, low) <= got && got <= toStorage(storage, high);
}

std::optional<Mismatch> check::compare(const Signature &kernel,
                                       const ReferenceResult &expected,
                                       const ReferenceResult &got) {
  for (const Signature::Operand &operand : kernel.operands) {
    if (operand.direction == Direction::in)
      continue;
    int64_t width = operand.columns;
    const std::vector<double> &want = expected.outputs.at(operand.name).values;
    const std::vector<double> &have = got.outputs.at(operand.name).values;
    const std::vector<double> &bounds = expected.bounds.at(operand.name).values;
    for (int64_t i = 0, e = want.size(); i < e; ++i)
      if (!isClose(operand.storage, want[i], bounds[i], have[i]))
        return Mismatch{operand.name, i / width,
                        i % width,    want[i],
                        have[i],      toleranceOf(want[i], bounds[i])};
  }
  return std::nullopt;
}
