//===- lib/Plan/Choose.cpp - the plans that a kernel gets -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where rows need not start at a multiple of an access, a kernel gets two plans:
// a fast one for launches whose pointers and strides allow it, and one for all
// others. A row must have the same bits from both, so they share the tree by
// which its elements meet. So do a kernel with a sum of scalars over its rows, and
// the one without: clusters stay for the sum, which makes another plan the best one,
// but it is chosen among those of the tree that the kernel has without it.
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "SplitGain.h"

#include "quack/Plan/Pins.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

/// Returns how many runs a lane has of a row.
static int64_t runsOf(tv::PlanAttr plan, int64_t columns) {
  return plan.getPaddedColumns(columns) /
         (plan.getCtasPerRow() * plan.getThreadsPerRow() *
          plan.getVectorSize());
}

std::string quack::treeSignature(const KernelTraits &traits, tv::PlanAttr plan) {
  int64_t lanes = std::min(plan.getThreadsPerRow(), warpSize);
  std::string text =
      llvm::formatv("{0} runs of {1}, {2} lanes, {3} warps, {4} CTAs",
                    runsOf(plan, traits.columns), plan.getVectorSize(), lanes,
                    plan.getThreadsPerRow() / lanes, plan.getCluster());
  if (plan.getCluster() > 1)
    text +=
        ", partials of " +
        tv::stringifyExchange(plan.getExchange().value_or(tv::Exchange::warps))
            .str();
  if (plan.getSlices() > 1)
    text += llvm::formatv(", {0} slices", plan.getSlices());
  // Rows that are read again are reduced in chunks.
  if (reloadsRows(traits, plan))
    text += ", in chunks";
  return text;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// Returns whether some access of `plan` takes more than one element, so that not
/// every row that a launch may pass is aligned to it.
static bool wantsAlignment(tv::PlanAttr plan) {
  return plan.getVectorSize() > 1 && !plan.startsAnywhere();
}

/// Pairs plans of one tree: the cheapest for rows that start anywhere where most
/// rows do, else the cheapest for aligned rows.
static void pairPlans(const KernelTraits &traits, PlanChoice &choice,
                      ArrayRef<CostedPlan> anywhere) {
  auto treeOf = [&](const CostedPlan &plan) {
    return treeSignature(traits, plan.plan);
  };
  llvm::StringMap<size_t> fast;
  for (auto [i, plan] : llvm::enumerate(choice.plans))
    fast.try_emplace(treeOf(plan), i);
  bool isMostlyAligned =
      traits.columns % choice.plans.front().plan.getVectorSize() == 0;
  size_t best = choice.plans.size();
  for (const CostedPlan &plan : anywhere) {
    auto found = fast.find(treeOf(plan));
    if (found == fast.end() || found->second >= best)
      continue;
    best = found->second;
    choice.anywhere = plan;
    if (!isMostlyAligned)
      break;
  }
  if (choice.anywhere)
    choice.picked = best;
}

/// Chooses among the plans that keep `pins`, and of those that have `tree` if one is
/// given. There is none if `plans` of the result is empty.
static PlanChoice choosePair(const KernelTraits &traits, const Target &gpu,
                             tv::PlanAttr pins, bool mayVary, StringRef tree = "") {
  auto enumerate = [&](tv::PlanAttr kept) {
    std::string whyNot;
    SmallVector<CostedPlan> plans = enumeratePlans(traits, gpu, kept, whyNot);
    if (!tree.empty())
      llvm::erase_if(plans, [&](const CostedPlan &plan) {
        return treeSignature(traits, plan.plan) != tree;
      });
    return plans;
  };
  PlanChoice choice;
  choice.plans = enumerate(pins);
  if (choice.plans.empty())
    return choice;
  if (!pins.getAlignment() && mayVary &&
      wantsAlignment(choice.plans.front().plan)) {
    auto anywhere = enumerate(pinsForAnyStart(pins));
    pairPlans(traits, choice, anywhere);
    // A plan for rows that start anywhere serves all.
    if (!choice.anywhere && !anywhere.empty())
      choice.plans = std::move(anywhere);
  }
  choice.tree = treeSignature(traits, choice.plans[choice.picked].plan);
  return choice;
}

/// Returns the tree that `kernel` has without its sums of scalars; empty if they make no
/// difference.
static std::string treeWithoutScalars(KernelOp kernel, const KernelTraits &traits,
                                      const Target &gpu, tv::PlanAttr pins,
                                      bool mayVary) {
  KernelTraits without = KernelTraits::analyse(kernel, 0, CountedSums::ofRows);
  if (without.accumulates == traits.accumulates)
    return "";
  return choosePair(without, gpu, pins.withPartials(0), mayVary).tree;
}

FailureOr<PlanChoice> quack::choosePlan(KernelOp kernel, const Target &gpu,
                                        tv::PlanAttr given) {
  if (ShapedType::isDynamic(kernel.getColumns()))
    return kernel.emitOpError("must have static columns, got ?: give "
                              "--columns=N, or run quack-specialize with columns=N "
                              "first");
  FailureOr<tv::PlanAttr> pins = collectPins(kernel, given);
  if (failed(pins))
    return failure();
  KernelTraits traits = KernelTraits::analyse(
      kernel, pins->mayChangeTree() ? pins->getRowsHint() : 0);
  bool mayVary = !kernel.getOtherwiseAttr();
  std::string tree = pins->mayChangeTree()
                         ? ""
                         : treeWithoutScalars(kernel, traits, gpu, *pins, mayVary);
  PlanChoice choice = choosePair(traits, gpu, *pins, mayVary, tree);
  // Pins may leave no plan of that tree.
  if (choice.plans.empty() && !tree.empty())
    choice = choosePair(traits, gpu, *pins, mayVary);
  if (choice.plans.empty()) {
    reportPins(kernel, traits, gpu, *pins);
    return failure();
  }
  tv::PlanAttr picked = choice.plans[choice.picked].plan;
  choice.lost = describeLostSplit(kernel, gpu, *pins, picked);
  chooseForFewRows(kernel, gpu, *pins, picked, choice);
  return choice;
}

//===----------------------------------------------------------------------===//
// Explanation
//===----------------------------------------------------------------------===//

/// Returns the holds of the operands that wait between passes: `x packed`.
static std::string holdsText(tv::PlanAttr plan) {
  std::string text;
  for (NamedAttribute entry :
       plan.getHold() ? plan.getHold().getValue() : ArrayRef<NamedAttribute>())
    text += (text.empty() ? "" : ", ") + entry.getName().str() + " " +
            tv::stringifyHold(cast<tv::HoldAttr>(entry.getValue()).getValue()).str();
  if (plan.getKept() > 0)
    text += ", " + std::to_string(plan.getKept()) + " kept";
  if (plan.getPartials() > 0)
    text += ", " + std::to_string(plan.getPartials()) + " clusters stay";
  if (plan.overlapsTiles())
    text += ", tiles overlap";
  return text;
}

static void printPlan(raw_ostream &os, const CostedPlan &cost, StringRef mark) {
  tv::PlanAttr plan = cost.plan;
  os << llvm::formatv(
      "// {0,1} {1,5:F2} {2,8} {3,8} {4,5} {5,8} {6,6} {7,7} {8,5} {9,7} {10,8} "
      "{11,6}  {12,-8} {13}\n",
      mark, cost.bandwidth / 1e6, plan.getThreads(), plan.getThreadsPerRow(),
      plan.getRows(), plan.getCluster(), plan.getSlices(), plan.getVectorSize(),
      cost.registers, cost.sharedBytes, cost.ctasPerSM,
      int64_t(cost.bytesInFlight / 1024), cost.decisive, holdsText(plan));
}

void quack::printPlans(raw_ostream &os, KernelOp kernel, const Target &gpu,
                       const PlanChoice &choice, size_t most) {
  os << llvm::formatv(
      "// @{0}: N = {1}, {2} legal plans on {3}, as the model sees them\n"
      "//    TB/s  threads  per row  rows  cluster  split  vector  regs  shared  "
      "CTAs/SM  KB/SM  decided  held\n",
      kernel.getSymName(), kernel.getColumns(), choice.plans.size(), gpu.name);
  for (size_t i = 0; i < choice.plans.size(); ++i)
    if (i < most || i == choice.picked)
      printPlan(os, choice.plans[i], i == choice.picked ? ">" : "");
  if (choice.anywhere) {
    os << "// for rows that start at any element\n";
    printPlan(os, *choice.anywhere, ">");
  }
  os << "// tree: " << choice.tree << "\n";
  if (!choice.lost.empty())
    os << "// " << choice.lost << "\n";
  if (!choice.few)
    return;
  os << "// for launches of at most " << choice.fewRows << " rows\n";
  printPlan(os, choice.few->plans[choice.few->picked], ">");
  if (choice.few->anywhere)
    printPlan(os, *choice.few->anywhere, ">");
  os << "// tree: " << choice.few->tree << "\n";
}
