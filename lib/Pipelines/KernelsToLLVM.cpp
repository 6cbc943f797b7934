//===- lib/Pipelines/KernelsToLLVM.cpp - quack-kernels-to-llvm --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's conversions on one gpu.module: nested by the operation's name alone, they
// would convert other people's, too.
//
//===----------------------------------------------------------------------===//

#include "quack/Conversion/QuackTVToGPU.h"
#include "quack/Transforms/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Pass/PassManager.h"

#define DEBUG_TYPE "quack-kernels-to-llvm"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKKERNELSTOLLVM
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

static OpPassManager makePipeline() {
  OpPassManager pm(gpu::GPUModuleOp::getOperationName());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  // convert-cf-to-llvm is for whole programs only.
  ConvertToLLVMPassOptions branches;
  branches.filterDialects = {"cf"};
  pm.addPass(createConvertToLLVMPass(branches));
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm;
}

namespace {
class KernelsToLLVMPass : public quack::impl::QuackKernelsToLLVMBase<KernelsToLLVMPass> {
public:
  void getDependentDialects(DialectRegistry &registry) const override {
    QuackKernelsToLLVMBase::getDependentDialects(registry);
    makePipeline().getDependentDialects(registry);
  }
  void runOnOperation() override;
};
} // namespace

void KernelsToLLVMPass::runOnOperation() {
  auto kernels = getOperation().lookupSymbol<gpu::GPUModuleOp>(kernelModuleName);
  if (!kernels)
    return;
  OpPassManager pm = makePipeline();
  if (failed(runPipeline(pm, kernels)))
    signalPassFailure();
}
