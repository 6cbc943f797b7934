//===- MBarriers.cpp - mbarrier --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier":
// init, inval, arrive, arrive.expect_tx, expect_tx, complete_tx, test_wait,
// try_wait. The tx-count is signed: bytes may complete before they are
// expected. A phase ends the instant that neither arrivals nor bytes are
// missing. A parity names the current phase or the one before it.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Lanes.h"
#include "Memory.h"

using namespace quack::sim;

namespace {
enum Action : uint8_t {
  init,
  inval,
  arrive,
  expectTx,
  arriveExpectTx,
  completeTx,
  testWait
};
} // namespace

/// PTX ISA, "Tx-count of mbarrier object".
static constexpr int64_t mostBytes = (1 << 20) - 1;

static void advancePhase(Cluster &cluster, MBarrier &barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0)
    return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  barrier.completedRemote = barrier.hasRemoteData;
  barrier.hasRemoteData = false;
  if (cluster.checksRaces)
    joinClock(barrier.completed, barrier.arriving);
  ++cluster.events;
}

void quack::sim::completeBytes(Cluster &cluster, Cta &, MBarrier &barrier,
                               int64_t bytes) {
  barrier.bytes -= bytes;
  advancePhase(cluster, barrier);
}

/// Returns the mbarrier that a lane names, after the checks that every use
/// passes; null after a fault.
static MBarrier *findBarrier(Warp &warp, const Op &op, unsigned lane,
                             uint64_t address, Space space) {
  SharedPlace place = resolveShared(warp, address, space);
  MBarrier *barrier =
      place.cta ? place.cta->findMBarrier(place.offset) : nullptr;
  if (!barrier) {
    report(warp, op, lane, "mbarrier-misuse",
           "no mbarrier is initialised there");
    return nullptr;
  }
  if (!checkPeer(warp, op, lane, *place.cta))
    return nullptr;
  checkInitVisible(warp, op, lane, *barrier);
  return barrier;
}

void quack::sim::checkInitVisible(Warp &warp, const Op &op, unsigned lane,
                                  const MBarrier &barrier) {
  if (!warp.cluster->checksRaces || barrier.initAgent == warp.agent)
    return;
  if (warp.clock[barrier.initAgent] < barrier.initTime &&
      warp.known[barrier.initAgent] < barrier.initTime)
    report(warp, op, lane, "mbarrier-race",
           "the initialisation of the mbarrier is not ordered before this use");
}

static void initBarrier(Warp &warp, const Op &op, unsigned lane,
                        uint64_t address) {
  SharedPlace place = resolveShared(warp, address, op.space);
  if (!place.cta || place.cta != warp.cta ||
      place.offset + 8 > warp.cta->shared.size() || place.offset % 8) {
    report(warp, op, lane, place.offset % 8 ? "misaligned" : "out-of-bounds",
           "an mbarrier takes 8 aligned bytes of this CTA's shared memory");
    return;
  }
  uint32_t count = warp.reg<uint32_t>(op.b)[lane];
  if (count == 0 || count > mostBytes)
    return report(warp, op, lane, "mbarrier-misuse",
                  "the count " + std::to_string(count) +
                      " is not 1 to 2^20 - 1");
  Cta &cta = *warp.cta;
  if (cta.findMBarrier(place.offset))
    return report(warp, op, lane, "mbarrier-misuse",
                  "an mbarrier is there already (mbarrier.inval comes before)");
  MBarrier barrier;
  barrier.offset = uint32_t(place.offset);
  barrier.expected = barrier.pending = count;
  barrier.initAgent = warp.agent;
  if (warp.cluster->checksRaces) {
    checkWrite(warp, op, lane, cta, barrier.offset, 8, warp.agent,
               warp.clock[warp.agent]);
    barrier.initTime = warp.clock[warp.agent];
    barrier.arriving.assign(warp.clock.size(), 0);
    barrier.completed.assign(warp.clock.size(), 0);
  }
  cta.mbarriers.push_back(std::move(barrier));
  std::fill_n(cta.state.begin() + barrier.offset, 8, byteMBarrier);
}

