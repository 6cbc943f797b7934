//===- Launches.h - launches run --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_LAUNCHES_H
#define QUACK_LIB_SIMULATOR_LAUNCHES_H

#include "Machine.h"

namespace quack::sim {

/// Runs one launch.
Report runLaunch(const Launch &launch);
/// Runs launches of a stream, each of which after the first is programmatic.
std::vector<Report> runDependent(llvm::ArrayRef<const Launch *> launches);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_LAUNCHES_H
