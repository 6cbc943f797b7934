//===- include/quack/Runtime/CudaDriver.h - the driver API ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the CUDA driver API that running a kernel takes. libcuda is
// loaded at run time: building needs no CUDA, and one binary works on machines
// with and without a GPU. Objects own what they hold. Errors carry the name of
// the call and of CUDA's error.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUNTIME_CUDADRIVER_H
#define QUACK_RUNTIME_CUDADRIVER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace quack::cuda {

/// The driver's entry points (CudaEntryPoints.h in lib/Runtime).
struct EntryPoints;

/// An address in device memory.
using DevicePointer = uint64_t;

/// That there is no driver or no GPU, as opposed to one that failed.
class NoDeviceError : public llvm::ErrorInfo<NoDeviceError> {
public:
  static char ID;
  explicit NoDeviceError(std::string reason) : reason(std::move(reason)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string reason;
};

/// What a device offers.
struct DeviceProperties {
  std::string name;
  std::string busId; ///< as PCI has it; what other libraries know a GPU by
  int computeMajor = 0, computeMinor = 0;
  int multiprocessors = 0;
  int64_t sharedBytesPerBlock = 0; ///< with the opt-in that large blocks need
  int64_t l2Bytes = 0;
  int64_t memoryBytes = 0;
  int driverVersion = 0; ///< e.g. 13000 for CUDA 13.0
};

/// A driver object that only its own call can free.
class Handle {
public:
  using Destroy = void (*)(const EntryPoints &, void *);

  Handle() = default;
  Handle(const EntryPoints *api, void *object, Destroy destroy)
      : api(api), object(object), destroy(destroy) {}
  Handle(Handle &&other) noexcept { swap(other); }
  Handle &operator=(Handle &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Handle() {
    if (object)
      destroy(*api, object);
  }
  void *get() const { return object; }

private:
  void swap(Handle &other) {
    std::swap(api, other.api);
    std::swap(object, other.object);
    std::swap(destroy, other.destroy);
  }

  const EntryPoints *api = nullptr;
  void *object = nullptr;
  Destroy destroy = nullptr;
};

/// Device memory.
class Buffer {
public:
  Buffer() = default;
  Buffer(Handle handle, int64_t bytes)
      : handle(std::move(handle)), bytes(bytes) {}

  DevicePointer address() const {
    return reinterpret_cast<DevicePointer>(handle.get());
  }
  int64_t size() const { return bytes; }

private:
  Handle handle;
  int64_t bytes = 0;
};

/// A point in a stream whose time the GPU takes.
class Event {
public:
  explicit Event(Handle handle) : handle(std::move(handle)) {}
  void *get() const { return handle.get(); }

private:
  Handle handle;
};

/// A kernel of a loaded module.
class Function {
public:
  Function() = default;
  explicit Function(void *function) : function(function) {}
  void *get() const { return function; }

private:
  void *function = nullptr;
};

/// Work of a stream that can be launched again as a whole. What it uses must
/// live as long as it does.
class Graph {
public:
  explicit Graph(Handle handle) : handle(std::move(handle)) {}
  void *get() const { return handle.get(); }

private:
  Handle handle;
};

/// Loaded PTX. Its functions live as long as it does.
class Module {
public:
  Module() = default;
  explicit Module(Handle handle) : handle(std::move(handle)) {}
  void *get() const { return handle.get(); }

private:
  Handle handle;
};

/// The shape of a launch.
struct LaunchShape {
  int64_t grid = 1, threads = 1, cluster = 1, sharedBytes = 0;
};

/// How much of a launch the GPU works on at a time.
struct Occupancy {
  int ctasPerMultiprocessor = 0;
  int clusters = 0; ///< on the whole GPU; 0 for a launch without clusters
};

/// A GPU, with the context and the stream that everything here uses. One
/// context at a time; used from one thread.
class Context {
public:
  /// Fills in the entry points of a driver.
  using Loader = llvm::Error (*)(EntryPoints &);
  /// Loads the driver, CUDA's unless `load` says another, and takes GPU
  /// `ordinal`.
  static llvm::Expected<std::unique_ptr<Context>> create(int ordinal = 0,
                                                         Loader load = nullptr);
  ~Context();

  const DeviceProperties &properties() const { return device; }

  /// Loads PTX; an error carries the log of the driver's assembler.
  llvm::Expected<Module> loadModule(llvm::StringRef ptx) const;
  llvm::Expected<Function> getFunction(const Module &module,
                                       llvm::StringRef name) const;
  /// Returns the registers and the bytes of local memory a thread needs.
  llvm::Expected<std::pair<int, int>> getResources(Function function) const;
  /// Allows `function` what `shape` needs beyond the defaults: more than 48 KB
  /// of dynamic shared memory, clusters of more than 8 CTAs.
  llvm::Error prepare(Function function, const LaunchShape &shape) const;
  /// Launches on the stream. `parameters` point to the values.
  llvm::Error launch(Function function, const LaunchShape &shape,
                     void **parameters) const;

  /// Returns the occupancy of launches of `function`, once it is prepared
  /// (cuOccupancyMaxActiveBlocksPerMultiprocessor,
  /// cuOccupancyMaxActiveClusters).
  llvm::Expected<Occupancy> getOccupancy(Function function,
                                         const LaunchShape &shape) const;

  /// Returns what `work` does on the stream, without doing it: launches, copies
  /// on the device and fills; anything else is an error of the driver. An error
  /// of `work` is returned, and the stream goes on as before.
  llvm::Expected<Graph> capture(llvm::function_ref<llvm::Error()> work) const;
  /// Launches the graph's work on the stream.
  llvm::Error replay(const Graph &graph) const;

  llvm::Expected<Buffer> allocate(int64_t bytes) const;
  /// Returns the bytes of device memory that are free.
  llvm::Expected<int64_t> freeBytes() const;
  llvm::Error copyToDevice(DevicePointer to, const void *from,
                           int64_t bytes) const;
  llvm::Error copyToHost(void *to, DevicePointer from, int64_t bytes) const;
  llvm::Error copyOnDevice(DevicePointer to, DevicePointer from,
                           int64_t bytes) const;
  llvm::Error fill(DevicePointer to, uint8_t value, int64_t bytes) const;

  llvm::Expected<Event> createEvent() const;
  llvm::Error record(const Event &event) const;
  /// Returns the microseconds between two recorded events that have passed.
  llvm::Expected<double> elapsedMicroseconds(const Event &begin,
                                             const Event &end) const;
  /// Waits for the stream. A kernel's fault shows here at the latest; one that
  /// does not end within the watchdog's time is an error too.
  llvm::Error synchronize() const;

  /// Sets how long synchronize() waits, in seconds.
  void setWatchdog(double seconds) { watchdogSeconds = seconds; }

  /// Returns whether an error has made the context unusable, as a kernel's
  /// illegal access does. Nothing that such a context holds is freed, since
  /// that may block: the process should end (std::_Exit).
  bool isDead() const;

private:
  Context() = default;
  llvm::Error check(int result, llvm::StringRef call) const;
  llvm::Error initialize(int ordinal, Loader load);
  llvm::Error queryProperties();

  std::unique_ptr<EntryPoints> api;
  DeviceProperties device;
  int ordinal = -1;
  void *stream = nullptr;
  double watchdogSeconds = 60;
};

} // namespace quack::cuda

#endif // QUACK_RUNTIME_CUDADRIVER_H
