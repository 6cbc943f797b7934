//===- Barriers.cpp - barriers of CTAs and clusters ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA: bar and barrier (.sync, .arrive, .red), barrier.cluster, fence,
// membar. Threads that have exited count as arrived. bar.arrive releases and
// does not acquire; barrier.cluster.arrive.relaxed releases nothing, but for
// what a fence.mbarrier_init before it made visible.
//
//===----------------------------------------------------------------------===//
#include "Async.h"
#include "Checks.h"
#include "Decoder.h"
#include "Fences.h"
#include "Lanes.h"
#include "Order.h"
#include "Races.h"

using namespace quack::sim;

//===----------------------------------------------------------------------===//
// bar
//===----------------------------------------------------------------------===//

/// Returns the number of the barrier that `op` names.
static uint32_t barrierOf(Warp &warp, const Op &op, uint32_t lanes) {
  return warp.reg<uint32_t>(op.a)[firstLane(lanes)];
}

/// Lets those who wait at the barrier come after all who have arrived; at once,
/// since the next generation may complete before they go on.
static void acquireWaiting(Cluster &cluster, Cta &cta, NamedBarrier &barrier) {
  for (uint32_t i = 0; i < cta.numWarps; ++i) {
    Warp &warp = cluster.warps[cta.firstWarp + i];
    for (Fragment &fragment : warp.fragments)
      if (fragment.wait == Wait::barrier &&
          &cta.barriers[barrierOf(warp, cluster.program.ops[fragment.at],
                                  fragment.lanes)] == &barrier &&
          fragment.what == barrier.generation)
        acquire(warp, fragment.lanes, barrier.clock);
  }
}

static void completeIfFull(Cluster &cluster, Cta &cta, NamedBarrier &barrier) {
  uint32_t expected = barrier.expected ? barrier.expected : cta.liveThreads;
  if (barrier.arrived == 0 || barrier.arrived < expected)
    return;
  if (cluster.tracksOrder)
    acquireWaiting(cluster, cta, barrier);
  ++barrier.generation;
  ++cluster.events;
  ++cluster.grid.barrierCount;
  barrier.arrived = 0;
  barrier.expected = 0;
  barrier.lastOnes = barrier.ones;
  barrier.lastZeros = barrier.zeros;
  barrier.ones = barrier.zeros = 0;
  barrier.clock.clear();
}

/// Checks the operands. Returns the barrier, or null after a fault.
static NamedBarrier *findBarrier(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t id = barrierOf(warp, op, lanes);
  if (id < 16)
    return &warp.cta->barriers[id];
  report(warp, op, firstLane(lanes), "barrier-misuse",
         "barrier " + std::to_string(id) + " is none of the 16");
  return nullptr;
}

static uint32_t countOf(Warp &warp, const Op &op, uint32_t lanes) {
  return op.b == zeroSlot ? 0 : warp.reg<uint32_t>(op.b)[firstLane(lanes)];
}

/// Lets lanes that execute one instruction arrive.
static void arriveAt(Warp &warp, const Op &op, uint32_t lanes,
                     NamedBarrier &barrier) {
  uint32_t count = countOf(warp, op, lanes);
  auto name = [&] {
    return "barrier " + std::to_string(&barrier - warp.cta->barriers);
  };
  if (count % warpLanes)
    report(warp, op, firstLane(lanes), "barrier-misuse",
           "the count " + std::to_string(count) + " is no multiple of 32");
  if (barrier.arrived && barrier.expected != count)
    report(warp, op, firstLane(lanes), "barrier-misuse",
           name() + " is used with the counts " +
               std::to_string(barrier.expected) + " and " +
               std::to_string(count));
  bool reduces = op.mode >= 2;
  // PTX ISA, bar: the execution of such a mixture is unpredictable.
  if (barrier.arrived && barrier.reduces != reduces)
    report(warp, op, firstLane(lanes), "barrier-misuse",
           "bar.red meets bar.sync or bar.arrive at " + name());
  if (op.mode == 1 && count == 0)
    report(warp, op, firstLane(lanes), "barrier-misuse",
           "bar.arrive needs a count of threads");
  barrier.reduces = reduces;
  barrier.expected = count;
  if (reduces) {
    uint32_t holds = op.isLogicNegated ? ~warp.mask(op.c) : warp.mask(op.c);
    barrier.ones += uint32_t(__builtin_popcount(holds & lanes));
    barrier.zeros += uint32_t(__builtin_popcount(~holds & lanes));
  }
  release(warp, lanes, barrier.clock);
}

