//===- CudaEntryPoints.h - declarations of the driver API ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our own declarations of the driver calls that are used, with the layouts and
// numbers that the driver's ABI fixes (CUDA Driver API, versions up to 12.0).
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_RUNTIME_CUDAENTRYPOINTS_H
#define QUACK_LIB_RUNTIME_CUDAENTRYPOINTS_H

#include "quack/Runtime/CudaDriver.h"

#include <array>
#include <atomic>
#include <cstddef>

namespace quack::cuda {

/// Error codes by which this library decides something.
enum : int {
  resultSuccess = 0,
  resultNotInitialized = 3,
  resultUnsupportedPTXVersion = 222,
  resultNotReady = 600,
  resultIllegalAddress = 700,
  resultLaunchTimeout = 702,
  resultAssert = 710,
  resultHardwareStackError = 714,
  resultLaunchFailed = 719,
  resultStreamCaptureImplicit = 906,
  resultInvalidClusterSize = 912,
};

enum DeviceAttribute : int {
  attributeMultiprocessors = 16,
  attributeL2Bytes = 38,
  attributeComputeMajor = 75,
  attributeComputeMinor = 76,
  attributeSharedBytesOptIn = 97,
};

enum FunctionAttribute : int {
  functionLocalBytes = 3,
  functionRegisters = 4,
  functionMaxDynamicSharedBytes = 8,
  functionNonPortableCluster = 14,
};

enum JitOption : int {
  jitInfoLog = 3,
  jitInfoLogBytes = 4,
  jitErrorLog = 5,
  jitErrorLogBytes = 6,
};

/// CUlaunchAttribute with the cluster's dimensions as its value.
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    unsigned clusterDim[3];
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72 &&
              offsetof(LaunchAttribute, value) == 8);
inline constexpr int launchClusterDimension = 4;

/// CUstreamCaptureMode: what other threads do is no part of a capture.
inline constexpr int captureThreadLocal = 1;

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  void *stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};
static_assert(sizeof(LaunchConfig) == 56 &&
              offsetof(LaunchConfig, stream) == 32);

/// The calls, as X(member name, driver's name, parameters).
#define QUACK_CUDA_CALLS(X)                                                    \
  X(init, "cuInit", (unsigned))                                                \
  X(driverGetVersion, "cuDriverGetVersion", (int *))                           \
  X(getErrorName, "cuGetErrorName", (int, const char **))                      \
  X(getErrorString, "cuGetErrorString", (int, const char **))                  \
  X(deviceGet, "cuDeviceGet", (int *, int))                                    \
  X(deviceGetCount, "cuDeviceGetCount", (int *))                               \
  X(deviceGetName, "cuDeviceGetName", (char *, int, int))                      \
  X(deviceGetAttribute, "cuDeviceGetAttribute", (int *, int, int))             \
  X(deviceTotalMem, "cuDeviceTotalMem", (size_t *, int))                       \
  X(deviceGetPCIBusId, "cuDeviceGetPCIBusId", (char *, int, int))              \
  X(primaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **, int))              \
  X(primaryCtxRelease, "cuDevicePrimaryCtxRelease", (int))                     \
  X(ctxSetCurrent, "cuCtxSetCurrent", (void *))                                \
  X(ctxGetCurrent, "cuCtxGetCurrent", (void **))                               \
  X(ctxGetDevice, "cuCtxGetDevice", (int *))                                   \
  X(ctxGetId, "cuCtxGetId", (void *, uint64_t *))                              \
  X(ctxPushCurrent, "cuCtxPushCurrent", (void *))                              \
  X(ctxPopCurrent, "cuCtxPopCurrent", (void **))                               \
  X(moduleLoadDataEx, "cuModuleLoadDataEx",                                    \
    (void **, const void *, unsigned, int *, void **))                         \
  X(moduleUnload, "cuModuleUnload", (void *))                                  \
  X(moduleGetFunction, "cuModuleGetFunction", (void **, void *, const char *)) \
  X(funcGetAttribute, "cuFuncGetAttribute", (int *, int, void *))              \
  X(funcSetAttribute, "cuFuncSetAttribute", (void *, int, int))                \
  X(launchKernelEx, "cuLaunchKernelEx",                                        \
    (const LaunchConfig *, void *, void **, void **))                          \
  X(occupancyOfCtas, "cuOccupancyMaxActiveBlocksPerMultiprocessor",            \
    (int *, void *, int, size_t))                                              \
  X(occupancyOfClusters, "cuOccupancyMaxActiveClusters",                       \
    (int *, void *, const LaunchConfig *))                                     \
  X(memAlloc, "cuMemAlloc", (DevicePointer *, size_t))                         \
  X(memFree, "cuMemFree", (DevicePointer))                                     \
  X(memAllocAsync, "cuMemAllocAsync", (DevicePointer *, size_t, void *))       \
  X(memFreeAsync, "cuMemFreeAsync", (DevicePointer, void *))                   \
  X(memGetInfo, "cuMemGetInfo", (size_t *, size_t *))                          \
  X(memcpyHtoD, "cuMemcpyHtoD", (DevicePointer, const void *, size_t))         \
  X(memcpyDtoH, "cuMemcpyDtoH", (void *, DevicePointer, size_t))               \
  X(memcpyDtoDAsync, "cuMemcpyDtoDAsync",                                      \
    (DevicePointer, DevicePointer, size_t, void *))                            \
  X(memsetD8Async, "cuMemsetD8Async",                                          \
    (DevicePointer, unsigned char, size_t, void *))                            \
  X(streamCreate, "cuStreamCreate", (void **, unsigned))                       \
  X(streamDestroy, "cuStreamDestroy", (void *))                                \
  X(streamQuery, "cuStreamQuery", (void *))                                    \
  X(streamIsCapturing, "cuStreamIsCapturing", (void *, int *))                 \
  X(exchangeCaptureMode, "cuThreadExchangeStreamCaptureMode", (int *))         \
  X(streamBeginCapture, "cuStreamBeginCapture", (void *, int))                 \
  X(streamEndCapture, "cuStreamEndCapture", (void *, void **))                 \
  X(graphInstantiate, "cuGraphInstantiateWithFlags",                           \
    (void **, void *, uint64_t))                                               \
  X(graphLaunch, "cuGraphLaunch", (void *, void *))                            \
  X(graphExecDestroy, "cuGraphExecDestroy", (void *))                          \
  X(graphDestroy, "cuGraphDestroy", (void *))                                  \
  X(eventCreate, "cuEventCreate", (void **, unsigned))                         \
  X(eventDestroy, "cuEventDestroy", (void *))                                  \
  X(eventRecord, "cuEventRecord", (void *, void *))                            \
  X(eventElapsedTime, "cuEventElapsedTime", (float *, void *, void *))

struct EntryPoints {
#define QUACK_DECLARE(member, name, parameters)                                \
  int(*member) parameters = nullptr;
  QUACK_CUDA_CALLS(QUACK_DECLARE)
#undef QUACK_DECLARE

  /// Set once an error has made the context unusable.
  bool isDead = false;
  /// What launches on other devices than the current one have retained.
  mutable std::array<std::atomic<void *>, 64> primaryContexts = {};

  /// Loads libcuda and looks the calls up.
  llvm::Error load();
};

} // namespace quack::cuda

#endif // QUACK_LIB_RUNTIME_CUDAENTRYPOINTS_H
