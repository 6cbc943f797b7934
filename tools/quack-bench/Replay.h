//===- tools/quack-bench/Replay.h - many launches as one --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short launches as a graph has them: one after the other without the host, on
// buffers that take turns, so that none finds its rows in the L2 cache.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKBENCH_REPLAY_H
#define QUACK_TOOLS_QUACKBENCH_REPLAY_H

#include "Contest.h"

#include "quack/Run/Compile.h"
#include "quack/Run/Operands.h"

namespace quack::bench {

/// What replays are made of: `operands` are placed, and their launches are
/// right.
struct ReplaySetup {
  const Job &job;
  const CompiledJob &compiled;
  const Launcher &launcher;
  const Operands &operands;
};

/// Returns how many buffers take turns: together at least four times the cache,
/// and no fewer than two.
int64_t countPlaces(int64_t bytes, int64_t cacheBytes);

/// Returns how many launches a graph has: at least 50, all places equally
/// often.
int64_t countLaunches(int64_t places);

/// Times replays of the kernel beside replays of the best copies, and reads if
/// it hardly writes. What all buffers hold afterwards must be what `operands`
/// hold, bit by bit; if not, this project's row is an error.
llvm::Expected<std::vector<Row>> measureReplays(Session &session,
                                                const ReplaySetup &setup,
                                                const Cell &cell,
                                                const Effort &effort);

} // namespace quack::bench

#endif // QUACK_TOOLS_QUACKBENCH_REPLAY_H
