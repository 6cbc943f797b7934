//===- CudaDriver.cpp - the driver API -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcuda by dlopen. Entry points come from cuGetProcAddress for CUDA 12.0,
// which names each call's version: a newer driver gives the same ABI.
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/CudaDriver.h"

#include "DriverCalls.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <dlfcn.h>
#include <thread>

using namespace llvm;
using namespace quack::cuda;

char NoDeviceError::ID = 0;

void NoDeviceError::log(raw_ostream &os) const {
  os << "no CUDA device: " << reason;
}

std::error_code NoDeviceError::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

Error EntryPoints::load() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return make_error<NoDeviceError>("libcuda.so.1 could not be loaded (is an "
                                     "NVIDIA driver installed?)");
  using GetProcAddress = int (*)(const char *, void **, int, uint64_t, void *);
  auto getProcAddress =
      reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
  if (!getProcAddress)
    return make_error<NoDeviceError>(
        "the driver is older than CUDA 12.0: it has no cuGetProcAddress_v2");
  auto find = [&](const char *name, void **entry) {
    constexpr int abiVersion = 12000;
    int found = getProcAddress(name, entry, abiVersion, /*flags=*/0, nullptr);
    return found == resultSuccess && *entry;
  };
#define QUACK_FIND(member, name, parameters)                                   \
  if (!find(name, reinterpret_cast<void **>(&member)))                         \
    return make_error<NoDeviceError>("the driver has no " name);
  QUACK_CUDA_CALLS(QUACK_FIND)
#undef QUACK_FIND
  return Error::success();
}

Expected<std::unique_ptr<Context>> Context::create(int ordinal, Loader load) {
  std::unique_ptr<Context> context(new Context);
  context->api = std::make_unique<EntryPoints>();
  if (Error error = context->initialize(ordinal, load))
    return error;
  return context;
}

Error Context::initialize(int wanted, Loader load) {
  if (Error error = load ? load(*api) : api->load())
    return error;
  if (int result = api->init(0)) {
    const char *name = nullptr;
    api->getErrorName(result, &name);
    return make_error<NoDeviceError>(std::string("cuInit says ") +
                                     (name ? name : "an unknown error"));
  }
  int count = 0;
  if (api->deviceGetCount(&count) || wanted >= count)
    return make_error<NoDeviceError>("the driver sees " +
                                     std::to_string(count) + " GPUs, number " +
                                     std::to_string(wanted) + " was asked for");
  int id;
  if (Error error = check(api->deviceGet(&id, wanted), "cuDeviceGet"))
    return error;
  void *context;
  if (Error error = check(api->primaryCtxRetain(&context, id),
                          "cuDevicePrimaryCtxRetain"))
    return error;
  ordinal = id;
  if (Error error = check(api->ctxSetCurrent(context), "cuCtxSetCurrent"))
    return error;
  // Flag 0: the stream waits for the copies to the device, and they for it.
  if (Error error = check(api->streamCreate(&stream, 0), "cuStreamCreate"))
    return error;
  return queryProperties();
}

Error Context::queryProperties() {
  char name[256] = "";
  if (Error error = check(api->deviceGetName(name, sizeof(name), ordinal),
                          "cuDeviceGetName"))
    return error;
  device.name = name;
  if (Error error = check(api->deviceGetPCIBusId(name, sizeof(name), ordinal),
                          "cuDeviceGetPCIBusId"))
    return error;
  device.busId = name;
  auto get = [&](DeviceAttribute attribute) {
    int value = 0;
    api->deviceGetAttribute(&value, attribute, ordinal);
    return value;
  };
  device.computeMajor = get(attributeComputeMajor);
  device.computeMinor = get(attributeComputeMinor);
  device.multiprocessors = get(attributeMultiprocessors);
  device.sharedBytesPerBlock = get(attributeSharedBytesOptIn);
  device.l2Bytes = get(attributeL2Bytes);
  size_t bytes = 0;
  api->deviceTotalMem(&bytes, ordinal);
  device.memoryBytes = static_cast<int64_t>(bytes);
  api->driverGetVersion(&device.driverVersion);
  return Error::success();
}

Context::~Context() {
  if (api->isDead)
    return;
  if (stream)
    api->streamDestroy(stream);
  if (ordinal >= 0)
    api->primaryCtxRelease(ordinal);
}

/// Returns whether CUDA's error `result` leaves the context unusable.
static bool killsContext(int result) {
  return result == resultIllegalAddress || result == resultLaunchTimeout ||
         result == resultAssert ||
         (result >= resultHardwareStackError && result <= resultLaunchFailed);
}

bool Context::isDead() const { return api->isDead; }

Error Context::check(int result, StringRef call) const {
  if (result == resultSuccess)
    return Error::success();
  api->isDead |= killsContext(result);
  return makeError(*api, result, call);
}

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

