//===- tools/quack-bench/Options.cpp - the command line ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the options and checks them.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "quack/Runtime/Storage.h"
#include "quack/Support/Columns.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;
using namespace quack;
using namespace quack::bench;

static constexpr StringLiteral overview = R"(measures kernels over N and types

  quack-bench --json=table.json --plot=figures
  quack-bench softmax rms_norm --columns=4096,8192 --storage=bf16 --compare=old.json
  quack-bench --shard=1/4 --json=part1.json --resume
  quack-bench --from=part1.json --from=part2.json --json=table.json --plot=figures

Each cell's kernel is timed in turns with the fastest copies of as many bytes, L2
emptied before each launch; up to N = 2048 also by replays of a graph. What it stored
is compared with the float64 evaluator. tools/quack-bench/README.md says how, and
what a row of the table holds.

Exit code: 0 all is well, 1 an error, a wrong result, or (--compare) a kernel that
became slower beyond both intervals, 3 no GPU, 4 the GPU was lost.
)";

namespace {
/// The options; constructed after the libraries' own are hidden.
struct Options {
  cl::OptionCategory category{"quack-bench options"};
  cl::list<std::string> kernels{
      cl::Positional,
      cl::desc("<kernels: files, or names of the library; default: softmax "
               "rms_norm layer_norm cross_entropy>"),
      cl::cat(category)};
  cl::opt<std::string> kernelsFolder{
      "kernels-dir",
      cl::desc("Where kernels are that are named "
               "(in the program)"),
      cl::value_desc("folder"), cl::cat(category)};
  cl::list<int64_t> columns{
      "columns", cl::CommaSeparated,
      cl::desc("N of the cells (powers of two from 256 to "
               "262144)"),
      cl::value_desc("N,..."), cl::cat(category)};
  cl::list<std::string> dtypes{"storage", cl::CommaSeparated,
                               cl::desc("Types of rows in memory (bf16,f32)"),
                               cl::value_desc("types"), cl::cat(category)};
  cl::opt<int64_t> rows{"rows",
                        cl::desc("M of all cells (32768, and 2^29 / N from N = "
                                 "16384 on)"),
                        cl::value_desc("M"), cl::cat(category)};
  cl::opt<std::string> bytes{
      "bytes",
      cl::desc("Or: bytes of a cell's rows, such as 512M; M "
               "follows"),
      cl::value_desc("size"), cl::cat(category)};
  cl::opt<std::string> operands{
      "operands",
      cl::desc(
          "Optional operands that are there, of the rows' type or another: "
          "weight,rstd:f32 (the norms': weight)"),
      cl::value_desc("names"), cl::cat(category)};
  cl::list<std::string> scalars{
      "scalar", cl::desc("Number for a value operand (eps=1e-6)"),
      cl::value_desc("name=number"), cl::cat(category)};
  cl::opt<int64_t> groups{
      "groups", cl::desc("Columns of a group, of kernels that have groups"),
      cl::value_desc("count"), cl::init(0), cl::cat(category)};
  cl::opt<int64_t> picks{
      "picks",
      cl::desc("Elements that are picked of a row, of kernels that do"),
      cl::value_desc("count"), cl::init(0), cl::cat(category)};
  cl::opt<std::string> pin{"pin",
                           cl::desc("Plan fields to keep: 'threads = 256'"),
                           cl::value_desc("fields"), cl::cat(category)};
  cl::opt<std::string> target{"target",
                              cl::desc("GPU to plan for (h100, h200)"),
                              cl::init("h200"), cl::cat(category)};
  cl::opt<std::string> chip{"chip",
                            cl::desc("Chip to compile for (sm_90, sm_90a)"),
                            cl::init("sm_90"), cl::cat(category)};
  cl::opt<std::string> device{
      "device",
      cl::desc("gpu, or sim: the simulator, whose times "
               "say nothing"),
      cl::init("gpu"), cl::cat(category)};
  cl::opt<bool> dryRun{"dry-run",
                       cl::desc("Compile and list the cells; needs no GPU"),
                       cl::cat(category)};
  cl::opt<std::string> shard{
      "shard", cl::desc("Every n-th cell from the i-th on"),
      cl::value_desc("i/n"), cl::init("1/1"), cl::cat(category)};
  cl::opt<int64_t> samples{
      "samples",
      cl::desc("Timed runs of each implementation, at least "
               "(30; in the simulator 3)"),
      cl::cat(category)};
  cl::opt<double> budget{
      "budget",
      cl::desc("Seconds for more samples while an interval is "
               "wider than 1 % (0.4; in the simulator 0)"),
      cl::cat(category)};
  cl::opt<double> watchdog{"watchdog",
                           cl::desc("Seconds after which a kernel hangs (60)"),
                           cl::init(60.0), cl::cat(category)};
  cl::opt<std::string> json{
      "json",
      cl::desc("The table's file: rows are added after each "
               "cell"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<bool> resume{"resume",
                       cl::desc("Leave out cells that the table has already"),
                       cl::cat(category)};
  cl::list<std::string> tables{
      "from", cl::desc("Measure nothing: take this table, or several as one"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> plot{"plot",
                            cl::desc("Draw SVG figures into this folder"),
                            cl::value_desc("folder"), cl::cat(category)};
  cl::opt<std::string> compare{"compare",
                               cl::desc("Compare with this older table"),
                               cl::value_desc("file"), cl::cat(category)};
};
} // namespace

static Error wrong(const Twine &option, const Twine &expected,
                   const Twine &got) {
  return createStringError("--" + option + " must be " + expected + ", got '" +
                           got + "'");
}

/// Reads a number of bytes: digits, and K, M or G for powers of 1024.
static std::optional<int64_t> parseBytes(StringRef text) {
  int64_t factor = 1;
  for (auto [suffix, value] :
       {std::pair("K", 1ll << 10), {"M", 1ll << 20}, {"G", 1ll << 30}})
    if (text.consume_back_insensitive(suffix)) {
      factor = value;
      break;
    }
  int64_t number = 0;
  constexpr int64_t most = 1ll << 47;
  if (!to_integer(text, number, 10) || number < 1 || number > most / factor)
    return std::nullopt;
  return number * factor;
}

static Error readShard(StringRef text, Shard &shard) {
  auto [number, count] = text.split('/');
  if (to_integer(number, shard.number, 10) &&
      to_integer(count, shard.count, 10) && 1 <= shard.number &&
      shard.number <= shard.count)
    return Error::success();
  return wrong("shard", "i/n with 1 <= i <= n", text);
}

static Error readScalars(const cl::list<std::string> &list,
                         std::map<std::string, double> &scalars) {
  for (StringRef text : list) {
    auto [name, value] = text.split('=');
    double number = 0;
    if (name.empty() || value.empty() || !to_float(value, number) ||
        !std::isfinite(number))
      return wrong("scalar", "name=number", text);
    if (!scalars.emplace(name.str(), number).second)
      return createStringError("--scalar names '" + name +
                               "' twice, expected each name once");
  }
  return Error::success();
}

/// Checks the cells that are asked for.
static Error checkGrid(const Options &options, CommandLine &line) {
  for (int64_t columns : line.columns)
    if (std::string rule = violatedColumns(columns); !rule.empty())
      return createStringError("--columns " + rule);
  for (const std::string &dtype : line.dtypes) {
    std::optional<StorageType> type = parseStorageType(dtype);
    if (!type || !isFloat(*type))
      return wrong("storage", "types of floats such as bf16,f32", dtype);
  }
  if (options.rows.getNumOccurrences()) {
    line.rows = options.rows;
    if (*line.rows < 1)
      return wrong("rows", "at least 1", Twine(*line.rows));
  }
  if (options.bytes.getNumOccurrences()) {
    line.bytes = parseBytes(options.bytes);
    if (!line.bytes)
      return wrong("bytes", "a size such as 65536, 64K or 512M", options.bytes);
  }
  if (line.rows && line.bytes)
    return createStringError("--rows and --bytes both say how large cells are: "
                             "give one");
  if (Error error = readScalars(options.scalars, line.scalars))
    return error;
  return readShard(options.shard, line.shard);
}

static Error checkMeasuring(const CommandLine &line) {
  if (line.device != "gpu" && line.device != "sim")
    return wrong("device", "gpu or sim", line.device);
  if (line.samples < 1)
    return wrong("samples", "at least 1", Twine(line.samples));
  if (!(line.budgetSeconds >= 0))
    return wrong("budget", "0 seconds or more",
                 formatv("{0}", line.budgetSeconds).str());
  if (!(line.watchdogSeconds > 0))
    return wrong("watchdog", "more than 0 seconds",
                 formatv("{0}", line.watchdogSeconds).str());
  if (line.resumes && line.jsonFile.empty())
    return createStringError(
        "--resume needs --json=file, the table to go on with");
  return Error::success();
}

static Error checkOptions(const Options &options, CommandLine &line) {
  if (Error error = checkGrid(options, line))
    return error;
  if (Error error = checkMeasuring(line))
    return error;
  bool measures = options.kernels.getNumOccurrences() || line.resumes ||
                  line.dryRun || options.columns.getNumOccurrences() ||
                  options.dtypes.getNumOccurrences();
  if (!line.tables.empty() && measures)
    return createStringError("--from measures nothing: it takes no kernels, "
                             "--columns, --storage, --resume and --dry-run");
  return Error::success();
}

Expected<CommandLine> quack::bench::parseCommandLine(int argc, char **argv) {
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  CommandLine line;
  line.kernels = options.kernels;
  if (line.kernels.empty())
    line.kernels = {"softmax", "rms_norm", "layer_norm", "cross_entropy"};
  if (options.kernelsFolder.getNumOccurrences())
    line.kernelsFolder = options.kernelsFolder;
  line.columns = options.columns;
  if (line.columns.empty())
    for (int64_t columns = 256; columns <= 262144; columns *= 2)
      line.columns.push_back(columns);
  line.dtypes = options.dtypes;
  if (line.dtypes.empty())
    line.dtypes = {"bf16", "f32"};
  if (options.operands.getNumOccurrences())
    line.operands = options.operands;
  line.groups = options.groups;
  line.picks = options.picks;
  line.pin = options.pin;
  line.target = options.target;
  line.chip = options.chip;
  line.device = options.device;
  line.dryRun = options.dryRun;
  if (line.isSimulated()) {
    line.samples = 3;
    line.budgetSeconds = 0;
  }
  if (options.samples.getNumOccurrences())
    line.samples = options.samples;
  if (options.budget.getNumOccurrences())
    line.budgetSeconds = options.budget;
  line.watchdogSeconds = options.watchdog;
  line.jsonFile = options.json;
  line.resumes = options.resume;
  line.tables = options.tables;
  line.plotFolder = options.plot;
  line.compareFile = options.compare;
  if (Error error = checkOptions(options, line))
    return error;
  return line;
}
