//===- lib/Pipelines/Report.cpp - what kernels ask for ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `--emit=report` says: plans a module, keeps what the cost model thinks
// of each plan, makes tile programs of it and counts their accesses.
//
//===----------------------------------------------------------------------===//

#include "quack/Host/DescribeKernels.h"
#include "quack/Pipelines/Pipelines.h"

#include "Stages.h"

#include "quack/Plan/Planner.h"
#include "quack/Report/Accesses.h"

#include "llvm/ADT/StringMap.h"

#include <array>

using namespace mlir;
using namespace quack;

/// What the row programs of a module say of each kernel.
using TraitsByName = llvm::StringMap<KernelTraits>;

namespace {
/// How many rows the launch of a kernel, its variants and later stages has.
struct LaunchRows {
  int64_t count;
  bool isKnown; ///< else it is what launches usually have
};

/// Whose launch each kernel of a module is part of.
struct Launches {
  /// What launches begin with.
  SmallVector<tv::KernelOp> heads;
  llvm::DenseMap<Operation *, LaunchRows> rows;
};
} // namespace

/// Returns what the model thinks of `kernel`'s plan for a launch of so many
/// rows.
static PredictedCost predictCost(tv::KernelOp kernel, KernelTraits traits,
                                 const Target &target, LaunchRows rows) {
  tv::PlanAttr plan = kernel.getPlan();
  traits.rows = rows.count;
  traits.knowsRows = rows.isKnown;
  CostedPlan costed = costPlan(traits, target, plan);
  PredictedCost cost;
  cost.registers = costed.registers;
  cost.ctasPerSM = costed.ctasPerSM;
  cost.occupancy = double(costed.ctasPerSM * plan.getThreads()) /
                   double(target.threadsPerSM);
  cost.bytesInFlight = costed.bytesInFlight;
  cost.roofline = costed.roofline;
  cost.microseconds =
      costed.time * double(rows.count) * double(traits.columns) / 1e6;
  cost.bandwidth = costed.bandwidth;
  cost.decisive = costed.decisive;
  return cost;
}

static FailureOr<KernelReport> reportKernel(tv::KernelOp kernel,
                                            const DescribedLaunch &launch) {
  KernelMetadata metadata = describeKernel(kernel);
  if (llvm::Error error = verifyLaunch(metadata, launch))
    return kernel.emitOpError(toString(std::move(error)));
  KernelReport report;
  report.name = metadata.name;
  report.columns = metadata.columns;
  report.rows = launch.rows;
  report.threads = metadata.threads;
  report.cluster = metadata.cluster;
  report.split = metadata.split;
  report.workspaceBytes = metadata.workspaceBytes;
  report.partials = metadata.partials;
  report.fixedWorkspaceBytes = metadata.fixedWorkspaceBytes;
  report.ctas = metadata.ctas;
  report.rowsPerTile = metadata.rowsPerTile;
  report.tiles = llvm::divideCeil(launch.rows, metadata.rowsPerTile);
  report.sharedBytes = metadata.sharedBytes;
  std::vector<LaunchArgument> arguments = placeOperands(metadata, launch);
  report.guard = violatedGuard(metadata, arguments, launch.rows);
  if (!report.guard.empty())
    return report;
  FailureOr<std::vector<AccessReport>> accesses =
      countAccesses(kernel, arguments, launch.rows);
  if (failed(accesses))
    return failure();
  report.accesses = std::move(*accesses);
  return report;
}

static tv::KernelOp lookup(tv::KernelOp from, FlatSymbolRefAttr name) {
  return name ? SymbolTable::lookupNearestSymbolFrom<tv::KernelOp>(from, name)
              : tv::KernelOp();
}

