//===- SimulatedCuda/Launches.cpp - kernels run -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch is checked as the driver checks it, then runs in the simulator. It
// may touch the device's allocations, and of the host's memory what its
// arguments point to. Its faults are the context's error from then on, as on a
// GPU, and are listed on stderr.
//
//===----------------------------------------------------------------------===//

#include "EntryPoints.h"
#include "State.h"

#include "Simulator/Residency.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstring>
#include <fstream>

using namespace llvm;
using namespace quack;
using namespace quack::simcuda;

namespace {
/// A launch as it was asked for, with its parameters' values.
struct PendingLaunch {
  const void *function; ///< may be gone when a graph is launched
  sim::LaunchConfig config;
};
} // namespace

//===----------------------------------------------------------------------===//
// Memory that a launch may touch
//===----------------------------------------------------------------------===//

/// Returns what the host has mapped readable at `address`; no bytes if nothing.
static sim::Buffer findHostMemory(uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    uint64_t begin, end;
    char readable;
    if (std::sscanf(line.c_str(), "%lx-%lx %c", &begin, &end, &readable) == 3 &&
        readable == 'r' && begin <= address && address < end)
      return {begin, reinterpret_cast<void *>(begin), end - begin};
  }
  return {};
}

static void addBuffers(State &state, const Context &context,
                       sim::LaunchConfig &config) {
  std::vector<sim::Buffer> &buffers = config.buffers;
  for (auto &[address, allocation] : state.memory)
    if (allocation.device == context.device)
      buffers.push_back({address, allocation.data.get(), allocation.bytes,
                         allocation.written.get()});
  // Addresses that no process has are numbers.
  constexpr uint64_t leastAddress = 1 << 16;
  for (uint64_t word : config.arguments) {
    DevicePointer begin = 0;
    if (word < leastAddress || findAllocation(state, word, &begin))
      continue;
    sim::Buffer host = findHostMemory(word);
    bool isNew = none_of(buffers, [&](const sim::Buffer &buffer) {
      return buffer.address == host.address;
    });
    if (host.bytes > 0 && isNew)
      buffers.push_back(host);
  }
  llvm::sort(buffers, [](const sim::Buffer &a, const sim::Buffer &b) {
    return a.address < b.address;
  });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static Result complain(const std::string &kernel, const std::string &text,
                       State &state) {
  std::string line = formatv("simulated CUDA: {0}: {1}", kernel, text);
  errs() << line << "\n";
  state.log(line);
  return launchFailed;
}

static Result run(State &state, PendingLaunch launch) {
  sim::LaunchConfig &config = launch.config;
  const Function *function = state.functions.find(launch.function);
  if (!function)
    return complain(config.kernel, "its module was unloaded", state);
  Context &context = *function->module->context;
  addBuffers(state, context, config);
  config.gridId = state.launches++;
  Expected<sim::Report> report =
      function->module->code->launchEach(config, state.settings.runs);
  if (!report)
    context.status =
        complain(config.kernel, toString(report.takeError()), state);
  else if (!report->isClean())
    for (const sim::Fault &fault : report->faults) {
      complain(config.kernel, fault.str(), state);
      bool isAccess = fault.kind == "out-of-bounds";
      if (context.status == success && !fault.isWarning)
        context.status = isAccess ? illegalAddress : launchFailed;
    }
  return success;
}

/// Returns the driver's objection to a launch; success if it has none.
static Result findObjection(const Function &function,
                            const LaunchConfig &config,
                            const sim::Extent &cluster) {
  auto count = [](const unsigned *extent) {
    return uint64_t(extent[0]) * extent[1] * extent[2];
  };
  bool isGrid = config.grid[0] >= 1 && config.grid[0] <= 0x7fffffff &&
                config.grid[1] >= 1 && config.grid[1] <= 65535 &&
                config.grid[2] >= 1 && config.grid[2] <= 65535;
  bool isBlock = count(config.block) >= 1 && count(config.block) <= 1024;
  if (!isGrid || !isBlock ||
      config.sharedBytes > unsigned(function.dynamicSharedLimit))
    return invalidValue;
  uint64_t ctas = cluster.count();
  if (ctas < 1 || ctas > 16 || (ctas > 8 && !function.allowsNonPortableCluster))
    return invalidClusterSize;
  if (config.grid[0] % cluster.x != 0 || config.grid[1] % cluster.y != 0 ||
      config.grid[2] % cluster.z != 0)
    return invalidValue;
  sim::Residency residency;
  bool fits = !residency
                   .place({uint32_t(count(config.block)), config.sharedBytes},
                          uint32_t(ctas))
                   .empty();
  return fits ? success : invalidClusterSize;
}

/// Takes the values of the parameters that the kernel has.
static void addArguments(const Function &function, void **parameters,
                         sim::LaunchConfig &config) {
  for (unsigned bytes : function.module->code->parameterBytes(function.name)) {
    const auto *from = static_cast<const uint8_t *>(*parameters++);
    if (bytes > sizeof(uint64_t))
      config.largeArguments[unsigned(config.arguments.size())].assign(
          from, from + bytes);
    config.arguments.push_back(0);
    std::memcpy(&config.arguments.back(), from,
                std::min<size_t>(bytes, sizeof(uint64_t)));
  }
}

static Result launchIn(Call &call, const LaunchConfig &config, void *handle,
                       void **parameters, void **extra) {
  Function *function = call.state.functions.find(handle);
  Stream *stream = findStream(call, config.stream);
  if (!function || !stream)
    return invalidHandle;
  PendingLaunch launch{function, {}};
  sim::Extent &cluster = launch.config.cluster;
  bool isProgrammatic = false;
  for (unsigned i = 0; i < config.numAttributes; ++i) {
    const LaunchAttribute &attribute = config.attributes[i];
    const unsigned *size = attribute.value.clusterDim;
    if (attribute.id == launchClusterDimension)
      cluster = {size[0], size[1], size[2]};
    if (attribute.id == launchProgrammaticSerialization)
      isProgrammatic = attribute.value.flag != 0;
  }
  call.text =
      formatv(" stream={0} kernel={1} grid={2},{3},{4} block={5},{6},{7} "
              "cluster={8} shared={9}{10}",
              stream->number, function->name, config.grid[0], config.grid[1],
              config.grid[2], config.block[0], config.block[1], config.block[2],
              cluster.count(), config.sharedBytes,
              isProgrammatic ? " programmatic" : "");
  if (extra)
    return notSupported;
  // CUDA C++ Programming Guide, "Stream and Event Behavior".
  if (function->module->context != stream->context ||
      stream->context != call.context)
    return invalidHandle;
  if (Result objection = findObjection(*function, config, cluster))
    return objection;
  launch.config.kernel = function->name;
  launch.config.grid = {config.grid[0], config.grid[1], config.grid[2]};
  launch.config.block = {config.block[0], config.block[1], config.block[2]};
  launch.config.sharedBytes = config.sharedBytes;
  addArguments(*function, parameters, launch.config);
  call.text += " parameters=";
  for (uint64_t word : launch.config.arguments)
    call.text += formatv("{0:x},", word).str();
  call.text.pop_back();
  State *state = &call.state;
  return enqueue(call, *stream, [=] { return run(*state, launch); });
}

int simcuda::cuLaunchKernelEx(const LaunchConfig *config, void *function,
                              void **parameters, void **extra) {
  return call("cuLaunchKernelEx", needsContext, [&](Call &call) {
    return launchIn(call, *config, function, parameters, extra);
  });
}

int simcuda::cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                            unsigned gridZ, unsigned blockX, unsigned blockY,
                            unsigned blockZ, unsigned sharedBytes, void *stream,
                            void **parameters, void **extra) {
  LaunchConfig config{{gridX, gridY, gridZ},
                      {blockX, blockY, blockZ},
                      sharedBytes,
                      stream,
                      nullptr,
                      0};
  return call("cuLaunchKernel", needsContext, [&](Call &call) {
    return launchIn(call, config, function, parameters, extra);
  });
}

int simcuda::cuLaunchHostFunc(void *handle, HostFunction function, void *data) {
  return call("cuLaunchHostFunc", needsContext, [&](Call &call) -> Result {
    Stream *stream = findStream(call, handle);
    if (!stream)
      return invalidHandle;
    return enqueue(call, *stream, [=]() -> Result {
      function(data);
      return success;
    });
  });
}
