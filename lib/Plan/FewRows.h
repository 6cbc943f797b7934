//===- FewRows.h - launches that do not fill the GPU ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch of a known, small number of rows takes. The model of long
// launches (CostModel.cpp) asks how much traffic the SMs can keep going; with
// few rows most SMs have nothing to do, and what counts is how much the busiest
// has to do, stage after stage where a row is split.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_PLAN_FEWROWS_H
#define QUACK_LIB_PLAN_FEWROWS_H

#include "quack/Plan/Planner.h"

namespace quack {

/// What the model of long launches knows of a plan's CTA.
struct CtaCost {
  int64_t ctasPerSM; ///< resident
  double busy;  ///< microseconds of an SM's time that it computes
  double alone; ///< microseconds that it computes while nothing else is under way
  double coalescing; ///< share of the sectors' bytes that lanes ask for
};

/// Returns whether launches are known to be too short for the model of long
/// ones.
bool hasFewRows(const KernelTraits &traits, const Target &target);

/// Returns the microseconds that a launch for `traits.rows` rows takes, and in
/// `isFull` whether the GPU's rate decides.
double launchTime(const KernelTraits &traits, const Target &target,
                  tv::PlanAttr plan, const CtaCost &cta, bool &isFull);

} // namespace quack

#endif // QUACK_LIB_PLAN_FEWROWS_H
