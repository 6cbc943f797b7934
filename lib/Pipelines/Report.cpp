//===- lib/Pipelines/Report.cpp - what kernels ask for ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `--emit=report` says: plans a module, keeps what the cost model thinks
// of each plan, makes tile programs of it and counts their accesses.
//
//===----------------------------------------------------------------------===//

#include "quack/Pipelines/Pipelines.h"

#include "quack/Plan/Planner.h"
#include "quack/Report/Accesses.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace quack;

/// What the row programs of a module say of each kernel.
using TraitsByName = llvm::StringMap<KernelTraits>;

static LogicalResult runStage(ModuleOp module,
                              function_ref<void(PassManager &)> add) {
  PassManager pm(module.getContext());
  add(pm);
  return pm.run(module);
}

/// Returns what the model thinks of `kernel`'s plan for a launch of so many
/// rows.
static PredictedCost predictCost(tv::KernelOp kernel, KernelTraits traits,
                                 const Target &target, int64_t rows) {
  tv::PlanAttr plan = kernel.getPlan();
  traits.rows = rows;
  traits.knowsRows = true;
  CostedPlan costed = costPlan(traits, target, plan);
  PredictedCost cost;
  cost.registers = costed.registers;
  cost.ctasPerSM = costed.ctasPerSM;
  cost.occupancy = double(costed.ctasPerSM * plan.getThreads()) /
                   double(target.threadsPerSM);
  cost.bytesInFlight = costed.bytesInFlight;
  cost.roofline = costed.roofline;
  cost.microseconds =
      costed.time * double(rows) * double(traits.columns) / 1e6;
  cost.bandwidth = costed.bandwidth;
  cost.decisive = costed.decisive;
  return cost;
}

static FailureOr<KernelReport> reportKernel(tv::KernelOp kernel,
                                            const DescribedLaunch &launch) {
  tv::PlanAttr plan = kernel.getPlan();
  KernelReport report;
  report.name = kernel.getSymName().str();
  report.columns = kernel.getColumns();
  report.rows = launch.rows;
  report.threads = plan.getThreads();
  report.cluster = plan.getCluster();
  report.split = plan.getSlices();
  report.workspaceBytes = kernel.getWorkspace().value_or(0);
  report.rowsPerTile = plan.getRows();
  report.tiles = llvm::divideCeil(launch.rows, plan.getRows());
  report.sharedBytes = kernel.getSharedBytes().value_or(0);
  report.guard = violatedGuard(kernel, launch);
  if (!report.guard.empty())
    return report;
  FailureOr<std::vector<AccessReport>> accesses = countAccesses(kernel, launch);
  if (failed(accesses))
    return failure();
  report.accesses = std::move(*accesses);
  return report;
}

/// Marks the first of `kernel` and its variants that the launch can take, and
/// the stages that follow it.
static void markTaken(ModuleOp module, tv::KernelOp kernel,
                      MutableArrayRef<KernelReport> reports) {
  auto reportOf = [&](tv::KernelOp kernel) -> KernelReport & {
    return *llvm::find_if(reports, [&](const KernelReport &report) {
      return report.name == kernel.getSymName();
    });
  };
  auto lookup = [&](std::optional<StringRef> name) {
    return name ? module.lookupSymbol<tv::KernelOp>(*name) : tv::KernelOp();
  };
  while (kernel && !reportOf(kernel).guard.empty())
    kernel = lookup(kernel.getOtherwise());
  for (; kernel; kernel = lookup(kernel.getNext()))
    reportOf(kernel).isTaken = true;
}

/// Returns how many rows `launch` has: as it says, or as `plan` or the cost
/// model takes launches to have.
static int64_t rowsOf(const DescribedLaunch &launch, tv::PlanAttr plan,
                      const KernelTraits *traits) {
  if (launch.rows != DescribedLaunch::usualRows || !traits)
    return launch.rows;
  return plan.getRowsHint() ? plan.getRowsHint() : traits->rows;
}

FailureOr<std::vector<KernelReport>>
quack::reportModule(ModuleOp module, const PipelineOptions &options,
                    const DescribedLaunch &described) {
  if (failed(runStage(module, [&](PassManager &pm) {
        buildPipeline(pm, options, Stage::plan);
      })))
    return failure();
  TraitsByName traits;
  for (KernelOp kernel : module.getOps<KernelOp>())
    traits.try_emplace(kernel.getSymName(), KernelTraits::analyse(kernel));
  if (failed(runStage(module, buildTilePipeline)))
    return failure();
  std::optional<Target> target = Target::lookup(options.target);
  std::vector<KernelReport> reports;
  // Variants and later stages come after the kernel that names them, and have
  // its launch.
  llvm::StringMap<DescribedLaunch> launches;
  SmallVector<tv::KernelOp> heads;
  for (tv::KernelOp kernel : module.getOps<tv::KernelOp>()) {
    auto known = traits.find(kernel.getSymName());
    bool isKnown = known != traits.end() && target;
    auto [at, isHead] = launches.try_emplace(kernel.getSymName(), described);
    DescribedLaunch launch = at->second;
    if (isHead) {
      heads.push_back(kernel);
      launch.rows = rowsOf(described, kernel.getPlan(),
                           isKnown ? &known->second : nullptr);
    }
    for (std::optional<StringRef> other :
         {kernel.getOtherwise(), kernel.getNext()})
      if (other)
        launches.try_emplace(*other, launch);
    if (failed(verifyLaunch(kernel, launch)))
      return failure();
    FailureOr<KernelReport> report = reportKernel(kernel, launch);
    if (failed(report))
      return failure();
    if (isKnown && launch.rows > 0) {
      report->target = target->name;
      report->cost = predictCost(kernel, known->second, *target, launch.rows);
    }
    reports.push_back(std::move(*report));
  }
  if (reports.empty())
    return module.emitError("has no quack.kernel to report on");
  for (tv::KernelOp kernel : heads)
    markTaken(module, kernel, reports);
  return reports;
}
