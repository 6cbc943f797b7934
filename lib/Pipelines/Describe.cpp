//===- lib/Pipelines/Describe.cpp - the plans a kernel could have -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `--emit=plan` prints before the planned program.
//
//===----------------------------------------------------------------------===//

#include "quack/Pipelines/Pipelines.h"
#include "quack/Plan/Pins.h"
#include "quack/Transforms/Passes.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace quack;

std::string quack::describePlans(ModuleOp module, const PipelineOptions &options,
                                 size_t most) {
  OwningOpRef<ModuleOp> copy = module.clone();
  MLIRContext *context = module.getContext();
  // What is wrong is said once, by the pipeline.
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) { return success(); });
  PassManager pm(context);
  addRowPasses(pm, options);
  std::optional<Target> gpu = Target::lookup(options.target);
  FailureOr<Pins> pins = parsePins(options.pin, *copy);
  if (failed(pins) || failed(pm.run(*copy)) || !gpu)
    return "";
  gpu->maxCluster = options.maxCluster;
  std::string text;
  llvm::raw_string_ostream os(text);
  for (KernelOp kernel : copy->getOps<KernelOp>()) {
    FailureOr<tv::PlanAttr> given = pins->of(kernel);
    if (failed(given))
      continue;
    if (FailureOr<PlanChoice> choice = choosePlan(kernel, *gpu, *given);
        succeeded(choice))
      printPlans(os, kernel, *gpu, *choice, most);
  }
  return text;
}
