//===- tools/quack-bench/Options.h - the command line -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What quack-bench can be told.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKBENCH_OPTIONS_H
#define QUACK_TOOLS_QUACKBENCH_OPTIONS_H

#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace quack::bench {

/// One of several processes that share the cells.
struct Shard {
  int64_t number = 1, count = 1; ///< from 1 to `count`
};

/// The command line, taken apart.
struct CommandLine {
  std::vector<std::string> kernels; ///< files, or names of files in the folder
  std::string kernelsFolder; ///< empty: the library in the binary
  std::vector<int64_t> columns;
  std::vector<std::string> dtypes;
  std::optional<int64_t> rows;  ///< M of each cell
  std::optional<int64_t> bytes; ///< or those of a cell's rows in memory
  /// Optional operands that are there: names, or name:type. Nothing: as is
  /// usual.
  std::optional<std::string> operands;
  std::map<std::string, double> scalars;
  int64_t groups = 0, picks = 0; ///< 0: as the kernels say
  std::string pin, target = "h200", chip = "sm_90";

  std::string device = "gpu";
  bool dryRun = false;
  Shard shard;
  int64_t samples = 30;       ///< of each implementation, at least
  double budgetSeconds = 0.4; ///< for more samples of a cell and method
  double watchdogSeconds = 60;

  std::vector<std::string> tables; ///< are read; nothing is measured then
  std::string jsonFile, plotFolder, compareFile;
  bool resumes = false;

  bool isSimulated() const { return device == "sim"; }
};

/// Parses the command line. Exits for --help and at an unknown option, as
/// LLVM's tools do; a value that makes no sense is an error.
llvm::Expected<CommandLine> parseCommandLine(int argc, char **argv);

} // namespace quack::bench

#endif // QUACK_TOOLS_QUACKBENCH_OPTIONS_H
