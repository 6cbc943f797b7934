//===- tools/quack-opt/Emit.cpp - the --emit mode ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a module, compiles it to the stage asked for, and writes text and, for
// PTX, the launch metadata beside it.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "quack/Pipelines/Pipelines.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <chrono>

using namespace mlir;
using namespace quack;
namespace cl = llvm::cl;

bool quack::wantsEmit(int argc, char **argv) {
  return llvm::any_of(llvm::ArrayRef(argv, argc), [](StringRef arg) {
    StringRef name = arg.ltrim('-');
    return arg.starts_with("-") && (name == "emit" || name.starts_with("emit="));
  });
}

namespace {
/// The options of this mode; constructed only in it, so that they do not meet
/// those of the opt mode.
struct EmitOptions {
  cl::OptionCategory category{"quack-opt --emit"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<input file>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<Stage> stage{
      "emit", cl::desc("How far to go"), cl::cat(category),
      cl::values(clEnumValN(Stage::plan, "plan", "planned row programs, with the "
                                                 "choice explained on stderr"),
                 clEnumValN(Stage::tv, "tv", "tile programs with their barriers"),
                 clEnumValN(Stage::gpu, "gpu", "thread programs"),
                 clEnumValN(Stage::llvm, "llvm", "optimised LLVM IR"),
                 clEnumValN(Stage::ptx, "ptx",
                            "PTX text; with -o FILE.ptx also FILE.json"))};
  cl::opt<std::string> output{"o", cl::desc("Where the text goes"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
  cl::opt<int64_t> columns{"columns", cl::desc("N, the columns of a row"),
                           cl::init(0), cl::cat(category)};
  cl::opt<std::string> storage{
      "storage", cl::desc("Storage types: bf16, or x:bf16,y:f32"), cl::init(""),
      cl::cat(category)};
  cl::opt<std::string> pin{"pin", cl::desc("Plan fields to keep: 'threads = 256'"),
                           cl::init(""), cl::cat(category)};
  cl::opt<unsigned> plans{"plans",
                          cl::desc("Plans that --emit=plan lists of each kernel (10)"),
                          cl::init(10), cl::cat(category)};
  cl::opt<std::string> target{"target", cl::desc("GPU to plan for (h100, h200)"),
                              cl::init("h200"), cl::cat(category)};
  cl::opt<std::string> chip{"chip", cl::desc("Chip to emit for (sm_90, sm_90a)"),
                            cl::init("sm_90"), cl::cat(category)};
  cl::opt<int64_t> ptxVersion{"ptx-version", cl::desc("PTX ISA version times ten"),
                              cl::init(83), cl::cat(category)};
  cl::opt<bool> timing{"time", cl::desc("Print each stage's milliseconds on stderr"),
                       cl::cat(category)};

  void fill(PipelineOptions &options) const {
    options.columns = columns.getValue();
    options.storage = storage.getValue();
    options.pin = pin.getValue();
    options.target = target.getValue();
    options.chip = chip.getValue();
    options.ptxVersion = ptxVersion.getValue();
  }
};
} // namespace

/// Writes `text` to `path`; returns whether that worked.
static bool writeFile(StringRef path, StringRef text) {
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &error);
  if (!file) {
    llvm::errs() << "quack-opt: " << error << "\n";
    return false;
  }
  file->os() << text;
  file->os().flush();
  if (std::error_code failed = file->os().error()) {
    file->os().clear_error();
    llvm::errs() << "quack-opt: cannot write " << path << ": " << failed.message()
                 << "\n";
    return false;
  }
  file->keep();
  return true;
}

static bool writeResult(const EmitOptions &options, const CompiledModule &result) {
  if (options.stage == Stage::ptx &&
      llvm::sys::path::extension(options.output) == ".json") {
    llvm::errs() << "quack-opt: -o must name the PTX file, got '"
                 << options.output << "': the metadata goes to the .json beside it\n";
    return false;
  }
  if (!writeFile(options.output, result.text))
    return false;
  if (options.stage != Stage::ptx || options.output == "-")
    return true;
  llvm::SmallString<128> path(options.output.getValue());
  llvm::sys::path::replace_extension(path, "json");
  std::string json =
      llvm::formatv("{0:2}\n", result.metadata.toJSON()).str();
  return writeFile(path, json);
}

int quack::emitMain(int argc, char **argv, DialectRegistry &registry) {
  EmitOptions options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "quack compiler driver: row programs to PTX\n\n  quack-opt softmax.mlir "
      "--columns=32000 --storage=bf16 --emit=ptx -o softmax.ptx\n");
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // The location and the message say it; a whole kernel after it drowns them.
  context.printOpOnDiagnostic(false);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(options.input, &error);
  if (!file) {
    llvm::errs() << "quack-opt: " << error << "\n";
    return 1;
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  if (options.stage == Stage::plan) {
    remark::RemarkCategories categories;
    categories.analysis = "quack.*";
    if (failed(remark::enableOptimizationRemarks(
            context, /*streamer=*/nullptr,
            std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
            /*printAsEmitRemarks=*/true)))
      return 1;
  }
  std::vector<StageTime> times;
  auto start = std::chrono::steady_clock::now();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;
  times.push_back({"parse", std::chrono::duration<double, std::milli>(
                                std::chrono::steady_clock::now() - start)
                                .count()});
  PipelineOptions pipeline;
  options.fill(pipeline);
  std::string table;
  if (options.stage == Stage::plan)
    table = describePlans(*module, pipeline, options.plans);
  FailureOr<CompiledModule> result =
      compileModule(*module, pipeline, options.stage, &times);
  if (failed(result))
    return 1;
  result->text = table + result->text;
  if (!writeResult(options, *result))
    return 1;
  double total = 0;
  for (const StageTime &time : times)
    total += time.milliseconds;
  if (options.timing) {
    for (const StageTime &time : times)
      llvm::errs() << llvm::formatv("{0,-24}{1,8:F2} ms\n", time.stage,
                                    time.milliseconds);
    llvm::errs() << llvm::formatv("{0,-24}{1,8:F2} ms\n", "total", total);
  }
  return 0;
}
