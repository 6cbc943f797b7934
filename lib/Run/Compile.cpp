//===- lib/Run/Compile.cpp - a kernel, both ways ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses once and clones: one module goes all the way to PTX, the other stops
// at the planned row program, which the evaluator takes.
//
//===----------------------------------------------------------------------===//

#include "quack/Run/Compile.h"

#include "quack/Pipelines/Pipelines.h"
#include "quack/Pipelines/ReadModule.h"
#include "quack/Plan/Planner.h"

#include "llvm/Support/SourceMgr.h"

#include <chrono>
#include <limits>

using namespace mlir;
using namespace quack;

KernelOp CompiledJob::kernel() {
  return *reference->getOps<KernelOp>().begin();
}

static void fillOptions(const Job &job, PipelineOptions &options) {
  options.columns = job.columns.value_or(0);
  options.storage = job.storage;
  options.groups = job.groups;
  options.picks = job.picks;
  options.pin = job.pin;
  options.target = job.target;
  options.chip = job.chip;
  options.ptxVersion = job.ptxVersion;
}

/// Leaves in `module` the kernel that the job names, or its only one.
static llvm::Error selectKernel(ModuleOp module, const Job &job) {
  std::string names;
  unsigned count = 0, found = 0;
  for (KernelOp kernel :
       llvm::make_early_inc_range(module.getOps<KernelOp>())) {
    names += (count++ == 0 ? "" : ", ") + kernel.getSymName().str();
    if (job.kernelName.empty() || kernel.getSymName() == job.kernelName)
      ++found;
    else
      kernel.erase();
  }
  if (found == 1)
    return llvm::Error::success();
  if (count == 0)
    return llvm::createStringError("'" + job.file + "' has no quack.kernel");
  if (job.kernelName.empty())
    return llvm::createStringError("'" + job.file + "' has " +
                                   llvm::Twine(count) + " kernels (" + names +
                                   "): choose one with --kernel");
  return llvm::createStringError("'" + job.file + "' has no kernel '" +
                                 job.kernelName + "', only " + names);
}

/// Makes both modules from the file's one.
static LogicalResult compileBoth(ModuleOp module,
                                 const PipelineOptions &options,
                                 CompiledJob &compiled) {
  compiled.reference = module.clone();
  PassManager pm(module.getContext());
  addSpecialization(pm, options);
  if (failed(pm.run(*compiled.reference)))
    return failure();
  auto start = std::chrono::steady_clock::now();
  FailureOr<CompiledModule> result = compileModule(module, options, Stage::ptx);
  compiled.milliseconds = std::chrono::duration<double, std::milli>(
                              std::chrono::steady_clock::now() - start)
                              .count();
  if (failed(result))
    return failure();
  compiled.ptx = std::move(result->text);
  compiled.document = std::move(result->metadata);
  compiled.metadata = compiled.document.kernels.front();
  return success();
}

llvm::Expected<CompiledJob> quack::compileJob(const Job &job,
                                              MLIRContext &context) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openProgram(job.file, &message);
  if (!file)
    return llvm::createStringError(message);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  // Diagnostics go into the error, so that a sweep's line can hold them.
  std::string diagnostics;
  llvm::raw_string_ostream os(diagnostics);
  SourceMgrDiagnosticHandler handler(*sources, &context, os);
  auto failWith = [&]() {
    llvm::StringRef text = llvm::StringRef(diagnostics).rtrim();
    return llvm::createStringError(text.empty() ? "compilation failed" : text);
  };
  OwningOpRef<ModuleOp> module = readModule(sources, &context);
  if (!module)
    return failWith();
  if (llvm::Error error = selectKernel(*module, job))
    return error;
  PipelineOptions options;
  fillOptions(job, options);
  CompiledJob compiled;
  if (failed(compileBoth(*module, options, compiled)))
    return failWith();
  return compiled;
}

llvm::Error quack::chooseVariant(CompiledJob &compiled,
                                 llvm::ArrayRef<LaunchArgument> arguments,
                                 std::optional<int64_t> rows) {
  const ModuleMetadata &document = compiled.document;
  llvm::Expected<const KernelMetadata *> variant = chooseVariant(
      document.variantsOf(document.kernels.front().name), arguments,
      rows.value_or(std::numeric_limits<int64_t>::max()));
  if (!variant)
    return variant.takeError();
  compiled.metadata = **variant;
  return llvm::Error::success();
}

std::optional<double> quack::predictMicroseconds(const Job &job,
                                                 CompiledJob &compiled,
                                                 int64_t rows) {
  std::optional<Target> target = Target::lookup(job.target);
  MLIRContext *context = compiled.reference->getContext();
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) { return success(); });
  auto plan = llvm::dyn_cast_or_null<tv::PlanAttr>(
      parseAttribute(compiled.metadata.plan, context));
  OwningOpRef<ModuleOp> module = compiled.reference->clone();
  PipelineOptions options;
  fillOptions(job, options);
  PassManager pm(context);
  addRowPasses(pm, options);
  if (!target || !plan || rows < 1 || failed(pm.run(*module)))
    return std::nullopt;
  KernelTraits traits = KernelTraits::analyse(*module->getOps<KernelOp>().begin());
  traits.rows = rows;
  traits.knowsRows = true;
  return costPlan(traits, *target, plan).time * double(rows) *
         double(traits.columns) / 1e6;
}
