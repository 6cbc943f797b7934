//===- lib/CAPI/Compiler.cpp - the compiler from C --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each program has a context of its own, so that distinct ones share nothing.
//
//===----------------------------------------------------------------------===//

#include "quack-c/Compiler.h"

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

#include <deque>

using namespace mlir;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

struct QuackDiagnostics {
  explicit QuackDiagnostics(std::vector<quack::SourceDiagnostic> list) : said(std::move(list)) {
    // The severities of both have the same order.
    static_assert(int(DiagnosticSeverity::Note) == QUACK_NOTE &&
                  int(DiagnosticSeverity::Warning) == QUACK_WARNING &&
                  int(DiagnosticSeverity::Error) == QUACK_ERROR &&
                  int(DiagnosticSeverity::Remark) == QUACK_REMARK);
    for (const quack::SourceDiagnostic &entry : said)
      entries.push_back({QuackSeverity(entry.severity), entry.message.c_str(),
                         entry.file.c_str(), entry.line, entry.column});
  }

  std::vector<quack::SourceDiagnostic> said; ///< what `entries` point to
  std::vector<QuackDiagnostic> entries;
};

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

namespace {
/// What C sees of a kernel's metadata, which it points into.
struct KernelRecord : QuackKernelInfo {
  explicit KernelRecord(const quack::KernelMetadata &kernel);
  std::vector<QuackOperandInfo> operands;
};

/// Kernels at addresses that stay.
using KernelList = std::deque<KernelRecord>;
} // namespace

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
                        operand.alignmentBytes, operand.columns});
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

/// Returns what is known of a kernel that has no plan yet.
static quack::KernelMetadata describe(quack::KernelOp kernel) {
  quack::KernelMetadata metadata;
  metadata.name = kernel.getSymName();
  metadata.columns = ShapedType::isDynamic(kernel.getColumns()) ? -1 : kernel.getColumns();
  metadata.cluster = metadata.rowsPerTile = metadata.split = 0;
  for (auto [index, type] : llvm::enumerate(kernel.getFunctionType().getInputs())) {
    quack::OperandAttr spec = kernel.getOperandAttr(index);
    quack::OperandMetadata operand;
    operand.name = spec.getName().getValue();
    operand.direction = quack::stringifyDirection(spec.getDirection());
    operand.role = quack::stringifyRole(spec.getRole());
    llvm::raw_string_ostream(operand.type) << getElementTypeOrSelf(type);
    if (operand.hasOwnColumns() && !cast<MemRefType>(type).isDynamicDim(1))
      operand.columns = cast<MemRefType>(type).getDimSize(1);
    metadata.operands.push_back(std::move(operand));
  }
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
    for (auto kernel : module->getOps<quack::KernelOp>())
      metadata.push_back(describe(kernel));
    kernels = makeRecords(metadata);
  }
};

/// Says that there is no program.
static void rejectNull(QuackDiagnostics **diagnostics) {
  quack::SourceDiagnostic entry;
  entry.message = "the program is NULL";
  if (diagnostics)
    *diagnostics = new QuackDiagnostics({entry});
}

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
  if (!program) {
    rejectNull(diagnostics);
    return 1;
  }
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

struct QuackCompiled {
  std::string ptx, json;
  quack::ModuleMetadata metadata;
  KernelList kernels; ///< what C sees of `metadata`
};

QuackCompiled *quackCompile(const QuackProgram *program, const QuackOption *options,
                            size_t count, QuackDiagnostics **diagnostics) {
  if (!program) {
    rejectNull(diagnostics);
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
  auto compiled = std::make_unique<QuackCompiled>();
  compiled->ptx = std::move(result->text);
  compiled->metadata = std::move(result->metadata);
  compiled->json = llvm::formatv("{0:2}\n", compiled->metadata.toJSON());
  compiled->kernels = makeRecords(compiled->metadata.kernels);
  return compiled.release();
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
