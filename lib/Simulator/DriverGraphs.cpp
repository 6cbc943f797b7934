//===- DriverGraphs.cpp - a stream that records ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph is a list: there is one stream, whose work has an order.
//
//===----------------------------------------------------------------------===//

#include "DriverGraphs.h"

#include "../Runtime/CudaEntryPoints.h"

#include <vector>

using namespace quack;
using namespace quack::sim;

namespace {
/// The driver's own error codes.
enum : int {
  illegalState = 401,
  captureUnsupported = 900,
  captureInvalidated = 901,
};

using Graph = std::vector<StreamWork>;

/// The capture of the driver's one stream.
struct Capture {
  bool isOn = false, isInvalid = false;
  Graph graph;
};
} // namespace

static Capture &capture() {
  static Capture capture;
  return capture;
}

int quack::sim::doOrRecord(StreamWork work) {
  if (!capture().isOn)
    return work();
  capture().graph.push_back(std::move(work));
  return cuda::resultSuccess;
}

int quack::sim::waitForStream() {
  if (!capture().isOn)
    return cuda::resultSuccess;
  capture().isInvalid = true;
  return captureUnsupported;
}

void quack::sim::fillGraphs(cuda::EntryPoints &api) {
  api.streamBeginCapture = [](void *, int) -> int {
    if (capture().isOn)
      return illegalState;
    capture() = {/*isOn=*/true, /*isInvalid=*/false, {}};
    return cuda::resultSuccess;
  };
  api.streamEndCapture = [](void *, void **graph) -> int {
    if (!capture().isOn)
      return illegalState;
    Capture ended = std::move(capture());
    capture() = {};
    *graph = ended.isInvalid ? nullptr : new Graph(std::move(ended.graph));
    return ended.isInvalid ? int(captureInvalidated) : int(cuda::resultSuccess);
  };
  api.graphInstantiate = [](void **executable, void *graph, uint64_t) {
    *executable = new Graph(*static_cast<Graph *>(graph));
    return 0;
  };
  api.graphLaunch = [](void *executable, void *) {
    for (const StreamWork &work : *static_cast<Graph *>(executable))
      if (int result = work())
        return result;
    return 0;
  };
  api.graphExecDestroy = api.graphDestroy = [](void *graph) {
    delete static_cast<Graph *>(graph);
    return 0;
  };
}
