//===- lib/Transforms/Plan.cpp - quack-plan ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completes each kernel's plan by the cost model and explains the choice. After
// quack-specialize, before tiles are made.
//
//===----------------------------------------------------------------------===//

#include "quack/Plan/Planner.h"
#include "quack/Transforms/Passes.h"

#include "mlir/AsmParser/AsmParser.h"
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

/// Says in one sentence what was chosen and why.
static void explain(KernelOp kernel, const Target &gpu, const CostedPlan &best,
                    size_t considered) {
  auto opts = remark::RemarkOpts::name("Plan")
                  .category("quack-plan")
                  .function(kernel.getSymName());
  tv::PlanAttr plan = best.plan;
  remark::analysis(kernel.getLoc(), opts)
      << llvm::formatv(
             "N = {0} on {1}: {2} threads a row in {3}, cluster of {4}, {5} rows a "
             "tile; about {6} registers, {7} CTAs an SM, {8} KB in flight an SM; "
             "decided by {9}; best of {10} legal plans",
             kernel.getColumns(), gpu.name, plan.getThreadsPerRow(),
             plan.getThreads(), plan.getCluster(), plan.getRows(), best.registers,
             best.ctasPerSM, static_cast<int64_t>(best.bytesInFlight / 1024),
             best.decisive, considered)
             .str();
}

LogicalResult PlanPass::plan(KernelOp kernel, const Target &gpu, tv::PlanAttr pins) {
  if (ShapedType::isDynamic(kernel.getColumns()))
    return kernel.emitOpError("must have static columns, got ?: run "
                              "quack-specialize with columns=N first");
  if (Attribute given = kernel.getPlanAttr()) {
    auto plan = dyn_cast<tv::PlanAttr>(given);
    if (!plan)
      return kernel.emitOpError("plan must be a #quack_tv.plan, got ") << given;
    pins = mergePins(plan, pins);
  }
  if (failed(verifyPinnedNames(kernel, pins)))
    return failure();
  std::string whyNot;
  KernelTraits traits = KernelTraits::analyse(kernel);
  SmallVector<CostedPlan> plans = enumeratePlans(traits, gpu, pins, whyNot);
  if (plans.empty())
    return kernel.emitOpError("has no legal plan for N = ")
           << kernel.getColumns() << " with the pins given: " << whyNot;
  explain(kernel, gpu, plans.front(), plans.size());
  kernel.setPlanAttr(plans.front().plan);
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
  Attribute pins = parseAttribute("#quack_tv.plan<" + pin + ">", &getContext());
  if (!pins) {
    module.emitError("cannot read the pinned plan fields '")
        << pin << "': expected for example 'threads = 256, cluster = 4'";
    return signalPassFailure();
  }
  for (KernelOp kernel : module.getOps<KernelOp>())
    if (failed(plan(kernel, *gpu, cast<tv::PlanAttr>(pins))))
      return signalPassFailure();
}
