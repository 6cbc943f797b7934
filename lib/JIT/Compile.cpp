//===- lib/JIT/Compile.cpp - programs as text -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each compilation has a context of its own, so that threads share none.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"

#include "quack/Dialect/Quack/Quack.h"
#include "quack/InitAll.h"
#include "quack/Pipelines/Pipelines.h"
#include "quack/Pipelines/ReadModule.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace quack;
using namespace quack::jit;

namespace {
/// A program, and what the compiler has said of it.
class Session {
public:
  Session() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
    handler.emplace(&context, [this](Diagnostic &diagnostic) { note(diagnostic); });
  }
  OwningOpRef<ModuleOp> read(StringRef text, StringRef fileName) {
    auto sources = std::make_shared<llvm::SourceMgr>();
    sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, fileName),
                                llvm::SMLoc());
    return readModule(sources, &context);
  }
  llvm::Error failure() const { return llvm::createStringError(said); }

  MLIRContext context;

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }
  void note(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
      return;
    llvm::raw_string_ostream stream(said);
    if (!said.empty())
      stream << "\n";
    if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      stream << place.getFilename().getValue() << ":" << place.getLine() << ":"
             << place.getColumn() << ": ";
    stream << diagnostic;
    for (Diagnostic &attached : diagnostic.getNotes())
      note(attached);
  }

  std::string said;
  std::optional<ScopedDiagnosticHandler> handler;
};
} // namespace

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

llvm::Expected<Signature> quack::jit::readSignature(StringRef text, StringRef fileName,
                                                    StringRef kernelName) {
  Session session;
  OwningOpRef<ModuleOp> module = session.read(text, fileName);
  if (!module)
    return session.failure();
  llvm::Expected<KernelOp> kernel = findKernel(*module, kernelName);
  if (!kernel)
    return kernel.takeError();
  Signature result;
  result.kernel = kernel->getSymName();
  if (!ShapedType::isDynamic(kernel->getColumns()))
    result.columns = kernel->getColumns();
  for (auto [index, type] : llvm::enumerate(kernel->getFunctionType().getInputs()))
    result.operands.push_back(describe(*kernel, index, type));
  return result;
}

llvm::Expected<std::unique_ptr<const Executable>>
quack::jit::compile(StringRef text, StringRef fileName, const Options &options) {
  Session session;
  OwningOpRef<ModuleOp> module = session.read(text, fileName);
  if (!module)
    return session.failure();
  std::string joined, errors;
  for (const auto &[name, value] : options)
    joined += llvm::formatv("{0}=\"{1}\" ", name, value);
  PipelineOptions parsed;
  llvm::raw_string_ostream stream(errors);
  if (failed(parsed.parseFromString(joined, stream)))
    return llvm::createStringError(errors);
  FailureOr<CompiledModule> compiled = compileModule(*module, parsed, Stage::ptx);
  if (failed(compiled))
    return session.failure();
  return Executable::create(std::move(compiled->text), std::move(compiled->metadata));
}
