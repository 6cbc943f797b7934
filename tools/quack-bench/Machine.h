//===- tools/quack-bench/Machine.h - where it was measured ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a table says of a run: GPU, driver, clocks, versions, date.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKBENCH_MACHINE_H
#define QUACK_TOOLS_QUACKBENCH_MACHINE_H

#include "quack/Runtime/CudaDriver.h"
#include "quack/Runtime/Nvml.h"

#include "llvm/Support/JSON.h"

namespace quack::bench {

/// Returns the run that measures on `device` now. Its date is that of
/// SOURCE_DATE_EPOCH, if the environment has it; clocks are null without NVML.
llvm::json::Object describeRun(const cuda::DeviceProperties &device,
                               const std::optional<Nvml> &nvml,
                               bool isSimulated);

/// Adds to a row the clocks that the GPU has now.
void addClocks(const std::optional<Nvml> &nvml, llvm::json::Object &row);

} // namespace quack::bench

#endif // QUACK_TOOLS_QUACKBENCH_MACHINE_H
