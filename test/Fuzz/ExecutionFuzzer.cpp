//===- test/Fuzz/ExecutionFuzzer.cpp - any PTX is executed ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first four bytes choose schedule, seed, shape and checks; the rest is
// PTX. Whatever it does, the simulator ends within its step limit, touches no
// memory but the launch's own, and gives the same faults and bits each time and
// with several host threads.
//
//===----------------------------------------------------------------------===//

#include "quack/Simulator/Simulator.h"

#include "llvm/Support/ErrorHandling.h"

#include <cstring>

using namespace llvm;
using namespace quack::sim;

namespace {
struct Run {
  std::string faults; ///< or the error
  std::vector<uint8_t> memory;
};
} // namespace

static constexpr size_t bufferBytes = 4096;
static constexpr uint64_t bufferDistance = 1ull << 40;
static constexpr unsigned buffers = 2;

/// Pointers and numbers in turns, as the compiler's kernels take them.
static std::vector<uint64_t> makeArguments(ArrayRef<unsigned> bytes) {
  std::vector<uint64_t> arguments;
  for (size_t i = 0; i < bytes.size(); ++i)
    arguments.push_back(
        i % 2 == 0 && i < 2 * buffers ? bufferDistance * (i / 2 + 1) : 2);
  return arguments;
}

static Run run(const Module &module, const std::string &kernel,
               ArrayRef<uint8_t> choices, unsigned hostThreads) {
  Run result;
  result.memory.assign(bufferBytes * buffers, 0x3c);
  Options options;
  options.schedule = Schedule(choices[0] % 3);
  options.seed = choices[1];
  options.checks = choices[3] & 0x80 ? choices[3] & checkAll : checkAll;
  options.stepLimit = 20000;
  options.hostThreads = hostThreads;
  options.countsTouched = choices[3] & 0x40;
  static constexpr uint32_t threads[] = {32, 1, 33, 64, 96, 128, 31, 256};
  LaunchConfig config;
  config.kernel = kernel;
  config.block = module.requiredBlock(kernel);
  if (!config.block.count())
    config.block = {threads[choices[2] & 7], 1, 1};
  config.cluster = module.requiredCluster(kernel);
  if (!config.cluster.count())
    config.cluster = {1u << (choices[2] >> 3 & 3), 1, 1};
  config.grid = config.cluster;
  config.grid.x *= 1 + (choices[2] >> 5 & 1);
  config.sharedBytes = 8192;
  config.arguments = makeArguments(module.parameterBytes(kernel));
  for (unsigned i = 0; i < buffers; ++i)
    config.buffers.push_back({bufferDistance * (i + 1),
                              result.memory.data() + i * bufferBytes,
                              bufferBytes});
  Expected<Report> report = module.launch(config, options);
  if (!report) {
    result.faults = toString(report.takeError());
    return result;
  }
  for (const Fault &fault : report->faults)
    result.faults += fault.str() + "\n";
  result.faults += std::to_string(report->laneInstructions);
  return result;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 4)
    return 0;
  ArrayRef<uint8_t> choices(data, 4);
  Expected<Module> module = Module::parse(
      StringRef(reinterpret_cast<const char *>(data + 4), size - 4), "fuzz");
  if (!module) {
    consumeError(module.takeError());
    return 0;
  }
  for (const std::string &kernel : module->kernels()) {
    Extent block = module->requiredBlock(kernel),
           cluster = module->requiredCluster(kernel);
    // Large shapes cost time and show nothing that small ones do not.
    if (block.count() > 512 || cluster.count() > 8)
      continue;
    Run first = run(*module, kernel, choices, 1);
    // Without the check of races, those of clusters depend on the host.
    bool isSame = !(choices[3] & 0x80) || (choices[3] & checkRaces);
    Run second =
        run(*module, kernel, choices, isSame && (choices[1] & 1) ? 2 : 1);
    if (first.faults != second.faults || first.memory != second.memory)
      report_fatal_error(Twine("two runs differ:\n") + first.faults + "\n" +
                         second.faults);
  }
  return 0;
}
