//===- SimulatedCudaTest.cpp - the driver that tests use --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests with test/Support/SimulatedCuda rely on: it refuses what a driver
// refuses, and what it lets pass has happened.
//
//===----------------------------------------------------------------------===//

#include "Support/SimulatedCuda/EntryPoints.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace quack::simcuda;

/// y[i] = x[i] + 1 by one thread for each element.
static const char *incrementPtx = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry increment(.param .u64 x, .param .u64 y) {
  .reg .b64 %rd<6>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  add.s32 %r3, %r2, 1;
  st.global.u32 [%rd5], %r3;
  ret;
}
)";

namespace {
/// The driver by its own lookup, as programs have it.
struct Api {
#define DECLARE(name, symbol, parameters) int(*name) parameters = nullptr;
  SIMULATED_CUDA_CALLS(DECLARE)
#undef DECLARE

  Api() {
    setenv("SIMULATED_CUDA_DEVICES", "2", 1);
    setenv("SIMULATED_CUDA_FAIL", "cuCtxSynchronize@2=719", 1);
    void *library = dlopen(SIMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);
    using GetProcAddress = int (*)(const char *, void **, int, uint64_t, int *);
    auto get =
        reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
#define FIND(name, symbol, parameters)                                         \
  EXPECT_EQ(get(#name, reinterpret_cast<void **>(&name), 12040, 0, nullptr),   \
            0)                                                                 \
      << #name;
    SIMULATED_CUDA_CALLS(FIND)
#undef FIND
  }
};

class SimulatedCuda : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cuda.cuInit(0), success);
    ASSERT_EQ(cuda.cuDevicePrimaryCtxRetain(&context, 0), success);
    ASSERT_EQ(cuda.cuCtxSetCurrent(context), success);
    ASSERT_EQ(cuda.cuStreamCreate(&stream, 0), success);
    ASSERT_EQ(cuda.cuMemAlloc(&memory, 256), success);
    ASSERT_EQ(cuda.cuMemsetD8(memory, 0, 256), success);
  }
  void TearDown() override {
    EXPECT_EQ(cuda.cuDevicePrimaryCtxReset(0), success);
    EXPECT_EQ(cuda.cuCtxSetCurrent(nullptr), success);
    EXPECT_EQ(cuda.cuMemFree(memory), invalidContext);
  }

  void *load() {
    void *module = nullptr, *function = nullptr;
    EXPECT_EQ(cuda.cuModuleLoadData(&module, incrementPtx), success);
    EXPECT_EQ(cuda.cuModuleGetFunction(&function, module, "increment"),
              success);
    return function;
  }
  int launch(void *function, const void *x, const void *y) {
    void *parameters[] = {&x, &y};
    return cuda.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream,
                               parameters, nullptr);
  }
  int launchOnDevice(void *function, int yOffset = 128) {
    auto *at = reinterpret_cast<char *>(memory);
    return launch(function, at, at + yOffset);
  }
  int firstWord() {
    int word = -1;
    EXPECT_EQ(cuda.cuMemcpyDtoH(&word, memory + 128, sizeof(word)), success);
    return word;
  }

  static Api cuda;
  void *context = nullptr, *stream = nullptr;
  DevicePointer memory = 0;
};
Api SimulatedCuda::cuda;
} // namespace

TEST_F(SimulatedCuda, KernelsRunOnDeviceMemoryAndTheHosts) {
  void *function = load();
  EXPECT_EQ(launchOnDevice(function), success);
  EXPECT_EQ(firstWord(), 1);
  int x[32] = {41}, y[32] = {};
  EXPECT_EQ(launch(function, x, y), success);
  EXPECT_EQ(y[0], 42);
}

TEST_F(SimulatedCuda, FaultsStayInTheContext) {
  void *function = load();
  testing::internal::CaptureStderr();
  EXPECT_EQ(launchOnDevice(function, /*yOffset=*/132), success);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("out-of-bounds"),
            std::string::npos);
  EXPECT_EQ(cuda.cuStreamSynchronize(stream), illegalAddress);
}

TEST_F(SimulatedCuda, ContextsAreAStack) {
  void *other = nullptr, *now = nullptr;
  int device = -1;
  unsigned long long first = 0, second = 0;
  EXPECT_EQ(cuda.cuDevicePrimaryCtxRetain(&other, 1), success);
  EXPECT_EQ(cuda.cuCtxPushCurrent(other), success);
  EXPECT_EQ(cuda.cuCtxGetDevice(&device), success);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cuda.cuCtxGetId(nullptr, &second), success);
  EXPECT_EQ(cuda.cuCtxPopCurrent(&now), success);
  EXPECT_EQ(now, other);
  EXPECT_EQ(cuda.cuCtxGetId(nullptr, &first), success);
  EXPECT_NE(first, second);
  EXPECT_EQ(cuda.cuDevicePrimaryCtxRelease(1), success);
  EXPECT_EQ(cuda.cuCtxPushCurrent(other), contextIsDestroyed);
  std::thread([&] {
    EXPECT_EQ(cuda.cuCtxSynchronize(), invalidContext);
  }).join();
}

