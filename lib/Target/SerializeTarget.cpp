//===- lib/Target/SerializeTarget.cpp - #quack_tv.target --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How upstream's gpu-module-to-binary compiles a gpu.module whose target is ours.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/QuackTV/QuackTV.h"
#include "quack/Target/PTX.h"
#include "quack/Target/SerializeTarget.h"

#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace quack;

FailureOr<std::string> quack::compileToPTX(gpu::GPUModuleOp module, tv::TargetAttr target) {
  FailureOr<PTXTarget> ptx = PTXTarget::create(module, target.getChip(), target.getPtx());
  if (failed(ptx))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = ptx->translate(module, context);
  if (!translated)
    return failure();
  return ptx->emit(*translated, module);
}

namespace {
class SerializeTarget
    : public gpu::TargetAttrInterface::FallbackModel<SerializeTarget> {
public:
  std::optional<SmallVector<char, 0>>
  serializeToObject(Attribute target, Operation *module, const gpu::TargetOptions &) const {
    FailureOr<std::string> text =
        compileToPTX(cast<gpu::GPUModuleOp>(module), cast<tv::TargetAttr>(target));
    if (failed(text))
      return std::nullopt;
    return SmallVector<char, 0>(text->begin(), text->end());
  }

  /// PTX, whatever format is asked for: the driver assembles it for the GPU at hand.
  Attribute createObject(Attribute target, Operation *module,
                         const SmallVector<char, 0> &object,
                         const gpu::TargetOptions &) const {
    Builder b(module->getContext());
    auto ours = cast<tv::TargetAttr>(target);
    auto upstream = NVVM::NVVMTargetAttr::get(
        b.getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda", ours.getChip(),
        "+ptx" + std::to_string(ours.getPtx()), /*flags=*/DictionaryAttr(),
        /*files=*/ArrayAttr());
    return gpu::ObjectAttr::get(b.getContext(), upstream, gpu::CompilationTarget::Assembly,
                                b.getStringAttr(StringRef(object.data(), object.size())),
                                /*properties=*/DictionaryAttr(),
                                /*kernels=*/gpu::KernelTableAttr());
  }
};
} // namespace

void quack::registerSerialization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tv::QuackTVDialect *) {
    tv::TargetAttr::attachInterface<SerializeTarget>(*context);
  });
}
