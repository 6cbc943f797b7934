//===- include/quack/Runtime/Launcher.h - metadata to launch ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches a compiled kernel by its metadata, after checking everything that
// the kernel takes for granted: alignment, strides, the grid's limit.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUNTIME_LAUNCHER_H
#define QUACK_RUNTIME_LAUNCHER_H

#include "quack/Runtime/CudaDriver.h"
#include "quack/Target/KernelMetadata.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace quack {

/// An argument for one operand of a kernel.
struct LaunchArgument {
  /// A memref operand's address in device memory.
  cuda::DevicePointer pointer = 0;
  /// The distance of two rows, in elements: N for contiguous `row` operands, 1
  /// for `scalar` ones, 0 for `columns`.
  int64_t rowStride = 0;
  /// A `value` operand's number.
  double scalar = 0;
};

/// The parameters of a launch in the order of the kernel ABI, as the driver
/// takes them.
class ParameterPack {
public:
  /// Packs `arguments`, one for each operand of `kernel`, and `rows`.
  ParameterPack(const KernelMetadata &kernel,
                llvm::ArrayRef<LaunchArgument> arguments, int64_t rows);

  void **pointers() { return addresses.data(); }
  /// Returns the packed values: pointers and strides, M, then the scalars, each
  /// in the low bytes of a word.
  llvm::ArrayRef<uint64_t> words() const { return values; }

private:
  std::vector<uint64_t> values;
  std::vector<void *> addresses;
};

/// Returns the launch for `rows` rows; a grid of 0 where there is nothing to
/// launch. Refuses a grid beyond 2^31 - 1 CTAs.
llvm::Expected<cuda::LaunchShape> getLaunchShape(const KernelMetadata &kernel,
                                                 int64_t rows);

/// Checks `arguments` against the kernel's guards: pointers, and strides of
/// `row` operands, must be multiples of what the kernel demands.
llvm::Error checkGuards(const KernelMetadata &kernel,
                        llvm::ArrayRef<LaunchArgument> arguments);

/// Returns one line that describes a launch: kernel, grid, block, cluster and
/// shared memory.
std::string describeLaunch(const KernelMetadata &kernel,
                           const cuda::LaunchShape &shape);

/// A kernel that is loaded and ready to launch.
class Launcher {
public:
  static llvm::Expected<Launcher> create(const cuda::Context &context,
                                         llvm::StringRef ptx,
                                         const KernelMetadata &kernel);

  /// Launches on the context's stream for `rows` rows; nothing if there is
  /// none.
  llvm::Error launch(llvm::ArrayRef<LaunchArgument> arguments,
                     int64_t rows) const;

  int registersPerThread() const { return registers; }
  int localBytesPerThread() const { return localBytes; }

private:
  const cuda::Context *context = nullptr;
  KernelMetadata kernel;
  cuda::Module module;
  cuda::Function function;
  int registers = 0, localBytes = 0;
};

} // namespace quack

#endif // QUACK_RUNTIME_LAUNCHER_H
