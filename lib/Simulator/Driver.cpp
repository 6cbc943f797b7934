//===- Driver.cpp - a driver without GPU -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory is host memory at addresses of its own, far apart, so that a
// kernel that misses an allocation hits none. Launches run at once.
//
//===----------------------------------------------------------------------===//

#include "quack/Simulator/Driver.h"

#include "../Runtime/CudaEntryPoints.h"
#include "DriverGraphs.h"
#include "Residency.h"

#include <chrono>
#include <cstring>
#include <map>
#include <unistd.h>

using namespace llvm;
using namespace quack;
using namespace quack::sim;

namespace {
/// The driver's own error codes.
enum : int {
  outOfMemory = 2,
  invalidValue = 1,
  notFound = 500,
  simulatorFault = 999
};

constexpr uint64_t allocationDistance = 1ull << 40;

struct LoadedModule;

struct LoadedFunction {
  LoadedModule *module;
  std::string name;
};

struct LoadedModule {
  explicit LoadedModule(sim::Module module) : module(std::move(module)) {}
  sim::Module module;
  std::map<std::string, LoadedFunction> functions;
};

/// Device memory. Until it is written it holds no values.
struct Allocation {
  explicit Allocation(size_t bytes) : data(bytes), written(bytes) {}
  std::vector<char> data;
  std::vector<uint8_t> written; ///< see Buffer::written
};

/// A run of bytes in an allocation.
struct Place {
  Allocation *allocation = nullptr;
  size_t offset = 0;

  char *data() const { return allocation->data.data() + offset; }
  uint8_t *written() const { return allocation->written.data() + offset; }
};

/// The driver is one a process, as CUDA's is.
struct State {
  std::vector<Options> runs = {Options()};
  std::vector<Region> regions;
  Report report;
  uint64_t launches = 0;
  std::map<uint64_t, Allocation> memory; ///< by address
  uint64_t nextAddress = allocationDistance;
  std::string errorText = "no error";
};

struct TimeStamp {
  std::chrono::steady_clock::time_point time;
};
} // namespace

static State &state() {
  static State state;
  return state;
}

void quack::sim::setDriverOptions(std::vector<Options> runs) {
  state().runs = std::move(runs);
}
void quack::sim::setDriverRegions(std::vector<Region> regions) {
  state().regions = std::move(regions);
}
const Report &quack::sim::lastReport() { return state().report; }

static int fail(int code, std::string text) {
  state().errorText = std::move(text);
  return code;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The bytes that the host's memory has for allocations, whose bytes take two each.
static size_t freeBytes() {
  size_t all = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE)) / 2;
  for (auto &entry : state().memory)
    all -= std::min(all, entry.second.data.size());
  return all;
}

static int memAlloc(cuda::DevicePointer *address, size_t bytes) {
  // The host would give what it has not, and end the process at its use.
  if (size_t free = freeBytes(); bytes > free) {
    state().errorText =
        "out of memory: this machine has " + std::to_string(free) + " bytes left";
    return outOfMemory;
  }
  // No address is given twice, so that the use of freed memory is an error.
  uint64_t at = state().nextAddress;
  state().nextAddress += allocationDistance;
  state().memory.emplace(at, bytes);
  *address = at;
  return cuda::resultSuccess;
}

static int memFree(cuda::DevicePointer address) {
  return state().memory.erase(address) ? int(cuda::resultSuccess)
                                       : int(invalidValue);
}

/// Returns where the bytes are; nowhere after an error.
static Place find(cuda::DevicePointer address, size_t bytes) {
  auto found = state().memory.upper_bound(address);
  if (found != state().memory.begin()) {
    --found;
    uint64_t offset = address - found->first;
    size_t size = found->second.data.size();
    if (bytes <= size && offset <= size - bytes)
      return {&found->second, size_t(offset)};
  }
  fail(invalidValue, "the address is in no allocation");
  return {};
}

static int copyToHost(void *to, cuda::DevicePointer from, size_t bytes) {
  if (int result = waitForStream())
    return result;
  Place place = find(from, bytes);
  if (!place.allocation)
    return invalidValue;
  std::memcpy(to, place.data(), bytes);
  return cuda::resultSuccess;
}

static int copyToDevice(cuda::DevicePointer to, const void *from,
                        size_t bytes) {
  if (int result = waitForStream())
    return result;
  Place place = find(to, bytes);
  if (!place.allocation)
    return invalidValue;
  std::memcpy(place.data(), from, bytes);
  std::memset(place.written(), 1, bytes);
  return cuda::resultSuccess;
}

