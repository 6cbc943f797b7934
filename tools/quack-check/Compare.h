//===- tools/quack-check/Compare.h - are two results one? -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both results are float64: they may differ by the order of operations alone.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKCHECK_COMPARE_H
#define QUACK_TOOLS_QUACKCHECK_COMPARE_H

#include "Inputs.h"

#include <optional>

namespace quack::check {

/// The first element that is wrong.
struct Mismatch {
  std::string operand;
  int64_t row, column;
  double expected, got, tolerance;
};

/// Returns where `got`, rounded by its stores, is not `expected`, the result of
/// `kernel`: NaN and infinities in the same places, integers equal, other
/// numbers within 1e-9 or, where terms cancel, within what float64 may lose:
/// the bound for f32 arithmetic times 2^-26. An element of which the bound says
/// nothing (f32 would overflow) must only not become NaN.
std::optional<Mismatch> compare(const Signature &kernel,
                                const ReferenceResult &expected,
                                const ReferenceResult &got);

} // namespace quack::check

#endif // QUACK_TOOLS_QUACKCHECK_COMPARE_H
