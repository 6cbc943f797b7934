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

/// What the text that is written says: a stage of the compilation, or a report.
enum class Emission { plan, report, tv, gpu, llvm, ptx, bundle };

struct DriverOptions {
  llvm::cl::opt<Emission> emission;
  llvm::cl::opt<int64_t> columns;
  llvm::cl::opt<std::string> storage;
  llvm::cl::opt<int64_t> groups;
  llvm::cl::opt<int64_t> picks;
  llvm::cl::opt<std::string> pin, target, chip;
  llvm::cl::opt<unsigned> plans;
  // The launch that a report describes, and its form.
  llvm::cl::opt<int64_t> rows;
  llvm::cl::list<std::string> rowStrides, offsets;
  llvm::cl::opt<bool> json;
  // How a bundle's files and functions are called, and whether it has a cubin.
  llvm::cl::opt<std::string> name;
  llvm::cl::opt<bool> cubin;
  llvm::cl::opt<int64_t> ptxVersion;
  llvm::cl::opt<bool> timing;

  DriverOptions();
  /// Returns the stage to write; what is no report is one.
  Stage stage() const;
  void fill(PipelineOptions &options) const;
  /// Returns the name of an option that was given; empty if none was.
  llvm::StringRef firstGiven() const;
  /// Returns what is wrong with the options, but for the values that the
  /// compiler judges; empty if nothing.
  std::string check() const;
};

} // namespace quack

#endif // QUACK_TOOLS_QUACK_OPT_DRIVEROPTIONS_H
