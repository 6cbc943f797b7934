//===- tools/quack-sim/quack-sim.cpp - runs PTX on the CPU ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches one kernel of a PTX file in the simulator and prints its faults.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <new>

using namespace llvm;
using namespace quack;

static constexpr StringLiteral overview =
    R"(runs PTX on the CPU and names its faults

  quack-sim softmax.ptx --grid=64 --shared=64 --arg=x.npy --arg=i64:4096 \
      --arg=out:y.npy:f32:64x4096 --arg=i64:4096 --arg=i64:64

An argument is an array (x.npy, passed as it is), memory for one
(out:y.npy:f32:64x4096, or zeroed:y.npy:f32:64x4096 if the kernel reads it
first), zeros:BYTES, the memory of an argument before (same:0), a number (i8:7,
i16:7, i32:7, i64:7, f32:0.5, f64:0.5) or any bytes (hex:0042).

Memory of out: starts without values; a warning says how much nobody wrote.

Exit code: 0 no fault, 1 an error, 2 faults.
)";

namespace {
struct Options {
  cl::OptionCategory category{"quack-sim options"};
  cl::opt<std::string> input{cl::Positional, cl::Required,
                             cl::desc("<PTX file>"), cl::cat(category)};
  cl::opt<std::string> kernel{"kernel", cl::desc("Kernel (default: the first)"),
                              cl::cat(category)};
  cl::opt<std::string> grid{"grid",
                            cl::desc("CTAs, as X, XxY or XxYxZ (default: 1)"),
                            cl::init("1"), cl::cat(category)};
  cl::opt<std::string> block{
      "block",
      cl::desc("Threads of a CTA (default: what the kernel requires, or 32)"),
      cl::cat(category)};
  cl::opt<std::string> cluster{
      "cluster",
      cl::desc("CTAs of a cluster (default: what the kernel requires, or 1)"),
      cl::cat(category)};
  cl::opt<unsigned> shared{
      "shared", cl::desc("Bytes of dynamic shared memory (default: 0)"),
      cl::init(0), cl::cat(category)};
  cl::list<std::string> arguments{"arg", cl::desc("Argument, in order"),
                                  cl::cat(category)};
  cl::opt<std::string> schedule{
      "schedule",
      cl::desc("eager, lazy, random:SEED, or a list of them, tried until one "
               "finds a fault: eager,lazy,random:1-8 (default: eager)"),
      cl::init("eager"), cl::cat(category)};
  cl::opt<std::string> checks{
      "checks",
      cl::desc("all, none, or of undefined, async, races, "
               "protocol, strict (default: all, which leaves out strict)"),
      cl::init("all"), cl::cat(category)};
  cl::opt<uint64_t> steps{
      "steps",
      cl::desc("Limit of a cluster's warp instructions (default: 2^32)"),
      cl::init(1ull << 32), cl::cat(category)};
  cl::opt<unsigned> hostThreads{
      "host-threads", cl::desc("Clusters that run at a time (default: 1)"),
      cl::init(1), cl::cat(category)};
  cl::opt<std::string> report{
      "report", cl::ValueOptional,
      cl::desc("Print the counters as text, or with =json faults and counters "
               "as JSON"),
      cl::cat(category)};
  cl::list<std::string> trace{
      "trace",
      cl::desc("Print what a warp executes, with the values that lanes get: "
               "CTA:WARP, or CTA:WARP:LANES such as 0:1:0-3,8"),
      cl::cat(category)};
  cl::opt<uint64_t> traceLimit{"trace-limit",
                               cl::desc("Lines of a trace (default: 10000)"),
                               cl::init(10000), cl::cat(category)};
  cl::opt<bool> parseOnly{"parse-only", cl::desc("Decode and run nothing"),
                          cl::cat(category)};
};
} // namespace

static Error readExtent(StringRef name, StringRef text, sim::Extent &extent) {
  SmallVector<StringRef, 3> parts;
  text.split(parts, 'x');
  uint32_t *fields[] = {&extent.x, &extent.y, &extent.z};
  for (size_t i = 0; i < parts.size(); ++i)
    if (i == 3 || !to_integer(parts[i], *fields[i]))
      return createStringError("--" + name + " must be X, XxY or XxYxZ, got '" +
                               text + "'");
  return Error::success();
}

static Error readChecks(StringRef text, unsigned &checks) {
  static constexpr std::pair<StringLiteral, unsigned> names[] = {
      {"all", sim::checkAll},
      {"none", 0},
      {"undefined", sim::checkUndefined},
      {"async", sim::checkAsync},
      {"races", sim::checkRaces},
      {"protocol", sim::checkProtocol},
      {"strict", sim::checkStrict}};
  checks = 0;
  SmallVector<StringRef, 4> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    const auto *found =
        find_if(names, [&](auto &entry) { return entry.first == part; });
    if (found == std::end(names))
      return createStringError(
          "unknown check '" + part +
          "'; --checks is a list of all, none, undefined, async, races, "
          "protocol and strict");
    if (part == "none" && parts.size() > 1)
      return createStringError("--checks=none stands alone, got '" + text + "'");
    checks |= found->second;
  }
  return Error::success();
}

