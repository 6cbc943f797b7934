//===- SimulatedCuda/EntryPoints.h - the calls ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function of the driver API that there is, by the name and parameters
// that CUDA 12 gives it (CUDA Driver API reference).
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_SUPPORT_SIMULATEDCUDA_ENTRYPOINTS_H
#define QUACK_TEST_SUPPORT_SIMULATEDCUDA_ENTRYPOINTS_H

#include "Abi.h"

/// X(name for cuGetProcAddress, symbol, parameters)
#define SIMULATED_CUDA_CALLS(X)                                                          \
  X(cuInit, cuInit, (unsigned))                                                          \
  X(cuDriverGetVersion, cuDriverGetVersion, (int *))                                     \
  X(cuGetErrorName, cuGetErrorName, (int, const char **))                                \
  X(cuGetErrorString, cuGetErrorString, (int, const char **))                            \
  X(cuGetProcAddress, cuGetProcAddress_v2,                                               \
    (const char *, void **, int, uint64_t, int *))                                       \
  X(cuDeviceGetCount, cuDeviceGetCount, (int *))                                         \
  X(cuDeviceGet, cuDeviceGet, (int *, int))                                              \
  X(cuDeviceGetName, cuDeviceGetName, (char *, int, int))                                \
  X(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, (char *, int, int))                        \
  X(cuDeviceGetUuid, cuDeviceGetUuid_v2, (unsigned char *, int))                         \
  X(cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t *, int))                              \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute, (int *, int, int))                       \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (void **, int))                  \
  X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (int))                      \
  X(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, (int))                          \
  X(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, (int, unsigned *, int *))    \
  X(cuCtxCreate, cuCtxCreate_v2, (void **, unsigned, int))                               \
  X(cuCtxDestroy, cuCtxDestroy_v2, (void *))                                             \
  X(cuCtxGetCurrent, cuCtxGetCurrent, (void **))                                         \
  X(cuCtxSetCurrent, cuCtxSetCurrent, (void *))                                          \
  X(cuCtxPushCurrent, cuCtxPushCurrent_v2, (void *))                                     \
  X(cuCtxPopCurrent, cuCtxPopCurrent_v2, (void **))                                      \
  X(cuCtxGetDevice, cuCtxGetDevice, (int *))                                             \
  X(cuCtxGetId, cuCtxGetId, (void *, unsigned long long *))                              \
  X(cuCtxSynchronize, cuCtxSynchronize, ())                                              \
  X(cuMemAlloc, cuMemAlloc_v2, (DevicePointer *, size_t))                                \
  X(cuMemFree, cuMemFree_v2, (DevicePointer))                                            \
  X(cuMemAllocAsync, cuMemAllocAsync, (DevicePointer *, size_t, void *))                 \
  X(cuMemFreeAsync, cuMemFreeAsync, (DevicePointer, void *))                             \
  X(cuMemGetInfo, cuMemGetInfo_v2, (size_t *, size_t *))                                 \
  X(cuMemcpyHtoD, cuMemcpyHtoD_v2, (DevicePointer, const void *, size_t))                \
  X(cuMemcpyDtoH, cuMemcpyDtoH_v2, (void *, DevicePointer, size_t))                      \
  X(cuMemcpyDtoD, cuMemcpyDtoD_v2, (DevicePointer, DevicePointer, size_t))               \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                             \
    (DevicePointer, const void *, size_t, void *))                                       \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void *, DevicePointer, size_t, void *))    \
  X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                             \
    (DevicePointer, DevicePointer, size_t, void *))                                      \
  X(cuMemsetD8, cuMemsetD8_v2, (DevicePointer, unsigned char, size_t))                   \
  X(cuMemsetD8Async, cuMemsetD8Async, (DevicePointer, unsigned char, size_t, void *))    \
  X(cuMemsetD32, cuMemsetD32_v2, (DevicePointer, unsigned, size_t))                      \
  X(cuMemsetD32Async, cuMemsetD32Async, (DevicePointer, unsigned, size_t, void *))       \
  X(cuPointerGetAttribute, cuPointerGetAttribute, (void *, int, DevicePointer))          \
  X(cuModuleLoadData, cuModuleLoadData, (void **, const void *))                         \
  X(cuModuleLoadDataEx, cuModuleLoadDataEx,                                              \
    (void **, const void *, unsigned, int *, void **))                                   \
  X(cuModuleUnload, cuModuleUnload, (void *))                                            \
  X(cuModuleGetFunction, cuModuleGetFunction, (void **, void *, const char *))           \
  X(cuFuncGetAttribute, cuFuncGetAttribute, (int *, int, void *))                        \
  X(cuFuncSetAttribute, cuFuncSetAttribute, (void *, int, int))                          \
  X(cuFuncLoad, cuFuncLoad, (void *))                                                    \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                                         \
    cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, void *, int, size_t))           \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,                                \
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,                                \
    (int *, void *, int, size_t, unsigned))                                              \
  X(cuOccupancyMaxActiveClusters, cuOccupancyMaxActiveClusters,                          \
    (int *, void *, const LaunchConfig *))                                               \
  X(cuOccupancyMaxPotentialClusterSize, cuOccupancyMaxPotentialClusterSize,              \
    (int *, void *, const LaunchConfig *))                                               \
  X(cuLaunchKernelEx, cuLaunchKernelEx,                                                  \
    (const LaunchConfig *, void *, void **, void **))                                    \
  X(cuLaunchKernel, cuLaunchKernel,                                                      \
    (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,       \
     void *, void **, void **))                                                          \
  X(cuLaunchHostFunc, cuLaunchHostFunc, (void *, HostFunction, void *))                  \
  X(cuStreamCreate, cuStreamCreate, (void **, unsigned))                                 \
  X(cuStreamCreateWithPriority, cuStreamCreateWithPriority, (void **, unsigned, int))    \
  X(cuStreamDestroy, cuStreamDestroy_v2, (void *))                                       \
  X(cuStreamQuery, cuStreamQuery, (void *))                                              \
  X(cuStreamSynchronize, cuStreamSynchronize, (void *))                                  \
  X(cuStreamGetCtx, cuStreamGetCtx, (void *, void **))                                   \
  X(cuStreamGetId, cuStreamGetId, (void *, unsigned long long *))                        \
  X(cuStreamWaitEvent, cuStreamWaitEvent, (void *, void *, unsigned))                    \
  X(cuStreamIsCapturing, cuStreamIsCapturing, (void *, int *))                           \
  X(cuStreamBeginCapture, cuStreamBeginCapture_v2, (void *, int))                        \
  X(cuStreamEndCapture, cuStreamEndCapture, (void *, void **))                           \
  X(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, (int *))       \
  X(cuGraphInstantiate, cuGraphInstantiateWithFlags,                                     \
    (void **, void *, unsigned long long))                                               \
  X(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags,                            \
    (void **, void *, unsigned long long))                                               \
  X(cuGraphLaunch, cuGraphLaunch, (void *, void *))                                      \
  X(cuGraphExecDestroy, cuGraphExecDestroy, (void *))                                    \
  X(cuGraphDestroy, cuGraphDestroy, (void *))                                            \
  X(cuEventCreate, cuEventCreate, (void **, unsigned))                                   \
  X(cuEventDestroy, cuEventDestroy_v2, (void *))                                         \
  X(cuEventRecord, cuEventRecord, (void *, void *))                                      \
  X(cuEventQuery, cuEventQuery, (void *))                                                \
  X(cuEventSynchronize, cuEventSynchronize, (void *))                                    \
  X(cuEventElapsedTime, cuEventElapsedTime, (float *, void *, void *))

namespace quack::simcuda {
extern "C" {
#define SIMULATED_CUDA_DECLARE(name, symbol, parameters) int symbol parameters;
SIMULATED_CUDA_CALLS(SIMULATED_CUDA_DECLARE)
#undef SIMULATED_CUDA_DECLARE
}
} // namespace quack::simcuda

#endif // QUACK_TEST_SUPPORT_SIMULATEDCUDA_ENTRYPOINTS_H
