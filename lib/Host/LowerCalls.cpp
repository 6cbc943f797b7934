//===- lib/Host/LowerCalls.cpp - quack-lower-calls --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's side of kernels. After barriers are placed, since tile programs know then
// what a launch takes; before they become functions, which calls cannot name.
//
//===----------------------------------------------------------------------===//

#include "CallOperands.h"

#include "quack/Conversion/QuackTVToGPU.h"
#include "quack/Host/DescribeKernels.h"
#include "quack/Transforms/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define DEBUG_TYPE "quack-lower-calls"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKLOWERCALLS
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;
using namespace quack::host;

namespace {
class LowerCallsPass : public quack::impl::QuackLowerCallsBase<LowerCallsPass> {
public:
  using QuackLowerCallsBase::QuackLowerCallsBase;
  void runOnOperation() override;

private:
  LogicalResult checkCall(CallOp call);
  /// Makes the gpu.module that kernels will be functions of.
  FailureOr<gpu::GPUModuleOp> addKernelModule(const ModuleMetadata &metadata);
  /// Declares the functions there, which launches name.
  void declareKernels(gpu::GPUModuleOp kernels);
};
} // namespace

LogicalResult LowerCallsPass::checkCall(CallOp call) {
  if (call->getParentOfType<ModuleOp>() != getOperation())
    return call.emitOpError("is in a module of its own: run the pass on that one");
  if (!call->getParentOfType<FunctionOpInterface>())
    return call.emitOpError("must be in a function");
  auto kernel = getOperation().lookupSymbol<tv::KernelOp>(call.getKernel());
  if (!kernel || !kernel.getSharedBytes())
    return call.emitOpError("must call a tile program whose barriers are placed, but ")
           << call.getKernelAttr()
           << " is none: run quack-to-tv first";
  if (call->getNumResults() > 0 || llvm::any_of(call.getOperandTypes(), llvm::IsaPred<TensorType>))
    return call.emitOpError("must be on memrefs: run one-shot-bufferize first");
  return success();
}

FailureOr<gpu::GPUModuleOp>
LowerCallsPass::addKernelModule(const ModuleMetadata &metadata) {
  ModuleOp module = getOperation();
  if (Operation *taken = module.lookupSymbol(kernelModuleName)) {
    taken->emitError("'") << kernelModuleName
                          << "' is the name of the module of kernels: rename it, or lower all "
                             "calls at once";
    return failure();
  }
  auto emitError = [&] { return module.emitError(); };
  auto target = tv::TargetAttr::getChecked(emitError, &getContext(), StringRef(metadata.chip),
                                           metadata.ptxVersion);
  if (!target)
    return failure();
  auto b = OpBuilder::atBlockEnd(module.getBody());
  auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), kernelModuleName);
  kernels.setTargetsAttr(b.getArrayAttr(target));
  return kernels;
}

void LowerCallsPass::declareKernels(gpu::GPUModuleOp kernels) {
  auto b = OpBuilder::atBlockBegin(kernels.getBody());
  for (auto kernel : getOperation().getOps<tv::KernelOp>()) {
    auto function = LLVM::LLVMFuncOp::create(b, kernel.getLoc(), kernel.getSymName(),
                                             getLaunchType(kernel));
    function->setAttr("gpu.kernel", b.getUnitAttr());
  }
}

void LowerCallsPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (to != "gpu" && to != "runtime") {
    module.emitError("unknown launcher '") << to << "', expected gpu or runtime";
    return signalPassFailure();
  }
  SmallVector<CallOp> calls;
  module.walk([&](CallOp call) { calls.push_back(call); });
  for (CallOp call : calls)
    if (failed(checkCall(call)))
      return signalPassFailure();
  ModuleMetadata metadata = describeModule(module, chip, ptxVersion);
  if (metadata.kernels.empty())
    return;
  FailureOr<gpu::GPUModuleOp> kernels = addKernelModule(metadata);
  if (failed(kernels))
    return signalPassFailure();
  if (to == "gpu") {
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    UnitAttr::get(&getContext()));
    declareKernels(*kernels);
    for (CallOp call : calls) {
      FailureOr<unsigned> lowered = lowerToLaunchFunc(call, metadata);
      if (failed(lowered))
        return signalPassFailure();
      launches += *lowered;
    }
    return;
  }
  FailureOr<LauncherSymbols> symbols = addLauncher(module, launcher, metadata);
  if (failed(symbols))
    return signalPassFailure();
  for (CallOp call : calls)
    if (failed(lowerToLaunchSymbol(call, metadata, *symbols)))
      return signalPassFailure();
  launches += calls.size();
}
