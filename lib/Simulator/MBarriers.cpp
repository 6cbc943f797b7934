//===- MBarriers.cpp - mbarrier --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier":
// how its operations change an mbarrier. The tx-count is signed: bytes may
// complete before they are expected. A phase ends the instant that neither
// arrivals nor bytes are missing; somebody must see that before anyone arrives
// in the next. A parity names the current phase or the one before it.
//
//===----------------------------------------------------------------------===//
#include "MBarriers.h"

#include "Checks.h"
#include "Fences.h"
#include "Lanes.h"
#include "Memory.h"
#include "Order.h"
#include "Races.h"

using namespace quack::sim;

/// PTX ISA, "Mbarrier counts": the most of arrivals and of bytes.
static constexpr int64_t mostCount = (1 << 20) - 1;

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

static void advancePhase(Cluster &cluster, MBarrier &barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0)
    return;
  if (cluster.tracksOrder) {
    barrier.completed.join(barrier.arriving);
    barrier.completed.learn(barrier.agent, barrier.phaseTime());
    barrier.completed.learn(barrier.views, uint32_t(barrier.phase + 1));
  }
  ++barrier.phase;
  barrier.pending = barrier.expected;
  barrier.completedFromPeers = barrier.fromPeers;
  barrier.fromPeers = {};
  ++cluster.events;
}

/// Changes the tx-count, which must stay in its range.
static void addBytes(Warp &warp, const Op &op, uint32_t lane, MBarrier &barrier,
                     int64_t bytes) {
  barrier.bytes += bytes;
  if (barrier.bytes > mostCount || barrier.bytes < -mostCount)
    report(warp, op, lane, "mbarrier-misuse",
           "a tx-count of " + std::to_string(barrier.bytes) +
               " is beyond 2^20 - 1");
}

void quack::sim::completeBytes(Warp &warp, const Op &op, uint32_t lane,
                               MBarrier &barrier, uint32_t bytes) {
  addBytes(warp, op, lane, barrier, -int64_t(bytes));
  advancePhase(*warp.cluster, barrier);
}

void quack::sim::addPending(Warp &warp, const Op &op, uint32_t lane,
                            MBarrier &barrier) {
  if (++barrier.pending > mostCount)
    report(warp, op, lane, "mbarrier-misuse",
           "more than 2^20 - 1 arrivals are pending");
}

void quack::sim::arriveOn(Warp &warp, const Op &op, uint32_t lane,
                          MBarrier &barrier, uint32_t count) {
  // Who arrives may know of the phase before by another CTA's mbarrier.
  if (warp.cluster->checksProtocol && barrier.waited < barrier.phase &&
      count >= barrier.pending)
    report(warp, op, lane, "mbarrier-misuse",
           "arrives last in phase " + std::to_string(barrier.phase) +
               " before anyone has waited for the phase before it");
  if (count == 0 || count > mostCount)
    report(warp, op, lane, "mbarrier-misuse",
           "a count of " + std::to_string(count) + " is not 1 to 2^20 - 1");
  else if (count > barrier.pending)
    report(warp, op, lane, "mbarrier-misuse",
           "more arrivals than the " + std::to_string(barrier.expected) +
               " of a phase");
  barrier.pending -= std::min<int64_t>(count, barrier.pending);
  advancePhase(*warp.cluster, barrier);
}

//===----------------------------------------------------------------------===//
// Which mbarrier
//===----------------------------------------------------------------------===//

MBarrier *quack::sim::requireMBarrier(Warp &warp, const Op &op, unsigned lane,
                                      uint64_t address,
                                      const SharedPlace &place) {
  MBarrier *barrier =
      place.cta ? place.cta->findMBarrier(place.offset) : nullptr;
  if (!barrier)
    report(warp, op, lane, "mbarrier-misuse",
           "no mbarrier is initialised at shared address " + hex(address));
  return barrier;
}

bool quack::sim::checkInitVisible(Warp &warp, const Op &op, unsigned lane,
                                  const MBarrier &barrier) {
  if (!warp.cluster->checksRaces || clockOf(warp, lane).knows(barrier.agent, 1))
    return true;
  report(warp, op, lane, "mbarrier-race",
         "the initialisation of the mbarrier in line " +
             llvm::Twine(barrier.initLine) + " is not ordered before this use");
  return false;
}

