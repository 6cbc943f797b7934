//===- lib/Pipelines/Compile.cpp - row program to PTX -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the pipeline and the backend, in process, and gathers launch metadata.
//
//===----------------------------------------------------------------------===//

#include "quack/Pipelines/Pipelines.h"

#include "Stages.h"

#include "quack/Host/DescribeKernels.h"
#include "quack/Target/PTX.h"
#include "quack/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
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
  auto emitError = [&] { return module->emitError(); };
  if (failed(tv::TargetAttr::verify(emitError, options.chip,
                                    options.ptxVersion ? int64_t(options.ptxVersion)
                                                       : usualPTXVersion)))
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
  result.metadata = describeModule(module, options.chip, options.ptxVersion);
  FailureOr<PTXTarget> target =
      PTXTarget::create(module, options.chip, result.metadata.ptxVersion);
  if (failed(target))
    return failure();
  // Functions that launch kernels are the host's: buildHostPipeline.
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    function.erase();
  {
    StageTimer timer(times, "threads");
    if (failed(runPasses(module, [&](PassManager &pm) {
          buildThreadPipeline(pm, stage, options.ptxVersion);
        })))
      return failure();
  }
  if (stage == Stage::gpu)
    return finish();
  if (failed(runBackend(module, *target, stage, times, result.text)))
    return failure();
  return result;
}
