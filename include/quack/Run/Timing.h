//===- include/quack/Run/Timing.h - how long work takes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times pieces of GPU work in turns, so that clocks, temperature and neighbours
// are the same for all.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUN_TIMING_H
#define QUACK_RUN_TIMING_H

#include "quack/Run/Session.h"

#include "llvm/ADT/ArrayRef.h"

#include <functional>
#include <vector>

namespace quack {

/// A piece of GPU work that is timed.
using Work = std::function<llvm::Error()>;

/// Microseconds of one piece of work, in the order in which they were taken.
using Samples = std::vector<double>;

/// Times `works` by events, one after the other, round after round: `warmups`
/// rounds that do not count, then rounds until `isEnough` says so, which sees
/// the samples of each work after each round. Before each piece of work the L2
/// cache is overwritten, unless it is to be left as it is or there is none.
llvm::Expected<std::vector<Samples>>
sampleInterleaved(Session &session, llvm::ArrayRef<Work> works, int64_t warmups,
                  llvm::function_ref<bool(llvm::ArrayRef<Samples>)> isEnough,
                  bool emptiesCache = true);

/// Returns the median microseconds of each work over `iterations` rounds.
llvm::Expected<std::vector<double>> timeInterleaved(Session &session,
                                                    llvm::ArrayRef<Work> works,
                                                    int64_t warmups,
                                                    int64_t iterations);

} // namespace quack

#endif // QUACK_RUN_TIMING_H
