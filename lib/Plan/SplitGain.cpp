//===- lib/Plan/SplitGain.cpp - what splitting rows brings ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row that is split over more CTAs than a cluster has another tree, so that
// it is split only where a plan's fields allow that. Where they do not, the
// user is told what it would bring; where they do, and say nothing of M,
// launches of few rows get a kernel of their own.
//
//===----------------------------------------------------------------------===//

#include "SplitGain.h"

#include "FewRows.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace quack;

/// Rows shorter than this are over before a second kernel begins.
static constexpr int64_t leastBytes = 64 * 1024;

/// The part of its time that a launch of split rows may take, to be worth a
/// word or a kernel.
static constexpr double worthwhile = 0.9;

/// The most rows that are few.
static constexpr int64_t mostFewRows = 64;

namespace {
/// Compares a plan with the best that splits rows, for launches of `rows` rows.
struct Comparison {
  double kept = 0, split = 0; ///< microseconds
  tv::PlanAttr plan;          ///< null: no split is worthwhile

  Comparison(KernelOp kernel, const Target &target, tv::PlanAttr pins,
             tv::PlanAttr picked, int64_t rows);
  bool isWorthwhile(double time) const { return time <= worthwhile * kept; }
};

/// Microseconds of a launch of `rows` rows.
static double microseconds(const CostedPlan &cost, int64_t rows, int64_t columns) {
  return cost.time * double(rows) * double(columns) / 1e6;
}
} // namespace

static bool hasLongRow(const KernelTraits &traits) {
  return llvm::any_of(traits.operands, [&](const OperandTraits &operand) {
    return operand.role == Role::row &&
           operand.bytes * traits.columns >= leastBytes;
  });
}

Comparison::Comparison(KernelOp kernel, const Target &target, tv::PlanAttr pins,
                       tv::PlanAttr picked, int64_t rows) {
  KernelTraits traits = KernelTraits::analyse(kernel, rows);
  if (!hasLongRow(traits) || !hasFewRows(traits, target))
    return;
  kept = microseconds(costPlan(traits, target, picked), rows, traits.columns);
  std::string whyNot;
  SmallVector<CostedPlan> plans =
      enumeratePlans(traits, target, pins.withHints(rows, false), whyNot);
  if (plans.empty() || plans.front().plan.getSlices() == 1)
    return;
  split = microseconds(plans.front(), rows, traits.columns);
  if (isWorthwhile(split))
    plan = plans.front().plan;
}

std::string quack::describeLostSplit(KernelOp kernel, const Target &target,
                                     tv::PlanAttr pins, tv::PlanAttr picked) {
  if (pins.mayChangeTree() || pins.getSplit())
    return "";
  int64_t rows = pins.getRowsHint() ? pins.getRowsHint() : 1;
  Comparison found(kernel, target, pins, picked, rows);
  if (!found.plan)
    return "";
  return llvm::formatv("one tree for all M costs a launch of {0} row{1} about "
                       "{2:F1} us instead of "
                       "{3:F1} us with a row split over {4} clusters of {5}, "
                       "which {6} would allow",
                       rows, rows == 1 ? "" : "s", found.kept, found.split,
                       found.plan.getSlices(), found.plan.getCluster(),
                       pins.getReproducible()
                           ? "reproducible = false"
                           : "rows = M or reproducible = false");
}

void quack::chooseForFewRows(KernelOp kernel, const Target &target,
                             tv::PlanAttr pins, tv::PlanAttr picked,
                             PlanChoice &choice) {
  if (!pins.mayChangeTree() || pins.getRowsHint() || pins.getSplit() ||
      pins.getLeastRows() || kernel.getOtherwiseAttr())
    return;
  for (int64_t rows = mostFewRows; rows >= 1; rows /= 2) {
    Comparison found(kernel, target, pins, picked, rows);
    if (!found.plan)
      continue;
    FailureOr<PlanChoice> few = choosePlan(
        kernel, target, pins.withHints(rows, /*reproducible=*/false));
    if (failed(few))
      continue;
    // Not the cheapest, where it has no companion of its tree for any start.
    const CostedPlan &best = few->plans[few->picked];
    if (best.plan.getSlices() == 1 ||
        !found.isWorthwhile(microseconds(best, rows, kernel.getColumns())))
      continue;
    choice.fewRows = rows;
    choice.few = std::make_shared<PlanChoice>(std::move(*few));
    return;
  }
}
