//===- tools/quack-opt/Emit.cpp - the --emit mode ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a module, compiles it to the stage asked for, and writes text and, for
// PTX, the launch metadata beside it.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "Bundle.h"
#include "DriverOptions.h"

#include "quack/Pipelines/Pipelines.h"
#include "quack/Pipelines/ReadModule.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
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
/// What only this mode has: the opt mode has the same of its own.
struct FileOptions {
  cl::opt<std::string> input{cl::Positional, cl::desc("<input file>"),
                             cl::init("-"), cl::cat(driverCategory())};
  cl::opt<std::string> output{"o", cl::desc("Where the text goes; of a bundle the folder"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(driverCategory())};
};

struct EmitOptions : FileOptions, DriverOptions {};
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

static bool writeResult(const EmitOptions &options, CompiledModule &result) {
  if (options.emission == Emission::bundle) {
    if (llvm::Error error = emitBundle(std::move(result), options, options.output)) {
      llvm::errs() << "quack-opt: " << llvm::toString(std::move(error)) << "\n";
      return false;
    }
    return true;
  }
  if (options.emission == Emission::ptx &&
      llvm::sys::path::extension(options.output) == ".json") {
    llvm::errs() << "quack-opt: -o must name the PTX file, got '"
                 << options.output << "': the metadata goes to the .json beside it\n";
    return false;
  }
  if (!writeFile(options.output, result.text))
    return false;
  if (options.emission != Emission::ptx || options.output == "-")
    return true;
  llvm::SmallString<128> path(options.output.getValue());
  llvm::sys::path::replace_extension(path, "json");
  std::string json =
      llvm::formatv("{0:2}\n", result.metadata.toJSON()).str();
  return writeFile(path, json);
}

/// Reads each `name=elements` of `list`; returns whether all are such.
static bool readPairs(StringRef option, const cl::list<std::string> &list,
                      std::map<std::string, int64_t> &map) {
  for (StringRef text : list) {
    auto [name, value] = text.split('=');
    int64_t number;
    if (name.empty() || !llvm::to_integer(value, number) ||
        !map.try_emplace(name.str(), number).second) {
      llvm::errs() << "quack-opt: --" << option
                   << " must be name=elements, each name once, got '" << text
                   << "'\n";
      return false;
    }
  }
  return true;
}

/// Writes what launches of the kernels ask for; returns the exit status.
static int emitReport(const EmitOptions &options, ModuleOp module,
                      const PipelineOptions &pipeline) {
  DescribedLaunch launch;
  launch.rows = options.rows;
  if (!readPairs("row-stride", options.rowStrides, launch.rowStrides) ||
      !readPairs("offset", options.offsets, launch.offsets))
    return 1;
  FailureOr<std::vector<KernelReport>> reports =
      reportModule(module, pipeline, launch);
  if (failed(reports))
    return 1;
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::Array kernels;
  for (const KernelReport &report : *reports) {
    if (options.json) {
      kernels.push_back(report.toJSON());
      continue;
    }
    os << (&report == &reports->front() ? "" : "\n");
    report.print(os);
  }
  if (options.json)
    os << llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{
                                       {"kernels", std::move(kernels)}}));
  return writeFile(options.output, text) ? 0 : 1;
}

/// Lets the plans' remarks go to stderr.
static LogicalResult enableRemarks(MLIRContext &context) {
  remark::RemarkCategories categories;
  categories.analysis = "quack.*";
  return remark::enableOptimizationRemarks(
      context, /*streamer=*/nullptr,
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/true);
}

static void printTimes(ArrayRef<StageTime> times) {
  double total = 0;
  auto print = [](StringRef stage, double milliseconds) {
    llvm::errs() << llvm::formatv("{0,-24}{1,8:F2} ms\n", stage, milliseconds);
  };
  for (const StageTime &time : times) {
    print(time.stage, time.milliseconds);
    total += time.milliseconds;
  }
  print("total", total);
}

/// Writes a stage of the module's compilation; returns the exit status.
static int emitStage(const EmitOptions &options, ModuleOp module,
                     const PipelineOptions &pipeline,
                     std::vector<StageTime> &times) {
  std::string table;
  if (options.emission == Emission::plan)
    table = describePlans(module, pipeline, options.plans);
  FailureOr<CompiledModule> result =
      compileModule(module, pipeline, options.stage(), &times);
  if (failed(result))
    return 1;
  result->text = table + result->text;
  if (!writeResult(options, *result))
    return 1;
  if (options.timing)
    printTimes(times);
  return 0;
}

static int fail(const llvm::Twine &message) {
  llvm::errs() << "quack-opt: " << message << "\n";
  return 1;
}

int quack::emitMain(int argc, char **argv, DialectRegistry &registry) {
  EmitOptions options;
  cl::HideUnrelatedOptions(driverCategory());
  cl::ParseCommandLineOptions(
      argc, argv,
      "quack compiler driver: row programs to PTX\n\n  quack-opt softmax.mlir "
      "--columns=32000 --storage=bf16 --emit=ptx -o softmax.ptx\n");
  if (std::string wrong = options.check(); !wrong.empty())
    return fail(wrong);
  if (options.emission == Emission::bundle && options.output == "-")
    return fail("--emit=bundle writes several files: -o must name a folder");
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // The location and the message say it; a whole kernel after it drowns them.
  context.printOpOnDiagnostic(false);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = openProgram(options.input, &error);
  if (!file)
    return fail(error);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  if (options.emission == Emission::plan && failed(enableRemarks(context)))
    return 1;
  auto start = std::chrono::steady_clock::now();
  OwningOpRef<ModuleOp> module = readModule(sources, &context);
  std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - start;
  if (!module)
    return 1;
  std::vector<StageTime> times{{"parse", took.count()}};
  PipelineOptions pipeline;
  options.fill(pipeline);
  return options.emission == Emission::report
             ? emitReport(options, *module, pipeline)
             : emitStage(options, *module, pipeline, times);
}
