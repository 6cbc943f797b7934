//===- SimulatedCuda/Devices.cpp - devices and contexts ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPoints.h"
#include "State.h"

#include "Simulator/Residency.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace llvm;
using namespace quack;
using namespace quack::simcuda;

static bool isDevice(Call &call, int device) {
  return device >= 0 && device < call.state.settings.devices;
}

//===----------------------------------------------------------------------===//
// Driver and devices
//===----------------------------------------------------------------------===//

int simcuda::cuInit(unsigned flags) {
  return call("cuInit", needsNothing, [&](Call &call) -> Result {
    State &state = call.state;
    if (flags != 0)
      return invalidValue;
    if (state.settings.devices == 0)
      return noDevice;
    if (state.initializedBy != 0 && state.initializedBy != getpid())
      return notInitialized; // as in a child of a process that uses CUDA
    state.initializedBy = getpid();
    return success;
  });
}

int simcuda::cuDriverGetVersion(int *version) {
  return call("cuDriverGetVersion", needsNothing, [&](Call &call) -> Result {
    *version = call.state.settings.version;
    return success;
  });
}

int simcuda::cuGetErrorName(Result error, const char **name) {
  *name = getErrorName(error);
  return *name ? success : invalidValue;
}

int simcuda::cuGetErrorString(Result error, const char **text) {
  *text = getErrorName(error) ? "says the simulated driver" : nullptr;
  return *text ? success : invalidValue;
}

int simcuda::cuDeviceGetCount(int *count) {
  return call("cuDeviceGetCount", needsInit, [&](Call &call) -> Result {
    *count = call.state.settings.devices;
    return success;
  });
}

int simcuda::cuDeviceGet(int *device, int ordinal) {
  return call("cuDeviceGet", needsInit, [&](Call &call) -> Result {
    if (!isDevice(call, ordinal))
      return invalidDevice;
    *device = ordinal;
    return success;
  });
}

int simcuda::cuDeviceGetName(char *name, int bytes, int device) {
  return call("cuDeviceGetName", needsInit, [&](Call &call) -> Result {
    if (!isDevice(call, device))
      return invalidDevice;
    std::snprintf(name, size_t(bytes), "simulated GPU %d", device);
    return success;
  });
}

int simcuda::cuDeviceGetPCIBusId(char *id, int bytes, int device) {
  return call("cuDeviceGetPCIBusId", needsInit, [&](Call &call) -> Result {
    if (!isDevice(call, device))
      return invalidDevice;
    std::snprintf(id, size_t(bytes), "0000:%02X:00.0", device + 1);
    return success;
  });
}

int simcuda::cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
  return call("cuDeviceGetUuid", needsInit, [&](Call &call) -> Result {
    if (!isDevice(call, device))
      return invalidDevice;
    std::memset(uuid, 0, 16);
    uuid[15] = static_cast<unsigned char>(device + 1);
    return success;
  });
}

int simcuda::cuDeviceTotalMem_v2(size_t *bytes, int device) {
  return call("cuDeviceTotalMem", needsInit, [&](Call &call) -> Result {
    if (!isDevice(call, device))
      return invalidDevice;
    *bytes = call.state.settings.memoryBytes;
    return success;
  });
}

/// The attributes (CUdevice_attribute) that are not 0.
static int attributeOf(const Settings &settings, int attribute, int device) {
  using sim::deviceLimits;
  switch (attribute) {
  case 1: // MAX_THREADS_PER_BLOCK
  case 2: // MAX_BLOCK_DIM_X
  case 3: // MAX_BLOCK_DIM_Y
    return 1024;
  case 4: // MAX_BLOCK_DIM_Z
    return 64;
  case 5: // MAX_GRID_DIM_X
    return 0x7fffffff;
  case 6: // MAX_GRID_DIM_Y
  case 7: // MAX_GRID_DIM_Z
    return 65535;
  case 8: // MAX_SHARED_MEMORY_PER_BLOCK
    return 48 << 10;
  case 10: // WARP_SIZE
    return 32;
  case 12: // MAX_REGISTERS_PER_BLOCK
  case 82: // MAX_REGISTERS_PER_MULTIPROCESSOR
    return 65536;
  case 13: // CLOCK_RATE
    return 1980000;
  case 16: // MULTIPROCESSOR_COUNT
    return int(deviceLimits.sms);
  case 31:  // CONCURRENT_KERNELS
  case 41:  // UNIFIED_ADDRESSING
  case 95:  // COOPERATIVE_LAUNCH
  case 115: // MEMORY_POOLS_SUPPORTED
    return 1;
  case 33: // PCI_BUS_ID
    return device + 1;
  case 36: // MEMORY_CLOCK_RATE
    return 3201000;
  case 37: // GLOBAL_MEMORY_BUS_WIDTH
    return 6144;
  case 38: // L2_CACHE_SIZE
    return 50 << 20;
  case 39: // MAX_THREADS_PER_MULTIPROCESSOR
    return int(deviceLimits.threads);
  case 75: // COMPUTE_CAPABILITY_MAJOR
    return settings.capability / 10;
  case 76: // COMPUTE_CAPABILITY_MINOR
    return settings.capability % 10;
  case 81: // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
    return int(deviceLimits.sharedBytes);
  case 97: // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    return int(deviceLimits.sharedBytesOfCta);
  case 106: // MAX_BLOCKS_PER_MULTIPROCESSOR
    return int(deviceLimits.ctas);
  case 111: // RESERVED_SHARED_MEMORY_PER_BLOCK
    return int(deviceLimits.reservedSharedBytes);
  case 120: // CLUSTER_LAUNCH
    return settings.capability >= 90;
  default:
    return 0;
  }
}

