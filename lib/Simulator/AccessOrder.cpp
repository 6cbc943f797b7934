//===- AccessOrder.cpp - the accesses that races are looked for in -*- C++ -*-//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the access of a warp or of an asynchronous operation to the cells of its
// bytes.
//
//===----------------------------------------------------------------------===//
#include "Async.h"
#include "Checks.h"
#include "Memory.h"
#include "Order.h"
#include "RaceCheck.h"

#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace quack::sim;

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

static Event makeEvent(const Warp &warp, const Op &op) {
  Event event;
  event.op = &op;
  event.ctaNumber = uint32_t(warp.cta->number);
  event.cta = warp.cta->index;
  event.grid = uint16_t(warp.cluster->grid.number);
  event.cluster = warp.cta->index - warp.cta->rank;
  event.isStrong = op.order != Order::weak;
  event.warp = uint16_t(warp.number);
  return event;
}

/// Returns the number of the instruction that the warp executes. Who knows
/// `view` up to `viewTime` knows that it is over, too.
static uint32_t eventOf(Warp &warp, const Op &op, AccessKind kind,
                        Agent view = {}, uint32_t viewTime = 0) {
  AccessLog &log = warp.cluster->machine.log;
  CachedEvent &cached = warp.cachedEvents[op.index % warp.cachedEvents.size()];
  if (cached.op == &op && cached.time == warp.time &&
      cached.generation == log.generation() &&
      log[cached.event].viewTime == viewTime && log[cached.event].view == view)
    return cached.event;
  Event event = makeEvent(warp, op);
  event.agent = agentOf(warp, AgentKind::lanes);
  event.time = warp.time;
  event.isAtomic = kind == AccessKind::atomic;
  event.isRead = kind == AccessKind::read;
  event.view = view;
  event.viewTime = viewTime;
  cached = {&op, warp.time, log.add(event), log.generation()};
  return cached.event;
}

uint32_t quack::sim::beginAsync(Warp &warp, const Op &op, unsigned lane,
                                Agent agent, uint32_t time) {
  Event event = makeEvent(warp, op);
  event.agent = agent;
  event.time = time;
  event.lane = uint8_t(lane);
  event.isAsync = event.isPending = true;
  return warp.cluster->machine.log.add(event);
}

void quack::sim::endAsync(Cluster &cluster, uint32_t event) {
  cluster.machine.log[event].isPending = false;
}

void quack::sim::endAsync(Cluster &cluster, uint32_t event, uint32_t time) {
  cluster.machine.log[event].time = time;
  endAsync(cluster, event);
}

static void compact(Machine &machine) {
  machine.log.compact(
      [&](AccessLog::Visit visit) {
        auto visitPage = [&](uint64_t, ShadowCell *cells) {
          for (unsigned i = 0; i < ShadowMap::pageCells; ++i) {
            visit(cells[i].write);
            visit(cells[i].read);
          }
        };
        for (Cluster *cluster : machine.liveClusters())
          for (Cta &cta : cluster->ctas)
            cta.shadow.forEachPage(visitPage);
        for (GlobalRange &range : machine.global.ranges)
          range.cells.forEachPage(visitPage);
      },
      [&](llvm::function_ref<void(uint32_t &)> pin) {
        for (Cluster *cluster : machine.liveClusters())
          for (const std::unique_ptr<AsyncOp> &async : cluster->pending) {
            pin(async->event);
            pin(async->readEvent);
          }
      });
}

void quack::sim::trimLog(Warp &warp, const Op &op) {
  Machine &machine = warp.cluster->machine;
  if (!machine.log.isLarge())
    return;
  compact(machine);
  if (!machine.log.isFull())
    return;
  report(warp, op, firstLane(warp.fragment().lanes), "access-limit",
         "later accesses must be compared with " +
             llvm::Twine(machine.log.size()) +
             " earlier ones, more than the check of races can keep; leave it "
             "out, or launch less");
  machine.isStopped = warp.yields = true;
  for (Cluster *cluster : machine.liveClusters())
    cluster->checksRaces = false; // there is no room for what is still to run
}

