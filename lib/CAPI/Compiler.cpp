//===- lib/CAPI/Compiler.cpp - the compiler from C --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each program has a context of its own, so that distinct ones share nothing.
//
//===----------------------------------------------------------------------===//

#include "Records.h"

#include "quack/InitAll.h"
#include "quack/Pipelines/Diagnostics.h"
#include "quack/Pipelines/OptionList.h"
#include "quack/Pipelines/Pipelines.h"
#include "quack/Pipelines/ReadModule.h"
#include "quack/Transforms/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace quack::c;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

QuackDiagnostics::QuackDiagnostics(std::vector<quack::SourceDiagnostic> list)
    : said(std::move(list)) {
  // The severities of both have the same order.
  static_assert(int(DiagnosticSeverity::Note) == QUACK_NOTE &&
                int(DiagnosticSeverity::Warning) == QUACK_WARNING &&
                int(DiagnosticSeverity::Error) == QUACK_ERROR &&
                int(DiagnosticSeverity::Remark) == QUACK_REMARK);
  for (const quack::SourceDiagnostic &entry : said)
    entries.push_back({QuackSeverity(entry.severity), entry.message.c_str(),
                       entry.file.c_str(), entry.line, entry.column});
}

int quack::c::fail(QuackDiagnostics **diagnostics, std::string message) {
  quack::SourceDiagnostic entry;
  entry.message = std::move(message);
  if (diagnostics)
    *diagnostics = new QuackDiagnostics({std::move(entry)});
  return 1;
}

int quack::c::fail(QuackDiagnostics **diagnostics, llvm::Error error) {
  std::string message;
  llvm::handleAllErrors(
      std::move(error),
      [&](const quack::CompileError &compile) {
        if (diagnostics)
          *diagnostics = new QuackDiagnostics(compile.diagnostics());
        diagnostics = nullptr;
      },
      [&](const llvm::ErrorInfoBase &other) {
        message += (message.empty() ? "" : "\n") + other.message();
      });
  return fail(diagnostics, std::move(message));
}

namespace {
/// Gathers what is said while it lives, and hands it over at its end.
class Listener {
public:
  Listener(MLIRContext &context, QuackDiagnostics **result)
      : result(result), collector(context) {}
  ~Listener() {
    if (!result)
      return;
    std::vector<quack::SourceDiagnostic> said = collector.take();
    *result = said.empty() ? nullptr : new QuackDiagnostics(std::move(said));
  }

private:
  QuackDiagnostics **result;
  quack::DiagnosticCollector collector;
};
} // namespace

size_t quackDiagnosticsCount(const QuackDiagnostics *diagnostics) {
  return diagnostics ? diagnostics->entries.size() : 0;
}

const QuackDiagnostic *quackDiagnosticsGet(const QuackDiagnostics *diagnostics, size_t index) {
  return index < quackDiagnosticsCount(diagnostics) ? &diagnostics->entries[index] : nullptr;
}

void quackDiagnosticsDestroy(QuackDiagnostics *diagnostics) { delete diagnostics; }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Kernels at addresses that stay.
using KernelList = std::deque<KernelRecord>;

KernelRecord::KernelRecord(const quack::KernelMetadata &kernel) {
  name = kernel.name.c_str();
  columns = kernel.columns;
  threads = kernel.threads;
  cluster = kernel.cluster;
  rowsPerTile = kernel.rowsPerTile;
  split = kernel.split;
  ctas = kernel.ctas;
  sharedBytes = kernel.sharedBytes;
  workspaceBytes = kernel.workspaceBytes;
  fixedWorkspaceBytes = kernel.fixedWorkspaceBytes;
  leastRows = kernel.leastRows;
  otherwise = kernel.otherwise.c_str();
  next = kernel.next.c_str();
  plan = kernel.plan.c_str();
  operandCount = kernel.operands.size();
  for (const quack::OperandMetadata &operand : kernel.operands)
    operands.push_back({operand.name.c_str(), operand.direction.c_str(),
                        operand.role.c_str(), operand.type.c_str(),
                        operand.alignmentBytes, operand.columns, /*isOptional=*/0});
}

void KernelRecord::markOptional(const quack::jit::Signature &signature) {
  for (auto [record, operand] : llvm::zip_equal(operands, signature.operands))
    record.isOptional = operand.isOptional;
}

static KernelList makeRecords(llvm::ArrayRef<quack::KernelMetadata> kernels) {
  KernelList records;
  for (const quack::KernelMetadata &kernel : kernels)
    records.emplace_back(kernel);
  return records;
}

static const QuackKernelInfo *lookup(const KernelList &kernels, size_t index) {
  return index < kernels.size() ? &kernels[index] : nullptr;
}

const QuackOperandInfo *quackKernelOperand(const QuackKernelInfo *kernel, size_t index) {
  // All that C can have of them are records.
  auto *record = static_cast<const KernelRecord *>(kernel);
  return record && index < record->operands.size() ? &record->operands[index] : nullptr;
}

