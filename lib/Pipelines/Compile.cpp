//===- lib/Pipelines/Compile.cpp - row program to PTX -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the pipeline and the backend, in process, and gathers launch metadata.
//
//===----------------------------------------------------------------------===//

#include "quack/Pipelines/Pipelines.h"

#include "quack/Conversion/QuackTVToGPU.h"
#include "quack/Target/PTX.h"
#include "quack/Transforms/Passes.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using namespace quack;

namespace {
/// Measures one stage, from construction to destruction.
class StageTimer {
public:
  StageTimer(std::vector<StageTime> *times, StringRef stage)
      : times(times), stage(stage), start(std::chrono::steady_clock::now()) {}
  ~StageTimer() {
    std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - start;
    if (times)
      times->push_back({stage.str(), took.count()});
  }

private:
  std::vector<StageTime> *times;
  StringRef stage;
  std::chrono::steady_clock::time_point start;
};
} // namespace

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

static OperandMetadata describeOperand(tv::KernelOp kernel, unsigned index) {
  OperandAttr spec = kernel.getOperandAttr(index);
  Type type = kernel.getFunctionType().getInput(index);
  Type element = getElementTypeOrSelf(type);
  OperandMetadata operand;
  operand.name = spec.getName().getValue();
  operand.direction = stringifyDirection(spec.getDirection());
  operand.role = stringifyRole(spec.getRole());
  operand.type = typeName(element);
  operand.alignmentBytes = getOperandAlignment(kernel, index);
  return operand;
}

static KernelMetadata describeKernel(tv::KernelOp kernel) {
  KernelMetadata metadata;
  tv::PlanAttr plan = kernel.getPlan();
  metadata.name = kernel.getSymName();
  metadata.columns = kernel.getColumns();
  metadata.threads = plan.getThreads();
  metadata.cluster = plan.getCluster();
  metadata.rowsPerTile = plan.getRows();
  metadata.split = plan.getSlices();
  metadata.leastRows = plan.getLeastRows();
  metadata.sharedBytes = kernel.getSharedBytes().value_or(0);
  metadata.workspaceBytes = kernel.getWorkspace().value_or(0);
  for (unsigned i = 0; i < kernel.getOperandSpecs().size(); ++i)
    metadata.operands.push_back(describeOperand(kernel, i));
  llvm::raw_string_ostream(metadata.plan) << plan;
  if (std::optional<StringRef> otherwise = kernel.getOtherwise())
    metadata.otherwise = *otherwise;
  if (std::optional<StringRef> next = kernel.getNext())
    metadata.next = *next;
  return metadata;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Runs the passes that `add` adds.
static LogicalResult runPasses(ModuleOp module,
                               function_ref<void(PassManager &)> add) {
  PassManager pm(module.getContext());
  add(pm);
  return pm.run(module);
}

static std::string printed(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << "\n";
  return text;
}

/// Translates the kernels' gpu.module to LLVM IR and, for Stage::ptx, to PTX.
static LogicalResult runBackend(ModuleOp module, const PTXTarget &target,
                                Stage stage, std::vector<StageTime> *times,
                                std::string &text) {
  auto modules = module.getOps<gpu::GPUModuleOp>();
  if (modules.empty())
    return module.emitError("has no quack.kernel to compile");
  gpu::GPUModuleOp gpuModule = *modules.begin();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule;
  {
    StageTimer timer(times, "translate and optimise");
    llvmModule = target.translate(gpuModule, context);
  }
  if (!llvmModule)
    return failure();
  if (stage == Stage::llvm) {
    llvm::raw_string_ostream(text) << *llvmModule;
    return success();
  }
  StageTimer timer(times, "codegen");
  FailureOr<std::string> ptx = target.emit(*llvmModule, module);
  if (failed(ptx))
    return failure();
  text = std::move(*ptx);
  return success();
}

FailureOr<CompiledModule> quack::compileModule(ModuleOp module,
                                               const PipelineOptions &options,
                                               Stage stage,
                                               std::vector<StageTime> *times) {
  CompiledModule result;
  FailureOr<PTXTarget> target =
      PTXTarget::create(module, options.chip, options.ptxVersion);
  if (failed(target))
    return failure();
  auto finish = [&]() {
    result.text = printed(module);
    return result;
  };
  Stage front = stage == Stage::plan ? Stage::plan : Stage::tv;
  {
    StageTimer timer(times, "plan and tile");
    if (failed(runPasses(module, [&](PassManager &pm) {
          buildPipeline(pm, options, front);
        })))
      return failure();
  }
  if (stage == front)
    return finish();
  for (tv::KernelOp kernel : module.getOps<tv::KernelOp>())
    result.metadata.kernels.push_back(describeKernel(kernel));
  result.metadata.chip = options.chip;
  result.metadata.ptxVersion = options.ptxVersion;
  {
    StageTimer timer(times, "threads");
    if (failed(runPasses(module, [&](PassManager &pm) {
          buildThreadPipeline(pm, stage);
        })))
      return failure();
  }
  if (stage == Stage::gpu)
    return finish();
  if (failed(runBackend(module, *target, stage, times, result.text)))
    return failure();
  return result;
}
