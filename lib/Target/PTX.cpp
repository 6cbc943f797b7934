//===- lib/Target/PTX.cpp - thread programs to PTX --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's NVPTX backend, in process.
//
//===----------------------------------------------------------------------===//

#include "quack/Target/PTX.h"

#include "quack/Dialect/QuackTV/QuackTV.h"

#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace mlir;
using namespace quack;

static void initializeNVPTX() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

FailureOr<PTXTarget> PTXTarget::create(Operation *module, StringRef chip,
                                       int64_t version) {
  if (failed(tv::TargetAttr::verify([&] { return module->emitError(); }, chip, version)))
    return failure();
  initializeNVPTX();
  std::string error;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return module->emitError("no NVPTX backend in this LLVM: ") << error;
  return PTXTarget(
      std::shared_ptr<llvm::TargetMachine>(target->createTargetMachine(
          triple, chip, "+ptx" + std::to_string(version), {}, llvm::Reloc::PIC_,
          std::nullopt, llvm::CodeGenOptLevel::Aggressive)));
}

/// Inline PTX may synchronise: no pass may duplicate it across divergent paths.
static void markInlineAsmConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (call->isInlineAsm())
          call->setConvergent();
}

std::unique_ptr<llvm::Module>
PTXTarget::translate(gpu::GPUModuleOp module,
                     llvm::LLVMContext &context) const {
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "quack");
  if (!llvmModule)
    return nullptr;
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  markInlineAsmConvergent(*llvmModule);
  auto optimise =
      makeOptimizingTransformer(/*optLevel=*/3, /*sizeLevel=*/0, machine.get());
  if (llvm::Error error = optimise(llvmModule.get())) {
    module.emitError("optimisation failed in LLVM: ")
        << llvm::toString(std::move(error));
    return nullptr;
  }
  return llvmModule;
}

FailureOr<std::string> PTXTarget::emit(llvm::Module &module,
                                       Operation *op) const {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return op->emitError("the NVPTX backend of LLVM cannot emit assembly");
  passes.run(module);
  return text.str().str();
}
