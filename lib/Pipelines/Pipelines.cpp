//===- lib/Pipelines/Pipelines.cpp - the order of the passes ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place where passes are ordered. Each stage's comment is what holds
// after it.
//
//===----------------------------------------------------------------------===//

#include "quack/Pipelines/Pipelines.h"

#include "quack/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace quack;

void quack::addSpecialization(OpPassManager &pm, const PipelineOptions &options) {
  QuackSpecializeOptions specialize;
  specialize.columns = options.columns;
  specialize.storage = options.storage;
  specialize.groups = options.groups;
  specialize.picks = options.picks;
  // What another dialect says is put in our words before anybody reads it.
  pm.addPass(createQuackExpandElementwise());
  pm.addPass(createQuackSpecialize(specialize));
}

void quack::addRowPasses(OpPassManager &pm, const PipelineOptions &options) {
  addSpecialization(pm, options);
  pm.addPass(createQuackHoistFactors());
}

/// Level 1 to 1: kernels are concrete, with complete plans.
static void addPlanning(OpPassManager &pm, const PipelineOptions &options,
                        int64_t maxCluster) {
  addRowPasses(pm, options);
  QuackPlanOptions plan;
  plan.target = options.target;
  plan.pin = options.pin;
  plan.maxCluster = maxCluster;
  pm.addPass(createQuackPlan(plan));
}

void quack::buildTilePipeline(OpPassManager &pm) {
  pm.addPass(createConvertQuackToQuackTV());
  pm.addPass(createQuackTVLowerReductions());
  pm.addPass(createQuackTVFuseReductions());
  pm.addPass(createQuackTVSplitStages());
  pm.addPass(createQuackTVPlacePartials());
  pm.addPass(createQuackTVPlaceBarriers());
}

/// Level 2 to 3: thread programs in arith, vector, scf, llvm and nvvm.
static void addThreading(OpPassManager &pm, int64_t ptxVersion) {
  ConvertQuackTVToGPUOptions convert;
  convert.ptxVersion = ptxVersion;
  pm.addPass(createConvertQuackTVToGPU(convert));
  pm.nest<gpu::GPUModuleOp>().addPass(createQuackLowerMath());
}

void quack::buildPipeline(OpPassManager &pm, const PipelineOptions &options,
                          Stage stage) {
  addPlanning(pm, options, options.maxCluster);
  if (stage == Stage::plan)
    return;
  buildTilePipeline(pm);
  if (stage != Stage::tv)
    buildThreadPipeline(pm, stage, options.ptxVersion);
}

void quack::buildThreadPipeline(OpPassManager &pm, Stage stage, int64_t ptxVersion) {
  addThreading(pm, ptxVersion);
  if (stage != Stage::gpu)
    pm.addPass(createQuackKernelsToLLVM());
}

void quack::buildHostPipeline(OpPassManager &pm, const HostOptions &options) {
  // Upstream's runtime does not set the attribute that larger clusters need.
  int64_t maxCluster = options.maxCluster;
  if (options.to == "gpu")
    maxCluster = std::min<int64_t>(maxCluster, 8);
  addPlanning(pm, options, maxCluster);
  buildTilePipeline(pm);
  QuackLowerCallsOptions calls;
  calls.to = options.to;
  calls.launcher = options.launcher;
  calls.chip = options.chip;
  calls.ptxVersion = options.ptxVersion;
  pm.addPass(createQuackLowerCalls(calls));
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  buildThreadPipeline(pm, Stage::llvm, options.ptxVersion);
  if (options.to == "runtime")
    pm.addPass(createQuackSerializeKernels());
}

void quack::buildLinalgPipeline(OpPassManager &pm, const HostOptions &options) {
  pm.addPass(createInlinerPass());
  QuackRaiseLinalgOptions raise;
  raise.target = options.target;
  // Generic kernels are specialised at once.
  raise.dynamicColumns = options.columns > 0;
  pm.addPass(createQuackRaiseLinalg(raise));
  // Columns of functions' arguments and results lie side by side.
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // A loop may carry a row's number that a kernel reads and makes anew.
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  buildHostPipeline(pm, options);
}

void quack::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "quack-to-plan", "Specialise and plan row programs",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildPipeline(pm, options, Stage::plan);
      });
  PassPipelineRegistration<PipelineOptions>(
      "quack-to-tv", "Row programs to tile programs with their barriers",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildPipeline(pm, options, Stage::tv);
      });
  PassPipelineRegistration<PipelineOptions>(
      "quack-to-gpu", "Row programs to thread programs",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildPipeline(pm, options, Stage::gpu);
      });
  PassPipelineRegistration<PipelineOptions>(
      "quack-to-llvm", "Row programs to the LLVM and NVVM dialects",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildPipeline(pm, options, Stage::llvm);
      });
  PassPipelineRegistration<HostOptions>(
      "quack-to-host", "Row programs, and calls of them on memrefs, to launches", buildHostPipeline);
  PassPipelineRegistration<HostOptions>(
      "quack-linalg-to-host", "Functions on tensors to kernels, memrefs and launches",
      buildLinalgPipeline);
}
