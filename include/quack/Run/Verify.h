//===- tools/quack-run/Verify.h - against the evaluator ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a kernel's outputs on the GPU with the evaluator's values and
// bounds.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKRUN_VERIFY_H
#define QUACK_TOOLS_QUACKRUN_VERIFY_H

#include "Operands.h"

#include "quack/Dialect/Quack/Quack.h"
#include "quack/Reference/Evaluator.h"

namespace quack {

/// Returns the rows to verify: all if there are at most 2^24 elements, else the
/// first, the last and others spread at random, the same in every run.
std::vector<int64_t> chooseRows(int64_t rows, int64_t columns);

/// Returns "ok ..." or what is wrong: values beyond their bounds, guard regions
/// or gaps that were written. Where the kernel has sums over rows, all rows are
/// evaluated, and `sums` says how these are bounded.
llvm::Expected<std::string> verifyOutputs(const cuda::Context &context,
                                          KernelOp kernel,
                                          const Operands &operands,
                                          RowSums sums);

} // namespace quack

#endif // QUACK_TOOLS_QUACKRUN_VERIFY_H
