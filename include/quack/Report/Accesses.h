//===- include/quack/Report/Accesses.h - accesses of a tile program -*- C++
//-*-===//
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

namespace quack {

/// Checks that `launch` fits the operands of `kernel`: names, strides of at
/// least a row. Errors are diagnostics on the kernel.
llvm::LogicalResult verifyLaunch(tv::KernelOp kernel,
                                 const DescribedLaunch &launch);

/// Returns why `launch` must not take `kernel`, whose accesses would be
/// misaligned; empty if it may.
std::string violatedGuard(tv::KernelOp kernel, const DescribedLaunch &launch);

/// Counts what the accesses of `kernel` ask for under `launch`, in the order in
/// which they are first made. The kernel's barriers are placed, and the launch
/// is verified and violates no guard. Fails with a diagnostic on an operation
/// whose accesses are not known.
mlir::FailureOr<std::vector<AccessReport>>
countAccesses(tv::KernelOp kernel, const DescribedLaunch &launch);

} // namespace quack

#endif // QUACK_REPORT_ACCESSES_H