TEST_F(SimulatedCuda, OneDevicesMemoryIsNotTheOthers) {
  void *function = load(), *other = nullptr;
  DevicePointer there = 0;
  EXPECT_EQ(cuda.cuDevicePrimaryCtxRetain(&other, 1), success);
  EXPECT_EQ(cuda.cuCtxPushCurrent(other), success);
  EXPECT_EQ(launchOnDevice(function), invalidHandle);
  EXPECT_EQ(cuda.cuMemAlloc(&there, 128), success);
  EXPECT_EQ(cuda.cuCtxPopCurrent(nullptr), success);
  auto *y = reinterpret_cast<void *>(there);
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(function, reinterpret_cast<void *>(memory), y), success);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(cuda.cuStreamSynchronize(stream), illegalAddress);
  EXPECT_EQ(cuda.cuDevicePrimaryCtxReset(1), success);
}

TEST_F(SimulatedCuda, LaunchesAreAsAttributesAllow) {
  void *function = load();
  LaunchAttribute attribute = {};
  attribute.id = launchClusterDimension;
  attribute.value.clusterDim[0] = 16;
  attribute.value.clusterDim[1] = attribute.value.clusterDim[2] = 1;
  LaunchConfig config = {{16, 1, 1}, {32, 1, 1}, 0, stream, &attribute, 1};
  DevicePointer x = memory, y = memory + 128;
  void *parameters[] = {&x, &y};
  EXPECT_EQ(cuda.cuLaunchKernelEx(&config, function, parameters, nullptr),
            invalidClusterSize);
  EXPECT_EQ(cuda.cuFuncSetAttribute(function, functionNonPortableCluster, 1),
            success);
  int clusters = 0;
  EXPECT_EQ(cuda.cuOccupancyMaxActiveClusters(&clusters, function, &config),
            success);
  EXPECT_GT(clusters, 8);
  config.grid[0] = 17;
  EXPECT_EQ(cuda.cuLaunchKernelEx(&config, function, parameters, nullptr),
            invalidValue);
  config.numAttributes = 0;
  config.grid[0] = 1;
  config.sharedBytes = 49153;
  EXPECT_EQ(cuda.cuLaunchKernelEx(&config, function, parameters, nullptr),
            invalidValue);
  EXPECT_EQ(cuda.cuFuncSetAttribute(function, functionMaxDynamicShared, 65536),
            success);
  EXPECT_EQ(cuda.cuLaunchKernelEx(&config, function, parameters, nullptr),
            success);
}

TEST_F(SimulatedCuda, GraphsReplayWhatWasCaptured) {
  void *function = load(), *graph = nullptr, *executable = nullptr;
  int status = -1;
  EXPECT_EQ(cuda.cuStreamBeginCapture(stream, captureGlobal), success);
  EXPECT_EQ(cuda.cuStreamIsCapturing(stream, &status), success);
  EXPECT_EQ(status, captureActive);
  EXPECT_EQ(launchOnDevice(function), success);
  EXPECT_EQ(cuda.cuStreamEndCapture(stream, &graph), success);
  EXPECT_EQ(firstWord(), 0);
  EXPECT_EQ(cuda.cuGraphInstantiate(&executable, graph, 0), success);
  EXPECT_EQ(cuda.cuGraphLaunch(executable, stream), success);
  EXPECT_EQ(firstWord(), 1);
}

TEST_F(SimulatedCuda, UnsafeCallsInvalidateACapture) {
  void *graph = nullptr, *module = nullptr;
  DevicePointer address = 0;
  EXPECT_EQ(cuda.cuStreamBeginCapture(stream, captureGlobal), success);
  EXPECT_EQ(cuda.cuMemAlloc(&address, 4), captureUnsupported);
  EXPECT_EQ(cuda.cuStreamEndCapture(stream, &graph), captureInvalidated);
  EXPECT_EQ(cuda.cuStreamBeginCapture(stream, captureThreadLocal), success);
  int mode = captureRelaxed;
  EXPECT_EQ(cuda.cuThreadExchangeStreamCaptureMode(&mode), success);
  EXPECT_EQ(cuda.cuModuleLoadData(&module, incrementPtx), success);
  EXPECT_EQ(cuda.cuThreadExchangeStreamCaptureMode(&mode), success);
  EXPECT_EQ(mode, captureRelaxed);
  EXPECT_EQ(cuda.cuStreamEndCapture(stream, &graph), success);
}

TEST_F(SimulatedCuda, CallsFailAsTheyAreTold) {
  EXPECT_EQ(cuda.cuCtxSynchronize(), launchFailed);
  EXPECT_EQ(cuda.cuCtxSynchronize(), success);
}

TEST_F(SimulatedCuda, ChildrenHaveNoDriver) {
  pid_t child = fork();
  if (child == 0)
    _exit(cuda.cuInit(0));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), notInitialized);
}
