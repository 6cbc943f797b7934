//===- SimulatedCuda/Streams.cpp - streams, captures, events ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work is done when it is enqueued, so order is that of the calls, which every
// stream allows. A stream that is captured keeps its work for the graph.
//
//===----------------------------------------------------------------------===//

#include "EntryPoints.h"
#include "State.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace quack;
using namespace quack::simcuda;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static void beginCapture(Stream &stream, int mode) {
  stream.capture = std::make_shared<Capture>();
  stream.capture->mode = CaptureMode(mode);
  stream.capture->thread = std::this_thread::get_id();
  stream.capture->origin = &stream;
}

Stream *simcuda::findStream(Call &call, void *handle) {
  auto number = reinterpret_cast<uintptr_t>(handle);
  if (number == 0 || number == legacyStream)
    return &call.context->legacy;
  Stream *stream = number == perThreadStream ? &call.context->perThread
                                             : call.state.streams.find(handle);
  if (stream && call.state.settings.capture && !stream->capture)
    beginCapture(*stream, *call.state.settings.capture);
  return stream;
}

/// Returns whether a stream that the legacy stream waits for is captured.
static bool conflictsWithCapture(Call &call, const Stream &stream,
                                 bool invalidates) {
  if (&stream != &stream.context->legacy)
    return false;
  bool conflicts = false;
  call.state.streams.forEach([&](Stream &other) {
    if (other.context != stream.context || !other.isBlocking || !other.capture)
      return;
    conflicts = true;
    other.capture->isValid &= !invalidates;
  });
  return conflicts;
}

Result simcuda::enqueue(Call &call, Stream &stream,
                        std::function<Result()> work) {
  if (conflictsWithCapture(call, stream, /*invalidates=*/true))
    return captureImplicit;
  if (!stream.capture)
    return work();
  if (!stream.capture->isValid)
    return captureInvalidated;
  stream.capture->graph.nodes.push_back(std::move(work));
  return success;
}

int simcuda::cuStreamCreate(void **stream, unsigned flags) {
  return call("cuStreamCreate", needsContext, [&](Call &call) -> Result {
    Stream made;
    made.context = call.context;
    made.number = ++call.state.lastStream;
    made.isBlocking = (flags & 1) == 0;
    *stream = call.state.streams.create(made);
    call.text = formatv(" got={0}", made.number);
    return success;
  });
}

int simcuda::cuStreamCreateWithPriority(void **stream, unsigned flags, int) {
  return simcuda::cuStreamCreate(stream, flags);
}

/// Makes a call on a stream.
static Result callOn(const char *name, void *handle,
                     function_ref<Result(Call &, Stream &)> body) {
  return call(name, needsContext, [&](Call &call) {
    Stream *stream = findStream(call, handle);
    if (!stream)
      return Result(invalidHandle);
    call.text = formatv(" stream={0}", stream->number);
    return body(call, *stream);
  });
}

int simcuda::cuStreamDestroy_v2(void *handle) {
  return callOn("cuStreamDestroy", handle, [&](Call &call, Stream &) -> Result {
    return call.state.streams.destroy(handle) ? success : invalidHandle;
  });
}

/// Waits for a stream, which has nothing to do; not for one that is captured.
static Result awaitStream(const char *name, void *handle) {
  return callOn(name, handle, [&](Call &, Stream &stream) -> Result {
    if (!stream.capture)
      return success;
    stream.capture->isValid = false;
    return captureUnsupported;
  });
}

int simcuda::cuStreamQuery(void *stream) {
  return awaitStream("cuStreamQuery", stream);
}
int simcuda::cuStreamSynchronize(void *stream) {
  return awaitStream("cuStreamSynchronize", stream);
}

int simcuda::cuStreamGetCtx(void *handle, void **context) {
  return callOn("cuStreamGetCtx", handle,
                [&](Call &, Stream &stream) -> Result {
                  *context = stream.context;
                  return success;
                });
}

int simcuda::cuStreamGetId(void *handle, unsigned long long *id) {
  return callOn("cuStreamGetId", handle, [&](Call &, Stream &stream) -> Result {
    *id = stream.context->number << 32 | stream.number;
    return success;
  });
}

//===----------------------------------------------------------------------===//
// Captures and graphs
//===----------------------------------------------------------------------===//

int simcuda::cuStreamIsCapturing(void *handle, int *status) {
  return callOn("cuStreamIsCapturing", handle,
                [&](Call &call, Stream &stream) -> Result {
                  if (conflictsWithCapture(call, stream, /*invalidates=*/false))
                    return captureImplicit;
                  *status = !stream.capture           ? captureNone
                            : stream.capture->isValid ? captureActive
                                                      : captureIsInvalid;
                  return success;
                });
}

int simcuda::cuStreamBeginCapture_v2(void *handle, int mode) {
  return callOn(
      "cuStreamBeginCapture", handle, [&](Call &, Stream &stream) -> Result {
        if (&stream == &stream.context->legacy)
          return captureUnsupported;
        if (mode < captureGlobal || mode > captureRelaxed || stream.capture)
          return invalidValue;
        beginCapture(stream, mode);
        return success;
      });
}

