//===- Async.cpp - operations in flight ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From issue to completion: at once (eager), when nobody can go on without it
// (lazy), or at random: the source is read, the destination written and the
// mbarrier told in pieces, each at a time of its own. What a group tracks
// completes for its thread when that waits for it.
//
//===----------------------------------------------------------------------===//
#include "Async.h"

#include "Checks.h"
#include "MBarriers.h"
#include "Memory.h"
#include "Order.h"
#include "RaceCheck.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace quack::sim;

static bool overlaps(const AsyncOp &a, const AsyncOp &b) {
  return a.to && a.to == b.to && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

//===----------------------------------------------------------------------===//
// The parts of an operation
//===----------------------------------------------------------------------===//

static void readSource(AsyncOp &async, uint32_t bytes) {
  uint32_t begin = uint32_t(async.data.size());
  async.data.resize(begin + bytes);
  if (begin < async.sourceBytes)
    std::memcpy(async.data.data() + begin, async.source + begin,
                std::min(bytes, async.sourceBytes - begin));
}

static void writeDestination(AsyncOp &async, uint32_t bytes) {
  uint8_t *to = async.target + async.written;
  const uint8_t *from = async.data.data() + async.written;
  if (async.reduce)
    async.reduce(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
  async.written += bytes;
}

/// Reads and writes what is left.
static void transfer(AsyncOp &async) {
  if (async.data.size() < async.bytes)
    readSource(async, async.bytes - uint32_t(async.data.size()));
  if (async.written < async.bytes)
    writeDestination(async, async.bytes - async.written);
}

static void markInFlight(Cluster &cluster, const AsyncOp &async) {
  if (async.to && cluster.checksAsync)
    std::memset(async.to->state.data() + async.offset, byteInFlight,
                async.bytes);
}

/// The destination holds its values; where several operations reduce into the
/// same bytes, the last one to complete settles them.
static void markComplete(Cluster &cluster, const AsyncOp &async) {
  if (async.targetWritten)
    std::memset(async.targetWritten, 1, async.bytes);
  if (!async.to)
    return;
  std::memset(async.to->state.data() + async.offset, byteWritten, async.bytes);
  if (async.sourceWritten)
    for (uint32_t i = 0; i < async.sourceBytes; ++i)
      if (!async.sourceWritten[i])
        async.to->state[async.offset + i] = byteUnwritten;
  if (!async.reduce)
    return;
  for (const std::unique_ptr<AsyncOp> &other : cluster.pending)
    if (other && other.get() != &async && overlaps(*other, async))
      markInFlight(cluster, *other);
}

/// Tells the mbarrier of `bytes` bytes.
static void signal(Cluster &cluster, AsyncOp &async, uint32_t bytes) {
  async.signalled += bytes;
  MBarrier *barrier = async.to->findMBarrier(async.mbarrier);
  if (!barrier)
    return report(*async.warp, *async.op, async.lane, "mbarrier-misuse",
                  "the mbarrier was invalidated before the operation that "
                  "signals it was complete");
  noteSignal(*async.warp, *async.op, async.lane, *async.to, *barrier);
  if (async.arrives) {
    if (cluster.tracksOrder)
      barrier->arriving.learn(agentOf(*async.warp, AgentKind::copy),
                              1u << async.lane, async.warp->lanes, async.time);
    return arriveOn(*async.warp, *async.op, async.lane, *barrier, 1);
  }
  if (cluster.checksRaces && async.signalled == async.bytes)
    for (uint32_t event : {async.event, async.readEvent})
      endAsync(cluster, event, barrier->phaseTime());
  barrier->fromPeers.data |= async.to != async.warp->cta;
  completeBytes(*async.warp, *async.op, async.lane, *barrier, bytes);
}

/// Does what is left of an operation that is pending no more.
static void complete(Cluster &cluster, AsyncOp &async) {
  transfer(async);
  markComplete(cluster, async);
  if (async.completion == Completion::mbarrier) {
    signal(cluster, async, async.bytes - async.signalled);
  } else if (cluster.checksRaces) {
    endAsync(cluster, async.event);
    endAsync(cluster, async.readEvent);
  }
}

/// Completes the pending operations before index `end` that `which` names.
static void completeIf(Cluster &cluster, size_t end,
                       llvm::function_ref<bool(const AsyncOp &)> which) {
  size_t kept = 0, size = cluster.pending.size();
  for (size_t i = 0; i < size; ++i) {
    std::unique_ptr<AsyncOp> async = std::move(cluster.pending[i]);
    if (i < end && which(*async))
      complete(cluster, *async);
    else
      cluster.pending[kept++] = std::move(async);
  }
  cluster.pending.resize(kept);
}

/// Completes pending operation `index`, which a group does not track.
static void completeAt(Cluster &cluster, size_t index) {
  std::unique_ptr<AsyncOp> async = std::move(cluster.pending[index]);
  cluster.pending.erase(cluster.pending.begin() + ptrdiff_t(index));
  if (async->arrives)
    completeIf(cluster, index, [&](const AsyncOp &copy) {
      return copy.completion == Completion::copyGroup &&
             copy.warp == async->warp && copy.lane == async->lane;
    });
  complete(cluster, *async);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

bool quack::sim::nameMBarrier(Warp &warp, const Op &op, unsigned lane,
                              uint64_t address, Space space, AsyncOp &async) {
  SharedPlace place = resolveShared(warp, address, space);
  MBarrier *barrier = requireMBarrier(warp, op, lane, address, place);
  if (!barrier)
    return false;
  if (place.cta != async.to) {
    report(warp, op, lane, "mbarrier-misuse",
           "the data goes to CTA " + std::to_string(async.to->number) +
               " and its mbarrier is in CTA " +
               std::to_string(place.cta->number));
    return false;
  }
  checkInitVisible(warp, op, lane, *barrier);
  async.mbarrier = barrier->offset;
  return true;
}

bool quack::sim::nameDestination(Warp &warp, const Op &op, unsigned lane,
                                 uint64_t address, Space space,
                                 uint32_t alignment, AsyncOp &async) {
  SharedPlace place = resolveShared(warp, address, space);
  if (!place.cta || place.offset + async.bytes > place.cta->shared.size()) {
    report(warp, op, lane, "out-of-bounds",
           std::to_string(async.bytes) + " bytes at shared address " +
               hex(address) + ": " + describeShared(warp));
    return false;
  }
  if (address % alignment) {
    report(warp, op, lane, "misaligned",
           "shared address " + hex(address) + " is no multiple of " +
               std::to_string(alignment));
    return false;
  }
  async.to = place.cta;
  async.offset = uint32_t(place.offset);
  async.target = place.cta->shared.data() + place.offset;
  return checkPeer(warp, op, lane, *place.cta);
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

static uint8_t worstState(const Cta &cta, uint32_t offset, uint32_t bytes) {
  // By a pointer of its own, so that the loop is vectorised: bytes may alias
  // the vector itself.
  const uint8_t *state = cta.state.data() + offset;
  uint8_t worst = byteUnwritten;
  for (uint32_t i = 0; i < bytes; ++i)
    worst = std::max(worst, state[i]);
  return worst;
}

/// The destination must not hold an mbarrier or the data of another operation;
/// but operations that reduce may meet there.
static void checkDestination(Warp &warp, const AsyncOp &async) {
  const Op &op = *async.op;
  uint8_t worst = worstState(*async.to, async.offset, async.bytes);
  auto where = [&] { return Spot{async.to, async.offset}.str(); };
  if (worst == byteMBarrier)
    return report(warp, op, async.lane, "mbarrier-access",
                  "overwrites an mbarrier" + where());
  if (worst == byteInFlight) {
    bool meet = async.reduce != nullptr;
    for (const std::unique_ptr<AsyncOp> &other : warp.cluster->pending)
      meet &= other->reduce || !overlaps(*other, async);
    if (!meet)
      report(warp, op, async.lane, "async-in-flight",
             "overwrites the destination of an unfinished asynchronous "
             "operation" +
                 where());
  } else if (async.reduce && warp.cluster->checksUndefined) {
    const uint8_t *state = async.to->state.data() + async.offset;
    if (std::memchr(state, byteUnwritten, async.bytes))
      report(warp, op, async.lane, "undefined",
             "reduces into bytes that nobody wrote" + where());
  }
}

/// A source in shared memory must hold values.
static void checkSource(Warp &warp, const AsyncOp &async) {
  const Op &op = *async.op;
  uint8_t worst = worstState(*async.from, async.fromOffset, async.bytes);
  auto where = [&] { return Spot{async.from, async.fromOffset}.str(); };
  if (worst == byteMBarrier)
    report(warp, op, async.lane, "mbarrier-access",
           "reads an mbarrier" + where());
  else if (worst == byteInFlight)
    report(warp, op, async.lane, "async-in-flight",
           "reads the destination of an unfinished asynchronous operation" +
               where());
  else if (warp.cluster->checksUndefined &&
           std::memchr(async.from->state.data() + async.fromOffset,
                       byteUnwritten, async.bytes))
    report(warp, op, async.lane, "undefined",
           "bytes that nobody wrote" + where() + " leave for " +
               (async.to ? "a peer" : "global memory"));
}

/// Names the operation in the log. What completes at an mbarrier is done for
/// those who know that phase; what a group tracks for those who know how far
/// the thread's operations of that kind are done.
static void nameEvents(Warp &warp, AsyncOp &async) {
  auto begin = [&](AgentKind kind) {
    bool signals = async.completion == Completion::mbarrier;
    Agent agent = signals ? async.to->findMBarrier(async.mbarrier)->agent
                          : agentOf(warp, kind);
    return beginAsync(warp, *async.op, async.lane, agent,
                      signals ? neverTime : async.time);
  };
  bool isCopy = async.completion == Completion::copyGroup;
  async.event = begin(isCopy ? AgentKind::copy : AgentKind::bulkWrite);
  async.readEvent = begin(isCopy ? AgentKind::copy : AgentKind::bulkRead);
  AccessLog &log = warp.cluster->machine.log;
  log[async.readEvent].isStrong = false;
  log[async.event].isAtomic = async.reduce && log[async.event].isStrong;
}

static void noteAccesses(Warp &warp, AsyncOp &async) {
  const Op &op = *async.op;
  nameEvents(warp, async);
  if (async.from) {
    if (async.isBulk)
      checkProxy(warp, op, async.lane, *async.from, async.fromOffset,
                 async.bytes, /*overwrites=*/false);
    noteAsync(warp, op, async.lane, *async.from, async.fromOffset, async.bytes,
              AccessKind::read, async.readEvent);
  } else if (async.source) {
    if (async.isBulk)
      checkGlobalProxy(warp, op, async.lane, async.sourceAddress,
                       async.sourceBytes, /*overwrites=*/false);
    noteAsyncGlobal(warp, op, async.lane, async.sourceAddress,
                    async.sourceBytes, AccessKind::read, async.readEvent);
  }
  AccessKind kind = async.reduce ? AccessKind::atomic : AccessKind::write;
  if (!async.to) {
    checkGlobalProxy(warp, op, async.lane, async.targetAddress, async.bytes,
                     /*overwrites=*/true);
    return noteAsyncGlobal(warp, op, async.lane, async.targetAddress,
                           async.bytes, kind, async.event);
  }
  if (async.isBulk)
    checkProxy(warp, op, async.lane, *async.to, async.offset, async.bytes,
               /*overwrites=*/true);
  noteAsync(warp, op, async.lane, *async.to, async.offset, async.bytes, kind,
            async.event);
}

static AsyncGroups &groupsOf(Warp &warp, Completion kind) {
  std::unique_ptr<AsyncGroups> &groups =
      kind == Completion::bulkGroup ? warp.bulkGroups : warp.copyGroups;
  if (!groups)
    groups = std::make_unique<AsyncGroups>();
  return *groups;
}

/// Puts the operation into its thread's open group.
static void joinGroup(Warp &warp, AsyncOp &async) {
  AsyncGroups &groups = groupsOf(warp, async.completion);
  async.group = groups.committed[async.lane];
  auto &open = groups.open[async.lane];
  if (open.empty() || open.back().group != async.group)
    open.push_back({async.group});
  open.back().time = async.time;
}

void quack::sim::issue(Warp &warp, const Op &op, unsigned lane, AsyncOp async) {
  Cluster &cluster = *warp.cluster;
  async.warp = &warp;
  async.op = &op;
  async.lane = lane;
  if (async.to && !async.arrives)
    checkDestination(warp, async);
  if (async.from)
    checkSource(warp, async);
  async.time = async.arrives ? warp.asyncTime : ++warp.asyncTime;
  if (cluster.checksRaces && !async.arrives)
    noteAccesses(warp, async);
  if (async.completion != Completion::mbarrier)
    joinGroup(warp, async);
  if (cluster.launch.options->schedule == Schedule::eager)
    return complete(cluster, async);
  markInFlight(cluster, async);
  cluster.pending.push_back(std::make_unique<AsyncOp>(std::move(async)));
}

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

/// Lets one of the parts that can go on do so, by 16 to 1024 bytes.
void quack::sim::progress(Cluster &cluster, size_t index) {
  AsyncOp &async = *cluster.pending[index];
  if (async.arrives)
    return completeAt(cluster, index);
  uint32_t read = uint32_t(async.data.size());
  bool signals = async.completion == Completion::mbarrier;
  uint32_t left[] = {async.bytes - read, read - async.written,
                     signals ? async.written - async.signalled : 0};
  if (!left[0] && !left[1] && !left[2])
    return; // a group's: it waits for its thread
  Random &random = cluster.machine.random;
  unsigned part = random.below(3);
  while (!left[part])
    part = (part + 1) % 3;
  uint32_t bytes = std::min(left[part], 16u << random.below(7));
  if (part == 0)
    readSource(async, bytes);
  else if (part == 1)
    writeDestination(async, bytes);
  else if (async.signalled + bytes == async.bytes)
    completeAt(cluster, index);
  else
    signal(cluster, async, bytes);
}

bool quack::sim::progressAny(Cluster &cluster) {
  bool isRandom = cluster.launch.options->schedule == Schedule::random;
  std::vector<size_t> waited; // by mbarriers
  for (size_t i = 0; i < cluster.pending.size(); ++i) {
    if (cluster.pending[i]->completion != Completion::mbarrier)
      continue;
    if (!isRandom)
      return completeAt(cluster, i), true;
    waited.push_back(i);
  }
  if (waited.empty())
    return false;
  progress(cluster,
           waited[cluster.machine.random.below(uint32_t(waited.size()))]);
  return true;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

void quack::sim::commitGroups(Warp &warp, Completion kind, uint32_t lanes) {
  AsyncGroups &groups = groupsOf(warp, kind);
  for (unsigned i = 0; i < warpLanes; ++i)
    groups.committed[i] += lanes >> i & 1;
}

/// The groups of a lane before `end` are waited for.
static void closeGroups(Warp &warp, AsyncGroups &groups, Completion kind,
                        unsigned lane, uint32_t end, bool onlyRead) {
  auto &open = groups.open[lane];
  size_t count = 0;
  uint32_t time = 0;
  for (; count < open.size() && open[count].group < end; ++count) {
    time = open[count].time;
    open[count].isRead = true;
  }
  if (!onlyRead)
    open.erase(open.begin(), open.begin() + ptrdiff_t(count));
  if (count == 0)
    return;
  if (kind == Completion::copyGroup)
    return learnOwn(warp, 1u << lane, AgentKind::copy, time);
  learnOwn(warp, 1u << lane, AgentKind::bulkRead, time);
  if (!onlyRead)
    learnOwn(warp, 1u << lane, AgentKind::bulkWrite, time);
}

void quack::sim::waitGroups(Warp &warp, Completion kind, uint32_t lanes,
                            uint32_t keep, bool onlyRead) {
  Cluster &cluster = *warp.cluster;
  AsyncGroups &groups = groupsOf(warp, kind);
  uint32_t ends[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    ends[i] = groups.committed[i] - std::min(keep, groups.committed[i]);
  auto covers = [&](const AsyncOp &async) {
    return async.warp == &warp && async.completion == kind &&
           (lanes >> async.lane & 1) && async.group < ends[async.lane];
  };
  if (onlyRead) {
    for (const std::unique_ptr<AsyncOp> &async : cluster.pending)
      if (covers(*async)) {
        if (async->data.size() < async->bytes)
          readSource(*async, async->bytes - uint32_t(async->data.size()));
        endAsync(cluster, async->readEvent);
      }
  } else if (!cluster.pending.empty()) {
    completeIf(cluster, cluster.pending.size(), covers);
  }
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1)
      closeGroups(warp, groups, kind, i, ends[i], onlyRead);
}

//===----------------------------------------------------------------------===//
// Exit
//===----------------------------------------------------------------------===//

/// Writes to global memory may finish after their thread; the source may not be
/// read by then.
static void exitGroups(Warp &warp, const Op &op, uint32_t lanes) {
  Cluster &cluster = *warp.cluster;
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    for (const OpenGroup &group : warp.bulkGroups->open[i])
      if (cluster.checksProtocol && !group.isRead)
        report(warp, op, i, "exit-in-flight",
               "exits without a wait for a bulk operation that reads shared "
               "memory");
  }
  completeIf(cluster, cluster.pending.size(), [&](const AsyncOp &async) {
    return async.warp == &warp && async.completion == Completion::bulkGroup &&
           (lanes >> async.lane & 1);
  });
}

void quack::sim::asyncThreadsExited(Warp &warp, const Op &op, uint32_t lanes) {
  Cluster &cluster = *warp.cluster;
  if (warp.bulkGroups)
    exitGroups(warp, op, lanes);
  const Cta &cta = *warp.cta;
  if (!cta.hasExited || !cluster.checksProtocol)
    return;
  for (const std::unique_ptr<AsyncOp> &async : cluster.pending) {
    bool reads = async->from == &cta && async->data.size() < async->bytes;
    if (async->to == &cta || reads)
      report(warp, op, firstLane(lanes), "exit-in-flight",
             "CTA " + std::to_string(cta.number) +
                 " exits while an operation of line " +
                 std::to_string(async->op->line) + " still " +
                 (reads ? "reads" : "writes") + " its shared memory");
  }
}
