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

/// Sets how launches run from now on.
void setDriverOptions(const Options &options);

/// Returns the report of the last launch.
const Report &lastReport();

/// Fills in the entry points; for cuda::Context::create.
llvm::Error loadDriver(cuda::EntryPoints &api);

} // namespace quack::sim

#endif // QUACK_SIMULATOR_DRIVER_H