Expected<Module> Context::loadModule(StringRef ptx) const {
  std::string text = ptx.str(); // ends with a null
  Expected<void *> module = loadImage(*api, text.c_str());
  if (!module)
    return module.takeError();
  return Module(
      Handle(api.get(), *module, [](const EntryPoints &cuda, void *object) {
        if (!cuda.isDead)
          cuda.moduleUnload(object);
      }));
}

Expected<Function> Context::getFunction(const Module &module,
                                        StringRef name) const {
  Expected<void *> function = findFunction(*api, module.get(), name.str());
  if (!function)
    return function.takeError();
  return Function(*function);
}

Expected<std::pair<int, int>> Context::getResources(Function function) const {
  std::pair<int, int> resources;
  if (Error error =
          check(api->funcGetAttribute(&resources.first, functionRegisters,
                                      function.get()),
                "cuFuncGetAttribute"))
    return error;
  if (Error error =
          check(api->funcGetAttribute(&resources.second, functionLocalBytes,
                                      function.get()),
                "cuFuncGetAttribute"))
    return error;
  return resources;
}

Error Context::prepare(Function function, const LaunchShape &shape) const {
  return allowShape(*api, function.get(), shape);
}

Error Context::launch(Function function, const LaunchShape &shape,
                      void **parameters) const {
  return check(launchFunction(*api, function.get(), Configuration(shape, stream),
                              parameters),
               "cuLaunchKernelEx");
}

Expected<Occupancy> Context::getOccupancy(Function function,
                                           const LaunchShape &shape) const {
  return queryOccupancy(*api, function.get(), shape);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Expected<Buffer> Context::allocate(int64_t bytes) const {
  DevicePointer address = 0;
  // The driver refuses 0 bytes.
  size_t size = std::max<int64_t>(bytes, 1);
  if (Error error = check(api->memAlloc(&address, size), "cuMemAlloc"))
    return joinErrors(createStringError("cannot allocate " + Twine(bytes) +
                                        " bytes on the GPU"),
                      std::move(error));
  return Buffer(Handle(api.get(), reinterpret_cast<void *>(address),
                       [](const EntryPoints &cuda, void *object) {
                         if (!cuda.isDead)
                           cuda.memFree(
                               reinterpret_cast<DevicePointer>(object));
                       }),
                bytes);
}

Expected<int64_t> Context::freeBytes() const {
  size_t free = 0, total = 0;
  if (Error error = check(api->memGetInfo(&free, &total), "cuMemGetInfo"))
    return error;
  return static_cast<int64_t>(free);
}

Error Context::copyToDevice(DevicePointer to, const void *from,
                            int64_t bytes) const {
  if (bytes == 0)
    return Error::success();
  return check(api->memcpyHtoD(to, from, bytes), "cuMemcpyHtoD");
}

Error Context::copyToHost(void *to, DevicePointer from, int64_t bytes) const {
  if (bytes == 0)
    return Error::success();
  // So that a kernel's fault is not blamed on the copy.
  if (Error error = synchronize())
    return error;
  return check(api->memcpyDtoH(to, from, bytes), "cuMemcpyDtoH");
}

Error Context::copyOnDevice(DevicePointer to, DevicePointer from,
                            int64_t bytes) const {
  return check(api->memcpyDtoDAsync(to, from, bytes, stream),
               "cuMemcpyDtoDAsync");
}

Error Context::fill(DevicePointer to, uint8_t value, int64_t bytes) const {
  if (bytes == 0)
    return Error::success();
  return check(api->memsetD8Async(to, value, bytes, stream), "cuMemsetD8Async");
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

Expected<Event> Context::createEvent() const {
  void *event = nullptr;
  if (Error error =
          check(api->eventCreate(&event, /*Flags=*/0), "cuEventCreate"))
    return error;
  return Event(
      Handle(api.get(), event, [](const EntryPoints &cuda, void *object) {
        if (!cuda.isDead)
          cuda.eventDestroy(object);
      }));
}

Error Context::record(const Event &event) const {
  return check(api->eventRecord(event.get(), stream), "cuEventRecord");
}

Expected<double> Context::elapsedMicroseconds(const Event &begin,
                                              const Event &end) const {
  float milliseconds = 0;
  if (Error error =
          check(api->eventElapsedTime(&milliseconds, begin.get(), end.get()),
                "cuEventElapsedTime"))
    return error;
  return milliseconds * 1e3;
}

Error Context::synchronize() const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  for (;;) {
    int result = api->streamQuery(stream);
    if (result != resultNotReady)
      return check(result, "cuStreamQuery");
    std::chrono::duration<double> waited = Clock::now() - start;
    if (waited.count() > watchdogSeconds) {
      api->isDead = true;
      return createStringError(
          formatv("the GPU did not finish within {0} s: a kernel hangs",
                  format("%g", watchdogSeconds)));
    }
    // Short work is polled, so that timing loops do not wait for the scheduler.
    if (waited.count() > 2e-3)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}
