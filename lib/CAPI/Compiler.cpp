//===- lib/CAPI/Compiler.cpp - the compiler from C --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each program has a context of its own, so that distinct ones share nothing.
//
//===----------------------------------------------------------------------===//

#include "quack-c/Compiler.h"

#include "quack/InitAll.h"
#include "quack/Pipelines/Pipelines.h"
#include "quack/Pipelines/ReadModule.h"
#include "quack/Transforms/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <deque>

using namespace mlir;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

struct QuackDiagnostics {
  std::vector<QuackDiagnostic> entries;
  std::deque<std::string> texts; ///< what `entries` point to, which stays in place

  const char *keep(std::string text) {
    return texts.emplace_back(std::move(text)).c_str();
  }
  void add(Location location, QuackSeverity severity, std::string message) {
    QuackDiagnostic entry{severity, keep(std::move(message)), "", 0, 0};
    auto place = location->findInstanceOf<FileLineColLoc>();
    // Line 0 is the file as a whole.
    if (place && place.getLine() > 0) {
      entry.file = keep(place.getFilename().str());
      entry.line = place.getLine();
      entry.column = place.getColumn();
    }
    entries.push_back(entry);
  }
};

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
    said.add(location, QUACK_ERROR, std::move(message));
  }

private:
  void add(Diagnostic &diagnostic) {
    // The severities of both have the same order.
    static_assert(int(DiagnosticSeverity::Note) == QUACK_NOTE &&
                  int(DiagnosticSeverity::Warning) == QUACK_WARNING &&
                  int(DiagnosticSeverity::Error) == QUACK_ERROR &&
                  int(DiagnosticSeverity::Remark) == QUACK_REMARK);
    said.add(diagnostic.getLocation(), QuackSeverity(diagnostic.getSeverity()),
             diagnostic.str());
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

  SmallVector<quack::KernelOp> kernels() const {
    return llvm::to_vector(module->getOps<quack::KernelOp>());
  }
};

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
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(StringRef(text ? text : "", text ? length : 0),
                                           fileName ? fileName : "program"),
      llvm::SMLoc());
  program->module = quack::readModule(sources, &program->context);
  return program->module ? program.release() : nullptr;
}

int quackRaise(QuackProgram *program, const QuackOption *options, size_t count,
               QuackDiagnostics **diagnostics) {
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
  LogicalResult ran = pm.run(*program->module);
  // Here they are said.
  program->context.setRemarkEngine(nullptr);
  return failed(ran);
}

size_t quackProgramCountKernels(const QuackProgram *program) {
  return program->kernels().size();
}

const char *quackProgramKernelName(const QuackProgram *program, size_t index) {
  auto kernels = program->kernels();
  // Of the context: its end is a 0.
  return index < kernels.size() ? kernels[index].getSymNameAttr().data() : nullptr;
}

int64_t quackProgramKernelColumns(const QuackProgram *program, size_t index) {
  auto kernels = program->kernels();
  if (index >= kernels.size() || ShapedType::isDynamic(kernels[index].getColumns()))
    return -1;
  return kernels[index].getColumns();
}

const char *quackProgramText(QuackProgram *program) {
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
  /// What C sees of `metadata`.
  std::vector<std::vector<QuackOperandInfo>> operands;
  std::vector<QuackKernelInfo> kernels;
};

/// Fills in what C sees.
static void describe(QuackCompiled &compiled) {
  for (const quack::KernelMetadata &kernel : compiled.metadata.kernels) {
    std::vector<QuackOperandInfo> &operands = compiled.operands.emplace_back();
    for (const quack::OperandMetadata &operand : kernel.operands)
      operands.push_back({operand.name.c_str(), operand.direction.c_str(),
                          operand.role.c_str(), operand.type.c_str(),
                          operand.alignmentBytes, operand.columns});
    QuackKernelInfo info;
    info.name = kernel.name.c_str();
    info.columns = kernel.columns;
    info.threads = kernel.threads;
    info.cluster = kernel.cluster;
    info.rowsPerTile = kernel.rowsPerTile;
    info.split = kernel.split;
    info.ctas = kernel.ctas;
    info.sharedBytes = kernel.sharedBytes;
    info.workspaceBytes = kernel.workspaceBytes;
    info.fixedWorkspaceBytes = kernel.fixedWorkspaceBytes;
    info.leastRows = kernel.leastRows;
    info.otherwise = kernel.otherwise.c_str();
    info.next = kernel.next.c_str();
    info.plan = kernel.plan.c_str();
    info.operandCount = operands.size();
    info.operands = operands.data();
    compiled.kernels.push_back(info);
  }
}

QuackCompiled *quackCompile(const QuackProgram *program, const QuackOption *options,
                            size_t count, QuackDiagnostics **diagnostics) {
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
  describe(*compiled);
  return compiled.release();
}

const char *quackCompiledPTX(const QuackCompiled *compiled) { return compiled->ptx.c_str(); }

const char *quackCompiledMetadata(const QuackCompiled *compiled) {
  return compiled->json.c_str();
}

size_t quackCompiledCountKernels(const QuackCompiled *compiled) {
  return compiled->kernels.size();
}

const QuackKernelInfo *quackCompiledKernel(const QuackCompiled *compiled, size_t index) {
  return index < compiled->kernels.size() ? &compiled->kernels[index] : nullptr;
}

void quackCompiledDestroy(QuackCompiled *compiled) { delete compiled; }
