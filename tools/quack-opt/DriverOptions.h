//===- tools/quack-opt/DriverOptions.h - rows to PTX ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the whole way. Both modes have them: without --emit they are
// known, but for nothing.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACK_OPT_DRIVEROPTIONS_H
#define QUACK_TOOLS_QUACK_OPT_DRIVEROPTIONS_H

#include "quack/Pipelines/Pipelines.h"

#include "llvm/Support/CommandLine.h"

namespace quack {

/// Returns the category of the driver's options. Help lists categories by name,
/// and this one comes first.
llvm::cl::OptionCategory &driverCategory();

struct DriverOptions {
  llvm::cl::opt<Stage> stage;
  llvm::cl::opt<int64_t> columns;
  llvm::cl::opt<std::string> storage, pin, target, chip;
  llvm::cl::opt<unsigned> plans;
  llvm::cl::opt<int64_t> ptxVersion;
  llvm::cl::opt<bool> timing;

  DriverOptions();
  void fill(PipelineOptions &options) const;
  /// Returns the name of an option that was given; empty if none was.
  llvm::StringRef firstGiven() const;
};

} // namespace quack

#endif // QUACK_TOOLS_QUACK_OPT_DRIVEROPTIONS_H