int simcuda::cuDeviceGetAttribute(int *value, int attribute, int device) {
  return call("cuDeviceGetAttribute", needsInit, [&](Call &call) -> Result {
    if (!isDevice(call, device))
      return invalidDevice;
    *value = attributeOf(call.state.settings, attribute, device);
    return success;
  });
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

static Context *createContext(State &state, int device) {
  Context *context = state.contexts.create(Context());
  context->number = ++state.lastContext;
  context->device = device;
  context->legacy.context = context->perThread.context = context;
  context->perThread.number = 1;
  return context;
}

int simcuda::cuDevicePrimaryCtxRetain(void **context, int device) {
  return call("cuDevicePrimaryCtxRetain", needsInit, [&](Call &call) -> Result {
    if (!isDevice(call, device))
      return invalidDevice;
    Device &state = call.state.devices[device];
    if (state.retains++ == 0)
      state.primary = createContext(call.state, device);
    *context = state.primary;
    call.text = formatv(" device={0} got={1}", device, state.primary->number);
    return success;
  });
}

int simcuda::cuDevicePrimaryCtxRelease_v2(int device) {
  return call("cuDevicePrimaryCtxRelease", needsInit,
              [&](Call &call) -> Result {
                if (!isDevice(call, device))
                  return invalidDevice;
                Device &state = call.state.devices[device];
                if (state.retains == 0)
                  return invalidContext;
                if (--state.retains == 0) {
                  call.state.destroyContext(state.primary);
                  state.primary = nullptr;
                }
                call.text = formatv(" device={0}", device);
                return success;
              });
}

int simcuda::cuDevicePrimaryCtxReset_v2(int device) {
  return call("cuDevicePrimaryCtxReset", needsInit, [&](Call &call) -> Result {
    if (!isDevice(call, device))
      return invalidDevice;
    Device &state = call.state.devices[device];
    call.text = formatv(" device={0}", device);
    if (state.primary)
      call.state.destroyContext(state.primary);
    state = Device();
    return success;
  });
}

int simcuda::cuDevicePrimaryCtxGetState(int device, unsigned *flags,
                                        int *isActive) {
  return call("cuDevicePrimaryCtxGetState", needsInit,
              [&](Call &call) -> Result {
                if (!isDevice(call, device))
                  return invalidDevice;
                *flags = 0;
                *isActive = call.state.devices[device].primary != nullptr;
                return success;
              });
}

int simcuda::cuCtxCreate_v2(void **context, unsigned flags, int device) {
  return call("cuCtxCreate", needsInit, [&](Call &call) -> Result {
    if (!isDevice(call, device))
      return invalidDevice;
    Context *made = createContext(call.state, device);
    threadState().contexts.push_back(made);
    *context = made;
    call.text = formatv(" device={0} got={1}", device, made->number);
    return success;
  });
}

int simcuda::cuCtxDestroy_v2(void *handle) {
  return call("cuCtxDestroy", needsInit, [&](Call &call) -> Result {
    Context *context = call.state.contexts.find(handle);
    if (!context)
      return invalidContext;
    std::vector<Context *> &stack = threadState().contexts;
    if (!stack.empty() && stack.back() == context)
      stack.pop_back();
    call.state.destroyContext(context);
    return success;
  });
}

int simcuda::cuCtxGetCurrent(void **context) {
  return call("cuCtxGetCurrent", needsInit, [&](Call &call) -> Result {
    std::vector<Context *> &stack = threadState().contexts;
    *context = stack.empty() ? nullptr : stack.back();
    return success;
  });
}

/// Returns the number of a context that may be null or gone, for the log.
static uint64_t numberOf(Call &call, const void *handle) {
  Context *context = call.state.contexts.find(handle);
  return context ? context->number : 0;
}

int simcuda::cuCtxSetCurrent(void *handle) {
  return call("cuCtxSetCurrent", needsInit, [&](Call &call) -> Result {
    if (handle && !call.state.contexts.find(handle))
      return contextIsDestroyed;
    call.text = formatv(" to={0}", numberOf(call, handle));
    std::vector<Context *> &stack = threadState().contexts;
    if (!stack.empty())
      stack.pop_back();
    if (handle)
      stack.push_back(static_cast<Context *>(handle));
    return success;
  });
}

int simcuda::cuCtxPushCurrent_v2(void *handle) {
  return call("cuCtxPushCurrent", needsInit, [&](Call &call) -> Result {
    if (!call.state.contexts.find(handle))
      return handle ? contextIsDestroyed : invalidContext;
    call.text = formatv(" to={0}", numberOf(call, handle));
    threadState().contexts.push_back(static_cast<Context *>(handle));
    return success;
  });
}

int simcuda::cuCtxPopCurrent_v2(void **context) {
  return call("cuCtxPopCurrent", needsInit, [&](Call &call) -> Result {
    std::vector<Context *> &stack = threadState().contexts;
    if (stack.empty())
      return invalidContext;
    call.text = formatv(" from={0}", numberOf(call, stack.back()));
    if (context)
      *context = stack.back();
    stack.pop_back();
    return success;
  });
}

int simcuda::cuCtxGetDevice(int *device) {
  return call("cuCtxGetDevice", needsContext, [&](Call &call) -> Result {
    *device = call.context->device;
    return success;
  });
}

int simcuda::cuCtxGetId(void *handle, unsigned long long *id) {
  return call("cuCtxGetId", handle ? needsInit : needsContext,
              [&](Call &call) -> Result {
                Context *context =
                    handle ? call.state.contexts.find(handle) : call.context;
                if (!context)
                  return contextIsDestroyed;
                *id = context->number;
                return success;
              });
}

int simcuda::cuCtxSynchronize() {
  return call("cuCtxSynchronize", needsContext | isUnsafe,
              [&](Call &) -> Result { return success; });
}
