//===- tools/quack-run/Runner.h - one run -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles, launches, verifies and measures one job.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKRUN_RUNNER_H
#define QUACK_TOOLS_QUACKRUN_RUNNER_H

#include "quack/Run/Job.h"
#include "quack/Run/Session.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace quack {

/// Runs `job`; what goes wrong is in the result. `log` gets lines for people.
/// `session` has no context in a dry run.
JobResult runJob(const Job &job, mlir::MLIRContext &context, Session &session,
                 llvm::raw_ostream &log);

} // namespace quack

#endif // QUACK_TOOLS_QUACKRUN_RUNNER_H
