//===- include/quack/Run/Verify.h - against the evaluator -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a kernel's outputs on the GPU with the evaluator's values and
// bounds.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUN_VERIFY_H
#define QUACK_RUN_VERIFY_H

#include "quack/Dialect/Quack/Quack.h"
#include "quack/Reference/Evaluator.h"
#include "quack/Run/Compile.h"
#include "quack/Run/Operands.h"

namespace quack {

/// How much is verified: all rows if they have at most `all` elements, else
/// rows of about `sample` elements.
struct Thoroughness {
  int64_t all = 1 << 24, sample = 1 << 22;
};

/// What suffices for a kernel that is measured, in well under a second.
inline constexpr Thoroughness benchThoroughness = {1 << 20, 1 << 20};

/// Returns the rows to verify; of a sample the first, the last and others
/// spread at random, the same in every run.
std::vector<int64_t> chooseRows(int64_t rows, int64_t columns,
                                Thoroughness thoroughness = {});

/// Returns a hash of the rows of all outputs that verification looks at.
llvm::Expected<uint64_t> hashOutputs(const cuda::Context &context,
                                     const Operands &operands, int64_t columns,
                                     Thoroughness thoroughness = {});

/// Returns how many roundings a row's value meets on its way into a sum over
/// rows: those of its cluster's tiles, and those of the partials that the last
/// stage adds.
RowSums boundSums(const CompiledJob &compiled, int64_t rows);

/// Returns "ok ..." or what is wrong: values beyond their bounds, guard regions
/// or gaps that were written. Where the kernel has sums over rows, all rows are
/// evaluated, and `sums` says how these are bounded.
llvm::Expected<std::string> verifyOutputs(const cuda::Context &context,
                                          KernelOp kernel,
                                          const Operands &operands,
                                          RowSums sums,
                                          Thoroughness thoroughness = {});

} // namespace quack

#endif // QUACK_RUN_VERIFY_H
