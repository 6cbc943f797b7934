//===- lib/Plan/Choose.cpp - the plans that a kernel gets -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where rows need not start at a multiple of an access, a kernel gets two plans:
// a fast one for launches whose pointers and strides allow it, and one for all
// others. A row must have the same bits from both, so they share the tree by
// which its elements meet.
//
//===----------------------------------------------------------------------===//

#include "quack/Plan/Planner.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Pins
//===----------------------------------------------------------------------===//

/// Returns `over` where it has a field, else `under`.
static tv::PlanAttr mergePins(tv::PlanAttr under, tv::PlanAttr over) {
  auto pick = [](int64_t a, int64_t b) { return b ? b : a; };
  auto merge = [&](DictionaryAttr a, DictionaryAttr b) {
    NamedAttrList list(a);
    for (NamedAttribute entry : b ? b.getValue() : ArrayRef<NamedAttribute>())
      list.set(entry.getName(), entry.getValue());
    return list.empty() ? DictionaryAttr() : list.getDictionary(under.getContext());
  };
  return tv::PlanAttr::get(
      under.getContext(), pick(under.getThreads(), over.getThreads()),
      pick(under.getThreadsPerRow(), over.getThreadsPerRow()),
      pick(under.getRowsPerThread(), over.getRowsPerThread()),
      pick(under.getCluster(), over.getCluster()),
      pick(under.getVectorSize(), over.getVectorSize()),
      over.getAlignment() ? over.getAlignment() : under.getAlignment(),
      over.getCtasPerSM() >= 0 ? over.getCtasPerSM() : under.getCtasPerSM(),
      over.getExchange() ? over.getExchange() : under.getExchange(),
      merge(under.getHold(), over.getHold()),
      over.getKept() >= 0 ? over.getKept() : under.getKept(),
      merge(under.getLoad(), over.getLoad()),
      merge(under.getStore(), over.getStore()));
}

/// Checks that the operands which one of the pins' lists names are memref
/// operands of the kernel that are loaded (or stored).
static LogicalResult verifyPinnedNames(KernelOp kernel, DictionaryAttr dict,
                                       StringRef field, Direction excluded) {
  for (NamedAttribute entry : dict ? dict.getValue() : ArrayRef<NamedAttribute>()) {
    BlockArgument arg = kernel.lookupOperand(entry.getName());
    if (!arg || !isa<MemRefType>(arg.getType()))
      return kernel.emitOpError("plan names '")
             << entry.getName().getValue()
             << "', which is no memref operand of the kernel";
    if (kernel.getOperandAttr(arg.getArgNumber()).getDirection() == excluded)
      return kernel.emitOpError("plan field '")
             << field << "' must not name '" << entry.getName().getValue()
             << "', which is " << stringifyDirection(excluded);
  }
  return success();
}

static LogicalResult verifyPinnedNames(KernelOp kernel, tv::PlanAttr pins) {
  return failure(
      failed(verifyPinnedNames(kernel, pins.getHold(), "hold", Direction::out)) ||
      failed(verifyPinnedNames(kernel, pins.getLoad(), "load", Direction::out)) ||
      failed(verifyPinnedNames(kernel, pins.getStore(), "store", Direction::in)));
}

static bool pinsNothing(tv::PlanAttr pins) {
  return !pins.getThreads() && !pins.getThreadsPerRow() && !pins.getRowsPerThread() &&
         !pins.getCluster() && !pins.getVectorSize() && !pins.getAlignment() &&
         pins.getCtasPerSM() < 0 && !pins.getExchange() && !pins.getHold() &&
         pins.getKept() < 0 && !pins.getLoad() && !pins.getStore();
}

/// Returns the kernel's own pins under `pins`, after checking them.
static FailureOr<tv::PlanAttr> collectPins(KernelOp kernel, tv::PlanAttr pins) {
  if (Attribute given = kernel.getPlanAttr()) {
    auto plan = dyn_cast<tv::PlanAttr>(given);
    if (!plan)
      return kernel.emitOpError("plan must be a #quack_tv.plan, got ") << given;
    pins = mergePins(plan, pins);
  }
  if (failed(verifyPinnedNames(kernel, pins)))
    return failure();
  return pins;
}

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

/// Returns how many runs a lane has of a row.
static int64_t runsOf(tv::PlanAttr plan, int64_t columns) {
  return plan.getPaddedColumns(columns) /
         (plan.getCluster() * plan.getThreadsPerRow() * plan.getVectorSize());
}

