//===- include/quack/Runtime/Launcher.h - metadata to launch ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches a compiled kernel by its metadata, after checking everything that
// the kernel takes for granted.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUNTIME_LAUNCHER_H
#define QUACK_RUNTIME_LAUNCHER_H

#include "quack/Runtime/CudaDriver.h"
#include "quack/Runtime/LaunchRules.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace quack {

/// The parameters of a launch in the order of the kernel ABI, as the driver
/// takes them.
class ParameterPack {
public:
  /// Packs `arguments`, one for each operand of `kernel`, `rows`, and the
  /// workspace where the kernel has one.
  ParameterPack(const KernelMetadata &kernel,
                llvm::ArrayRef<LaunchArgument> arguments, int64_t rows,
                cuda::DevicePointer workspace = 0);

  void **pointers() { return addresses.data(); }
  /// Returns the packed values: pointers and strides, M, then the scalars, each
  /// in the low bytes of a word, then the workspace.
  llvm::ArrayRef<uint64_t> words() const { return values; }

private:
  std::vector<uint64_t> values;
  std::vector<void *> addresses;
};

/// Returns the launch for `rows` rows; a grid of 0 where there is nothing to
/// launch. Refuses a grid beyond 2^31 - 1 CTAs.
llvm::Expected<cuda::LaunchShape> getLaunchShape(const KernelMetadata &kernel,
                                                 int64_t rows);

/// Returns one line that describes a launch: kernel, grid, block, cluster and
/// shared memory.
std::string describeLaunch(const KernelMetadata &kernel,
                           const cuda::LaunchShape &shape);

/// A kernel that is loaded and ready to launch, with its variants.
class Launcher {
public:
  /// Loads `ptx`, whose `metadata` has a kernel called `name`.
  static llvm::Expected<Launcher> create(const cuda::Context &context,
                                         llvm::StringRef ptx,
                                         const ModuleMetadata &metadata,
                                         llvm::StringRef name);

  /// Launches on the context's stream for `rows` rows, stage after stage;
  /// nothing if there is none. Of the variants, it takes the first whose guards
  /// are fulfilled. `workspace` is what `getWorkspaceBytes` says for that one,
  /// and free again when the last stage is over. `afterStage` is called for
  /// each stage that was launched, or could not be; never for no rows.
  llvm::Error launch(llvm::ArrayRef<LaunchArgument> arguments, int64_t rows,
                     cuda::DevicePointer workspace = 0,
                     llvm::function_ref<void(const KernelMetadata &)>
                         afterStage = nullptr) const;

  /// Returns the variant that `arguments` would launch for `rows` rows.
  llvm::Expected<const KernelMetadata *>
  variantFor(llvm::ArrayRef<LaunchArgument> arguments, int64_t rows) const;

  /// Returns what a thread of a variant takes.
  int registersPerThread(llvm::StringRef variant) const;
  int localBytesPerThread(llvm::StringRef variant) const;
  /// Returns how much of a launch of a variant the GPU works on at a time.
  llvm::Expected<cuda::Occupancy> occupancyOf(llvm::StringRef variant) const;

private:
  /// One kernel of the module.
  struct Variant {
    KernelMetadata kernel;
    cuda::Function function;
    int registers = 0, localBytes = 0;
  };
  llvm::Expected<Variant> load(const KernelMetadata &kernel) const;
  const Variant &lookup(llvm::StringRef name) const;
  llvm::Error launchStage(const Variant &stage,
                          llvm::ArrayRef<LaunchArgument> arguments,
                          int64_t rows, cuda::DevicePointer workspace) const;

  const cuda::Context *context = nullptr;
  cuda::Module module;
  std::vector<Variant> variants;
  std::vector<Variant> laterStages;
};

} // namespace quack

#endif // QUACK_RUNTIME_LAUNCHER_H
