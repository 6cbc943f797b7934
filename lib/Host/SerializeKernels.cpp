//===- lib/Host/SerializeKernels.cpp - quack-serialize-kernels --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Conversion/QuackTVToGPU.h"
#include "quack/Target/SerializeTarget.h"
#include "quack/Transforms/Passes.h"

#define DEBUG_TYPE "quack-serialize-kernels"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKSERIALIZEKERNELS
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

namespace {
class SerializeKernelsPass
    : public quack::impl::QuackSerializeKernelsBase<SerializeKernelsPass> {
public:
  void runOnOperation() override;
};
} // namespace

void SerializeKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  auto kernels = module.lookupSymbol<gpu::GPUModuleOp>(kernelModuleName);
  if (!kernels)
    return;
  auto text = module.lookupSymbol<LLVM::GlobalOp>("quack_kernels_ptx");
  auto targets = kernels.getTargetsAttr();
  auto target = targets && targets.size() == 1 ? dyn_cast<tv::TargetAttr>(targets[0])
                                               : tv::TargetAttr();
  if (!text || !target) {
    kernels.emitError("must have a #quack_tv.target and a global 'quack_kernels_ptx': run "
                      "quack-lower-calls{to=runtime} first");
    return signalPassFailure();
  }
  FailureOr<std::string> ptx = compileToPTX(kernels, target);
  if (failed(ptx))
    return signalPassFailure();
  ptx->push_back('\0');
  Builder b(&getContext());
  text.setGlobalType(LLVM::LLVMArrayType::get(b.getI8Type(), ptx->size()));
  text.setValueAttr(b.getStringAttr(*ptx));
  text.setLinkage(LLVM::Linkage::Internal);
  kernels.erase();
}
