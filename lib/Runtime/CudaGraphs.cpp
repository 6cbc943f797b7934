//===- CudaGraphs.cpp - work that is launched again ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream capture (CUDA driver API, "Stream Management" and "Graph Management").
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/CudaDriver.h"

#include "CudaEntryPoints.h"

using namespace llvm;
using namespace quack::cuda;

Expected<Graph> Context::capture(function_ref<Error()> work) const {
  if (Error error = check(api->streamBeginCapture(stream, captureThreadLocal),
                          "cuStreamBeginCapture"))
    return error;
  Error failure = work();
  void *graph = nullptr;
  Error ending =
      check(api->streamEndCapture(stream, &graph), "cuStreamEndCapture");
  void *executable = nullptr;
  if (!failure && !ending)
    ending = check(api->graphInstantiate(&executable, graph, /*flags=*/0),
                   "cuGraphInstantiateWithFlags");
  // The executable one has all that it needs.
  if (graph)
    api->graphDestroy(graph);
  if (failure) {
    consumeError(std::move(ending));
    return failure;
  }
  if (ending)
    return ending;
  return Graph(
      Handle(api.get(), executable, [](const EntryPoints &cuda, void *object) {
        if (!cuda.isDead)
          cuda.graphExecDestroy(object);
      }));
}

Error Context::replay(const Graph &graph) const {
  return check(api->graphLaunch(graph.get(), stream), "cuGraphLaunch");
}
