//===- tools/quack-run/Options.cpp - the command line -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the options and turns them into a job.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;
using namespace quack;

static constexpr StringLiteral overview = R"(runs a row program on the GPU

  quack-run softmax.mlir --columns=32000 --storage=bf16 --in x=x.npy --out y=y.npy --verify
  quack-run softmax.mlir --columns=32000 --storage=bf16 --rows=4096 --verify --bench
  quack-run --sweep=jobs.jsonl --json=results.jsonl

Arrays are .npy files in C order; bf16 is stored as uint16 (the upper halves of
the f32 patterns). An input without a file gets normal random numbers, the same
for the same --random.

Exit code: 0 all is well, 1 an error or a wrong result, 3 no GPU, 4 the GPU was
lost (a kernel faulted or hung; a sweep stops there).
)";

namespace {
/// The options; constructed after the libraries' own are hidden.
struct Options {
  cl::OptionCategory category{"quack-run options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<kernel file>"),
                             cl::cat(category)};
  cl::opt<std::string> kernel{"kernel",
                              cl::desc("Kernel to run if the file has several"),
                              cl::value_desc("name"), cl::cat(category)};
  cl::opt<int64_t> columns{"columns", cl::desc("N, the columns of a row"),
                           cl::cat(category)};
  cl::opt<std::string> storage{"storage",
                               cl::desc("Storage types: bf16, or x:bf16,y:f32"),
                               cl::value_desc("types"), cl::cat(category)};
  cl::opt<int64_t> groups{
      "groups", cl::desc("Columns of a group, of kernels that have groups"),
      cl::value_desc("count"), cl::init(0), cl::cat(category)};
  cl::opt<int64_t> picks{
      "picks",
      cl::desc("Elements that are picked of a row, of kernels that do"),
      cl::value_desc("count"), cl::init(0), cl::cat(category)};
  cl::opt<std::string> pin{"pin",
                           cl::desc("Plan fields to keep: 'threads = 256'; of one kernel: "
                                    "'@main_0: cluster = 8'"),
                           cl::value_desc("fields"), cl::cat(category)};
  cl::opt<std::string> target{"target",
                              cl::desc("GPU to plan for (h100, h200)"),
                              cl::init("h200"), cl::cat(category)};
  cl::opt<std::string> chip{"chip",
                            cl::desc("Chip to compile for (sm_90, sm_90a)"),
                            cl::init("sm_90"), cl::cat(category)};
  cl::opt<int64_t> ptxVersion{"ptx-version",
                              cl::desc("PTX ISA version times ten (default: 83, "
                                       "but 86 where tiles overlap)"),
                              cl::init(0), cl::cat(category)};
  cl::list<std::string> inputs{"in", cl::desc("File of an input operand"),
                               cl::value_desc("name=file.npy"),
                               cl::cat(category)};
  cl::list<std::string> outputs{"out", cl::desc("File for an output operand"),
                                cl::value_desc("name=file.npy"),
                                cl::cat(category)};
  cl::list<std::string> scalars{
      "scalar", cl::desc("Number for a value operand"),
      cl::value_desc("name=number"), cl::cat(category)};
  cl::list<std::string> rowStrides{
      "row-stride",
      cl::desc("Distance of an operand's rows, in elements; gaps are "
               "filled and checked"),
      cl::value_desc("name=elements"), cl::cat(category)};
  cl::list<std::string> offsets{
      "offset",
      cl::desc("How far an operand starts after an aligned address, in elements"),
      cl::value_desc("name=elements"), cl::cat(category)};
  cl::list<std::string> inPlace{
      "in-place", cl::desc("An out row that takes the memory of an in row"),
      cl::value_desc("out=in"), cl::cat(category)};
  cl::opt<int64_t> rows{"rows", cl::desc("M, the number of rows"), cl::init(-1),
                        cl::cat(category)};
  cl::opt<uint64_t> random{"random", cl::desc("Seed of the random inputs"),
                           cl::value_desc("seed"), cl::init(0),
                           cl::cat(category)};
  cl::opt<bool> verify{"verify", cl::desc("Compare with the float64 evaluator"),
                       cl::cat(category)};
  cl::opt<bool> bench{"bench", cl::desc("Measure, and compare with a copy"),
                      cl::cat(category)};
  cl::opt<int64_t> iterations{"iterations",
                              cl::desc("Timed runs; their median counts (20)"),
                              cl::init(20), cl::cat(category)};
  cl::opt<std::string> json{"json",
                            cl::desc("Append a line of results to this file"),
                            cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> sweep{
      "sweep",
      cl::desc("Run each line of this file: JSON objects with kernel, "
               "columns, storage, groups, picks, pin, rows, scalars, "
               "row_strides, offsets, "
               "in_place, seed, verify, bench, iterations; other options are "
               "defaults"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> device{"device", cl::desc("gpu, or sim: the simulator"),
                              cl::init("gpu"), cl::cat(category)};
  cl::opt<std::string> schedule{
      "schedule",
      cl::desc("Of the simulator: eager, lazy, random:SEED, or a list of "
               "them: eager,lazy,random:1-8"),
      cl::init("eager"), cl::cat(category)};
  cl::opt<bool> report{"report",
                       cl::desc("Print the simulator's counters; they also go "
                                "into the line of --json"),
                       cl::cat(category)};
  cl::opt<bool> dryRun{"dry-run",
                       cl::desc("Compile and print metadata and launch; "
                                "needs no GPU"),
                       cl::cat(category)};
  cl::opt<double> watchdog{"watchdog",
                           cl::desc("Seconds after which a kernel hangs (60)"),
                           cl::init(60.0), cl::cat(category)};
};
} // namespace

/// Splits each `name=value` of `list` and hands it to `add`, which returns
/// whether the value makes sense. Each name comes once.
static Error readPairs(StringRef option, const cl::list<std::string> &list,
                       StringRef expected,
                       function_ref<bool(std::string, StringRef)> add) {
  StringSet<> seen;
  for (StringRef text : list) {
    auto [name, value] = text.split('=');
    if (!name.empty() && !seen.insert(name).second)
      return createStringError("--" + option + " names '" + name +
                               "' twice, expected each name once");
    if (name.empty() || value.empty() || !add(name.str(), value))
      return createStringError("--" + option + " must be " + expected +
                               ", got '" + text + "'");
  }
  return Error::success();
}

static Error readOperands(const Options &options, Job &job) {
  auto addText = [](std::map<std::string, std::string> &map) {
    return [&map](std::string name, StringRef value) {
      map[std::move(name)] = value.str();
      return true;
    };
  };
  if (Error error = readPairs("in", options.inputs, "name=file, each name once",
                              addText(job.inputFiles)))
    return error;
  if (Error error =
          readPairs("out", options.outputs, "name=file, each name once",
                    addText(job.outputFiles)))
    return error;
  if (Error error = readPairs("scalar", options.scalars, "name=number",
                              [&](std::string name, StringRef value) {
                                double &number = job.scalars[std::move(name)];
                                // What is too large is read as an infinity.
                                return to_float(value, number) &&
                                       (!std::isinf(number) ||
                                        value.contains_insensitive("inf"));
                              }))
    return error;
  auto addElements = [](std::map<std::string, int64_t> &map) {
    return [&map](std::string name, StringRef value) {
      return to_integer(value, map[std::move(name)]);
    };
  };
  if (Error error = readPairs("in-place", options.inPlace, "out=in, each once",
                              addText(job.inPlace)))
    return error;
  if (Error error = readPairs("row-stride", options.rowStrides, "name=elements",
                              addElements(job.rowStrides)))
    return error;
  return readPairs("offset", options.offsets, "name=elements",
                   addElements(job.offsets));
}

static Error checkOptions(const CommandLine &line) {
  if (line.sweepFile.empty() && line.job.file.empty())
    return createStringError("expected a kernel file or --sweep=file");
  if (!line.sweepFile.empty() &&
      !(line.job.inputFiles.empty() && line.job.outputFiles.empty()))
    return createStringError("--sweep takes no --in and no --out");
  if (line.device != "gpu" && line.device != "sim")
    return createStringError("--device must be gpu or sim, got '" +
                             line.device + "'");
  if (line.report && line.device != "sim")
    return createStringError("--report needs --device=sim");
  if (!(line.watchdogSeconds > 0))
    return createStringError("--watchdog must be more than 0 seconds, got " +
                             Twine(formatv("{0}", line.watchdogSeconds).str()));
  return checkJob(line.job, line.device == "sim", /*prefix=*/"--");
}

Expected<CommandLine> quack::parseCommandLine(int argc, char **argv) {
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  CommandLine line;
  Job &job = line.job;
  job.file = options.input;
  job.kernelName = options.kernel;
  if (options.columns.getNumOccurrences())
    job.columns = options.columns.getValue();
  job.storage = options.storage;
  job.groups = options.groups;
  job.picks = options.picks;
  job.pin = options.pin;
  job.target = options.target;
  job.chip = options.chip;
  job.ptxVersion = options.ptxVersion;
  if (options.rows.getNumOccurrences())
    job.rows = options.rows.getValue();
  job.seed = options.random;
  job.verify = options.verify;
  job.bench = options.bench;
  job.dryRun = options.dryRun;
  job.iterations = options.iterations;
  line.sweepFile = options.sweep;
  line.jsonFile = options.json;
  line.watchdogSeconds = options.watchdog;
  line.device = options.device;
  line.schedule = options.schedule;
  line.report = options.report;
  if (Error error = readOperands(options, job))
    return error;
  if (Error error = checkOptions(line))
    return error;
  return line;
}
