//===- include/quack/Run/Job.h - what to run --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel in one configuration, as the command line or a line of a sweep
// states it, and what running it gave.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUN_JOB_H
#define QUACK_RUN_JOB_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace quack {

/// One run.
struct Job {
  std::string file;       ///< with the kernel
  std::string kernelName; ///< empty: the file's only kernel
  std::optional<int64_t> columns; ///< nothing: as the kernel says
  int64_t groups = 0;             ///< columns of a group; 0: as the kernel says
  int64_t picks = 0; ///< elements that are picked; 0: as the kernel says
  std::string storage, pin, target = "h200", chip = "sm_90";
  int64_t ptxVersion = 0; ///< 0: what the kernel needs
  std::optional<int64_t> rows; ///< nothing: as the input files say

  std::map<std::string, std::string> inputFiles, outputFiles;
  std::map<std::string, double> scalars;
  std::map<std::string, int64_t> rowStrides; ///< in elements
  /// How far arrays start after an address aligned to 256 bytes, in elements.
  std::map<std::string, int64_t> offsets;
  /// The in row whose memory an out row takes, by the out row's name.
  std::map<std::string, std::string> inPlace;
  uint64_t seed = 0;

  bool verify = false, bench = false, dryRun = false;
  int64_t iterations = 20, warmups = 5;
};

/// What a run gave. Whatever was not done stays empty.
struct JobResult {
  std::string kernel, plan;
  int64_t columns = 0, rows = 0;
  int64_t registers = -1, localBytes = -1;
  std::optional<double> compileMilliseconds;
  std::optional<double> microseconds, terabytesPerSecond;
  std::optional<double> yardstickMicroseconds, yardstickTerabytesPerSecond;
  std::string yardstick; ///< which copy (or read) was the fastest
  std::optional<double> share;
  std::string verify; ///< "ok" or what is wrong; empty if not asked for
  std::optional<llvm::json::Value> simulation; ///< the simulator's report
  std::string error;

  bool isGood() const;
};

/// Reads one line of a sweep over the defaults in `job`. Keys: kernel,
/// kernel_name, columns, storage, groups, picks, pin, target, chip,
/// ptx_version, rows, scalars, row_strides, offsets, in_place, seed, verify,
/// bench, iterations.
llvm::Error readJob(const llvm::json::Value &line, Job &job);

/// Checks the numbers of `job`, and that a device can do what it wants.
/// `prefix` stands before the name of what is wrong.
llvm::Error checkJob(const Job &job, bool isSimulated, llvm::StringRef prefix);

/// Returns the line of results for `job`.
llvm::json::Value toJSON(const Job &job, const JobResult &result);

} // namespace quack

#endif // QUACK_RUN_JOB_H