static void invalidate(Warp &warp, const Op &op, unsigned lane,
                       uint64_t address) {
  MBarrier *barrier = findBarrier(warp, op, lane, address, op.space);
  if (!barrier)
    return;
  std::fill_n(warp.cta->state.begin() + barrier->offset, 8, byteUnwritten);
  warp.cta->mbarriers.erase(warp.cta->mbarriers.begin() +
                            (barrier - warp.cta->mbarriers.data()));
}

/// Everything that changes an mbarrier's counts. Returns the state before.
static uint64_t change(Warp &warp, const Op &op, unsigned lane,
                       MBarrier &barrier, uint32_t number) {
  Cluster &cluster = *warp.cluster;
  uint64_t state = barrier.phase;
  if (cluster.checksProtocol && op.mode != completeTx && op.mode != expectTx &&
      barrier.waited < barrier.phase)
    report(warp, op, lane, "mbarrier-misuse",
           "arrives in phase " + std::to_string(barrier.phase) +
               " before anyone has waited for the phase before it");
  if (op.mode == expectTx || op.mode == arriveExpectTx)
    barrier.bytes += number;
  if (op.mode == completeTx)
    barrier.bytes -= number;
  if (barrier.bytes > mostBytes || barrier.bytes < -mostBytes)
    report(warp, op, lane, "mbarrier-misuse",
           "a tx-count of " + std::to_string(barrier.bytes) +
               " is beyond 2^20 - 1");
  if (op.mode == arrive || op.mode == arriveExpectTx) {
    int64_t count = op.mode == arrive ? number : 1;
    if (count > barrier.pending)
      report(warp, op, lane, "mbarrier-misuse",
             "more arrivals than the " + std::to_string(barrier.expected) +
                 " of a phase");
    barrier.pending -= std::min<int64_t>(count, barrier.pending);
    if (cluster.checksRaces && !op.isRelaxed) {
      joinClock(barrier.arriving, warp.clock);
      tick(warp);
    }
  }
  advancePhase(cluster, barrier);
  return state;
}

static void changeLanes(Warp &warp, const Op &op, uint32_t lanes) {
  lanes = requireDefined(warp, op, op.a, lanes, "an address");
  lanes = requireDefined(warp, op, op.b, lanes, "an mbarrier");
  uint64_t addresses[warpLanes], states[warpLanes] = {};
  computeAddresses(warp, op.a, op.from, op.offset, addresses);
  const uint32_t *numbers = warp.reg<uint32_t>(op.b);
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    if (op.mode == init)
      initBarrier(warp, op, i, addresses[i]);
    else if (op.mode == inval)
      invalidate(warp, op, i, addresses[i]);
    else if (MBarrier *barrier =
                 findBarrier(warp, op, i, addresses[i], op.space))
      states[i] = change(warp, op, i, *barrier, numbers[i]);
  }
  if (op.d == sinkSlot)
    return;
  writeLanes(warp, op.d, lanes, states);
  warp.define(op.d, lanes, allLanes);
}

