//===- Async.cpp - operations in flight ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From issue to completion: at once (eager), when nobody can go on without it
// (lazy), or in pieces at random. Between the two the destination's bytes are
// marked as in flight.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <cstring>

using namespace quack::sim;

static void writePiece(AsyncOp &async, uint32_t bytes) {
  uint8_t *to = async.to->shared.data() + async.offset + async.done;
  const uint8_t *from =
      async.kind == AsyncOp::store ? async.data : async.source;
  uint32_t copied = 0;
  if (async.done < async.sourceBytes)
    copied = std::min(bytes, async.sourceBytes - async.done);
  if (copied)
    std::memcpy(to, from + async.done, copied);
  std::memset(to + copied, 0, bytes - copied);
  std::memset(async.to->state.data() + async.offset + async.done, byteWritten,
              bytes);
  async.done += bytes;
}

/// Lets a piece of `bytes` bytes complete at the operation's mbarrier.
static void signal(Cluster &cluster, const AsyncOp &async, uint32_t bytes) {
  if (async.kind == AsyncOp::copy)
    return;
  MBarrier *barrier = async.to->findMBarrier(async.mbarrier);
  if (!barrier)
    return;
  if (cluster.checksRaces) {
    uint32_t &time =
        barrier->arriving[async.warp->agent + cluster.warps.size()];
    time = std::max(time, async.time);
  }
  barrier->hasRemoteData |= async.to != async.warp->cta;
  completeBytes(cluster, *async.to, *barrier, bytes);
}

/// The destination must not hold an mbarrier or the data of another operation.
static void checkDestination(Warp &warp, const Op &op, const AsyncOp &async) {
  const uint8_t *state = async.to->state.data() + async.offset;
  uint8_t worst = 0;
  for (uint32_t i = 0; i < async.bytes; ++i)
    worst = std::max(worst, state[i]);
  if (worst == byteMBarrier)
    report(warp, op, async.lane, "mbarrier-access", "overwrites an mbarrier");
  else if (worst == byteInFlight)
    report(
        warp, op, async.lane, "async-in-flight",
        "overwrites the destination of an unfinished asynchronous operation");
}

void quack::sim::issue(Warp &warp, const Op &op, AsyncOp async) {
  Cluster &cluster = *warp.cluster;
  checkDestination(warp, op, async);
  if (cluster.checksRaces) {
    async.time = ++warp.asyncTime;
    if (async.kind == AsyncOp::bulk)
      checkProxy(warp, op, async.lane, *async.to, async.offset, async.bytes);
    checkWrite(warp, op, async.lane, *async.to, async.offset, async.bytes,
               warp.agent + uint32_t(cluster.warps.size()), async.time);
    if (async.kind == AsyncOp::copy) {
      if (warp.groupTimes.empty() ||
          warp.groupTimes.back().first != async.group)
        warp.groupTimes.emplace_back(async.group, async.time);
      warp.groupTimes.back().second = async.time;
    }
  }
  if (cluster.launch.options->schedule == Schedule::eager) {
    writePiece(async, async.bytes);
    signal(cluster, async, async.bytes);
    return;
  }
  if (cluster.checksAsync)
    std::memset(async.to->state.data() + async.offset, byteInFlight,
                async.bytes);
  cluster.pending.push_back(async);
}

void quack::sim::progress(Cluster &cluster, size_t index, uint32_t bytes) {
  AsyncOp &async = cluster.pending[index];
  bytes = std::min(bytes, async.bytes - async.done);
  writePiece(async, bytes);
  AsyncOp copy = async;
  if (async.done == async.bytes) {
    if (index != 0)
      async = cluster.pending.back();
    if (index != 0)
      cluster.pending.pop_back();
    else
      cluster.pending.pop_front();
  }
  signal(cluster, copy, bytes);
}

bool quack::sim::progressAny(Cluster &cluster) {
  for (size_t i = 0; i < cluster.pending.size(); ++i)
    if (cluster.pending[i].kind != AsyncOp::copy) {
      progress(cluster, i, cluster.pending[i].bytes);
      return true;
    }
  return false;
}

void quack::sim::finishGroups(Warp &warp, uint32_t end) {
  Cluster &cluster = *warp.cluster;
  std::deque<AsyncOp> rest;
  for (AsyncOp &async : cluster.pending) {
    if (async.kind != AsyncOp::copy || async.warp != &warp ||
        async.group >= end) {
      rest.push_back(async);
      continue;
    }
    writePiece(async, async.bytes - async.done);
  }
  cluster.pending.swap(rest);
  if (!cluster.checksRaces)
    return;
  while (!warp.groupTimes.empty() && warp.groupTimes.front().first < end) {
    uint32_t &time = warp.clock[warp.agent + cluster.warps.size()];
    time = std::max(time, warp.groupTimes.front().second);
    warp.groupTimes.pop_front();
  }
}
