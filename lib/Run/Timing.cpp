//===- lib/Run/Timing.cpp - how long work takes -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache is overwritten by a fill, as triton.testing.do_bench does it: the
// time that it takes on the GPU hides what the host needs to launch.
//
//===----------------------------------------------------------------------===//

#include "quack/Run/Timing.h"

#include "quack/Bench/Statistics.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace quack;

/// The events around one timed piece of work.
using EventPair = std::pair<cuda::Event, cuda::Event>;

static Expected<EventPair> runOnce(Session &session, const Work &work,
                                   bool emptiesCache) {
  const cuda::Context &context = *session.context;
  Expected<cuda::Event> begin = context.createEvent();
  if (!begin)
    return begin.takeError();
  Expected<cuda::Event> end = context.createEvent();
  if (!end)
    return end.takeError();
  if (emptiesCache)
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

/// Allocates what is overwritten: a few times the cache.
static Error reserveFlush(Session &session) {
  constexpr int64_t leastBytes = 256 << 20;
  int64_t cache = session.context->properties().l2Bytes;
  if (session.flush.size() != 0 || cache == 0)
    return Error::success();
  Expected<cuda::Buffer> buffer =
      session.context->allocate(std::max(leastBytes, 4 * cache));
  if (!buffer)
    return buffer.takeError();
  session.flush = std::move(*buffer);
  return Error::success();
}

/// Runs each work once and adds its time to its samples.
static Error runRound(Session &session, ArrayRef<Work> works, bool emptiesCache,
                      std::vector<Samples> &samples) {
  std::vector<EventPair> events;
  for (const Work &work : works) {
    Expected<EventPair> pair = runOnce(session, work, emptiesCache);
    if (!pair)
      return pair.takeError();
    events.push_back(std::move(*pair));
  }
  if (Error error = session.context->synchronize())
    return error;
  for (auto [pair, list] : zip_equal(events, samples)) {
    Expected<double> time =
        session.context->elapsedMicroseconds(pair.first, pair.second);
    if (!time)
      return time.takeError();
    list.push_back(*time);
  }
  return Error::success();
}

Expected<std::vector<Samples>> quack::sampleInterleaved(
    Session &session, ArrayRef<Work> works, int64_t warmups,
    function_ref<bool(ArrayRef<Samples>)> isEnough, bool emptiesCache) {
  if (Error error = reserveFlush(session))
    return error;
  std::vector<Samples> samples(works.size());
  for (int64_t i = 0; i < warmups; ++i)
    if (Error error = runRound(session, works, emptiesCache, samples))
      return error;
  samples.assign(works.size(), {});
  do {
    if (Error error = runRound(session, works, emptiesCache, samples))
      return error;
  } while (!isEnough(samples));
  return samples;
}

Expected<std::vector<double>> quack::timeInterleaved(Session &session,
                                                     ArrayRef<Work> works,
                                                     int64_t warmups,
                                                     int64_t iterations) {
  Expected<std::vector<Samples>> samples = sampleInterleaved(
      session, works, warmups, [&](ArrayRef<Samples> samples) {
        return int64_t(samples.front().size()) >= iterations;
      });
  if (!samples)
    return samples.takeError();
  std::vector<double> medians;
  for (const Samples &list : *samples)
    medians.push_back(estimateMedian(list).median);
  return medians;
}