/// Fills in the shape of the launch: what the kernel requires, unless options
/// say otherwise.
static Error readShape(const Options &options, const sim::Module &module,
                       sim::LaunchConfig &config) {
  config.kernel = options.kernel;
  std::vector<std::string> kernels = module.kernels();
  if (config.kernel.empty() && !kernels.empty())
    config.kernel = kernels.front();
  config.sharedBytes = options.shared;
  config.block = module.requiredBlock(config.kernel);
  if (!config.block.count())
    config.block = {32, 1, 1};
  config.cluster = module.requiredCluster(config.kernel);
  if (!config.cluster.count())
    config.cluster = {1, 1, 1};
  if (Error error = readExtent("grid", options.grid, config.grid))
    return error;
  if (!options.block.empty())
    if (Error error = readExtent("block", options.block, config.block))
      return error;
  if (!options.cluster.empty())
    return readExtent("cluster", options.cluster, config.cluster);
  return Error::success();
}

/// Returns how to run: once with each schedule.
static Expected<std::vector<sim::Options>> readRuns(const Options &options) {
  if (!options.report.empty() && options.report != "json" &&
      options.report != "text")
    return createStringError("--report must be text or json, got '" +
                             options.report + "'");
  if (!options.steps)
    return createStringError("--steps must be at least 1");
  if (!options.hostThreads)
    return createStringError("--host-threads must be at least 1");
  sim::Options run;
  run.stepLimit = options.steps;
  run.hostThreads = options.hostThreads;
  run.countsTouched = options.report.getNumOccurrences() != 0;
  if (Error error = readChecks(options.checks, run.checks))
    return error;
  run.traceTo = &outs();
  run.traceLimit = options.traceLimit;
  for (StringRef text : options.trace) {
    Expected<sim::TraceChoice> choice = sim::parseTrace(text);
    if (!choice)
      return createStringError("--trace: " + toString(choice.takeError()));
    run.trace.push_back(*choice);
  }
  return sim::parseSchedules(options.schedule, run);
}

static void print(const Options &options, const sim::Report &report,
                  bool hasSchedules) {
  for (const sim::Fault &fault : report.faults)
    errs() << options.input << ": " << fault.str() << "\n";
  if (hasSchedules && !report.isClean())
    errs() << options.input << ": schedule " << report.schedule << "\n";
  if (options.report == "json")
    outs() << formatv("{0:2}\n", report.toJSON());
  else if (options.report.getNumOccurrences())
    outs() << report.str();
}

/// Returns whether there is no fault.
static Expected<bool> run(const Options &options) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(options.input);
  if (!file)
    return createStringError(options.input + ": " + file.getError().message());
  if ((*file)->getBuffer().trim().empty())
    return createStringError(options.input + " is empty");
  Expected<sim::Module> module =
      sim::Module::parse((*file)->getBuffer(), options.input);
  if (!module)
    return module.takeError();
  if (!module->warning().empty())
    errs() << options.input << ": warning: " << module->warning() << "\n";
  if (options.parseOnly)
    return true;
  Expected<std::vector<sim::Options>> runs = readRuns(options);
  if (!runs)
    return runs.takeError();
  sim::LaunchConfig config;
  if (Error error = readShape(options, *module, config))
    return error;
  Arguments arguments;
  for (StringRef text : options.arguments)
    if (Error error = arguments.add(text))
      return error;
  if (Error error = arguments.check(module->parameterBytes(config.kernel)))
    return error;
  arguments.apply(config);
  Expected<sim::Report> report = module->launchEach(config, *runs);
  if (!report)
    return report.takeError();
  print(options, *report, runs->size() > 1);
  // After a fault, CTAs may have stopped before they wrote.
  if (report->isClean() && (runs->front().checks & sim::checkUndefined))
    for (const std::string &line : arguments.describeUnwritten())
      errs() << options.input << ": warning: " << line << "\n";
  if (Error error = arguments.writeOutputs())
    return error;
  return report->isClean();
}

extern "C" int quackSimMain(int argc, char **argv) {
  std::set_new_handler([] {
    errs() << "quack-sim: out of memory\n";
    std::_Exit(1);
  });
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  Expected<bool> isClean = run(options);
  if (!isClean) {
    errs() << "quack-sim: " << toString(isClean.takeError()) << "\n";
    return 1;
  }
  return *isClean ? 0 : 2;
}
