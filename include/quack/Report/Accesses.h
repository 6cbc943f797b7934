//===- include/quack/Report/Accesses.h - accesses of programs ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives from a tile program, by the layout algebra, what each of its accesses
// to memory will ask for once it is a thread program.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_REPORT_ACCESSES_H
#define QUACK_REPORT_ACCESSES_H

#include "quack/Dialect/QuackTV/QuackTV.h"
#include "quack/Report/Report.h"
#include "quack/Runtime/LaunchRules.h"

namespace quack {

/// Counts what the accesses of `kernel` ask for in a launch for `rows` rows, in
/// the order in which they are first made. The kernel's barriers are placed,
/// and the launch is verified and violates no guard. Fails with a diagnostic on
/// an operation whose accesses are not known.
mlir::FailureOr<std::vector<AccessReport>>
countAccesses(tv::KernelOp kernel, llvm::ArrayRef<LaunchArgument> arguments,
              int64_t rows);

} // namespace quack

#endif // QUACK_REPORT_ACCESSES_H
