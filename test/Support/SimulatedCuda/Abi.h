//===- SimulatedCuda/Abi.h - the driver's numbers ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and numbers of the CUDA driver API that this library speaks, from its
// reference (CUDA 12.0 to 13.0). Declared apart from lib/Runtime: a layout that
// is wrong there must not be wrong here too.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_SUPPORT_SIMULATEDCUDA_ABI_H
#define QUACK_TEST_SUPPORT_SIMULATEDCUDA_ABI_H

#include <cstddef>
#include <cstdint>

namespace quack::simcuda {

using Result = int;             ///< CUresult
using DevicePointer = uint64_t; ///< CUdeviceptr
using HostFunction = void (*)(void *);

enum : Result {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  notInitialized = 3,
  noDevice = 100,
  invalidDevice = 101,
  invalidImage = 200,
  invalidContext = 201,
  noBinaryForGpu = 209,
  invalidPtx = 218,
  invalidHandle = 400,
  notFound = 500,
  notReady = 600,
  illegalAddress = 700,
  contextIsDestroyed = 709,
  launchFailed = 719,
  notSupported = 801,
  captureUnsupported = 900,
  captureInvalidated = 901,
  captureUnmatched = 903,
  captureImplicit = 906,
  captureWrongThread = 908,
  invalidClusterSize = 912,
};

/// CUstreamCaptureMode.
enum CaptureMode : int {
  captureGlobal = 0,
  captureThreadLocal = 1,
  captureRelaxed = 2
};

/// CUstreamCaptureStatus.
enum CaptureStatus : int {
  captureNone = 0,
  captureActive = 1,
  captureIsInvalid = 2
};

/// CUlaunchAttribute.
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    unsigned clusterDim[3];
    int flag;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72 &&
              offsetof(LaunchAttribute, value) == 8);

enum LaunchAttributeId : int {
  launchClusterDimension = 4,
  launchProgrammaticSerialization = 6,
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3], block[3];
  unsigned sharedBytes;
  void *stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};
static_assert(sizeof(LaunchConfig) == 56 &&
              offsetof(LaunchConfig, stream) == 32);

/// CUfunction_attribute.
enum FunctionAttribute : int {
  functionMaxThreads = 0,
  functionRegisters = 4,
  functionBinaryVersion = 6,
  functionMaxDynamicShared = 8,
  functionRequiredClusterWidth = 11,
  functionNonPortableCluster = 14,
};

/// CUjit_option.
enum JitOption : int { jitErrorLog = 5, jitErrorLogBytes = 6 };

/// CUpointer_attribute.
enum PointerAttribute : int {
  pointerContext = 1,
  pointerMemoryType = 2, ///< CUmemorytype: 1 host, 2 device
  pointerDevicePointer = 3,
  pointerIsManaged = 8,
  pointerDeviceOrdinal = 9,
};

/// Streams that are not made: CU_STREAM_LEGACY and CU_STREAM_PER_THREAD.
inline constexpr uintptr_t legacyStream = 1, perThreadStream = 2;

} // namespace quack::simcuda

#endif // QUACK_TEST_SUPPORT_SIMULATEDCUDA_ABI_H