/// PTX ISA, "Async proxy": what the generic proxy wrote needs a fence;
/// fence.mbarrier_init is the one for initialisations.
void quack::sim::checkInitProxied(Warp &warp, const Op &op, unsigned lane,
                                  const MBarrier &barrier) {
  if (warp.cluster->checksRaces && !barrier.isInitProxied)
    report(warp, op, lane, "proxy-fence",
           "neither fence.mbarrier_init nor fence.proxy.async follows the "
           "initialisation of the mbarrier in line " +
               llvm::Twine(barrier.initLine));
}

/// Returns the mbarrier that a lane names, after the checks that every use
/// passes; null after a fault. PTX ISA, "mbarrier support with shared memory":
/// a peer's takes arrivals without a result and changes of its tx-count.
static MBarrier *findBarrier(Warp &warp, const Op &op, unsigned lane,
                             uint64_t address, bool mayBeRemote) {
  SharedPlace place = resolveShared(warp, address, op.space);
  MBarrier *barrier = requireMBarrier(warp, op, lane, address, place);
  if (!barrier)
    return nullptr;
  if (place.cta != warp.cta && !mayBeRemote) {
    report(warp, op, lane, "mbarrier-misuse",
           "a peer's mbarrier, at shared address " + hex(address) +
               ", takes no such operation");
    return nullptr;
  }
  if (!checkPeer(warp, op, lane, *place.cta))
    return nullptr;
  checkInitVisible(warp, op, lane, *barrier);
  if (place.cta != warp.cta && warp.cluster->checksProtocol &&
      !op.isClusterScope)
    report(warp, op, lane, "scope",
           "an operation of CTA scope on an mbarrier of another CTA");
  return barrier;
}

//===----------------------------------------------------------------------===//
// init, inval
//===----------------------------------------------------------------------===//

static void init(Warp &warp, const Op &op, unsigned lane, uint64_t address) {
  SharedPlace place = resolveShared(warp, address, op.space);
  if (!place.cta || place.cta != warp.cta ||
      place.offset + 8 > warp.cta->shared.size() || place.offset % 8)
    return report(warp, op, lane,
                  place.offset % 8 ? "misaligned" : "out-of-bounds",
                  "an mbarrier at shared address " + hex(address) +
                      ": it takes 8 aligned bytes of this CTA");
  uint32_t count = warp.reg<uint32_t>(op.b)[lane];
  if (count == 0 || count > mostCount)
    return report(warp, op, lane, "mbarrier-misuse",
                  "the count " + std::to_string(count) +
                      " is not 1 to 2^20 - 1");
  Cta &cta = *warp.cta;
  if (cta.findMBarrier(place.offset))
    return report(warp, op, lane, "mbarrier-misuse",
                  "an mbarrier is there already (mbarrier.inval comes before)");
  MBarrier barrier;
  barrier.offset = uint32_t(place.offset);
  barrier.agent = {cta.index, firstMBarrierAgent + 2 * cta.mbarrierCount};
  barrier.views = {cta.index, barrier.agent.index + 1};
  barrier.serial = cta.mbarrierCount++;
  barrier.expected = barrier.pending = count;
  barrier.initWarp = &warp;
  barrier.initLane = lane;
  barrier.initLine = op.line;
  if (std::find(cta.state.begin() + barrier.offset,
                cta.state.begin() + barrier.offset + 8,
                byteInFlight) != cta.state.begin() + barrier.offset + 8)
    report(warp, op, lane, "async-in-flight",
           "an unfinished asynchronous operation writes there");
  learn(warp, 1u << lane, barrier.agent, 1);
  noteInit(warp, op, lane, barrier.agent, barrier.offset);
  std::fill_n(cta.state.begin() + barrier.offset, 8, byteMBarrier);
  cta.mbarriers.push_back(std::move(barrier));
}

static void invalidate(Warp &warp, const Op &op, unsigned lane,
                       uint64_t address) {
  MBarrier *barrier = findBarrier(warp, op, lane, address, false);
  if (!barrier)
    return;
  noteShared(warp, op, 1u << lane, *warp.cta, barrier->offset, 8,
             AccessKind::write);
  std::fill_n(warp.cta->state.begin() + barrier->offset, 8, byteUnwritten);
  warp.cta->mbarriers.erase(warp.cta->mbarriers.begin() +
                            (barrier - warp.cta->mbarriers.data()));
}

