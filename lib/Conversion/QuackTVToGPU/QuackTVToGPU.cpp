//===- QuackTVToGPU.cpp - convert-quack-tv-to-gpu ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one `llvm.func` with the launch ABI for each tile program, all in one
// `gpu.module`, and one external array of shared memory. (Internal shared
// globals would be mis-aliased with mapa by LLVM's GlobalsAA.)
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"
#include "quack/Transforms/Passes.h"

#define DEBUG_TYPE "convert-quack-tv-to-gpu"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_CONVERTQUACKTVTOGPU
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

namespace {
class ConvertQuackTVToGPUPass
    : public quack::impl::ConvertQuackTVToGPUBase<ConvertQuackTVToGPUPass> {
public:
  using ConvertQuackTVToGPUBase::ConvertQuackTVToGPUBase;
  void runOnOperation() override;

private:
  LLVM::GlobalOp createSharedMemory(OpBuilder &b, Location loc);
  LLVM::LLVMFuncOp createFunction(OpBuilder &b, tv::KernelOp kernel);
};
} // namespace

/// Bulk copies and mbarriers want 16 and 8 bytes; a bank row is 128.
static constexpr int64_t sharedAlignment = 128;

/// Address spaces of NVPTX pointers.
static constexpr unsigned globalSpace = 1, sharedSpace = 3;

LLVM::GlobalOp ConvertQuackTVToGPUPass::createSharedMemory(OpBuilder &b,
                                                           Location loc) {
  // Kernels keep their names: the array gives way.
  std::string name = "quack_shared";
  while (getOperation().lookupSymbol(name))
    name += "_";
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  return LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/false,
                                LLVM::Linkage::External, name,
                                Attribute(), sharedAlignment,
                                sharedSpace);
}

LLVM::LLVMFunctionType quack::getLaunchType(tv::KernelOp kernel) {
  Builder b(kernel.getContext());
  SmallVector<Type> types;
  auto global = LLVM::LLVMPointerType::get(b.getContext(), globalSpace);
  for (Type type : kernel.getFunctionType().getInputs())
    if (isa<MemRefType>(type))
      types.append({Type(global), Type(b.getI64Type())});
  types.push_back(b.getI64Type());
  for (Type type : kernel.getFunctionType().getInputs())
    if (!isa<MemRefType>(type))
      types.push_back(type);
  if (kernel.getWorkspace())
    types.push_back(global);
  return LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
}

LLVM::LLVMFuncOp ConvertQuackTVToGPUPass::createFunction(OpBuilder &b,
                                                         tv::KernelOp kernel) {
  auto func = LLVM::LLVMFuncOp::create(b, kernel.getLoc(), kernel.getSymName(),
                                       getLaunchType(kernel));
  func->setAttr("gpu.kernel", b.getUnitAttr());
  func->setAttr("nvvm.kernel", b.getUnitAttr());
  tv::PlanAttr plan = kernel.getPlan();
  auto triple = [&](int64_t x) {
    return b.getDenseI32ArrayAttr({static_cast<int32_t>(x), 1, 1});
  };
  func->setAttr("nvvm.reqntid", triple(plan.getThreads()));
  if (plan.getCluster() > 1)
    func->setAttr("nvvm.cluster_dim", triple(plan.getCluster()));
  if (plan.getCtasPerSM() > 0)
    func->setAttr("nvvm.minctasm", b.getI32IntegerAttr(plan.getCtasPerSM()));
  func.addEntryBlock(b);
  return func;
}

void ConvertQuackTVToGPUPass::runOnOperation() {
  ModuleOp module = getOperation();
  auto kernels = llvm::to_vector(module.getOps<tv::KernelOp>());
  if (kernels.empty())
    return;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto gpuModule = module.lookupSymbol<gpu::GPUModuleOp>(kernelModuleName);
  if (!gpuModule)
    gpuModule = gpu::GPUModuleOp::create(b, module.getLoc(), kernelModuleName);
  // What the host's launches name until the functions are there.
  for (auto declaration : llvm::make_early_inc_range(gpuModule.getOps<LLVM::LLVMFuncOp>()))
    if (declaration.isExternal())
      declaration.erase();
  b.setInsertionPointToStart(gpuModule.getBody());
  LLVM::GlobalOp shared = createSharedMemory(b, module.getLoc());
  for (tv::KernelOp kernel : kernels) {
    if (!kernel.getSharedBytes()) {
      kernel.emitOpError("must have its barriers placed: run "
                         "quack-tv-place-barriers first");
      return signalPassFailure();
    }
    b.setInsertionPointToEnd(gpuModule.getBody());
    LLVM::LLVMFuncOp func = createFunction(b, kernel);
    if (failed(ThreadBuilder(kernel, func, shared, ptxVersion).build()))
      return signalPassFailure();
    kernel.erase();
  }
}
