//===- tools/quack-run/Options.h - the command line -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What quack-run can be told.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKRUN_OPTIONS_H
#define QUACK_TOOLS_QUACKRUN_OPTIONS_H

#include "quack/Run/Job.h"

namespace quack {

/// The command line, taken apart.
struct CommandLine {
  Job job;               ///< the run, or the defaults of a sweep's lines
  std::string sweepFile; ///< empty: one run
  std::string jsonFile;  ///< empty: no lines of results
  double watchdogSeconds = 60;
  std::string device = "gpu", schedule = "eager";
  bool report = false; ///< the simulator's counters
};

/// Parses the command line. Exits for --help and at an unknown option, as
/// LLVM's tools do; a value that makes no sense is an error.
llvm::Expected<CommandLine> parseCommandLine(int argc, char **argv);

} // namespace quack

#endif // QUACK_TOOLS_QUACKRUN_OPTIONS_H