/// Fragment::what of lanes whose warp has not arrived.
static constexpr uint32_t notArrived = UINT32_MAX;

/// A warp arrives as a whole, when all its lanes that have not exited are at
/// the barrier, if need be at several instructions (PTX ISA, bar: a thread
/// waits for those of its warp, and counts are of warps). Returns whether it
/// has arrived.
static bool arriveWithSiblings(Warp &warp, const Op &op, uint32_t lanes,
                               NamedBarrier &barrier) {
  uint32_t present = lanes, all = warp.lanes & ~warp.exited;
  const std::vector<Op> &ops = warp.cluster->program.ops;
  llvm::SmallVector<Fragment *, 4> siblings;
  for (Fragment &each : warp.fragments)
    if (present != all && &each != &warp.fragment() &&
        each.wait == Wait::barrier && each.what == notArrived &&
        &warp.cta->barriers[barrierOf(warp, ops[each.at], each.lanes)] ==
            &barrier) {
      present |= each.lanes;
      siblings.push_back(&each);
    }
  if (present != all)
    return false;
  arriveAt(warp, op, lanes, barrier);
  for (Fragment *each : siblings) {
    arriveAt(warp, ops[each->at], each->lanes, barrier);
    each->what = barrier.generation;
    each->seen = UINT64_MAX; // it looks again
  }
  barrier.arrived +=
      barrier.expected ? warpLanes : uint32_t(__builtin_popcount(present));
  return true;
}

/// An aligned instruction is executed by all lanes of the warp that have not
/// exited. Lanes that have left a join without their siblings wait for them.
static bool checkAligned(Warp &warp, const Op &op, uint32_t lanes) {
  if (!op.isAligned || lanes == (warp.lanes & ~warp.exited))
    return true;
  if (warp.isLoose)
    waitHere(warp, Wait::lanes, 0);
  else
    report(warp, op, firstLane(lanes), "divergent-barrier",
           "only some lanes of the warp are at an aligned barrier");
  return false;
}

/// `mode`: 0 sync, 1 arrive, 2 red.popc, 3 red.and, 4 red.or.
static void bar(Warp &warp, const Op &op, uint32_t lanes) {
  Fragment &fragment = warp.fragment();
  bool waits = fragment.wait == Wait::barrier;
  if (!waits && !checkAligned(warp, op, lanes))
    return;
  NamedBarrier *barrier = findBarrier(warp, op, lanes);
  if (!barrier)
    return;
  uint32_t generation = waits ? fragment.what : notArrived;
  if (generation == notArrived) {
    if (!arriveWithSiblings(warp, op, lanes, *barrier))
      return waitHere(warp, Wait::barrier, notArrived);
    generation = barrier->generation;
    if (op.mode != 1)
      waitHere(warp, Wait::barrier, generation);
    completeIfFull(*warp.cluster, *warp.cta, *barrier);
  }
  if (op.mode == 1) {
    fragment.wait = Wait::none;
    return;
  }
  if (barrier->generation == generation)
    return waitHere(warp, Wait::barrier, generation);
  fragment.wait = Wait::none;
  if (op.mode == 2) {
    uint32_t values[warpLanes];
    std::fill_n(values, warpLanes, barrier->lastOnes);
    writeLanes(warp, op.d, lanes, values);
  } else if (op.mode >= 3) {
    bool result =
        op.mode == 3 ? barrier->lastZeros == 0 : barrier->lastOnes != 0;
    warp.mask(op.d) = (warp.mask(op.d) & ~lanes) | (result ? lanes : 0);
  }
  if (op.mode >= 2)
    warp.define(op.d, lanes, allLanes);
}

