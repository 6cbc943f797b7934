//===- SimulatedCuda/State.h - what the driver knows ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's objects, and the frame that each of its calls runs in. One lock
// holds the whole of a call, kernels included: whatever is launched is over
// when the call returns.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_SUPPORT_SIMULATEDCUDA_STATE_H
#define QUACK_TEST_SUPPORT_SIMULATEDCUDA_STATE_H

#include "Abi.h"

#include "quack/Simulator/Simulator.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace quack::simcuda {

struct Context;
struct Module;
struct Stream;

/// What the environment asks for (README.md). Read at the first call.
struct Settings {
  int version = 13000;
  int devices = 1;
  int capability = 90;
  uint64_t memoryBytes = uint64_t(4) << 30; ///< of each device
  std::optional<int> capture;               ///< of every stream
  std::string cubinPath;                    ///< the PTX that cubins stand for
  std::vector<sim::Options> runs = {sim::Options()};
  std::FILE *log = nullptr;

  /// Makes the `number`th call of `name` fail, or each if that is 0.
  struct Failure {
    std::string name;
    unsigned number = 0;
    Result result = success;
  };
  std::vector<Failure> failures;

  static Settings fromEnvironment();
};

/// Objects that callers know by their addresses.
template <typename T> class Handles {
public:
  T *create(T object) {
    auto made = std::make_unique<T>(std::move(object));
    T *handle = made.get();
    objects.emplace(handle, std::move(made));
    return handle;
  }
  /// Returns the object; null if `handle` is none.
  T *find(const void *handle) const {
    auto found = objects.find(handle);
    return found == objects.end() ? nullptr : found->second.get();
  }
  bool destroy(const void *handle) { return objects.erase(handle) != 0; }
  template <typename Predicate> void destroyIf(Predicate isOver) {
    for (auto it = objects.begin(); it != objects.end();)
      it = isOver(*it->second) ? objects.erase(it) : std::next(it);
  }
  template <typename Visitor> void forEach(Visitor visit) {
    for (auto &entry : objects)
      visit(*entry.second);
  }

private:
  std::map<const void *, std::unique_ptr<T>> objects;
};

/// Work that was captured.
struct Graph {
  std::vector<std::function<Result()>> nodes;
};

/// A capture that is going on, of one stream or of several that met.
struct Capture {
  CaptureMode mode = captureGlobal;
  std::thread::id thread;
  const Stream *origin = nullptr;
  bool isValid = true;
  Graph graph;
};

struct Stream {
  Context *context = nullptr;
  uint64_t number = 0;    ///< in the log; 0 is a context's legacy stream
  bool isBlocking = true; ///< waits for the legacy stream
  std::shared_ptr<Capture> capture;
};

struct Event {
  Context *context = nullptr;
  std::optional<std::chrono::steady_clock::time_point> time;
  std::shared_ptr<Capture> capture; ///< that it was last recorded in
};

struct Context {
  uint64_t number = 0; ///< what cuCtxGetId says: never used twice
  int device = 0;
  Result status = success; ///< an error that stays, of a kernel
  Stream legacy, perThread;
};

struct Function {
  Module *module = nullptr;
  std::string name;
  int dynamicSharedLimit = 48 << 10;
  bool allowsNonPortableCluster = false;
};

struct Module {
  Context *context = nullptr;
  std::shared_ptr<sim::Module> code;
  std::map<std::string, Function *> functions;
};

/// Device memory. Its address is reserved without access, so that a host that
/// follows a device's pointer faults.
struct Allocation {
  int device = 0;
  size_t bytes = 0, reservedBytes = 0;
  std::unique_ptr<char, decltype(&std::free)> data{nullptr, std::free};
  std::unique_ptr<uint8_t, decltype(&std::free)> written{nullptr, std::free};
};

struct Device {
  Context *primary = nullptr;
  unsigned retains = 0;
  uint64_t usedBytes = 0;
};

struct State {
  std::recursive_mutex mutex;
  Settings settings = Settings::fromEnvironment();
  int initializedBy = 0; ///< process id of cuInit's caller
  std::map<std::string, unsigned> calls;
  std::vector<Device> devices{size_t(settings.devices)};
  Handles<Context> contexts;
  Handles<Module> modules;
  Handles<Function> functions;
  Handles<Stream> streams;
  Handles<Event> events;
  Handles<Graph> graphs;
  std::map<DevicePointer, Allocation> memory;
  uint64_t lastContext = 0, lastStream = 1, launches = 0;

  void log(const std::string &line);
  /// Visits each stream that may be captured.
  void forEachStream(llvm::function_ref<void(Stream &)> visit);
  /// Visits each capture that goes on.
  void forEachCapture(llvm::function_ref<void(Capture &)> visit);
  /// Ends a context and all that it has.
  void destroyContext(Context *context);
};

/// What belongs to the calling thread.
struct ThreadState {
  std::vector<Context *> contexts; ///< the last one is current
  CaptureMode captureMode = captureGlobal;
};
ThreadState &threadState();

/// What a call takes for granted, as bits.
enum Need : unsigned {
  needsNothing = 0,
  needsInit = 1,
  needsContext = 2 | needsInit, ///< that is current and without an error
  isUnsafe = 4, ///< is refused while a stream is captured, as the modes say
};

/// A call that is going on.
struct Call {
  State &state;
  Context *context; ///< the current one, if it is needed
  std::string text; ///< what the log says of it
};

/// Runs the body of the call `name`, and logs it.
Result call(const char *name, unsigned needs,
            llvm::function_ref<Result(Call &)> body);

/// Invalidates the captures because of which this thread must not make unsafe
/// calls; returns whether there are any. In a relaxed thread there are none,
/// unless `evenRelaxed`.
bool refusesUnsafeCall(State &state, bool evenRelaxed);

/// Returns the stream; null if `handle` is none.
Stream *findStream(Call &call, void *handle);
/// Does `work` now, or once the graph that `stream` is captured for is
/// launched.
Result enqueue(Call &call, Stream &stream, std::function<Result()> work);

/// Returns the allocation of device memory that `address` lies in; null if
/// none.
Allocation *findAllocation(State &state, DevicePointer address,
                           DevicePointer *begin);

/// Returns a name such as CUDA_ERROR_INVALID_VALUE; null for a number that is
/// no error's.
const char *getErrorName(Result result);

} // namespace quack::simcuda

#endif // QUACK_TEST_SUPPORT_SIMULATEDCUDA_STATE_H