quack::KernelMetadata quack::c::describe(const quack::jit::Signature &signature) {
  quack::KernelMetadata metadata;
  metadata.name = signature.kernel;
  metadata.columns = signature.columns.value_or(-1);
  metadata.cluster = metadata.rowsPerTile = metadata.split = 0;
  for (const quack::jit::Operand &operand : signature.operands)
    metadata.operands.push_back(operand.metadata);
  return metadata;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

struct QuackProgram {
  std::unique_ptr<MLIRContext> context = quack::makeContext();
  mutable OwningOpRef<ModuleOp> module;
  std::string text;
  std::vector<quack::KernelMetadata> metadata; ///< what `kernels` point into
  KernelList kernels;

  void setModule(OwningOpRef<ModuleOp> newModule) {
    module = std::move(newModule);
    metadata.clear();
    std::vector<quack::jit::Signature> signatures;
    for (auto kernel : module->getOps<quack::KernelOp>()) {
      signatures.push_back(quack::jit::describeSignature(kernel));
      metadata.push_back(describe(signatures.back()));
    }
    kernels = makeRecords(metadata);
    for (auto [kernel, signature] : llvm::zip_equal(kernels, signatures))
      kernel.markOptional(signature);
  }
};

static constexpr char noProgram[] = "the program is NULL";

const char *quackVersion(void) { return QUACK_VERSION; }

/// Returns the options as C++ has them.
static llvm::SmallVector<std::pair<StringRef, StringRef>> listOptions(const QuackOption *options,
                                                                      size_t count) {
  return llvm::map_to_vector(llvm::ArrayRef(options, count), [](const QuackOption &option) {
    return std::pair<StringRef, StringRef>(option.name ? option.name : "",
                                           option.value ? option.value : "");
  });
}

QuackProgram *quackParse(const char *text, size_t length, const char *fileName,
                         QuackDiagnostics **diagnostics) {
  auto program = std::make_unique<QuackProgram>();
  Listener listener(*program->context, diagnostics);
  OwningOpRef<ModuleOp> module = quack::readText(StringRef(text ? text : "", text ? length : 0),
                                                 fileName ? fileName : "program",
                                                 program->context.get());
  if (!module)
    return nullptr;
  program->setModule(std::move(module));
  return program.release();
}

int quackRaise(QuackProgram *program, const QuackOption *options, size_t count,
               QuackDiagnostics **diagnostics) {
  if (!program)
    return fail(diagnostics, noProgram);
  MLIRContext &context = *program->context;
  Listener listener(context, diagnostics);
  Location location = program->module->getLoc();
  FailureOr<std::string> text = quack::joinOptions(listOptions(options, count), location);
  if (failed(text))
    return 1;
  std::unique_ptr<Pass> raise = quack::createQuackRaiseLinalg();
  auto onError = [&](const Twine &message) { return emitError(location) << message; };
  if (failed(raise->initializeOptions(*text, onError)))
    return 1;
  remark::RemarkCategories categories;
  categories.passed = categories.missed = "quack-raise-linalg";
  if (failed(remark::enableOptimizationRemarks(
          context, /*streamer=*/nullptr,
          std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
          /*printAsEmitRemarks=*/true)))
    return 1;
  PassManager pm(&context);
  pm.addPass(createInlinerPass());
  pm.addPass(std::move(raise));
  OwningOpRef<ModuleOp> copy = program->module->clone();
  LogicalResult ran = pm.run(*copy);
  // Here they are said.
  context.setRemarkEngine(nullptr);
  if (failed(ran))
    return 1;
  program->setModule(std::move(copy));
  return 0;
}

size_t quackProgramCountKernels(const QuackProgram *program) {
  return program ? program->kernels.size() : 0;
}

const QuackKernelInfo *quackProgramKernel(const QuackProgram *program, size_t index) {
  return program ? lookup(program->kernels, index) : nullptr;
}

const char *quackProgramText(QuackProgram *program) {
  if (!program)
    return nullptr;
  program->text.clear();
  llvm::raw_string_ostream stream(program->text);
  program->module->print(stream);
  return program->text.c_str();
}

void quackProgramDestroy(QuackProgram *program) { delete program; }

//===----------------------------------------------------------------------===//
// Compiled kernels
//===----------------------------------------------------------------------===//

QuackCompiled *quack::c::makeCompiled(std::string ptx, quack::ModuleMetadata metadata) {
  auto compiled = std::make_unique<QuackCompiled>();
  compiled->ptx = std::move(ptx);
  compiled->metadata = std::move(metadata);
  compiled->json = llvm::formatv("{0:2}\n", compiled->metadata.toJSON());
  compiled->kernels = makeRecords(compiled->metadata.kernels);
  return compiled.release();
}

QuackCompiled *quackCompile(const QuackProgram *program, const QuackOption *options,
                            size_t count, QuackDiagnostics **diagnostics) {
  if (!program) {
    fail(diagnostics, noProgram);
    return nullptr;
  }
  Listener listener(*program->context, diagnostics);
  quack::PipelineOptions parsed;
  if (failed(quack::parseOptions(listOptions(options, count), program->module->getLoc(), parsed)))
    return nullptr;
  OwningOpRef<ModuleOp> copy = program->module->clone();
  FailureOr<quack::CompiledModule> result =
      quack::compileModule(*copy, parsed, quack::Stage::ptx);
  if (failed(result))
    return nullptr;
  return makeCompiled(std::move(result->text), std::move(result->metadata));
}

const char *quackCompiledPTX(const QuackCompiled *compiled) {
  return compiled ? compiled->ptx.c_str() : nullptr;
}

const char *quackCompiledMetadata(const QuackCompiled *compiled) {
  return compiled ? compiled->json.c_str() : nullptr;
}

size_t quackCompiledCountKernels(const QuackCompiled *compiled) {
  return compiled ? compiled->kernels.size() : 0;
}

const QuackKernelInfo *quackCompiledKernel(const QuackCompiled *compiled, size_t index) {
  return compiled ? lookup(compiled->kernels, index) : nullptr;
}

void quackCompiledDestroy(QuackCompiled *compiled) { delete compiled; }
