//===- lib/JIT/Compile.cpp - programs as text -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is in the cache is not parsed again; a program is, once, for its operands.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"

#include "quack/Cache/CompileCached.h"
#include "quack/Dialect/Quack/Quack.h"
#include "quack/InitAll.h"
#include "quack/Pipelines/Diagnostics.h"
#include "quack/Pipelines/ReadModule.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace quack;
using namespace quack::jit;

/// Returns the kernel that is meant.
static llvm::Expected<KernelOp> findKernel(ModuleOp module, StringRef name) {
  std::string names;
  KernelOp found;
  size_t count = 0;
  for (auto kernel : module.getOps<KernelOp>()) {
    ++count;
    names += (names.empty() ? "'" : ", '") + kernel.getSymName().str() + "'";
    if (name.empty() || kernel.getSymName() == name)
      found = kernel;
  }
  if (found && (count == 1 || !name.empty()))
    return found;
  if (count == 0)
    return llvm::createStringError("the program has no quack.kernel");
  if (name.empty())
    return llvm::createStringError("the program has several kernels: say which of " + names);
  return llvm::createStringError("the program has no kernel '" + name + "', only " + names);
}

static Operand describe(KernelOp kernel, unsigned index, Type type) {
  OperandAttr spec = kernel.getOperandAttr(index);
  Operand operand;
  operand.metadata.name = spec.getName().getValue();
  operand.metadata.direction = stringifyDirection(spec.getDirection());
  operand.metadata.role = stringifyRole(spec.getRole());
  operand.isOptional = spec.getPresence() == Presence::optional;
  llvm::raw_string_ostream(operand.metadata.type) << getElementTypeOrSelf(type);
  if (operand.metadata.hasOwnColumns() && !cast<MemRefType>(type).isDynamicDim(1))
    operand.metadata.columns = cast<MemRefType>(type).getDimSize(1);
  return operand;
}

Signature quack::jit::describeSignature(KernelOp kernel) {
  Signature result;
  result.kernel = kernel.getSymName();
  if (!ShapedType::isDynamic(kernel.getColumns()))
    result.columns = kernel.getColumns();
  for (auto [index, type] : llvm::enumerate(kernel.getFunctionType().getInputs()))
    result.operands.push_back(describe(kernel, index, type));
  return result;
}

llvm::Expected<Signature> quack::jit::readSignature(StringRef text, StringRef fileName,
                                                    StringRef kernelName) {
  std::unique_ptr<MLIRContext> context = makeContext();
  DiagnosticCollector diagnostics(*context);
  OwningOpRef<ModuleOp> module = readText(text, fileName, context.get());
  if (!module)
    return llvm::make_error<CompileError>(diagnostics.take());
  llvm::Expected<KernelOp> kernel = findKernel(*module, kernelName);
  if (!kernel)
    return kernel.takeError();
  return describeSignature(*kernel);
}

llvm::Expected<std::unique_ptr<const Executable>>
quack::jit::compile(StringRef text, StringRef fileName, const Options &options,
                    bool wantsCubin) {
  std::vector<std::pair<StringRef, StringRef>> list(options.begin(), options.end());
  CompileRequest request;
  request.program = text;
  request.fileName = fileName;
  request.options = list;
  request.wantsCubin = wantsCubin;
  llvm::Expected<CompileCache::Kernels> kernels = compileCached(request);
  if (!kernels)
    return kernels.takeError();
  llvm::Expected<llvm::json::Value> json = llvm::json::parse((*kernels)->metadata);
  if (!json)
    return json.takeError();
  llvm::Expected<ModuleMetadata> metadata = ModuleMetadata::fromJSON(*json);
  if (!metadata)
    return metadata.takeError();
  const std::vector<uint8_t> &cubin = (*kernels)->cubin;
  return Executable::create((*kernels)->ptx, std::move(*metadata),
                            std::string(cubin.begin(), cubin.end()));
}
