//===- include/quack/Run/Session.h - a GPU over many runs -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs in one process share: the GPU, random inputs already made (their
// elements do not depend on the shape), and scratch memory.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUN_SESSION_H
#define QUACK_RUN_SESSION_H

#include "quack/Runtime/CudaDriver.h"
#include "quack/Runtime/Storage.h"

#include <map>
#include <memory>
#include <string>

namespace quack {

class Yardstick;
struct CompiledJob;

/// Exit codes of the tools that run kernels.
enum ExitCode {
  exitGood = 0,
  exitBad = 1,
  exitNoDevice = 3,
  exitLostDevice = 4
};

/// The state that outlives a run.
struct Session {
  std::unique_ptr<cuda::Context> context;
  bool isSimulated = false; ///< the simulator stands in for the GPU
  bool wantsReport = false; ///< the simulator's counters
  /// Random floats by type and seed; as long as the longest use so far.
  std::map<std::pair<StorageType, uint64_t>, cuda::Buffer> randomInputs;
  /// What the last run compiled, and from what: lines of a sweep that differ in
  /// their arrays only share it.
  std::shared_ptr<CompiledJob> compiled;
  std::string compiledFrom;
  /// What is overwritten to empty the L2 cache.
  cuda::Buffer flush;
  std::shared_ptr<Yardstick> yardstick;

  /// Frees what can be made again.
  void dropCaches() {
    randomInputs.clear();
    yardstick.reset();
  }
};

} // namespace quack

#endif // QUACK_RUN_SESSION_H
