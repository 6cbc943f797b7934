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
  using QuackPlanBase::QuackPlanBase;
  void runOnOperation() override;

private:
  LogicalResult plan(KernelOp kernel, const Target &gpu, tv::PlanAttr pins);
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
      "N = {0} on {1}: {2} threads a row in {3}, cluster of {4}, {5} rows a "
      "tile; about {6} registers, {7} CTAs an SM, {8} KB in flight an SM; "
      "decided by {9}; best of {10} legal plans; tree: {11}",
      kernel.getColumns(), gpu.name, plan.getThreadsPerRow(), plan.getThreads(),
      plan.getCluster(), plan.getRows(), best.registers, best.ctasPerSM,
      static_cast<int64_t>(best.bytesInFlight / 1024), best.decisive,
      choice.plans.size(), choice.tree);
  if (choice.anywhere)
    text += llvm::formatv("; rows that are not aligned run in a variant of that "
                          "tree, at about {0:P0} of the speed",
                          choice.anywhere->bandwidth / best.bandwidth);
  else if (!plan.startsAnywhere() && plan.getVectorSize() > 1)
    text += "; rows must be aligned";
  remark::analysis(kernel.getLoc(), opts) << text;
}

/// Adds the variant of `kernel` for rows that start at any element.
static void addVariant(KernelOp kernel, tv::PlanAttr plan) {
  KernelOp variant = kernel.clone();
  variant.setPlanAttr(plan);
  std::string name = (kernel.getSymName() + "_anywhere").str();
  auto module = kernel->getParentOfType<ModuleOp>();
  while (module.lookupSymbol(name))
    name += "_";
  variant.setSymName(name);
  kernel->getBlock()->getOperations().insertAfter(Block::iterator(kernel), variant);
  kernel.setOtherwise(name);
}

LogicalResult PlanPass::plan(KernelOp kernel, const Target &gpu, tv::PlanAttr pins) {
  FailureOr<PlanChoice> choice = choosePlan(kernel, gpu, pins);
  if (failed(choice))
    return failure();
  const CostedPlan &best = choice->plans[choice->picked];
  explain(kernel, gpu, *choice);
  if (choice->anywhere)
    addVariant(kernel, choice->anywhere->plan);
  kernel.setPlanAttr(best.plan);
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
  FailureOr<tv::PlanAttr> pins = parsePins(pin, module);
  if (failed(pins))
    return signalPassFailure();
  for (KernelOp kernel : llvm::to_vector(module.getOps<KernelOp>()))
    if (failed(plan(kernel, *gpu, *pins)))
      return signalPassFailure();
}
