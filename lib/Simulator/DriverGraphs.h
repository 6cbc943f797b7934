//===- DriverGraphs.h - a stream that records ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream capture and graphs of the driver without GPU. A stream does its work
// at once, or, while it is captured, notes it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_DRIVERGRAPHS_H
#define QUACK_LIB_SIMULATOR_DRIVERGRAPHS_H

#include <functional>

namespace quack::cuda {
struct EntryPoints;
} // namespace quack::cuda

namespace quack::sim {

/// What the driver's stream is asked to do: returns a result of the driver API.
using StreamWork = std::function<int()>;

/// Does `work`, or notes it for the graph that is captured.
int doOrRecord(StreamWork work);

/// Returns what a call that waits for the stream gives: an error while it is
/// captured, which is the end of the capture too, as in the driver.
int waitForStream();

/// Fills in the calls about capture and graphs.
void fillGraphs(cuda::EntryPoints &api);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_DRIVERGRAPHS_H
