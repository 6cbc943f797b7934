//===- lib/Runtime/DriverCalls.cpp - what loads and launches ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing is kept here: the entry points and the context are the caller's.
//
//===----------------------------------------------------------------------===//

#include "DriverCalls.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace quack::cuda;

Error quack::cuda::makeError(const EntryPoints &api, int result, StringRef call) {
  if (result == resultSuccess)
    return Error::success();
  const char *name = nullptr, *text = nullptr;
  api.getErrorName(result, &name);
  api.getErrorString(result, &text);
  StringRef advice =
      result == resultNotInitialized
          ? "; a process that was forked from one that had used CUDA cannot use it: start it "
            "anew (spawn), or fork before the first use"
          : "";
  return createStringError(Twine(call) + ": " + (name ? name : "unknown CUDA error") +
                           " (" + (text ? Twine(text) : Twine(result)) + ")" + advice);
}

std::string quack::cuda::adviceForLaunch(int result) {
  if (result != resultInvalidClusterSize)
    return "";
  return "; a cluster has at most 8 CTAs, on GPUs that allow it 16, and all of them must fit "
         "the GPU at once: max-cluster makes a kernel of smaller ones";
}

/// Returns what may be done about PTX that the driver is too old for.
static std::string adviceFor(const EntryPoints &api, StringRef ptx) {
  int version = 0;
  api.driverGetVersion(&version);
  StringRef isa = ptx.split(".version ").second;
  isa = isa.take_while([](char c) { return isDigit(c) || c == '.'; });
  return formatv("\nthe PTX is of ISA {0}, the driver of CUDA {1}.{2}, which takes what came "
                 "with that version or before: compile with a lower ptx-version (83 is ISA "
                 "8.3, of CUDA 12.3), or update the driver",
                 isa, version / 1000, version % 1000 / 10);
}

Expected<void *> quack::cuda::loadImage(const EntryPoints &api, const void *image) {
  std::string log(16384, '\0');
  int options[] = {jitErrorLog, jitErrorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  void *module = nullptr;
  int result =
      api.moduleLoadDataEx(&module, image, std::size(options), options, values);
  if (result == resultSuccess)
    return module;
  std::string text = toString(makeError(api, result, "cuModuleLoadDataEx"));
  if (StringRef said = StringRef(log.c_str()).trim(); !said.empty())
    text += ("\nthe driver's assembler says:\n" + said).str();
  if (result == resultUnsupportedPTXVersion)
    text += adviceFor(api, static_cast<const char *>(image));
  return createStringError(text);
}

Expected<void *> quack::cuda::findFunction(const EntryPoints &api, void *module,
                                           const std::string &name) {
  void *function = nullptr;
  int result = api.moduleGetFunction(&function, module, name.c_str());
  if (result == resultSuccess)
    return function;
  return joinErrors(createStringError("no kernel '" + name + "' in the module"),
                    makeError(api, result, "cuModuleGetFunction"));
}

Error quack::cuda::allowShape(const EntryPoints &api, void *function,
                              const LaunchShape &shape) {
  constexpr int64_t defaultSharedBytes = 48 << 10, portableCluster = 8;
  if (shape.sharedBytes > defaultSharedBytes)
    if (Error error =
            makeError(api,
                      api.funcSetAttribute(function, functionMaxDynamicSharedBytes,
                                           static_cast<int>(shape.sharedBytes)),
                      "cuFuncSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES)"))
      return error;
  if (shape.cluster > portableCluster)
    return makeError(api, api.funcSetAttribute(function, functionNonPortableCluster, 1),
                     "cuFuncSetAttribute(NON_PORTABLE_CLUSTER_SIZE_ALLOWED)");
  return Error::success();
}

Configuration::Configuration(const LaunchShape &shape, void *stream) {
  cluster.id = launchClusterDimension;
  cluster.value.clusterDim[0] = static_cast<unsigned>(shape.cluster);
  cluster.value.clusterDim[1] = cluster.value.clusterDim[2] = 1;
  config.gridX = static_cast<unsigned>(shape.grid);
  config.blockX = static_cast<unsigned>(shape.threads);
  config.gridY = config.gridZ = config.blockY = config.blockZ = 1;
  config.sharedBytes = static_cast<unsigned>(shape.sharedBytes);
  config.stream = stream;
  config.attributes = &cluster;
  config.numAttributes = shape.cluster > 1 ? 1 : 0;
}

Expected<Occupancy> quack::cuda::queryOccupancy(const EntryPoints &api, void *function,
                                                const LaunchShape &shape) {
  Occupancy occupancy;
  if (Error error = makeError(
          api,
          api.occupancyOfCtas(&occupancy.ctasPerMultiprocessor, function,
                              static_cast<int>(shape.threads),
                              static_cast<size_t>(shape.sharedBytes)),
          "cuOccupancyMaxActiveBlocksPerMultiprocessor"))
    return error;
  if (shape.cluster == 1)
    return occupancy;
  Configuration configuration(shape, /*stream=*/nullptr);
  if (Error error = makeError(
          api, api.occupancyOfClusters(&occupancy.clusters, function, &configuration.config),
          "cuOccupancyMaxActiveClusters"))
    return error;
  return occupancy;
}