std::string quack::treeSignature(const KernelTraits &traits, tv::PlanAttr plan) {
  int64_t lanes = std::min(plan.getThreadsPerRow(), warpSize);
  std::string text =
      llvm::formatv("{0} runs of {1}, {2} lanes, {3} warps, {4} CTAs",
                    runsOf(plan, traits.columns), plan.getVectorSize(), lanes,
                    plan.getThreadsPerRow() / lanes, plan.getCluster());
  if (plan.getCluster() > 1)
    text += ", partials of " +
            tv::stringifyExchange(plan.getExchange().value_or(tv::Exchange::warps))
                .str();
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

/// Returns `pins` for rows that start anywhere, which cannot go through shared
/// memory: such holds are chosen anew.
static tv::PlanAttr forAnyStart(tv::PlanAttr pins) {
  NamedAttrList holds;
  for (NamedAttribute entry :
       pins.getHold() ? pins.getHold().getValue() : ArrayRef<NamedAttribute>()) {
    tv::Hold hold = cast<tv::HoldAttr>(entry.getValue()).getValue();
    if (hold != tv::Hold::async && hold != tv::Hold::bulk)
      holds.append(entry);
  }
  MLIRContext *context = pins.getContext();
  return tv::PlanAttr::get(
      context, pins.getThreads(), pins.getThreadsPerRow(), pins.getRowsPerThread(),
      pins.getCluster(), pins.getVectorSize(), tv::Alignment::element,
      pins.getCtasPerSM(), pins.getExchange(),
      holds.empty() ? DictionaryAttr() : holds.getDictionary(context),
      pins.getKept(), pins.getLoad(), pins.getStore());
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

FailureOr<PlanChoice> quack::choosePlan(KernelOp kernel, const Target &gpu,
                                        tv::PlanAttr given) {
  if (ShapedType::isDynamic(kernel.getColumns()))
    return kernel.emitOpError("must have static columns, got ?: give "
                              "--columns=N, or run quack-specialize with columns=N "
                              "first");
  FailureOr<tv::PlanAttr> pins = collectPins(kernel, given);
  if (failed(pins))
    return failure();
  PlanChoice choice;
  std::string whyNot;
  KernelTraits traits = KernelTraits::analyse(kernel);
  choice.plans = enumeratePlans(traits, gpu, *pins, whyNot);
  if (choice.plans.empty())
    return kernel.emitOpError("has no legal plan for N = ")
           << kernel.getColumns()
           << (pinsNothing(*pins) ? ": " : " with the pins given: ") << whyNot;
  if (!pins->getAlignment() && !kernel.getOtherwiseAttr() &&
      wantsAlignment(choice.plans.front().plan))
    pairPlans(traits, choice,
              enumeratePlans(traits, gpu, forAnyStart(*pins), whyNot));
  choice.tree = treeSignature(traits, choice.plans[choice.picked].plan);
  return choice;
}

//===----------------------------------------------------------------------===//
// Explanation
//===----------------------------------------------------------------------===//

/// Returns the holds of the operands that wait between passes: `x packed`.
static std::string holdsText(tv::PlanAttr plan) {
  std::string text;
  for (NamedAttribute entry : plan.getHold())
    text += (text.empty() ? "" : ", ") + entry.getName().str() + " " +
            tv::stringifyHold(cast<tv::HoldAttr>(entry.getValue()).getValue()).str();
  if (plan.getKept() > 0)
    text += ", " + std::to_string(plan.getKept()) + " kept";
  return text;
}

static void printPlan(raw_ostream &os, const CostedPlan &cost, StringRef mark) {
  tv::PlanAttr plan = cost.plan;
  os << llvm::formatv(
      "// {0,1} {1,5:F2} {2,8} {3,8} {4,5} {5,8} {6,7} {7,5} {8,7} {9,8} {10,6}  "
      "{11,-8} {12}\n",
      mark, cost.bandwidth / 1e6, plan.getThreads(), plan.getThreadsPerRow(),
      plan.getRows(), plan.getCluster(), plan.getVectorSize(), cost.registers,
      cost.sharedBytes, cost.ctasPerSM, int64_t(cost.bytesInFlight / 1024),
      cost.decisive, holdsText(plan));
}

void quack::printPlans(raw_ostream &os, KernelOp kernel, const Target &gpu,
                       const PlanChoice &choice, size_t most) {
  os << llvm::formatv(
      "// @{0}: N = {1}, {2} legal plans on {3}, as the model sees them\n"
      "//    TB/s  threads  per row  rows  cluster  vector  regs  shared  CTAs/SM  "
      "KB/SM  decided  held\n",
      kernel.getSymName(), kernel.getColumns(), choice.plans.size(), gpu.name);
  for (size_t i = 0; i < choice.plans.size(); ++i)
    if (i < most || i == choice.picked)
      printPlan(os, choice.plans[i], i == choice.picked ? ">" : "");
  if (choice.anywhere) {
    os << "// for rows that start at any element\n";
    printPlan(os, *choice.anywhere, ">");
  }
  os << "// tree: " << choice.tree << "\n";
}