static void decodeBar(Decoder &d, Op &op) {
  bool isBar = d.root() == "bar";
  d.take("cta");
  op.isAligned = d.take("aligned") || isBar;
  op.flow = Flow::wait;
  op.run = bar;
  if (d.take("sync")) {
    op.mode = 0;
  } else if (d.take("arrive")) {
    op.mode = 1;
  } else if (d.take("red")) {
    op.mode = d.take("popc") ? 2 : d.take("and") ? 3 : d.take("or") ? 4 : 0;
    Type type = d.takeType();
    if (!op.mode || type != (op.mode == 2 ? Type::u32 : Type::pred))
      return d.failForm();
    if (!d.expectOperands(3, 4))
      return;
    op.d = d.dest(0, type);
    op.a = d.source(1, Type::u32);
    size_t last = d.numOperands() - 1;
    if (last == 3)
      op.b = d.source(2, Type::u32);
    op.c = d.source(last, Type::pred);
    op.isLogicNegated = d.takeNegation(last);
    return;
  } else {
    return d.failForm();
  }
  if (!d.expectOperands(op.mode == 1 ? 2 : 1, 2))
    return;
  op.a = d.source(0, Type::u32);
  if (d.numOperands() == 2)
    op.b = d.source(1, Type::u32);
}

//===----------------------------------------------------------------------===//
// barrier.cluster
//===----------------------------------------------------------------------===//

static void completeCluster(Cluster &cluster) {
  if (cluster.clusterArrivals == 0 ||
      cluster.clusterArrivals < cluster.liveThreads)
    return;
  ++cluster.clusterPhase;
  ++cluster.events;
  ++cluster.grid.barrierCount;
  cluster.clusterArrivals = 0;
  cluster.clusterReleased = cluster.clusterClock;
  cluster.clusterClock.clear();
}

/// An arrive.relaxed releases nothing but the initialisations that a
/// fence.mbarrier_init before it covers (PTX ISA, membar/fence). Besides, it
/// shows that the CTA has started.
static void releaseInits(Warp &warp, uint32_t lanes, Clock &into) {
  into.learnCta(warp.cta->index);
  for (const MBarrier &barrier : warp.cta->mbarriers)
    if (barrier.isInitFenced && barrier.initWarp == &warp &&
        (lanes >> barrier.initLane & 1))
      into.learn(barrier.agent, 1);
}

static void clusterArrive(Warp &warp, const Op &op, uint32_t lanes) {
  if (!checkAligned(warp, op, lanes))
    return;
  if (warp.clusterArrived & lanes)
    report(warp, op, firstLane(warp.clusterArrived & lanes), "barrier-misuse",
           "arrives again without a wait between");
  lanes &= ~warp.clusterArrived;
  Cluster &cluster = *warp.cluster;
  warp.clusterArrived |= lanes;
  warp.clusterPhase = cluster.clusterPhase;
  if (op.isRelaxed)
    releaseInits(warp, lanes, cluster.clusterClock);
  else
    release(warp, lanes, cluster.clusterClock);
  cluster.clusterArrivals += uint32_t(__builtin_popcount(lanes));
  completeCluster(cluster);
}

static void clusterWait(Warp &warp, const Op &op, uint32_t lanes) {
  if (!checkAligned(warp, op, lanes))
    return;
  Cluster &cluster = *warp.cluster;
  if (lanes & ~warp.clusterArrived) {
    report(warp, op, firstLane(lanes & ~warp.clusterArrived), "barrier-misuse",
           "waits for the cluster without having arrived");
    return;
  }
  if (warp.clusterPhase == cluster.clusterPhase)
    return waitHere(warp, Wait::cluster, warp.clusterPhase);
  warp.clusterArrived &= ~lanes;
  acquire(warp, lanes, cluster.clusterReleased);
}

static void decodeClusterBarrier(Decoder &d, Op &op) {
  op.flow = Flow::wait;
  bool arrives = d.take("arrive");
  if (!arrives && !d.take("wait"))
    d.failForm();
  if (arrives)
    op.isRelaxed = !d.take("release") && d.take("relaxed");
  else
    d.take("acquire");
  op.isAligned = d.take("aligned");
  op.run = arrives ? clusterArrive : clusterWait;
  d.expectOperands(0);
}

//===----------------------------------------------------------------------===//
// Exits and fences
//===----------------------------------------------------------------------===//

