//===- lib/CAPI/Compiler.cpp - the compiler from C --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each program has a context of its own, so that distinct ones share nothing.
//
//===----------------------------------------------------------------------===//

#include "Records.h"

#include "quack/InitAll.h"
#include "quack/Pipelines/Pipelines.h"
#include "quack/Pipelines/ReadModule.h"
#include "quack/Transforms/Passes.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace quack::c;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

namespace {
/// Gathers what is said while it lives, and hands it over at its end.
class Listener {
public:
  Listener(MLIRContext &context, QuackDiagnostics **result)
      : result(result), handler(&context, [this](Diagnostic &diagnostic) {
          add(diagnostic);
          return success();
        }) {}
  ~Listener() {
    if (!result)
      return;
    *result = said.entries.empty() ? nullptr : new QuackDiagnostics(std::move(said));
  }
  void addError(Location location, std::string message) {
    add(location, QUACK_ERROR, std::move(message));
  }

private:
  void add(Location location, QuackSeverity severity, std::string message) {
    said.add(severity, std::move(message));
    auto place = location->findInstanceOf<FileLineColLoc>();
    // Line 0 is the file as a whole.
    if (!place || place.getLine() == 0)
      return;
    QuackDiagnostic &entry = said.entries.back();
    entry.file = said.keep(place.getFilename().str());
    entry.line = place.getLine();
    entry.column = place.getColumn();
  }
  void add(Diagnostic &diagnostic) {
    // The severities of both have the same order.
    static_assert(int(DiagnosticSeverity::Note) == QUACK_NOTE &&
                  int(DiagnosticSeverity::Warning) == QUACK_WARNING &&
                  int(DiagnosticSeverity::Error) == QUACK_ERROR &&
                  int(DiagnosticSeverity::Remark) == QUACK_REMARK);
    add(diagnostic.getLocation(), QuackSeverity(diagnostic.getSeverity()), diagnostic.str());
    for (Diagnostic &note : diagnostic.getNotes())
      add(note);
  }

  QuackDiagnostics **result;
  QuackDiagnostics said;
  ScopedDiagnosticHandler handler;
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

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  quack::registerAllDialects(registry);
  return registry;
}

struct QuackProgram {
  QuackProgram() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
  }

  mutable MLIRContext context;
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

static constexpr char noProgram[] = "the program is NULL";

const char *quackVersion(void) { return QUACK_VERSION; }

/// Returns what `option` must be and is not; empty if there is nothing wrong with it. LLVM's
/// own parsers of numbers would tell stderr.
static std::string findWrong(StringRef name, StringRef value) {
  static constexpr StringLiteral numbers[] = {"columns", "groups", "picks", "ptx-version",
                                              "max-cluster", "rows"};
  int64_t number;
  if (name.empty() || name.find_first_of(" =\"{}") != StringRef::npos || value.contains('"'))
    return "an option must have a name and a value without quotation marks";
  if (llvm::is_contained(numbers, name) && !llvm::to_integer(value, number))
    return "the option must be a number";
  if (name == "dynamic-columns" && value != "true" && value != "false")
    return "the option must be true or false";
  return "";
}

/// Returns the options as a pass or a pipeline parses them; nothing, and an error at
/// `location`, if they cannot be written so.
static std::optional<std::string> joinOptions(const QuackOption *options, size_t count,
                                              Listener &listener, Location location) {
  std::string text;
  for (const QuackOption &option : llvm::ArrayRef(options, count)) {
    StringRef name(option.name ? option.name : ""), value(option.value ? option.value : "");
    if (std::string wrong = findWrong(name, value); !wrong.empty()) {
      listener.addError(location,
                        llvm::formatv("{0}, got '{1}' = '{2}'", wrong, name, value));
      return std::nullopt;
    }
    text += llvm::formatv("{0}=\"{1}\" ", name, value);
  }
  return text;
}

QuackProgram *quackParse(const char *text, size_t length, const char *fileName,
                         QuackDiagnostics **diagnostics) {
  auto program = std::make_unique<QuackProgram>();
  Listener listener(program->context, diagnostics);
  std::string name = fileName ? fileName : "program";
  StringRef bytes(text ? text : "", text ? length : 0);
  if (isBytecode({bytes, name})) {
    listener.addError(FileLineColLoc::get(&program->context, name, 1, 1),
                      "a program must be text, got MLIR's bytecode");
    return nullptr;
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(bytes, name),
                              llvm::SMLoc());
  OwningOpRef<ModuleOp> module = quack::readModule(sources, &program->context);
  if (!module)
    return nullptr;
  program->setModule(std::move(module));
  return program.release();
}

int quackRaise(QuackProgram *program, const QuackOption *options, size_t count,
               QuackDiagnostics **diagnostics) {
  if (!program)
    return fail(diagnostics, noProgram);
  Listener listener(program->context, diagnostics);
  Location location = program->module->getLoc();
  std::optional<std::string> text = joinOptions(options, count, listener, location);
  if (!text)
    return 1;
  std::unique_ptr<Pass> raise = quack::createQuackRaiseLinalg();
  auto onError = [&](const Twine &message) {
    listener.addError(location, message.str());
    return failure();
  };
  if (failed(raise->initializeOptions(*text, onError)))
    return 1;
  remark::RemarkCategories categories;
  categories.passed = categories.missed = "quack-raise-linalg";
  if (failed(remark::enableOptimizationRemarks(
          program->context, /*streamer=*/nullptr,
          std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
          /*printAsEmitRemarks=*/true)))
    return 1;
  PassManager pm(&program->context);
  pm.addPass(createInlinerPass());
  pm.addPass(std::move(raise));
  OwningOpRef<ModuleOp> copy = program->module->clone();
  LogicalResult ran = pm.run(*copy);
  // Here they are said.
  program->context.setRemarkEngine(nullptr);
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

QuackCompiled *quackCompile(const QuackProgram *program, const QuackOption *options,
                            size_t count, QuackDiagnostics **diagnostics) {
  if (!program) {
    fail(diagnostics, noProgram);
    return nullptr;
  }
  Listener listener(program->context, diagnostics);
  Location location = program->module->getLoc();
  std::optional<std::string> text = joinOptions(options, count, listener, location);
  if (!text)
    return nullptr;
  quack::PipelineOptions parsed;
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (failed(parsed.parseFromString(*text, stream))) {
    listener.addError(location, StringRef(errors).trim().str());
    return nullptr;
  }
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
