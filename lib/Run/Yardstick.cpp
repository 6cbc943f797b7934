//===- tools/quack-run/Yardstick.cpp - what memory gives --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copy and read kernels are written here as PTX: 16-byte accesses, all
// loads of a thread before its first store, one grid over all pieces.
//
//===----------------------------------------------------------------------===//

#include "Yardstick.h"

#include "quack/Runtime/CopyKernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace llvm;
using namespace quack;

static constexpr int64_t flushBytes = 256 << 20;

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

/// The events around one timed piece of work.
using EventPair = std::pair<cuda::Event, cuda::Event>;

static Expected<EventPair> runOnce(Session &session, const Work &work) {
  const cuda::Context &context = *session.context;
  Expected<cuda::Event> begin = context.createEvent();
  if (!begin)
    return begin.takeError();
  Expected<cuda::Event> end = context.createEvent();
  if (!end)
    return end.takeError();
  if (Error error =
          context.fill(session.flush.address(), 0, session.flush.size()))
    return error;
  if (Error error = context.record(*begin))
    return error;
  if (Error error = work())
    return error;
  if (Error error = context.record(*end))
    return error;
  return EventPair(std::move(*begin), std::move(*end));
}

static double median(std::vector<double> times) {
  auto middle = times.begin() + times.size() / 2;
  std::nth_element(times.begin(), middle, times.end());
  if (times.size() % 2 != 0)
    return *middle;
  return (*middle + *std::max_element(times.begin(), middle)) / 2;
}

static Error reserveFlush(Session &session) {
  if (session.flush.size() != 0)
    return Error::success();
  Expected<cuda::Buffer> buffer = session.context->allocate(flushBytes);
  if (!buffer)
    return buffer.takeError();
  session.flush = std::move(*buffer);
  return Error::success();
}

Expected<std::vector<double>> quack::timeInterleaved(Session &session,
                                                     ArrayRef<Work> works,
                                                     int64_t warmups,
                                                     int64_t iterations) {
  if (Error error = reserveFlush(session))
    return error;
  std::vector<std::vector<double>> times(works.size());
  for (int64_t i = 0; i < warmups + iterations; ++i) {
    std::vector<EventPair> events;
    for (const Work &work : works) {
      Expected<EventPair> pair = runOnce(session, work);
      if (!pair)
        return pair.takeError();
      events.push_back(std::move(*pair));
    }
    if (Error error = session.context->synchronize())
      return error;
    for (auto [pair, list] : zip_equal(events, times)) {
      Expected<double> time =
          session.context->elapsedMicroseconds(pair.first, pair.second);
      if (!time)
        return time.takeError();
      if (i >= warmups)
        list.push_back(*time);
    }
  }
  std::vector<double> medians;
  for (const std::vector<double> &list : times)
    medians.push_back(median(list));
  return medians;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

Error Yardstick::addVariants(const cuda::Context &context) {
  for (const CopyKernel &kernel : getCopyKernels()) {
    Expected<cuda::Function> function =
        context.getFunction(module, kernel.name);
    if (!function)
      return function.takeError();
    for (int64_t threads : {256, 512, 1024})
      (kernel.isRead ? reads : copies)
          .push_back({kernel.name + "_" + std::to_string(threads), *function,
                      threads, kernel.piecesPerThread});
  }
  return Error::success();
}

Expected<std::shared_ptr<Yardstick>> Yardstick::create(Session &session) {
  auto yardstick = std::make_shared<Yardstick>();
  Expected<cuda::Module> module =
      session.context->loadModule(getCopyKernelsPTX());
  if (!module)
    return module.takeError();
  yardstick->module = std::move(*module);
  if (Error error = yardstick->addVariants(*session.context))
    return error;
  return yardstick;
}

Error Yardstick::reserve(const cuda::Context &context, int64_t bytes) {
  for (cuda::Buffer *buffer : {&from, &to}) {
    if (buffer->size() >= bytes)
      continue;
    *buffer = cuda::Buffer();
    Expected<cuda::Buffer> larger = context.allocate(bytes);
    if (!larger)
      return larger.takeError();
    *buffer = std::move(*larger);
    if (Error error = context.fill(buffer->address(), 0x3C, bytes))
      return error;
  }
  return Error::success();
}

std::vector<Candidate> Yardstick::makeCandidates(const cuda::Context &context,
                                                 int64_t bytes,
                                                 bool isRead) const {
  std::vector<Candidate> candidates;
  cuda::DevicePointer source = from.address(), target = to.address();
  if (!isRead)
    candidates.push_back(
        {"cuMemcpyDtoDAsync", [&context, source, target, bytes] {
           return context.copyOnDevice(target, source, bytes);
         }});
  for (const Variant &variant : isRead ? reads : copies) {
    int64_t pieces = bytes / copyPieceBytes;
    int64_t perBlock = variant.threads * variant.piecesPerThread;
    cuda::LaunchShape shape;
    shape.grid = std::max<int64_t>(1, (pieces + perBlock - 1) / perBlock);
    shape.threads = variant.threads;
    cuda::Function function = variant.function;
    candidates.push_back(
        {variant.name, [&context, source, target, pieces, shape, function] {
           uint64_t values[] = {source, target, static_cast<uint64_t>(pieces)};
           void *parameters[] = {&values[0], &values[1], &values[2]};
           return context.launch(function, shape, parameters);
         }});
  }
  return candidates;
}

Expected<std::vector<Candidate>>
Yardstick::bestCandidates(Session &session, int64_t bytes, bool isRead) {
  constexpr size_t kept = 3;
  int64_t moved = alignTo(isRead ? bytes : bytes / 2, copyPieceBytes);
  if (Error error =
          reserve(*session.context, std::max<int64_t>(moved, copyPieceBytes)))
    return error;
  std::vector<Candidate> all = makeCandidates(*session.context, moved, isRead);
  std::vector<size_t> &best = bestBySize[{moved, isRead}];
  if (best.empty()) {
    auto works = map_to_vector(
        all, [](const Candidate &candidate) { return candidate.work; });
    Expected<std::vector<double>> times =
        timeInterleaved(session, works, /*warmups=*/2, /*iterations=*/5);
    if (!times)
      return times.takeError();
    best.resize(all.size());
    std::iota(best.begin(), best.end(), 0);
    llvm::sort(best,
               [&](size_t a, size_t b) { return (*times)[a] < (*times)[b]; });
    best.resize(std::min(best.size(), kept));
  }
  std::vector<Candidate> chosen;
  for (size_t index : best)
    chosen.push_back(all[index]);
  return chosen;
}