/// Marks the first of `kernel` and its variants that the launch can take, and
/// the stages that follow it.
static void markTaken(tv::KernelOp kernel,
                      MutableArrayRef<KernelReport> reports) {
  auto reportOf = [&](tv::KernelOp kernel) -> KernelReport & {
    return *llvm::find_if(reports, [&](const KernelReport &report) {
      return report.name == kernel.getSymName();
    });
  };
  while (kernel && !reportOf(kernel).guard.empty())
    kernel = lookup(kernel, kernel.getOtherwiseAttr());
  for (; kernel; kernel = lookup(kernel, kernel.getNextAttr()))
    reportOf(kernel).isTaken = true;
}

/// Returns how many rows a launch has that begins with `kernel`: as `described`
/// says, or as the plan or the cost model takes launches to have.
static LaunchRows rowsOf(tv::KernelOp kernel, const DescribedLaunch &described,
                         const TraitsByName &traits) {
  if (described.rows != DescribedLaunch::usualRows)
    return {described.rows, /*isKnown=*/true};
  if (int64_t hint = kernel.getPlan().getRowsHint())
    return {hint, /*isKnown=*/true};
  auto known = traits.find(kernel.getSymName());
  return {known == traits.end() ? DescribedLaunch::usualRows
                                : known->second.rows,
          /*isKnown=*/false};
}

/// Finds the launches of `module`, wherever in it their kernels stand.
static Launches findLaunches(ModuleOp module, const DescribedLaunch &described,
                             const TraitsByName &traits) {
  auto linksOf = [](tv::KernelOp kernel) {
    return std::array{lookup(kernel, kernel.getOtherwiseAttr()),
                      lookup(kernel, kernel.getNextAttr())};
  };
  auto kernels = module.getOps<tv::KernelOp>();
  llvm::SmallPtrSet<Operation *, 8> named;
  for (tv::KernelOp kernel : kernels)
    for (tv::KernelOp other : linksOf(kernel))
      if (other)
        named.insert(other);
  Launches launches;
  auto add = [&](tv::KernelOp head) {
    launches.heads.push_back(head);
    LaunchRows rows = rowsOf(head, described, traits);
    SmallVector<tv::KernelOp> found{head};
    while (!found.empty()) {
      tv::KernelOp kernel = found.pop_back_val();
      if (kernel && launches.rows.try_emplace(kernel, rows).second)
        llvm::append_range(found, linksOf(kernel));
    }
  };
  for (tv::KernelOp kernel : kernels)
    if (!named.contains(kernel))
      add(kernel);
  // Stages and variants that name each other have no first one: any is.
  for (tv::KernelOp kernel : kernels)
    if (!launches.rows.contains(kernel))
      add(kernel);
  return launches;
}

FailureOr<std::vector<KernelReport>>
quack::reportModule(ModuleOp module, const PipelineOptions &options,
                    const DescribedLaunch &described) {
  if (failed(runPasses(module, [&](PassManager &pm) {
        buildPipeline(pm, options, Stage::plan);
      })))
    return failure();
  TraitsByName traits;
  for (KernelOp kernel : module.getOps<KernelOp>())
    traits.try_emplace(kernel.getSymName(), KernelTraits::analyse(kernel));
  if (failed(runPasses(module, buildTilePipeline)))
    return failure();
  std::optional<Target> target = Target::lookup(options.target);
  Launches launches = findLaunches(module, described, traits);
  std::vector<KernelReport> reports;
  for (tv::KernelOp kernel : module.getOps<tv::KernelOp>()) {
    LaunchRows rows = launches.rows.at(kernel);
    DescribedLaunch launch = described;
    launch.rows = rows.count;
    FailureOr<KernelReport> report = reportKernel(kernel, launch);
    if (failed(report))
      return failure();
    if (auto known = traits.find(kernel.getSymName());
        known != traits.end() && target && launch.rows > 0) {
      report->target = target->name;
      report->cost = predictCost(kernel, known->second, *target, rows);
    }
    reports.push_back(std::move(*report));
  }
  if (reports.empty())
    return module.emitError("has no quack.kernel to report on");
  for (tv::KernelOp kernel : launches.heads)
    markTaken(kernel, reports);
  return reports;
}
