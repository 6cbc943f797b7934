//===- SimulatedCuda/Modules.cpp - modules, functions, occupancy *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPoints.h"
#include "State.h"

#include "Simulator/Residency.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace llvm;
using namespace quack;
using namespace quack::simcuda;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Returns the compute capability that PTX is for; 0 if it does not say.
static int capabilityOf(StringRef ptx) {
  StringRef chip = ptx.split(".target sm_").second;
  int capability = 0;
  chip.consumeInteger(10, capability);
  return capability;
}

/// Loads PTX, which a null ends, or what a cubin stands for; `log` says why it
/// cannot.
static Result loadImage(Call &call, const char *data, void **module,
                        std::string &log) {
  constexpr StringLiteral cubinMagic = "\177ELF";
  const Settings &settings = call.state.settings;
  bool isCubin = std::strncmp(data, cubinMagic.data(), cubinMagic.size()) == 0;
  call.text = isCubin ? " image=cubin" : " image=ptx";
  if (isCubin && settings.cubinPath.empty())
    return noBinaryForGpu;
  std::unique_ptr<MemoryBuffer> file;
  if (isCubin) {
    auto opened = MemoryBuffer::getFile(settings.cubinPath);
    if (!opened)
      return invalidImage;
    file = std::move(*opened);
  }
  StringRef image = isCubin ? file->getBuffer() : StringRef(data);
  if (capabilityOf(image) > settings.capability) {
    log = formatv("ptxas fatal: the PTX is for sm_{0}, the GPU is sm_{1}",
                  capabilityOf(image), settings.capability);
    return isCubin ? noBinaryForGpu : invalidPtx;
  }
  Expected<sim::Module> code =
      sim::Module::parse(image, "ptxas application ptx input");
  if (!code) {
    log = toString(code.takeError());
    return isCubin ? invalidImage : invalidPtx;
  }
  *module = call.state.modules.create(
      {call.context, std::make_shared<sim::Module>(std::move(*code)), {}});
  return success;
}

int simcuda::cuModuleLoadDataEx(void **module, const void *image,
                                unsigned count, int *options, void **values) {
  return call("cuModuleLoadDataEx", needsContext, [&](Call &call) -> Result {
    // Before CUDA 12.3 no mode of a thread allows it.
    bool isOld = call.state.settings.version < 12030;
    if (refusesUnsafeCall(call.state, /*evenRelaxed=*/isOld))
      return captureUnsupported;
    std::string log;
    Result result =
        loadImage(call, static_cast<const char *>(image), module, log);
    char *buffer = nullptr;
    size_t bytes = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == jitErrorLog)
        buffer = static_cast<char *>(values[i]);
      if (options[i] == jitErrorLogBytes)
        bytes = reinterpret_cast<size_t>(values[i]);
    }
    if (buffer && bytes > 0)
      std::snprintf(buffer, bytes, "%s", log.c_str());
    return result;
  });
}