static int copyOnDevice(cuda::DevicePointer to, cuda::DevicePointer from,
                        size_t bytes) {
  Place source = find(from, bytes), place = find(to, bytes);
  if (!source.allocation || !place.allocation)
    return invalidValue;
  std::memmove(place.data(), source.data(), bytes);
  std::memmove(place.written(), source.written(), bytes);
  return cuda::resultSuccess;
}

static int fill(cuda::DevicePointer to, unsigned char value, size_t bytes) {
  Place place = find(to, bytes);
  if (!place.allocation)
    return invalidValue;
  std::memset(place.data(), value, bytes);
  std::memset(place.written(), 1, bytes);
  return cuda::resultSuccess;
}

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

static int moduleLoad(void **module, const void *image, unsigned count,
                      int *options, void **values) {
  Expected<sim::Module> parsed =
      sim::Module::parse(static_cast<const char *>(image), "ptx");
  if (parsed) {
    *module = new LoadedModule(std::move(*parsed));
    return cuda::resultSuccess;
  }
  std::string text = toString(parsed.takeError());
  for (unsigned i = 0; i + 1 < count; ++i)
    if (options[i] == cuda::jitErrorLog)
      std::snprintf(static_cast<char *>(values[i]),
                    reinterpret_cast<size_t>(values[i + 1]), "%s",
                    text.c_str());
  return fail(invalidValue, text);
}

static int moduleGetFunction(void **function, void *object, const char *name) {
  auto *module = static_cast<LoadedModule *>(object);
  for (const std::string &kernel : module->module.kernels())
    if (kernel == name) {
      *function =
          &module->functions.try_emplace(name, LoadedFunction{module, name})
               .first->second;
      return cuda::resultSuccess;
    }
  return fail(notFound, "no such kernel");
}

/// Runs what is launched, on the memory that there is now.
static int runKernel(const LoadedFunction *function, sim::LaunchConfig launch) {
  launch.gridId = state().launches++;
  if (state().regions.empty())
    for (auto &[address, allocation] : state().memory)
      launch.buffers.push_back({address, allocation.data.data(),
                                allocation.data.size(),
                                allocation.written.data()});
  for (const Region &region : state().regions) {
    Place place = find(region.address, region.bytes);
    if (!place.allocation)
      return fail(invalidValue, "a region is in no allocation");
    launch.buffers.push_back(
        {region.address, place.data(), region.bytes, place.written()});
  }
  Expected<Report> report =
      function->module->module.launchEach(launch, state().runs);
  if (!report)
    return fail(invalidValue, toString(report.takeError()));
  state().report = std::move(*report);
  std::string text;
  for (const Fault &fault : state().report.faults) {
    if (fault.isWarning)
      continue;
    text += (text.empty() ? "" : "\n") + fault.str();
  }
  return text.empty() ? int(cuda::resultSuccess)
                      : fail(simulatorFault, text + " (schedule " +
                                                 state().report.schedule + ")");
}

/// Returns the clusters' size that `config` says.
static Extent clusterOf(const cuda::LaunchConfig &config) {
  for (unsigned i = 0; i < config.numAttributes; ++i)
    if (config.attributes[i].id == cuda::launchClusterDimension) {
      const unsigned *size = config.attributes[i].value.clusterDim;
      return {size[0], size[1], size[2]};
    }
  return {};
}

static int launchKernel(const cuda::LaunchConfig *config, void *object,
                        void **parameters, void **) {
  const auto *function = static_cast<const LoadedFunction *>(object);
  sim::LaunchConfig launch;
  launch.kernel = function->name;
  launch.grid = {config->gridX, config->gridY, config->gridZ};
  launch.block = {config->blockX, config->blockY, config->blockZ};
  launch.sharedBytes = config->sharedBytes;
  launch.cluster = clusterOf(*config);
  const sim::Module &module = function->module->module;
  for (unsigned bytes : module.parameterBytes(function->name)) {
    const auto *from = static_cast<const uint8_t *>(*parameters++);
    if (bytes > sizeof(uint64_t))
      launch.largeArguments[unsigned(launch.arguments.size())].assign(
          from, from + bytes);
    launch.arguments.push_back(0);
    std::memcpy(&launch.arguments.back(), from,
                std::min<size_t>(bytes, sizeof(uint64_t)));
  }
  return doOrRecord([function, launch] { return runKernel(function, launch); });
}

/// Returns how many CTAs of one kind a multiprocessor has room for, or how many
/// clusters of them the GPU.
static int countResident(const CtaNeeds &needs, uint32_t cluster) {
  Residency residency;
  int count = 0;
  while (!residency.place(needs, cluster).empty())
    ++count;
  return cluster > 1 ? count : count / int(deviceLimits.sms);
}