//===----------------------------------------------------------------------===//
// arrive, expect_tx, complete_tx
//===----------------------------------------------------------------------===//

/// The opaque state: pending arrivals, the phase, and which mbarrier it is.
static uint64_t stateOf(const MBarrier &barrier) {
  return uint64_t(barrier.pending) | (barrier.phase & 0xffffffff) << 20 |
         uint64_t(barrier.serial & 0xfff) << 52;
}

/// The four forms of arrive and arrive_drop.
static void arrive(Warp &warp, const Op &op, unsigned lane, const Cta &cta,
                   MBarrier &barrier, uint32_t number) {
  const auto form = ArriveForm(op.count);
  uint32_t count = form == ArriveForm::expectTx ? 1 : number;
  if (form == ArriveForm::expectTx)
    addBytes(warp, op, lane, barrier, number);
  if (form == ArriveForm::noComplete && count >= barrier.pending &&
      barrier.bytes == 0)
    report(warp, op, lane, "mbarrier-misuse",
           "an arrival with .noComplete completes the phase");
  if (op.mode == uint8_t(MBarrierAction::arriveDrop))
    barrier.expected -= std::min<int64_t>(count, barrier.expected);
  if (op.isRelaxed)
    releaseByFences(warp, lane, cta, barrier.arriving);
  else
    release(warp, 1u << lane, barrier.arriving);
  arriveOn(warp, op, lane, barrier, count);
}

/// Everything that changes an mbarrier's counts. Returns the state before.
static uint64_t change(Warp &warp, const Op &op, unsigned lane,
                       uint64_t address, uint32_t number) {
  MBarrier *barrier = findBarrier(warp, op, lane, address, op.d == sinkSlot);
  if (!barrier)
    return 0;
  Cta &cta = *resolveShared(warp, address, op.space).cta;
  noteUse(warp, op, 1u << lane, cta, *barrier, /*isWait=*/false);
  barrier->fromPeers.arrivals |= &cta != warp.cta;
  uint64_t state = stateOf(*barrier);
  switch (MBarrierAction(op.mode)) {
  case MBarrierAction::expectTx:
    addBytes(warp, op, lane, *barrier, number);
    advancePhase(*warp.cluster, *barrier);
    break;
  case MBarrierAction::completeTx:
    completeBytes(warp, op, lane, *barrier, number);
    break;
  default:
    arrive(warp, op, lane, cta, *barrier, number);
  }
  return state;
}

void quack::sim::runMBarrier(Warp &warp, const Op &op, uint32_t lanes) {
  trimLog(warp, op);
  lanes = requireDefined(warp, op, op.a, lanes, "an address");
  lanes = requireDefined(warp, op, op.b, lanes, "an mbarrier");
  uint64_t addresses[warpLanes], states[warpLanes] = {};
  computeAddresses(warp, op.a, op.from, op.offset, addresses);
  const uint32_t *numbers = warp.reg<uint32_t>(op.b);
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    if (op.mode == uint8_t(MBarrierAction::init))
      init(warp, op, i, addresses[i]);
    else if (op.mode == uint8_t(MBarrierAction::inval))
      invalidate(warp, op, i, addresses[i]);
    else
      states[i] = change(warp, op, i, addresses[i], numbers[i]);
  }
  if (op.d == sinkSlot)
    return;
  writeLanes(warp, op.d, lanes, states);
  warp.define(op.d, lanes, allLanes);
}