int simcuda::cuModuleLoadData(void **module, const void *image) {
  return simcuda::cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

int simcuda::cuModuleUnload(void *handle) {
  return call("cuModuleUnload", needsContext | isUnsafe,
              [&](Call &call) -> Result {
                State &state = call.state;
                Module *module = state.modules.find(handle);
                if (!module)
                  return invalidHandle;
                state.functions.destroyIf([&](const Function &function) {
                  return function.module == module;
                });
                state.modules.destroy(handle);
                return success;
              });
}

int simcuda::cuModuleGetFunction(void **function, void *handle,
                                 const char *name) {
  return call("cuModuleGetFunction", needsContext, [&](Call &call) -> Result {
    Module *module = call.state.modules.find(handle);
    call.text = formatv(" kernel={0}", name);
    if (!module)
      return invalidHandle;
    if (!is_contained(module->code->kernels(), name))
      return notFound;
    Function *&found = module->functions[name];
    if (!found) {
      Function made;
      made.module = module;
      made.name = name;
      found = call.state.functions.create(std::move(made));
    }
    *function = found;
    return success;
  });
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

int simcuda::cuFuncGetAttribute(int *value, int attribute, void *handle) {
  return call("cuFuncGetAttribute", needsContext, [&](Call &call) -> Result {
    Function *function = call.state.functions.find(handle);
    if (!function)
      return invalidHandle;
    sim::Extent cluster =
        function->module->code->requiredCluster(function->name);
    switch (attribute) {
    case functionMaxThreads:
      *value = 1024;
      break;
    case functionRegisters:
      *value = 32; // PTX does not say
      break;
    case functionBinaryVersion:
      *value = call.state.settings.capability;
      break;
    case functionMaxDynamicShared:
      *value = function->dynamicSharedLimit;
      break;
    case functionRequiredClusterWidth:
      *value = int(cluster.x);
      break;
    case functionNonPortableCluster:
      *value = function->allowsNonPortableCluster;
      break;
    default:
      *value = 0;
    }
    return success;
  });
}

int simcuda::cuFuncSetAttribute(void *handle, int attribute, int value) {
  return call("cuFuncSetAttribute", needsContext, [&](Call &call) -> Result {
    Function *function = call.state.functions.find(handle);
    if (!function)
      return invalidHandle;
    call.text = formatv(" kernel={0} attribute={1} value={2}", function->name,
                        attribute, value);
    if (attribute == functionMaxDynamicShared) {
      if (value < 0 || value > int(sim::deviceLimits.sharedBytesOfCta))
        return invalidValue;
      function->dynamicSharedLimit = value;
      return success;
    }
    if (attribute != functionNonPortableCluster)
      return notSupported;
    function->allowsNonPortableCluster = value != 0;
    return success;
  });
}

int simcuda::cuFuncLoad(void *handle) {
  return call("cuFuncLoad", needsContext, [&](Call &call) -> Result {
    Function *function = call.state.functions.find(handle);
    if (!function)
      return invalidHandle;
    call.text = formatv(" kernel={0}", function->name);
    return success;
  });
}

//===----------------------------------------------------------------------===//
// Occupancy, but for registers
//===----------------------------------------------------------------------===//

static unsigned countActiveClusters(const sim::CtaNeeds &needs,
                                    uint32_t cluster) {
  sim::Residency residency;
  unsigned count = 0;
  while (!residency.place(needs, cluster).empty())
    ++count;
  return count;
}

int simcuda::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *count, void *handle, int threads, size_t sharedBytes, unsigned) {
  return call("cuOccupancyMaxActiveBlocksPerMultiprocessor", needsContext,
              [&](Call &call) -> Result {
                if (!call.state.functions.find(handle))
                  return invalidHandle;
                if (threads < 1)
                  return invalidValue;
                sim::CtaNeeds needs{uint32_t(threads), uint32_t(sharedBytes)};
                *count =
                    int(countActiveClusters(needs, 1) / sim::deviceLimits.sms);
                return success;
              });
}

int simcuda::cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count,
                                                         void *function,
                                                         int threads,
                                                         size_t sharedBytes) {
  return simcuda::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      count, function, threads, sharedBytes, 0);
}

int simcuda::cuOccupancyMaxActiveClusters(int *count, void *handle,
                                          const LaunchConfig *config) {
  return call("cuOccupancyMaxActiveClusters", needsContext,
              [&](Call &call) -> Result {
                Function *function = call.state.functions.find(handle);
                if (!function)
                  return invalidHandle;
                uint32_t cluster = 1;
                for (unsigned i = 0; i < config->numAttributes; ++i)
                  if (config->attributes[i].id == launchClusterDimension)
                    cluster = config->attributes[i].value.clusterDim[0];
                if (cluster > 16 ||
                    (cluster > 8 && !function->allowsNonPortableCluster))
                  return invalidClusterSize;
                *count = int(countActiveClusters(
                    {config->block[0], config->sharedBytes}, cluster));
                return success;
              });
}

int simcuda::cuOccupancyMaxPotentialClusterSize(int *size, void *handle,
                                                const LaunchConfig *config) {
  return call("cuOccupancyMaxPotentialClusterSize", needsContext,
              [&](Call &call) -> Result {
                Function *function = call.state.functions.find(handle);
                if (!function)
                  return invalidHandle;
                *size = function->allowsNonPortableCluster ? 16 : 8;
                while (*size > 1 && countActiveClusters(
                                        {config->block[0], config->sharedBytes},
                                        uint32_t(*size)) == 0)
                  *size /= 2;
                return success;
              });
}
