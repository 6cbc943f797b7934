//===- include/quack/Runtime/Nvml.h - what a GPU runs at --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clocks and versions by NVIDIA's management library, which is loaded at run
// time and may be missing. It only reads.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUNTIME_NVML_H
#define QUACK_RUNTIME_NVML_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace quack {

/// Clocks in MHz and what else tells how a GPU is doing; nothing where NVML
/// says nothing.
struct GpuState {
  std::optional<unsigned> smMHz, memoryMHz; ///< now
  std::optional<unsigned> mostSmMHz, mostMemoryMHz;
  std::optional<unsigned> celsius, powerLimitWatts;
};

/// One GPU as NVML knows it. Used from one thread.
class Nvml {
public:
  /// Loads libnvidia-ml.so.1 and finds the GPU with this PCI bus id; nothing if
  /// either is not there.
  static std::optional<Nvml> open(llvm::StringRef busId);
  ~Nvml();
  Nvml(Nvml &&other) noexcept;
  Nvml &operator=(Nvml &&) = delete;

  /// Returns the driver's version, such as 580.82.07; empty if it is not known.
  std::string driverVersion() const;
  GpuState state() const;

private:
  Nvml() = default;
  template <typename... Parameters>
  std::optional<int> call(const char *name, Parameters... parameters) const;

  void *library = nullptr; ///< nothing once it was moved from
  void *device = nullptr;
};

} // namespace quack

#endif // QUACK_RUNTIME_NVML_H
