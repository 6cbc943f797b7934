//===- include/quack/Simulator/HostLaunch.h - on host arrays ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches a compiled kernel on arrays in the host's memory, by its metadata:
// the same arguments that a GPU's launch has, the same checks.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_SIMULATOR_HOSTLAUNCH_H
#define QUACK_SIMULATOR_HOSTLAUNCH_H

#include "quack-c/Launch.h"
#include "quack/Simulator/Simulator.h"
#include "quack/Target/KernelMetadata.h"

namespace quack::sim {

/// Launches the kernel called `name` of `module`, which has `metadata`, for
/// `rows` rows: the variant whose guards the arguments fulfil, all stages. Only
/// what rows of the operands occupy may be touched. A fault of the kernel is an
/// error that lists all of the stage.
llvm::Error launchOnHost(const Module &module, const ModuleMetadata &metadata,
                         llvm::StringRef name, llvm::ArrayRef<QuackArgument> arguments,
                         int64_t rows, const Options &options = {});

} // namespace quack::sim

#endif // QUACK_SIMULATOR_HOSTLAUNCH_H