/// The lanes of `mine` access the bytes together.
static void accessShared(Checker &check, Cta &cta, uint32_t offset,
                         uint32_t bytes, uint32_t mine) {
  uint32_t granule = check.warp.cluster->program.sharedGranule;
  uint64_t first = offset / granule, last = (offset + bytes - 1) / granule;
  for (uint64_t at = first; at <= last; ++at)
    if ((mine & (mine - 1)) == 0)
      accessCellFast(check, *cta.shadow.cell(at), firstLane(mine), &cta,
                     at * granule);
    else
      accessCell(check, *cta.shadow.cell(at), mine, {&cta, at * granule});
}

void quack::sim::noteShared(Warp &warp, const Op &op, uint32_t lanes, Cta &cta,
                            uint32_t offset, uint32_t bytes, AccessKind kind) {
  if (!warp.cluster->checksRaces || bytes == 0)
    return;
  Checker check(warp, op, kind, eventOf(warp, op, kind));
  accessShared(check, cta, offset, bytes, lanes);
}

void quack::sim::noteInit(Warp &warp, const Op &op, unsigned lane,
                          Agent mbarrier, uint32_t offset) {
  if (!warp.cluster->checksRaces)
    return;
  Event event = makeEvent(warp, op);
  event.agent = mbarrier;
  event.time = 1;
  Checker check(warp, op, AccessKind::write,
                warp.cluster->machine.log.add(event));
  accessShared(check, *warp.cta, offset, 8, 1u << lane);
}

void quack::sim::noteUse(Warp &warp, const Op &op, uint32_t lanes, Cta &cta,
                         const MBarrier &barrier, bool isWait) {
  // If the initialisation may come later, that is what is wrong.
  if (!warp.cluster->checksRaces ||
      !clockOf(warp, firstLane(lanes)).knows(barrier.agent, 1))
    return;
  // Who has seen the end of the phase knows that its arrivals are over,
  // whatever these release.
  uint32_t event = isWait ? eventOf(warp, op, AccessKind::read)
                          : eventOf(warp, op, AccessKind::read, barrier.views,
                                    uint32_t(barrier.phase + 1));
  Checker check(warp, op, AccessKind::read, event);
  accessShared(check, cta, barrier.offset, 8, lanes);
}

void quack::sim::noteSignal(Warp &warp, const Op &op, unsigned lane, Cta &cta,
                            MBarrier &barrier) {
  if (!warp.cluster->checksRaces || barrier.signalled == barrier.phase + 1 ||
      !clockOf(warp, lane).knows(barrier.agent, 1))
    return;
  barrier.signalled = barrier.phase + 1;
  Event event = makeEvent(warp, op);
  event.agent = barrier.agent;
  event.time = barrier.phaseTime();
  event.view = barrier.views;
  event.viewTime = uint32_t(barrier.phase + 1);
  event.lane = uint8_t(lane);
  event.isAsync = true;
  Checker check(warp, op, AccessKind::read,
                warp.cluster->machine.log.add(event));
  accessShared(check, cta, barrier.offset, 8, 1u << lane);
}

void quack::sim::noteAsync(Warp &warp, const Op &op, unsigned lane, Cta &cta,
                           uint32_t offset, uint32_t bytes, AccessKind kind,
                           uint32_t event) {
  if (!warp.cluster->checksRaces || bytes == 0)
    return;
  Checker check(warp, op, kind, event);
  accessShared(check, cta, offset, bytes, 1u << lane);
}

//===----------------------------------------------------------------------===//
// The access of a warp
//===----------------------------------------------------------------------===//