void quack::sim::runPendingCount(Warp &warp, const Op &op, uint32_t lanes) {
  const uint64_t *states = warp.reg<uint64_t>(op.a);
  uint32_t counts[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    counts[i] = uint32_t(states[i] & mostCount);
  writeLanes(warp, op.d, lanes, counts);
}

//===----------------------------------------------------------------------===//
// test_wait, try_wait
//===----------------------------------------------------------------------===//

/// Notes that lanes have looked at mbarriers. Lets those of them whose wait is
/// over come after the phase, or at least know of its end.
static void learnPhases(Warp &warp, const Op &op, const uint64_t *addresses,
                        uint32_t lanes, uint32_t over) {
  while (lanes) {
    uint64_t address = addresses[firstLane(lanes)];
    uint32_t same = 0;
    for (unsigned i = 0; i < warpLanes; ++i)
      same |= uint32_t(addresses[i] == address) << i;
    SharedPlace place = resolveShared(warp, address, op.space);
    const MBarrier &barrier = *place.cta->findMBarrier(place.offset);
    noteUse(warp, op, lanes & same, *place.cta, barrier, /*isWait=*/true);
    lanes &= ~same;
    same &= over;
    if (same && op.isRelaxed) {
      learn(warp, same, barrier.views, uint32_t(barrier.phase));
      FromPeers peers = barrier.completedFromPeers;
      observePhase(warp, same, barrier.completed, peers.data || peers.arrivals);
    } else if (same)
      acquire(warp, same, barrier.completed);
  }
}

/// Whether the phase of this parity is over. A warp that waits for the next
/// phase it does not know of must not be so late that the phase after that is
/// over, too: the parity names another phase then.
static bool testParity(Warp &warp, const Op &op, unsigned lane,
                       MBarrier &barrier) {
  uint32_t parity = warp.reg<uint32_t>(op.b)[lane];
  const Cluster &cluster = *warp.cluster;
  if (parity > 1)
    report(warp, op, lane, "mbarrier-misuse",
           "a parity of " + std::to_string(parity) + " is neither 0 nor 1");
  if (cluster.checksProtocol && cluster.checksRaces && barrier.phase >= 2) {
    uint64_t known = clockOf(warp, lane).time(barrier.views);
    if (known + 2 <= barrier.phase && (known & 1) == parity)
      report(warp, op, lane, "mbarrier-misuse",
             "waits for phase " + std::to_string(known) +
                 " by its parity when phase " +
                 std::to_string(barrier.phase - 1) + " is over already");
  }
  return (barrier.phase & 1) != (parity & 1);
}

/// Whether the phase of this state is over.
static bool testState(Warp &warp, const Op &op, unsigned lane,
                      MBarrier &barrier) {
  uint64_t state = warp.reg<uint64_t>(op.b)[lane];
  uint64_t phase = state >> 20 & 0xffffffff;
  if (state >> 52 != (barrier.serial & 0xfff) || phase > barrier.phase ||
      phase + 1 < barrier.phase)
    report(warp, op, lane, "mbarrier-misuse",
           "the state is not of this mbarrier's present phase nor of the one "
           "before");
  return phase < barrier.phase;
}

/// A wait of CTA scope does not acquire what a peer sent. In the random
/// schedule a try_wait may fail at any time.
void quack::sim::runMBarrierWait(Warp &warp, const Op &op, uint32_t lanes) {
  trimLog(warp, op);
  lanes = requireDefined(warp, op, op.a, lanes, "an address");
  lanes = requireDefined(warp, op, op.b, lanes, "an mbarrier's wait");
  Cluster &cluster = *warp.cluster;
  uint64_t addresses[warpLanes];
  computeAddresses(warp, op.a, op.from, op.offset, addresses);
  uint32_t found = 0, done = 0, over = 0;
  bool fails = op.mode &&
               cluster.launch.options->schedule == Schedule::random &&
               !cluster.machine.watch.isSearching() &&
               cluster.machine.random.below(8) == 0;
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    MBarrier *barrier = findBarrier(warp, op, i, addresses[i], false);
    bool isOver = !barrier;
    found |= uint32_t(barrier != nullptr) << i;
    if (barrier && !fails)
      isOver = op.count ? testParity(warp, op, i, *barrier)
                        : testState(warp, op, i, *barrier);
    if (!isOver)
      continue;
    done |= 1u << i;
    if (!barrier)
      continue;
    barrier->waited = barrier->phase;
    FromPeers peers = barrier->completedFromPeers;
    if (cluster.checksProtocol && (peers.data || peers.arrivals) &&
        !op.isClusterScope)
      report(warp, op, i, "scope",
             peers.data ? "a wait of CTA scope for data that another CTA sent"
                        : "a wait of CTA scope for an arrival of another CTA");
    over |= 1u << i;
  }
  learnPhases(warp, op, addresses, found, over);
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
