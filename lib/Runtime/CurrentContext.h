//===- lib/Runtime/CurrentContext.h - the caller's context ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver of this process and its contexts, which belong to callers: they
// are used and left as they were.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_RUNTIME_CURRENTCONTEXT_H
#define QUACK_LIB_RUNTIME_CURRENTCONTEXT_H

#include "DriverCalls.h"
#include "quack/Runtime/Executable.h"

namespace quack::cuda {

/// Returns libcuda's entry points, which are loaded and initialised once in a
/// process. No context is made.
llvm::Expected<const EntryPoints *> processDriver();

/// Has a context of a device current while it lives.
class CurrentContext {
public:
  /// Leaves a current context of `device` as it is, and any where that is -1;
  /// else makes the device's primary context current, the one that the CUDA
  /// runtime and frameworks on it have.
  static llvm::Expected<CurrentContext> enter(const EntryPoints &api, int device);

  CurrentContext(CurrentContext &&other)
      : driver(other.driver), isPushed(std::exchange(other.isPushed, false)) {}
  CurrentContext &operator=(CurrentContext &&) = delete;
  ~CurrentContext() {
    void *context;
    if (isPushed)
      driver->ctxPopCurrent(&context);
  }

  const EntryPoints &api() const { return *driver; }

private:
  CurrentContext(const EntryPoints &api, bool isPushed) : driver(&api), isPushed(isPushed) {}
  const EntryPoints *driver;
  bool isPushed;
};

/// Checks that kernels can be loaded although `stream` may be being captured:
/// drivers before CUDA 12.3 would end the capture.
llvm::Error checkCapture(const EntryPoints &api, void *stream);

/// While it lives, calls that are unsafe in a capture are none of the capture's
/// concern: this thread makes them, but they do not belong to the graph.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const EntryPoints &api) : api(api) {
    api.exchangeCaptureMode(&mode);
  }
  RelaxedCapture(const RelaxedCapture &) = delete;
  ~RelaxedCapture() { api.exchangeCaptureMode(&mode); }

private:
  const EntryPoints &api;
  int mode = 2; ///< CU_STREAM_CAPTURE_MODE_RELAXED; then what it was before
};

/// Returns how many of a loaded kernel run at once.
llvm::Expected<KernelOccupancy> queryKernel(const EntryPoints &api, void *function,
                                         const KernelMetadata &kernel);

} // namespace quack::cuda

#endif // QUACK_LIB_RUNTIME_CURRENTCONTEXT_H
