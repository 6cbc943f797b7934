//===- tools/quack-run/Bench.h - how fast -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures a kernel beside its yardstick.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKRUN_BENCH_H
#define QUACK_TOOLS_QUACKRUN_BENCH_H

#include "quack/Run/Operands.h"

namespace quack {

/// Measures `launcher` on `operands` and the yardstick in turns; fills the
/// result's times and shares.
llvm::Error benchmark(Session &session, const Job &job,
                      const Launcher &launcher, const Operands &operands,
                      JobResult &result);

/// Returns one line for people.
std::string describeTimes(const JobResult &result);

} // namespace quack

#endif // QUACK_TOOLS_QUACKRUN_BENCH_H
