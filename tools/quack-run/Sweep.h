//===- tools/quack-run/Sweep.h - many runs ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the lines of a file in one process.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKRUN_SWEEP_H
#define QUACK_TOOLS_QUACKRUN_SWEEP_H

#include "Options.h"
#include "Runner.h"

namespace quack {

/// Appends one line to the file of results, if there is one.
llvm::Error appendResult(llvm::StringRef file, const llvm::json::Value &line);

/// Runs each line of the sweep's file. An error in a line is in its result, and
/// the next line follows; a lost GPU ends the sweep. Returns the exit code.
int runSweep(const CommandLine &line, mlir::MLIRContext &context,
             Session &session);

} // namespace quack

#endif // QUACK_TOOLS_QUACKRUN_SWEEP_H
