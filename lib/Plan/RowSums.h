//===- RowSums.h - plans of kernels that accumulate -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters that have partial sums over rows stay resident, and work on one tile
// after the other: what differs in their cost from that of others.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_PLAN_ROWSUMS_H
#define QUACK_LIB_PLAN_ROWSUMS_H

#include "quack/Plan/Planner.h"

namespace quack {

/// Returns the registers that a thread needs, so that ptxas spills none.
int64_t estimateAccumulating(const KernelTraits &traits, tv::PlanAttr plan);

/// Returns the microseconds from one tile of a cluster to the next, where the
/// tile's rows take `arrival` to come and `work` from then on.
double turnOfTile(const KernelTraits &traits, tv::PlanAttr plan, double arrival,
                  double work);

/// Returns whether a tile may be published before the one before is collected: rows
/// meet once, and nothing else has to wait for all of a cluster.
bool mayOverlap(const KernelTraits &traits);

/// Returns which rule the plan's `overlap` breaks; empty if none.
std::string violatedOverlap(const KernelTraits &traits, tv::PlanAttr plan);

/// Returns the bytes of shared memory in which sums of threads with rows of
/// their own meet.
int64_t gatherBytes(const KernelTraits &traits, tv::PlanAttr plan);

/// Returns how many clusters of `plan` are resident, where an SM has
/// `ctasPerSM` CTAs: as many have partial sums.
int64_t choosePartials(const Target &target, tv::PlanAttr plan,
                       int64_t ctasPerSM);

/// Returns the share of a launch's traffic that is its rows', where each
/// cluster has its part of the tiles: the first is not covered by others, some
/// clusters have one less, and partial sums are written and read.
double shareOfTiles(const KernelTraits &traits, const Target &target,
                    tv::PlanAttr plan, int64_t ctasPerSM);

} // namespace quack

#endif // QUACK_LIB_PLAN_ROWSUMS_H
