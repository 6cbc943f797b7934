//===- lib/Runtime/CurrentContext.cpp - the caller's context ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Primary contexts are retained once and never released: what was loaded there
// stays.
//
//===----------------------------------------------------------------------===//

#include "CurrentContext.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace quack;
using namespace quack::cuda;

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

namespace {
/// libcuda in this process, or why it is not there.
struct ProcessDriver {
  EntryPoints api;
  std::string failure;
  bool isInitialized = false;

  ProcessDriver() {
    if (Error error = api.load()) {
      handleAllErrors(std::move(error), [&](const ErrorInfoBase &info) {
        failure = info.message();
      });
      return;
    }
    int result = api.init(0);
    isInitialized = result == resultSuccess;
    if (isInitialized)
      return;
    failure = toString(makeError(api, result, "cuInit"));
  }
};
} // namespace

Expected<const EntryPoints *> quack::cuda::processDriver() {
  static const ProcessDriver driver;
  if (driver.isInitialized)
    return &driver.api;
  return createStringError(driver.failure);
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// Returns the primary context of `device`.
static Expected<void *> primaryContext(const EntryPoints &api, int device) {
  std::atomic<void *> *known =
      size_t(device) < api.primaryContexts.size() ? &api.primaryContexts[device] : nullptr;
  if (known && *known)
    return known->load();
  int count = 0;
  api.deviceGetCount(&count);
  if (device >= count)
    return createStringError(
        formatv("there is no GPU {0}: the driver sees {1}", device, count));
  int id;
  void *context = nullptr;
  if (int result = api.deviceGet(&id, device))
    return makeError(api, result, "cuDeviceGet");
  if (int result = api.primaryCtxRetain(&context, id))
    return makeError(api, result, "cuDevicePrimaryCtxRetain");
  if (known)
    *known = context;
  return context;
}

Expected<CurrentContext> CurrentContext::enter(const EntryPoints &api, int device) {
  if (device < 0)
    return CurrentContext(api, /*isPushed=*/false);
  void *current = nullptr;
  int currentDevice = -1;
  if (int result = api.ctxGetCurrent(&current))
    return makeError(api, result, "cuCtxGetCurrent");
  if (current && api.ctxGetDevice(&currentDevice) == resultSuccess &&
      currentDevice == device)
    return CurrentContext(api, /*isPushed=*/false);
  Expected<void *> context = primaryContext(api, device);
  if (!context)
    return context.takeError();
  if (int result = api.ctxPushCurrent(*context))
    return makeError(api, result, "cuCtxPushCurrent");
  return CurrentContext(api, /*isPushed=*/true);
}

//===----------------------------------------------------------------------===//
// Captures and occupancy
//===----------------------------------------------------------------------===//

Error quack::cuda::checkCapture(const EntryPoints &api, void *stream) {
  constexpr int needed = 12030;
  int version = 0, status = 0;
  api.driverGetVersion(&version);
  if (version >= needed)
    return Error::success();
  // The legacy stream cannot be asked while another stream is being captured.
  int answer = api.streamIsCapturing(stream, &status);
  if (answer != resultStreamCaptureImplicit && (answer != resultSuccess || status == 0))
    return Error::success();
  return createStringError(
      formatv("the stream is being captured, and a driver of CUDA {0}.{1} cannot load a "
              "kernel meanwhile (12.3 can): launch it once before the capture",
              version / 1000, version % 1000 / 10));
}

Expected<KernelOccupancy> quack::cuda::queryKernel(const EntryPoints &api, void *function,
                                                const KernelMetadata &kernel) {
  KernelOccupancy result;
  auto ask = [&](int answer, const char *call) { return makeError(api, answer, call); };
  if (Error error = ask(api.funcGetAttribute(&result.registers, functionRegisters, function),
                        "cuFuncGetAttribute(NUM_REGS)"))
    return error;
  if (Error error =
          ask(api.funcGetAttribute(&result.localBytes, functionLocalBytes, function),
              "cuFuncGetAttribute(LOCAL_SIZE_BYTES)"))
    return error;
  LaunchShape shape;
  shape.grid = shape.cluster = kernel.cluster;
  shape.threads = kernel.threads;
  shape.sharedBytes = kernel.sharedBytes;
  Expected<Occupancy> occupancy = cuda::queryOccupancy(api, function, shape);
  if (!occupancy)
    return occupancy.takeError();
  static_cast<Occupancy &>(result) = *occupancy;
  return result;
}