int simcuda::cuStreamEndCapture(void *handle, void **graph) {
  return callOn("cuStreamEndCapture", handle,
                [&](Call &call, Stream &stream) -> Result {
                  *graph = nullptr;
                  std::shared_ptr<Capture> capture = stream.capture;
                  if (!capture)
                    return invalidValue;
                  if (capture->origin != &stream)
                    return captureUnmatched;
                  if (capture->mode != captureRelaxed &&
                      capture->thread != std::this_thread::get_id())
                    return captureWrongThread;
                  // Streams that joined are free again, too.
                  call.state.forEachStream([&](Stream &other) {
                    if (other.capture == capture)
                      other.capture = nullptr;
                  });
                  if (!capture->isValid)
                    return captureInvalidated;
                  *graph = call.state.graphs.create(std::move(capture->graph));
                  return success;
                });
}

int simcuda::cuThreadExchangeStreamCaptureMode(int *mode) {
  return call("cuThreadExchangeStreamCaptureMode", needsNothing,
              [&](Call &call) -> Result {
                if (*mode < captureGlobal || *mode > captureRelaxed)
                  return invalidValue;
                call.text = formatv(" mode={0}", *mode);
                int previous = threadState().captureMode;
                threadState().captureMode = CaptureMode(*mode);
                *mode = previous;
                return success;
              });
}

int simcuda::cuGraphInstantiateWithFlags(void **executable, void *handle,
                                         unsigned long long) {
  return call("cuGraphInstantiate", needsContext, [&](Call &call) -> Result {
    Graph *graph = call.state.graphs.find(handle);
    if (!graph)
      return invalidValue;
    *executable = call.state.graphs.create(*graph);
    call.text = formatv(" nodes={0}", graph->nodes.size());
    return success;
  });
}

int simcuda::cuGraphLaunch(void *handle, void *streamHandle) {
  return callOn("cuGraphLaunch", streamHandle,
                [&](Call &call, Stream &stream) -> Result {
                  Graph *graph = call.state.graphs.find(handle);
                  if (!graph)
                    return invalidValue;
                  for (const std::function<Result()> &node : graph->nodes)
                    if (Result result = enqueue(call, stream, node))
                      return result;
                  return success;
                });
}

static Result destroyGraph(const char *name, void *graph) {
  return call(name, needsInit, [&](Call &call) -> Result {
    return call.state.graphs.destroy(graph) ? success : invalidValue;
  });
}

int simcuda::cuGraphExecDestroy(void *graph) {
  return destroyGraph("cuGraphExecDestroy", graph);
}
int simcuda::cuGraphDestroy(void *graph) {
  return destroyGraph("cuGraphDestroy", graph);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

int simcuda::cuEventCreate(void **event, unsigned) {
  return call("cuEventCreate", needsContext, [&](Call &call) -> Result {
    Event made;
    made.context = call.context;
    *event = call.state.events.create(made);
    return success;
  });
}

int simcuda::cuEventDestroy_v2(void *event) {
  return call("cuEventDestroy", needsInit, [&](Call &call) -> Result {
    return call.state.events.destroy(event) ? success : invalidHandle;
  });
}

int simcuda::cuEventRecord(void *handle, void *streamHandle) {
  return callOn("cuEventRecord", streamHandle,
                [&](Call &call, Stream &stream) -> Result {
                  Event *event = call.state.events.find(handle);
                  if (!event || event->context != stream.context)
                    return invalidHandle;
                  event->capture = stream.capture;
                  return enqueue(call, stream, [=]() -> Result {
                    event->time = std::chrono::steady_clock::now();
                    return success;
                  });
                });
}

int simcuda::cuStreamWaitEvent(void *streamHandle, void *handle, unsigned) {
  return callOn("cuStreamWaitEvent", streamHandle,
                [&](Call &call, Stream &stream) -> Result {
                  Event *event = call.state.events.find(handle);
                  if (!event)
                    return invalidHandle;
                  if (event->capture && stream.capture &&
                      event->capture != stream.capture)
                    return captureUnmatched;
                  if (event->capture)
                    stream.capture = event->capture;
                  return success;
                });
}

/// Waits for an event, which has happened; not for one that was captured.
static Result awaitEvent(const char *name, void *handle) {
  return call(name, needsContext, [&](Call &call) -> Result {
    Event *event = call.state.events.find(handle);
    if (!event)
      return invalidHandle;
    if (!event->capture)
      return success;
    event->capture->isValid = false;
    return captureUnsupported;
  });
}

int simcuda::cuEventQuery(void *event) {
  return awaitEvent("cuEventQuery", event);
}
int simcuda::cuEventSynchronize(void *event) {
  return awaitEvent("cuEventSynchronize", event);
}

int simcuda::cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  return call("cuEventElapsedTime", needsContext, [&](Call &call) -> Result {
    Event *first = call.state.events.find(begin),
          *last = call.state.events.find(end);
    if (!first || !last || !first->time || !last->time)
      return invalidHandle;
    using Milliseconds = std::chrono::duration<float, std::milli>;
    *milliseconds = Milliseconds(*last->time - *first->time).count();
    return success;
  });
}
