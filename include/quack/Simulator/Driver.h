//===- include/quack/Simulator/Driver.h - a driver without GPU --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API that the runtime uses, on the simulator: what runs on a GPU
// through the runtime runs here too. A launch with faults is an error that
// lists them.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_SIMULATOR_DRIVER_H
#define QUACK_SIMULATOR_DRIVER_H

#include "quack/Runtime/CudaDriver.h"
#include "quack/Simulator/Simulator.h"

namespace quack::sim {

/// Sets how launches run from now on: once with each of `runs`.
void setDriverOptions(std::vector<Options> runs);

/// A part of an allocation.
struct Region {
  uint64_t address = 0, bytes = 0;
};

/// Sets what launches may touch from now on. What else there is in their
/// allocations, such as guards around an operand, is out of bounds. Without a
/// region whole allocations may be touched.
void setDriverRegions(std::vector<Region> regions);

/// Returns the report of the last launch.
const Report &lastReport();

/// Fills in the entry points; for cuda::Context::create.
llvm::Error loadDriver(cuda::EntryPoints &api);

} // namespace quack::sim

#endif // QUACK_SIMULATOR_DRIVER_H
