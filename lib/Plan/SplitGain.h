//===- SplitGain.h - what splitting rows brings -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_PLAN_SPLITGAIN_H
#define QUACK_LIB_PLAN_SPLITGAIN_H

#include "quack/Plan/Planner.h"

namespace quack {

/// Returns, in a sentence, what launches of few rows lose since `picked` keeps
/// one tree for all M, as the model sees it; empty if that is little.
std::string describeLostSplit(KernelOp kernel, const Target &target,
                              tv::PlanAttr pins, tv::PlanAttr picked);

/// Decides whether launches of few rows get kernels of their own, since `picked`,
/// which serves the others, leaves most of the GPU idle: sets `fewRows` and `few`.
void chooseForFewRows(KernelOp kernel, const Target &target, tv::PlanAttr pins,
                      tv::PlanAttr picked, PlanChoice &choice);

} // namespace quack

#endif // QUACK_LIB_PLAN_SPLITGAIN_H
