//===- lib/Transforms/Plan.cpp - quack-plan ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completes each kernel's plan by the cost model and explains the choice; adds the
// variant for rows that are not aligned. After quack-specialize, before tiles are
// made.
//
//===----------------------------------------------------------------------===//

#include "quack/Plan/Pins.h"
#include "quack/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#define DEBUG_TYPE "quack-plan"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKPLAN
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

namespace {
class PlanPass : public quack::impl::QuackPlanBase<PlanPass> {
public:
  PlanPass() = default;
  explicit PlanPass(QuackPlanOptions options) : QuackPlanBase(std::move(options)) {
    pin = printablePins(pin);
  }
  LogicalResult initializeOptions(StringRef options,
                                  function_ref<LogicalResult(const Twine &)> error) override {
    LogicalResult read = QuackPlanBase::initializeOptions(options, error);
    pin = printablePins(pin);
    return read;
  }
  void runOnOperation() override;

private:
  LogicalResult plan(KernelOp kernel, const Target &gpu, const Pins &pins);
};
} // namespace

/// Says in one sentence what was chosen and why.
static void explain(KernelOp kernel, const Target &gpu, const PlanChoice &choice) {
  auto opts = remark::RemarkOpts::name("Plan")
                  .category("quack-plan")
                  .function(kernel.getSymName());
  const CostedPlan &best = choice.plans[choice.picked];
  tv::PlanAttr plan = best.plan;
  std::string text = llvm::formatv(
      "N = {0} on {1}: {2} threads a row in {3}, cluster of {4}, {12}{5} rows "
      "a "
      "tile; about {6} registers, {7} CTAs an SM, {8} KB in flight an SM; "
      "decided by {9}; best of {10} legal plans; tree: {11}",
      kernel.getColumns(), gpu.name, plan.getThreadsPerRow(), plan.getThreads(),
      plan.getCluster(), plan.getRows(), best.registers, best.ctasPerSM,
      static_cast<int64_t>(best.bytesInFlight / 1024), best.decisive,
      choice.plans.size(), choice.tree,
      plan.getSlices() > 1
          ? std::to_string(plan.getSlices()) + " of them a row, "
          : "");
  if (choice.anywhere)
    text += llvm::formatv("; rows that are not aligned run in a variant of that "
                          "tree, at about {0:P0} of the speed",
                          choice.anywhere->bandwidth / best.bandwidth);
  else if (!plan.startsAnywhere() && plan.getVectorSize() > 1)
    text += "; rows must be aligned";
  if (!choice.lost.empty())
    text += "; " + choice.lost;
  if (choice.few)
    text += llvm::formatv("; launches of at most {0} rows have kernels of their own, "
                          "which split rows over several clusters",
                          choice.fewRows);
  remark::analysis(kernel.getLoc(), opts) << text;
}

/// Adds a kernel like `kernel` called `name`, which that one names as `otherwise`.
static KernelOp addVariant(KernelOp kernel, std::string name, tv::PlanAttr plan) {
  KernelOp variant = kernel.clone();
  variant.setPlanAttr(plan);
  auto module = kernel->getParentOfType<ModuleOp>();
  while (module.lookupSymbol(name))
    name += "_";
  variant.setSymName(name);
  kernel->getBlock()->getOperations().insertAfter(Block::iterator(kernel), variant);
  kernel.setOtherwise(name);
  return variant;
}

/// Gives `kernel` the plan that was picked, and adds the variant for rows that start
/// at any element. Returns the last of both. They serve launches of at least
/// `leastRows` rows.
static KernelOp applyChoice(KernelOp kernel, const PlanChoice &choice,
                            int64_t leastRows) {
  auto served = [&](const CostedPlan &plan) {
    return leastRows ? plan.plan.withLeastRows(leastRows) : plan.plan;
  };
  kernel.setPlanAttr(served(choice.plans[choice.picked]));
  return choice.anywhere
             ? addVariant(kernel, (kernel.getSymName() + "_anywhere").str(),
                          served(*choice.anywhere))
             : kernel;
}

LogicalResult PlanPass::plan(KernelOp kernel, const Target &gpu, const Pins &pins) {
  FailureOr<tv::PlanAttr> given = pins.of(kernel);
  if (failed(given))
    return failure();
  FailureOr<PlanChoice> choice = choosePlan(kernel, gpu, *given);
  if (failed(choice))
    return failure();
  explain(kernel, gpu, *choice);
  KernelOp last =
      applyChoice(kernel, *choice, choice->few ? choice->fewRows + 1 : 0);
  if (!choice->few)
    return success();
  const PlanChoice &few = *choice->few;
  KernelOp split = addVariant(last, (kernel.getSymName() + "_few").str(),
                              few.plans[few.picked].plan);
  explain(split, gpu, few);
  applyChoice(split, few, /*leastRows=*/0);
  return success();
}

void PlanPass::runOnOperation() {
  ModuleOp module = getOperation();
  std::optional<Target> gpu = Target::lookup(target);
  if (!gpu) {
    module.emitError("unknown target '")
        << target << "', expected one of: " << llvm::join(Target::names(), ", ");
    return signalPassFailure();
  }
  if (maxCluster < 1) {
    module.emitError("max-cluster must be at least 1, got ") << maxCluster.getValue();
    return signalPassFailure();
  }
  gpu->maxCluster = maxCluster;
  FailureOr<Pins> pins = parsePins(pin, module);
  if (failed(pins))
    return signalPassFailure();
  for (KernelOp kernel : llvm::to_vector(module.getOps<KernelOp>()))
    if (failed(plan(kernel, *gpu, *pins)))
      return signalPassFailure();
}