void quack::sim::threadsExited(Warp &warp, uint32_t lanes, const Op &op) {
  Cluster &cluster = *warp.cluster;
  Cta &cta = *warp.cta;
  uint32_t count = uint32_t(__builtin_popcount(lanes));
  endOrder(warp, lanes);
  cta.liveThreads -= count;
  cluster.liveThreads -= count;
  ++cluster.events;
  if (warp.clusterPhase == cluster.clusterPhase)
    cluster.clusterArrivals -=
        uint32_t(__builtin_popcount(warp.clusterArrived & lanes));
  for (NamedBarrier &barrier : cta.barriers)
    if (!barrier.expected)
      completeIfFull(cluster, cta, barrier);
  completeCluster(cluster);
  cta.hasExited = cta.liveThreads == 0;
  asyncThreadsExited(warp, op, lanes);
  if (!cta.hasExited || !cluster.checksProtocol)
    return;
  checkExit(warp, op, firstLane(lanes), cta);
  for (const MBarrier &barrier : cta.mbarriers)
    if (barrier.bytes != 0)
      report(warp, op, firstLane(lanes), "exit-in-flight",
             "CTA " + std::to_string(cta.number) +
                 " exits while the mbarrier at shared offset " +
                 std::to_string(barrier.offset) + " expects " +
                 std::to_string(barrier.bytes) + " more bytes");
}

/// What `lanes` initialised is fenced: by fence.mbarrier_init if `forCluster`,
/// else by fence.proxy.async.
static void fenceInits(Warp &warp, uint32_t lanes, bool forCluster) {
  for (MBarrier &barrier : warp.cta->mbarriers)
    if (barrier.initWarp == &warp && (lanes >> barrier.initLane & 1)) {
      barrier.isInitFenced |= forCluster;
      barrier.isInitProxied = true;
    }
}
static void fenceProxy(Warp &warp, const Op &op, uint32_t lanes) {
  runProxyFence(warp, op, lanes);
  fenceInits(warp, lanes, /*forCluster=*/false);
}
static void fenceInit(Warp &warp, const Op &, uint32_t lanes) {
  fenceInits(warp, lanes, /*forCluster=*/true);
}
static void nothing(Warp &, const Op &, uint32_t) {}

static void runsFence(Decoder &d, Op &op) {
  if (op.scope >= Scope::gpu)
    d.noteMeeting(Space::global);
  op.run = runFence;
}

/// PTX ISA, membar: .cta, .gl and .sys are fence.sc of that scope.
static void decodeMembar(Decoder &d, Op &op) {
  op.order = Order::sc;
  op.scope = d.take("cta")  ? Scope::cta
             : d.take("gl") ? Scope::gpu
                            : Scope::sys;
  if (op.scope == Scope::sys && !d.take("sys"))
    d.failForm();
  d.noteOrder(op);
  runsFence(d, op);
  d.expectOperands(0);
}

static void decodeFence(Decoder &d, Op &op) {
  op.run = nothing;
  if (d.take("mbarrier_init")) {
    op.run = fenceInit;
    if (!d.take("release") || !d.take("cluster"))
      d.failForm();
  } else if (d.take("proxy")) {
    // .alias orders accesses to one place through several virtual addresses;
    // here each place has one.
    if (d.take("async"))
      op.run = fenceProxy;
    else if (!d.take("alias"))
      d.fail("'" + d.inst().text + "' is not simulated");
    if (op.run == fenceProxy && d.take("global"))
      op.space = Space::global;
    else if (op.run == fenceProxy &&
             d.takeAny({"shared::cta", "shared::cluster"}))
      op.space = Space::shared;
  } else {
    static constexpr Order orders[] = {Order::sc, Order::acqRel};
    // PTX ISA 8.6, fence: a restricted one orders accesses of shared memory alone, of
    // its own CTA or of the cluster. Here it is taken for a whole one.
    bool isRestricted = false;
    Order order = Order::acqRel;
    if (d.take("release")) {
      order = Order::release;
      isRestricted = d.take("sync_restrict::shared::cta");
    } else if (d.take("acquire")) {
      order = Order::acquire;
      isRestricted = d.take("sync_restrict::shared::cluster");
    }
    bool isNamed = order != Order::acqRel;
    if (!d.takeOrder(op, order, Scope::sys, isNamed ? llvm::ArrayRef<Order>() : orders))
      d.fail("'" + d.inst().text + "' needs a scope");
    if (isRestricted && op.scope != Scope::cluster)
      d.failForm();
    runsFence(d, op);
  }
  d.expectOperands(0);
}

bool quack::sim::decodeBarrier(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  if (root == "fence") {
    decodeFence(d, op);
  } else if (root == "membar") {
    decodeMembar(d, op);
  } else if (root == "barrier" && d.take("cluster")) {
    decodeClusterBarrier(d, op);
  } else if (root == "bar" || root == "barrier") {
    decodeBar(d, op);
  } else {
    return false;
  }
  op.definedness = Definedness::custom;
  return true;
}
