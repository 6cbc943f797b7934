//===- include/quack/Runtime/Checker.h - is it right? -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares what a kernel stored with the evaluator's values and bounds. No
// tolerance is chosen here: a value is right if some number within the bound
// rounds to it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUNTIME_CHECKER_H
#define QUACK_RUNTIME_CHECKER_H

#include "quack/Runtime/Storage.h"

#include <cstdint>
#include <string>

namespace quack {

/// An output as a kernel stored it, and what it should be.
struct CheckInput {
  StorageType type = StorageType::f32;
  const void *stored = nullptr; ///< rows x columns elements, row-major
  const double *expected = nullptr;
  const double *bounds = nullptr;
  int64_t rows = 0, columns = 0;
  /// The row numbers to report, if `stored` is a sample of rows; else null.
  const int64_t *rowNumbers = nullptr;
};

/// The outcome of a comparison.
struct CheckReport {
  int64_t elements = 0;
  int64_t violations = 0;
  /// Elements whose bound is infinite, so that nothing could be checked.
  int64_t unchecked = 0;

  /// The element that uses up most of what is allowed: a violation if there is
  /// one. `used` is the distance over what is allowed.
  int64_t row = -1, column = -1;
  double got = 0, expected = 0, bound = 0, used = 0;

  bool isGood() const { return violations == 0; }
  /// Returns one line for people: counts, and the worst element.
  std::string text() const;
  /// Adds the counts of `other`, and its worst element if that is worse.
  void merge(const CheckReport &other);
};

/// Compares `input`. NaN must meet NaN and an infinity the same one. A float is
/// right between the bound's two ends, each rounded to the storage type (which
/// is the bound plus the store's half ulp); an integer within the bound.
CheckReport checkOutput(const CheckInput &input);

} // namespace quack

#endif // QUACK_RUNTIME_CHECKER_H
