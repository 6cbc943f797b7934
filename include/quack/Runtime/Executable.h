//===- include/quack/Runtime/Executable.h - kernels to launch ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels, launched into contexts and streams that are the caller's.
// No MLIR, and no CUDA until the first launch: making one loads no driver and
// makes no context, so that a process may fork afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUNTIME_EXECUTABLE_H
#define QUACK_RUNTIME_EXECUTABLE_H

#include "quack-c/Launch.h"
#include "quack/Runtime/CudaDriver.h"
#include "quack/Runtime/LaunchRules.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace quack {

namespace cuda {
class CurrentContext;
}

/// Where and how a launch happens.
struct LaunchOptions {
  void *stream = nullptr; ///< a CUstream of the context; null: its default stream
  /// The GPU whose memory the arguments are in. Unless the current context is of
  /// it, its primary context is current during the call. -1: whatever is current.
  int device = -1;
  /// What `Executable::workspaceBytes` says, aligned to 16, free again once the
  /// launch is over in the stream.
  uint64_t workspace = 0;
  int64_t workspaceBytes = 0;
};

/// How many of a kernel run at once on a GPU, and what a thread of it takes.
struct KernelOccupancy : cuda::Occupancy {
  int registers = 0, localBytes = 0;
};

/// The kernels of one PTX module, for any context of the process. They are
/// loaded into a context at their first launch there and stay: a CUDA graph may
/// replay them at any time. All functions may be called by several threads at
/// once. An Executable that has been launched must live as long as the process.
class Executable {
public:
  class Kernel;

  /// `cubin`, if not empty, is the same code for `metadata.chip`; where the driver
  /// refuses it, the PTX is loaded. `api` are the entry points of a driver; null:
  /// those of libcuda, which is loaded when it is needed.
  static llvm::Expected<std::unique_ptr<const Executable>>
  create(std::string ptx, ModuleMetadata metadata, std::string cubin = "",
         const cuda::EntryPoints *api = nullptr);
  ~Executable();

  const ModuleMetadata &metadata() const { return document; }
  const std::string &ptx() const { return text; }
  /// Returns the kernel called `name`; null if there is none.
  const Kernel *lookup(llvm::StringRef name) const;

  /// Returns the bytes of workspace that a launch with these arguments takes.
  llvm::Expected<int64_t> workspaceBytes(const Kernel &kernel,
                                         llvm::ArrayRef<QuackArgument> arguments,
                                         int64_t rows) const;

  /// Launches `kernel` for `rows` rows: of the first variant whose guards the
  /// arguments fulfil, all stages, in the stream. Nothing waits. There is an
  /// argument for each operand, in the order of the metadata. An error names the
  /// kernel, grid, block, cluster and shared memory, and what the driver says.
  llvm::Error launch(const Kernel &kernel, llvm::ArrayRef<QuackArgument> arguments,
                     int64_t rows, const LaunchOptions &options) const;

  /// Does the same with a workspace that is allocated in the order of the stream
  /// (cuMemAllocAsync), where one is needed; `options` say none.
  llvm::Error launchWithOwnWorkspace(const Kernel &kernel,
                                     llvm::ArrayRef<QuackArgument> arguments, int64_t rows,
                                     const LaunchOptions &options) const;

  /// Loads all kernels into the current context, or that of `device`. While a
  /// stream is being captured this takes a driver of CUDA 12.3; an older one is
  /// an error, and the capture goes on.
  llvm::Error prepare(int device = -1) const;

  /// Returns how many of the kernel called `name`, a variant or a stage, run at
  /// once in the current context, or that of `device`.
  llvm::Expected<KernelOccupancy> occupancy(llvm::StringRef name, int device = -1) const;

private:
  struct Variant;
  struct Loaded;

  Executable();
  const Variant *choose(const Kernel &kernel, llvm::ArrayRef<QuackArgument> arguments,
                        int64_t rows) const;
  llvm::Error explainRefusal(const Kernel &kernel, llvm::ArrayRef<QuackArgument> arguments,
                             int64_t rows) const;
  llvm::Expected<const Loaded *> loadedIn(const cuda::EntryPoints &api, void *stream) const;
  llvm::Expected<const Loaded *> load(const cuda::EntryPoints &api, void *context,
                                      uint64_t id, void *stream) const;
  llvm::Expected<void *> loadModule(const cuda::EntryPoints &api) const;
  llvm::Expected<cuda::CurrentContext> enter(int device) const;
  llvm::Error launchStages(const cuda::EntryPoints &api, const Variant &variant,
                           llvm::ArrayRef<QuackArgument> arguments, int64_t rows,
                           const LaunchOptions &options) const;

  std::string text, binary;
  ModuleMetadata document;
  const cuda::EntryPoints *givenApi = nullptr;
  std::vector<Kernel> kernels;
  /// A list that only grows, so that a launch reads it without the lock.
  mutable std::atomic<const Loaded *> loaded = nullptr;
  mutable std::mutex loading;
};

/// One kernel of the source program: it is launched as one of its variants, each
/// with its stages.
class Executable::Kernel {
public:
  /// Returns whether a launch may need a workspace.
  bool mayNeedWorkspace() const;

private:
  friend class Executable;
  std::string name;
  std::vector<Variant> variants;
};

/// An argument whose number a `value` operand of `type` (f32, i32, i64) takes.
QuackArgument makeValueArgument(llvm::StringRef type, double number);

} // namespace quack

#endif // QUACK_RUNTIME_EXECUTABLE_H
