//===- tools/quack-check/quack-check.cpp - same before and after -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leads row programs through the level-2 pipeline and evaluates them after each
// pass, for every combination of columns, storage types and pinned plans asked
// for. The pipeline is the compiler's own: passes are not listed here.
//
//===----------------------------------------------------------------------===//

#include "StageChecker.h"

#include "quack/InitAll.h"
#include "quack/Pipelines/Pipelines.h"
#include "quack/Pipelines/ReadModule.h"
#include "quack/Support/Columns.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

#include <limits>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace quack;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory category{"quack-check"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<input file>"),
                             cl::init("-"), cl::cat(category)};
  cl::list<int64_t> columns{"columns", cl::CommaSeparated, cl::cat(category),
                            cl::desc("N of generic kernels; several make "
                                     "several runs")};
  cl::list<std::string> storage{
      "storage", cl::cat(category),
      cl::desc("Storage types, as in quack-opt; given "
               "again, it makes another run")};
  cl::list<int64_t> groups{
      "groups", cl::CommaSeparated, cl::cat(category),
      cl::desc("Columns of a group, as in quack-opt; several "
               "make several runs")};
  cl::list<int64_t> picks{
      "picks", cl::CommaSeparated, cl::cat(category),
      cl::desc("Elements that are picked of a row, as in quack-opt; "
               "several make several runs")};
  cl::list<std::string> pin{
      "pin", cl::cat(category),
      cl::desc("Plan fields to pin, as in quack-opt; given "
               "again, it makes another run")};
  cl::list<int64_t> rows{"rows", cl::CommaSeparated, cl::cat(category),
                         cl::desc("M; several are all checked (default 5)")};
  cl::opt<uint64_t> seed{"random-seed", cl::init(1), cl::cat(category),
                         cl::desc("What the inputs are made from (default 1)")};
  cl::opt<bool> specials{
      "specials", cl::cat(category),
      cl::desc("Check also rows of infinities, NaN and large "
               "offsets")};
  cl::opt<bool> print{"print", cl::cat(category),
                      cl::desc("Print the first row's outputs")};
};

/// One way through the pipeline.
struct Run {
  int64_t columns = 0;
  std::string storage;
  int64_t groups = 0, picks = 0;
  std::string pin;
};
} // namespace

/// Returns all combinations of what was asked for.
static std::vector<Run> runsOf(const Options &options) {
  auto orDefault = [](const auto &list, auto single) {
    std::vector<decltype(single)> values(list.begin(), list.end());
    if (values.empty())
      values.push_back(single);
    return values;
  };
  std::vector<Run> runs;
  for (int64_t columns : orDefault(options.columns, int64_t(0)))
    for (const std::string &storage : orDefault(options.storage, std::string()))
      for (int64_t groups : orDefault(options.groups, int64_t(0)))
        for (int64_t picks : orDefault(options.picks, int64_t(0)))
          for (const std::string &pin : orDefault(options.pin, std::string()))
            runs.push_back({columns, storage, groups, picks, pin});
  return runs;
}

/// Elements of an operand that the evaluator takes some seconds for.
static constexpr int64_t mostElements = int64_t(1) << 28;

/// Checks the numbers, and says what is wrong with the first that is.
static bool checkOptions(const Options &options) {
  auto fail = [](const llvm::Twine &message) {
    llvm::errs() << "quack-check: " << message << "\n";
    return false;
  };
  for (int64_t columns : options.columns)
    if (std::string wrong = violatedColumns(columns); !wrong.empty())
      return fail("--columns " + wrong);
  int64_t widest = 1;
  for (int64_t columns : options.columns)
    widest = std::max(widest, columns);
  for (int64_t rows : options.rows) {
    if (rows < 0)
      return fail("--rows must not be negative, got " + llvm::Twine(rows));
    if (rows > mostElements / widest)
      return fail("--rows must be at most " + llvm::Twine(mostElements / widest) +
                  " for " + llvm::Twine(widest) + " columns, got " + llvm::Twine(rows));
  }
  return true;
}

/// Leads `module` through the pipeline, checking after each pass.
static LogicalResult runPipeline(ModuleOp module, const Run &run,
                                 check::StageChecker &checker) {
  if (!module.getOps<tv::KernelOp>().empty()) {
    checker.check(module, "tile program");
    return success();
  }
  PipelineOptions pipeline;
  pipeline.columns = run.columns;
  pipeline.storage = run.storage;
  pipeline.groups = run.groups;
  pipeline.picks = run.picks;
  pipeline.pin = run.pin;
  PassManager pm(module.getContext());
  buildPipeline(pm, pipeline, Stage::tv);
  pm.addInstrumentation(check::createCheckInstrumentation(checker));
  return pm.run(module);
}

/// Checks all runs; returns whether all are right.
static bool checkAll(ModuleOp module, const Options &options) {
  std::vector<Run> runs = runsOf(options);
  for (const Run &run : runs) {
    check::CheckOptions checks;
    if (!options.rows.empty())
      checks.rows.assign(options.rows.begin(), options.rows.end());
    checks.seed = options.seed;
    checks.hasSpecials = options.specials;
    checks.isVerbose = runs.size() == 1;
    check::StageChecker checker(checks);
    OwningOpRef<ModuleOp> copy = module.clone();
    LogicalResult result = runPipeline(*copy, run, checker);
    if (failed(result) || checker.hasFailed() || checker.numKernels() == 0) {
      llvm::outs() << "in the run with columns=" << run.columns << " storage='"
                   << run.storage << "' pin='" << run.pin << "'";
      if (run.groups)
        llvm::outs() << " groups=" << run.groups;
      if (run.picks)
        llvm::outs() << " picks=" << run.picks;
      llvm::outs() << (failed(result)        ? ": the pipeline failed\n"
                       : checker.hasFailed() ? "\n"
                                             : ": there is no kernel\n");
      return false;
    }
    if (options.print)
      checker.print(llvm::outs());
  }
  llvm::outs() << "all equal: " << runs.size() << " runs\n";
  return true;
}

/// Keeps what evaluations free for the next ones: given back to the system, its pages cost a
/// quarter of the time when they are touched again.
static void keepMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

extern "C" int quackCheckMain(int argc, char **argv) {
  keepMemory();
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv,
                              "quack pass checker: evaluates kernels before "
                              "and after each level-2 pass\n\n"
                              "  quack-check softmax.mlir --columns=1000,1064 "
                              "--storage=bf16 --specials "
                              "--pin='threads = 96, threads_per_row = 96'\n");
  if (!checkOptions(options))
    return 1;
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file =
      openProgram(options.input, &error);
  if (!file) {
    llvm::errs() << "quack-check: " << error << "\n";
    return 1;
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  OwningOpRef<ModuleOp> module = readModule(sources, &context);
  return module && checkAll(*module, options) ? 0 : 1;
}