/// Calls `visit` for each address of `lanes`, with the lanes that have it.
template <typename F>
static void forEachAddress(const uint64_t *addresses, uint32_t lanes, F visit) {
  bool ascends = true;
  uint64_t before = 0;
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1) {
      ascends &= addresses[i] > before;
      before = addresses[i];
    }
  if (ascends) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
      visit(firstLane(rest), rest & -rest);
    return;
  }
  for (uint32_t rest = lanes; rest;) {
    unsigned leader = firstLane(rest);
    uint32_t same = 0;
    for (unsigned i = 0; i < warpLanes; ++i)
      same |= uint32_t(addresses[i] == addresses[leader]) << i;
    visit(leader, same & rest);
    rest &= ~same;
  }
}

/// PTX ISA leaves open which lane's value stays; if they are equal it does not
/// matter.
static void checkEqual(Checker &check, const Access &access, uint32_t lanes,
                       uint32_t bytes, const uint8_t *values) {
  unsigned first = firstLane(lanes);
  for (uint32_t rest = lanes & (lanes - 1); rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    if (std::memcmp(values + lane * bytes, values + first * bytes, bytes) == 0)
      continue;
    return report(check.warp, check.op, lane, "race",
                  "writes another value than lane " + llvm::Twine(first) +
                      " to the same address 0x" +
                      llvm::Twine::utohexstr(access.addresses[lane]));
  }
}

/// The lanes of `mine` access the bytes of global memory together.
static void accessGlobal(Checker &check, uint64_t address, uint32_t bytes,
                         uint32_t mine) {
  GlobalShadow &global = check.warp.cluster->machine.global;
  GlobalRange *range = global.find(address);
  if (!range)
    return;
  uint64_t first = address / global.granule,
           last = (address + bytes - 1) / global.granule;
  for (uint64_t at = first; at <= last; ++at) {
    ShadowCell &cell = *range->cells.cell(at - range->firstCell);
    if ((mine & (mine - 1)) == 0)
      accessCellFast(check, cell, firstLane(mine), nullptr,
                     at * global.granule);
    else
      accessCell(check, cell, mine, {nullptr, at * global.granule});
  }
}

/// All lanes access global memory side by side.
static void accessRun(Checker &check, uint64_t address, uint32_t bytes) {
  GlobalShadow &global = check.warp.cluster->machine.global;
  GlobalRange *range = global.find(address);
  if (!range)
    return;
  uint32_t each = bytes / global.granule;
  uint64_t at = address / global.granule - range->firstCell,
           end = at + uint64_t(each) * warpLanes;
  for (unsigned lane = 0, done = 0; at < end;) {
    ShadowCell *cells = range->cells.cell(at);
    uint64_t count = std::min(ShadowMap::left(at), end - at);
    for (uint64_t i = 0; i < count; ++i) {
      accessCellFast(check, cells[i], lane, nullptr,
                     (at + i + range->firstCell) * global.granule);
      if (++done == each) {
        done = 0;
        ++lane;
      }
    }
    at += count;
  }
}

void quack::sim::checkOrder(Warp &warp, const Op &op, const Access &access,
                            uint32_t bytes, AccessKind kind,
                            const uint8_t *values) {
  uint32_t all = access.valid & ~access.local;
  if (!warp.cluster->checksRaces || !all)
    return;
  Checker check(warp, op, kind, eventOf(warp, op, kind));
  if (access.run && !access.shared)
    return accessRun(check, access.addresses[0], bytes);
  forEachAddress(access.addresses, all, [&](unsigned leader, uint32_t lanes) {
    if (values && (lanes & (lanes - 1)))
      checkEqual(check, access, lanes, bytes, values);
    if (!(access.shared >> leader & 1))
      return accessGlobal(check, access.addresses[leader], bytes, lanes);
    const SharedPlace &place = access.places[leader];
    accessShared(check, *place.cta, uint32_t(place.offset), bytes, lanes);
  });
}

void quack::sim::noteAsyncGlobal(Warp &warp, const Op &op, unsigned lane,
                                 uint64_t address, uint32_t bytes,
                                 AccessKind kind, uint32_t event) {
  if (!warp.cluster->checksRaces || bytes == 0)
    return;
  Checker check(warp, op, kind, event);
  accessGlobal(check, address, bytes, 1u << lane);
}
