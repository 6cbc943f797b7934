//===- SimulatedRuntime.cpp - both launchers, on the simulator -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled host programs call, for tests without a GPU: the launcher of
// quack-c/Launch.h, and the functions of upstream's CUDA runtime
// (mlir/lib/ExecutionEngine/CudaRuntimeWrappers.cpp) that gpu-to-llvm makes calls of.
// Device memory is the host's. A fault ends the process.
//
//===----------------------------------------------------------------------===//

#include "quack-c/Launch.h"
#include "quack/Simulator/HostLaunch.h"

#include "llvm/Support/ErrorHandling.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>

using namespace llvm;
using namespace quack;

namespace {
/// The simulated device's view of a launch.
struct Launch {
  const sim::Module *module;
  std::string kernel;
  sim::Extent grid, block, cluster;
  uint32_t sharedBytes;
  std::vector<uint64_t> words;
};

struct Range {
  uint64_t begin, end;
};

struct Function {
  const sim::Module *module;
  std::string kernel;
};
} // namespace

template <typename T> static T check(Expected<T> value) {
  if (!value)
    report_fatal_error(Twine("simulated runtime: ") + toString(value.takeError()));
  return std::move(*value);
}

/// Allocations of mgpuMemAlloc, by address.
static std::map<uint64_t, uint64_t> allocations;

/// Returns the memory that `address` lies in: an allocation, or what the host has mapped
/// there.
static std::optional<Range> findMemory(uint64_t address) {
  auto above = allocations.upper_bound(address);
  if (above != allocations.begin()) {
    auto [begin, bytes] = *std::prev(above);
    if (address - begin < bytes)
      return Range{begin, begin + bytes};
  }
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    Range range;
    char writable;
    if (std::sscanf(line.c_str(), "%lx-%lx %*c%c", &range.begin, &range.end, &writable) == 3 &&
        range.begin <= address && address < range.end)
      return range;
  }
  return std::nullopt;
}

/// Runs a launch that may touch `ranges`, which may overlap.
static void run(const Launch &launch, std::vector<Range> ranges) {
  sim::LaunchConfig config;
  config.kernel = launch.kernel;
  config.grid = launch.grid;
  config.block = launch.block;
  config.cluster = launch.cluster;
  config.sharedBytes = launch.sharedBytes;
  config.arguments = launch.words;
  llvm::sort(ranges, [](Range a, Range b) { return a.begin < b.begin; });
  for (Range range : ranges) {
    uint64_t end = config.buffers.empty()
                       ? 0
                       : config.buffers.back().address + config.buffers.back().bytes;
    if (range.begin >= end)
      config.buffers.push_back({range.begin, reinterpret_cast<void *>(range.begin),
                                range.end - range.begin});
    else if (range.end > end)
      config.buffers.back().bytes += range.end - end;
  }
  sim::Report report = check(launch.module->launch(config));
  if (report.isClean())
    return;
  for (const sim::Fault &fault : report.faults)
    std::cerr << launch.kernel << ": " << fault.str() << "\n";
  report_fatal_error("simulated runtime: a kernel has faults");
}

//===----------------------------------------------------------------------===//
// quack-c/Launch.h
//===----------------------------------------------------------------------===//

namespace {
/// What the launcher keeps of a program's kernels.
struct Program {
  ModuleMetadata metadata;
  sim::Module module;
};
} // namespace

int32_t quackLaunch(void **state, const char *ptx, const char *metadata, const char *kernel,
                    int64_t rows, const QuackArgument *arguments, int64_t count, void *) {
  if (!*state)
    *state = new Program{check(ModuleMetadata::fromJSON(check(json::parse(metadata)))),
                         check(sim::Module::parse(ptx))};
  auto &program = *static_cast<Program *>(*state);
  if (Error error = sim::launchOnHost(program.module, program.metadata, kernel,
                                      {arguments, size_t(count)}, rows))
    report_fatal_error(Twine("simulated runtime: ") + toString(std::move(error)));
  return 0;
}

//===----------------------------------------------------------------------===//
// Upstream's runtime
//===----------------------------------------------------------------------===//

extern "C" {
void *mgpuModuleLoadJIT(void *ptx, int, size_t) {
  return new sim::Module(check(sim::Module::parse(static_cast<const char *>(ptx))));
}
void mgpuModuleUnload(void *module) { delete static_cast<sim::Module *>(module); }

void *mgpuModuleGetFunction(void *module, const char *name) {
  return new Function{static_cast<sim::Module *>(module), name};
}

void mgpuLaunchClusterKernel(void *function, intptr_t clusterX, intptr_t clusterY,
                             intptr_t clusterZ, intptr_t gridX, intptr_t gridY,
                             intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                             intptr_t blockZ, int32_t sharedBytes, void *, void **parameters,
                             void **, size_t) {
  auto extent = [](intptr_t x, intptr_t y, intptr_t z) {
    return sim::Extent{static_cast<uint32_t>(x), static_cast<uint32_t>(y),
                       static_cast<uint32_t>(z)};
  };
  const auto &launched = *static_cast<Function *>(function);
  Launch launch{launched.module,
                launched.kernel,
                extent(gridX, gridY, gridZ),
                extent(blockX, blockY, blockZ),
                extent(clusterX, clusterY, clusterZ),
                static_cast<uint32_t>(sharedBytes),
                {}};
  std::vector<Range> ranges;
  for (auto [index, bytes] :
       enumerate(launched.module->parameterBytes(launched.kernel))) {
    uint64_t word = 0;
    std::memcpy(&word, parameters[index], bytes);
    launch.words.push_back(word);
    // Whatever may be a pointer.
    if (std::optional<Range> memory = bytes == 8 ? findMemory(word) : std::nullopt)
      ranges.push_back(*memory);
  }
  run(launch, std::move(ranges));
}

void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY, intptr_t gridZ,
                      intptr_t blockX, intptr_t blockY, intptr_t blockZ,
                      int32_t sharedBytes, void *stream, void **parameters, void **extra,
                      size_t count) {
  mgpuLaunchClusterKernel(function, 1, 1, 1, gridX, gridY, gridZ, blockX, blockY, blockZ,
                          sharedBytes, stream, parameters, extra, count);
}

void *mgpuStreamCreate() { return nullptr; }
void mgpuStreamDestroy(void *) {}
void mgpuStreamSynchronize(void *) {}

void *mgpuMemAlloc(uint64_t bytes, void *, bool) {
  void *memory = std::malloc(bytes);
  allocations[reinterpret_cast<uint64_t>(memory)] = bytes;
  return memory;
}
void mgpuMemFree(void *memory, void *) {
  allocations.erase(reinterpret_cast<uint64_t>(memory));
  std::free(memory);
}
}
