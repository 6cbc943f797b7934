//===- test/Bench/SimulatorBench.cpp - the simulator's speed ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times the simulator on the compiler's own softmax, one core, checks off and
// all on:
//
//   ninja -C build bench
//   build/bin/SimulatorBench [--quack-opt=PATH] [--kernel=FILE] [--slack=F]
//
// Prints million lane-instructions a second and milliseconds, best of several
// runs, in processor time, so that a busy neighbour does not count. Exits 1 if
// a figure misses its target by more than the factor F.
//
//===----------------------------------------------------------------------===//

#include "quack/Simulator/Simulator.h"
#include "quack/Target/KernelMetadata.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <ctime>
#include <string>
#include <vector>

using namespace llvm;
using namespace quack;

namespace {
struct Options {
  cl::opt<std::string> quackOpt{"quack-opt", cl::desc("The compiler"),
                                cl::init(QUACK_OPT)};
  cl::opt<std::string> kernel{"kernel", cl::desc("The row program"),
                              cl::init(QUACK_SOFTMAX)};
  cl::opt<double> slack{"slack", cl::desc("By how much a target may be missed"),
                        cl::init(1)};
  cl::opt<double> seconds{"seconds", cl::desc("At least for each figure"),
                          cl::init(0.5)};
};

/// A softmax, and what its runs must reach.
struct Case {
  StringLiteral storage;
  int64_t columns, rows;
  StringLiteral pin;
  double millisecondsChecked; ///< at most, with all checks; 0: no target
};

struct Compiled {
  std::string ptx;
  KernelMetadata metadata;
};

struct Timing {
  double milliseconds = 0, millionLanes = 0;
};
} // namespace

static constexpr double millionLanesUnchecked = 800, millionLanesChecked = 150;

static constexpr Case cases[] = {
    {"f32", 4096, 64, "", 60},
    {"bf16", 4096, 64, "", 0},
    {"f32", 262144, 1, "cluster = 16", 200},
};

static std::string describe(const Case &test) {
  return formatv("softmax {0} {1}x{2}{3}", test.storage, test.rows,
                 test.columns, test.pin.empty() ? "" : ", cluster of 16");
}

static ExitOnError exitOnError("SimulatorBench: ");

static std::string readFile(const Twine &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
  if (!file)
    exitOnError(createStringError(path + ": " + file.getError().message()));
  return (*file)->getBuffer().str();
}

/// Lets the compiler emit the PTX, with the launch metadata beside it.
static Compiled compile(const Options &options, const Case &test) {
  SmallString<128> folder;
  exitOnError(
      errorCodeToError(sys::fs::createUniqueDirectory("bench", folder)));
  std::string path = (folder + "/softmax.ptx").str(),
              columns = formatv("--columns={0}", test.columns),
              storage = formatv("--storage={0}", test.storage),
              pin = formatv("--pin={0}", test.pin);
  std::vector<StringRef> arguments = {
      options.quackOpt, options.kernel, columns, storage,
      "--emit=ptx",     "-o",           path};
  if (!test.pin.empty())
    arguments.push_back(pin);
  if (sys::ExecuteAndWait(options.quackOpt, arguments) != 0)
    exitOnError(createStringError("'" + options.quackOpt + "' failed"));
  std::string ptx = readFile(path), text = readFile(folder + "/softmax.json");
  sys::fs::remove_directories(folder);
  json::Value document = exitOnError(json::parse(text));
  return {std::move(ptx),
          exitOnError(ModuleMetadata::fromJSON(document)).kernels.front()};
}

/// Small numbers of both signs, the same in each run.
static std::vector<char> makeInput(const Case &test) {
  bool isNarrow = test.storage != "f32";
  size_t elements = size_t(test.rows * test.columns);
  std::vector<char> data(elements * (isNarrow ? 2 : 4));
  uint32_t state = 1;
  for (size_t i = 0; i < elements; ++i) {
    state = state * 1664525u + 1013904223u;
    float value = float(int32_t(state) >> 8) * 0x1p-21f;
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    uint16_t upper = uint16_t(bits >> 16);
    if (isNarrow)
      std::memcpy(&data[2 * i], &upper, 2);
    else
      std::memcpy(&data[4 * i], &bits, 4);
  }
  return data;
}

static Timing measure(const sim::Module &module, const Case &test,
                      const KernelMetadata &kernel, unsigned checks,
                      double seconds) {
  std::vector<char> x = makeInput(test), y(x.size());
  constexpr uint64_t addressX = 1ull << 40, addressY = 2ull << 40;
  sim::LaunchConfig config;
  uint64_t tiles =
      uint64_t((test.rows + kernel.rowsPerTile - 1) / kernel.rowsPerTile);
  config.kernel = kernel.name;
  config.grid.x = uint32_t(tiles * uint64_t(kernel.cluster));
  config.block.x = uint32_t(kernel.threads);
  config.cluster.x = uint32_t(kernel.cluster);
  config.sharedBytes = uint32_t(kernel.sharedBytes);
  config.arguments = {addressX, uint64_t(test.columns), addressY,
                      uint64_t(test.columns), uint64_t(test.rows)};
  config.buffers = {{addressX, x.data(), x.size()},
                    {addressY, y.data(), y.size()}};
  sim::Options options;
  options.checks = checks;
  Timing best;
  double total = 0;
  for (unsigned run = 0; run < 3 || total < seconds; ++run) {
    std::clock_t begin = std::clock();
    sim::Report report = exitOnError(module.launch(config, options));
    double taken = double(std::clock() - begin) / CLOCKS_PER_SEC;
    if (!report.isClean())
      exitOnError(createStringError(report.faults.front().str()));
    total += taken;
    if (run == 0 || taken * 1e3 < best.milliseconds)
      best = {taken * 1e3, double(report.laneInstructions) / taken * 1e-6};
  }
  return best;
}

/// Prints a figure; returns whether it reaches its targets.
static bool judge(const Case &test, StringRef checks, const Timing &timing,
                  double millionLanes, double milliseconds, double slack) {
  bool isGood =
      timing.millionLanes * slack >= millionLanes &&
      (milliseconds == 0 || timing.milliseconds <= milliseconds * slack);
  outs() << formatv(
      "{0,-36} {1,-11} {2,6:F0} M lanes/s (>= {3:F0}) {4,8:F2} ms",
      describe(test), checks, timing.millionLanes, millionLanes,
      timing.milliseconds);
  if (milliseconds != 0)
    outs() << formatv(" (<= {0:F0})", milliseconds);
  outs() << (isGood ? "\n" : "  missed\n");
  return isGood;
}

int main(int argc, char **argv) {
  Options options;
  cl::ParseCommandLineOptions(argc, argv, "times the simulator\n");
  bool isGood = true;
  for (const Case &test : cases) {
    Compiled compiled = compile(options, test);
    sim::Module module = exitOnError(sim::Module::parse(compiled.ptx));
    isGood &=
        judge(test, "checks off",
              measure(module, test, compiled.metadata, 0, options.seconds),
              millionLanesUnchecked, 0, options.slack);
    isGood &=
        judge(test, "all checks",
              measure(module, test, compiled.metadata, sim::checkAll,
                      options.seconds),
              millionLanesChecked, test.millisecondsChecked, options.slack);
  }
  return isGood ? 0 : 1;
}
