//===- lib/Dialect/QuackTV/PlanNumbers.cpp - values of fields ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/QuackTV/PlanNumbers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <vector>

using namespace quack;
using namespace quack::tv;

/// Returns `first`, then the numbers from `from` to `to` in steps.
static std::vector<int64_t> makeValues(std::vector<int64_t> first, int64_t from,
                                       int64_t to, int64_t step) {
  for (int64_t value = from; value <= to; value += step)
    first.push_back(value);
  return first;
}

PlanNumber tv::planNumber(llvm::StringRef name) {
  static const std::vector<int64_t> threads = makeValues({}, 32, 1024, 32);
  static const std::vector<int64_t> threadsPerRow =
      makeValues({1, 2, 4, 8, 16}, 32, 1024, 32);
  static const std::vector<int64_t> ctasPerSM = makeValues({}, 0, 32, 1);
  static const std::vector<int64_t> split = makeValues({}, 1, maxSplit, 1);
  static const std::vector<int64_t> partials =
      makeValues({}, 1, maxPartials, 1);
  static constexpr int64_t powers[] = {1, 2, 4, 8, 16};
  return llvm::StringSwitch<PlanNumber>(name)
      .Case("threads", {"a multiple of 32 from 32 to 1024", threads})
      .Case("threads_per_row",
            {"1, 2, 4, 8, 16 or a multiple of 32 up to 1024", threadsPerRow})
      .Case("rows_per_thread",
            {"a power of two from 1 to 8", llvm::ArrayRef(powers).drop_back()})
      .Case("cluster", {"a power of two from 1 to 16", powers})
      .Case("split", {"1 to 1024", split})
      .Case("partials", {"1 to 16384", partials})
      .Case("vector", {"a power of two from 1 to 16", powers})
      .Case("ctas_per_sm", {"0 to 32", ctasPerSM})
      .Default({});
}

std::string tv::nearestOf(llvm::ArrayRef<int64_t> values, int64_t value) {
  const int64_t *above = llvm::lower_bound(values, value);
  std::string text;
  if (above != values.begin())
    text = std::to_string(above[-1]);
  if (above != values.end() && *above == value)
    ++above;
  if (above != values.end())
    text += (text.empty() ? "" : ", ") + std::to_string(*above);
  return text;
}