//===----------------------------------------------------------------------===//
// The rest of the API
//===----------------------------------------------------------------------===//

static void fillDevice(cuda::EntryPoints &api) {
  api.init = [](unsigned) { return 0; };
  api.driverGetVersion = [](int *version) {
    *version = 0;
    return 0;
  };
  api.getErrorName = [](int error, const char **name) {
    *name = error == simulatorFault ? "the simulator found faults"
                                    : "the simulator refuses";
    return 0;
  };
  api.getErrorString = [](int, const char **text) {
    *text = state().errorText.c_str();
    return 0;
  };
  api.deviceGet = [](int *device, int) {
    *device = 0;
    return 0;
  };
  api.deviceGetCount = [](int *count) {
    *count = 1;
    return 0;
  };
  api.deviceGetName = [](char *name, int bytes, int) {
    std::snprintf(name, size_t(bytes), "simulator");
    return 0;
  };
  api.deviceGetAttribute = [](int *value, int attribute, int) {
    *value = attribute == cuda::attributeMultiprocessors ? int(deviceLimits.sms)
             : attribute == cuda::attributeComputeMajor  ? 9
             : attribute == cuda::attributeSharedBytesOptIn
                 ? int(deviceLimits.sharedBytesOfCta)
                 : 0;
    return 0;
  };
  api.deviceGetPCIBusId = [](char *id, int bytes, int) {
    std::snprintf(id, size_t(bytes), "none");
    return 0;
  };
  api.deviceTotalMem = [](size_t *bytes, int) {
    *bytes = size_t(1) << 37;
    return 0;
  };
  api.primaryCtxRetain = [](void **context, int) {
    *context = &state();
    return 0;
  };
  api.primaryCtxRelease = [](int) { return 0; };
  api.ctxSetCurrent = [](void *) { return 0; };
  api.streamCreate = [](void **stream, unsigned) {
    *stream = &state();
    return 0;
  };
  api.streamDestroy = [](void *) { return 0; };
  api.streamQuery = [](void *) { return waitForStream(); };
}

static void fillEvents(cuda::EntryPoints &api) {
  api.eventCreate = [](void **event, unsigned) {
    *event = new TimeStamp();
    return 0;
  };
  api.eventDestroy = [](void *event) {
    delete static_cast<TimeStamp *>(event);
    return 0;
  };
  api.eventRecord = [](void *event, void *) {
    static_cast<TimeStamp *>(event)->time = std::chrono::steady_clock::now();
    return 0;
  };
  api.eventElapsedTime = [](float *milliseconds, void *begin, void *end) {
    *milliseconds = std::chrono::duration<float, std::milli>(
                        static_cast<TimeStamp *>(end)->time -
                        static_cast<TimeStamp *>(begin)->time)
                        .count();
    return 0;
  };
}

static void fillMemory(cuda::EntryPoints &api) {
  api.memAlloc = memAlloc;
  api.memFree = memFree;
  api.memGetInfo = [](size_t *free, size_t *total) {
    *free = *total = freeBytes();
    return 0;
  };
  api.memcpyHtoD = copyToDevice;
  api.memcpyDtoH = copyToHost;
  api.memcpyDtoDAsync = [](cuda::DevicePointer to, cuda::DevicePointer from,
                           size_t bytes, void *) {
    return doOrRecord([=] { return copyOnDevice(to, from, bytes); });
  };
  api.memsetD8Async = [](cuda::DevicePointer to, unsigned char value,
                         size_t bytes, void *) {
    return doOrRecord([=] { return fill(to, value, bytes); });
  };
}

Error quack::sim::loadDriver(cuda::EntryPoints &api) {
  fillDevice(api);
  fillEvents(api);
  fillMemory(api);
  fillGraphs(api);
  api.moduleLoadDataEx = moduleLoad;
  api.moduleUnload = [](void *module) {
    delete static_cast<LoadedModule *>(module);
    return 0;
  };
  api.moduleGetFunction = moduleGetFunction;
  api.funcGetAttribute = [](int *value, int, void *) {
    *value = 0;
    return 0;
  };
  api.funcSetAttribute = [](void *, int, int) { return 0; };
  api.launchKernelEx = launchKernel;
  api.occupancyOfCtas = [](int *ctas, void *, int threads,
                                    size_t sharedBytes) {
    *ctas = countResident({uint32_t(threads), uint32_t(sharedBytes)}, 1);
    return 0;
  };
  api.occupancyOfClusters = [](int *clusters, void *,
                                      const cuda::LaunchConfig *config) {
    *clusters = countResident({config->blockX, config->sharedBytes},
                              clusterOf(*config).x);
    return 0;
  };
  return Error::success();
}