/// test_wait and try_wait. A wait of CTA scope does not acquire what a peer
/// sent. In the random schedule it may fail at any time.
static void wait(Warp &warp, const Op &op, uint32_t lanes) {
  lanes = requireDefined(warp, op, op.a, lanes, "an address");
  lanes = requireDefined(warp, op, op.b, lanes, "an mbarrier's wait");
  Cluster &cluster = *warp.cluster;
  uint64_t addresses[warpLanes];
  computeAddresses(warp, op.a, op.from, op.offset, addresses);
  uint32_t done = 0;
  bool fails = cluster.launch.options->schedule == Schedule::random &&
               cluster.random.below(8) == 0;
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    MBarrier *barrier = findBarrier(warp, op, i, addresses[i], op.space);
    bool isOver = !barrier;
    if (barrier && op.count) // .parity
      isOver = (barrier->phase & 1) != (warp.reg<uint32_t>(op.b)[i] & 1);
    else if (barrier)
      isOver = barrier->phase != warp.reg<uint64_t>(op.b)[i];
    if (!isOver || fails)
      continue;
    done |= 1u << i;
    if (!barrier)
      continue;
    barrier->waited = barrier->phase;
    if (cluster.checksProtocol && barrier->completedRemote &&
        !op.isClusterScope)
      report(warp, op, i, "scope",
             "a wait of CTA scope for data that another CTA sent");
    if (cluster.checksRaces && !op.isRelaxed)
      joinClock(warp.clock, barrier->completed);
  }
  warp.mask(op.d) = (warp.mask(op.d) & ~lanes) | done;
  warp.define(op.d, lanes, allLanes);
  if (done == lanes)
    return;
  warp.yields = true;
  if (!fails) {
    warp.fragment().wait = Wait::poll;
    warp.fragment().seen = cluster.events;
    warp.fragment().at = op.index;
    warp.fragment().what = uint32_t(addresses[firstLane(lanes & ~done)]);
  }
}

static void takeSemantics(Decoder &d, Op &op) {
  op.isRelaxed = d.take("relaxed");
  d.takeAny({"acquire", "release"});
  op.isClusterScope = d.take("cluster");
  if (!op.isClusterScope)
    d.take("cta");
  op.space = d.takeAny({"shared", "shared::cta"}) ? Space::shared
             : d.take("shared::cluster")          ? Space::cluster
                                                  : Space::generic;
  if (!d.take("b64"))
    d.fail("'" + d.root() + "' needs .b64");
}

static void decodeWait(Decoder &d, Op &op) {
  op.mode = testWait;
  op.run = wait;
  op.flow = Flow::wait;
  op.count = d.take("parity");
  takeSemantics(d, op);
  if (!d.expectOperands(3, 4))
    return;
  op.d = d.dest(0, Type::pred);
  d.address(1, op);
  op.b = d.source(2, op.count ? Type::b32 : Type::b64);
}

static void decodeArrive(Decoder &d, Op &op) {
  bool expects = d.take("expect_tx");
  if (d.has("noComplete"))
    d.fail("'" + d.inst().text + "' is not simulated");
  op.mode = expects ? arriveExpectTx : arrive;
  takeSemantics(d, op);
  if (!d.expectOperands(expects ? 3 : 2, 3))
    return;
  op.d = d.dest(0, Type::b64);
  if (op.space == Space::cluster && op.d != sinkSlot)
    d.fail("a remote arrive has no result");
  d.address(1, op);
  op.b =
      d.numOperands() == 3 ? d.source(2, Type::b32) : d.constant(1, Type::b32);
}

bool quack::sim::decodeMBarrier(Decoder &d, Op &op) {
  if (d.root() != "mbarrier")
    return false;
  op.definedness = Definedness::custom;
  op.run = changeLanes;
  if (d.take("try_wait") || d.take("test_wait")) {
    decodeWait(d, op);
  } else if (d.take("arrive")) {
    decodeArrive(d, op);
  } else if (d.take("init") || d.has("inval")) {
    bool invalidates = d.take("inval");
    op.mode = invalidates ? inval : init;
    takeSemantics(d, op);
    if (!d.expectOperands(invalidates ? 1 : 2))
      return true;
    d.address(0, op);
    if (!invalidates)
      op.b = d.source(1, Type::b32);
  } else if (d.has("expect_tx") || d.has("complete_tx")) {
    op.mode = d.take("expect_tx") ? expectTx : completeTx;
    d.take("complete_tx");
    takeSemantics(d, op);
    if (!d.expectOperands(2))
      return true;
    d.address(0, op);
    op.b = d.source(1, Type::b32);
  } else {
    d.fail("'" + d.inst().text + "' is not simulated");
  }
  return true;
}
