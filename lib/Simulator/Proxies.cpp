//===- Proxies.cpp - accesses of the async proxy ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Proxies" and cp.async.bulk: bulk copies read and write through the
// async proxy. What a thread has written through the generic one, be it by
// cp.async, must lie before a fence.proxy.async of that thread. Who only reads
// what a bulk copy then overwrites is seldom wrong without the fence: that is a
// warning of the strict checks.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "Order.h"
#include "RaceCheck.h"

#include "llvm/ADT/Twine.h"

using namespace quack::sim;

void quack::sim::runProxyFence(Warp &warp, const Op &op, uint32_t lanes) {
  auto fence = [&](AgentKind kind, uint32_t lane, uint32_t time) {
    learnOwn(warp, 1u << lane, kind, time);
  };
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    if (op.space != Space::global) {
      fence(AgentKind::sharedFenced, lane, warp.time);
      fence(AgentKind::copyFenced, lane,
            warp.ownTimes[unsigned(AgentKind::copy)][lane]);
    }
    if (op.space != Space::shared)
      fence(AgentKind::globalFenced, lane, warp.time);
  }
  ++warp.time;
}

/// Returns the agent that stands for what lies before a fence of what the event
/// did; false if it needs none.
static bool findFenced(const Event &event, bool isShared, Agent &agent) {
  agent = event.agent;
  uint32_t kind = event.agent.index / mostWarps;
  if (kind == unsigned(AgentKind::lanes))
    agent.index += mostWarps * unsigned(isShared ? AgentKind::sharedFenced
                                                 : AgentKind::globalFenced);
  else if (kind == unsigned(AgentKind::copy))
    agent.index += mostWarps;
  else
    return false;
  return true;
}

/// Returns which of the item's lanes have not fenced what they did.
static uint32_t findUnfenced(Warp &warp, unsigned lane, const Event &event,
                             uint32_t lanes, bool isShared) {
  Agent agent;
  if (!findFenced(event, isShared, agent))
    return 0;
  uint32_t fenced = clockOf(warp, lane).known(agent, lanes, event.time);
  bool isOwn = event.cta == warp.cta->index && event.warp == warp.number;
  if (isOwn && warp.ownTimes[agent.index / mostWarps][lane] >= event.time)
    fenced |= 1u << lane;
  return lanes & ~fenced;
}

/// Looks at the accesses of `set`. Returns whether one was reported.
static bool checkSet(Warp &warp, const Op &op, unsigned lane, AccessSet set,
                     const Spot &spot, bool wasWrite, bool overwrites) {
  AccessLog &log = warp.cluster->machine.log;
  for (set &= ~readByNc; set;) {
    AccessLog::Item item = log.first(set);
    set = item.rest;
    const Event &event = log[item.event];
    // An operation that has not completed is looked at by the race check.
    uint32_t lanes =
        event.isPending || (wasWrite && event.isRead)
            ? 0
            : findUnfenced(warp, lane, event, item.lanes, spot.cta);
    if (!lanes)
      continue;
    auto tell = wasWrite ? report : warn;
    tell(warp, op, lane, "proxy-fence",
         llvm::Twine("a bulk copy ") + (overwrites ? "overwrites" : "reads") +
             " memory" + spot.str() + " after " +
             describeEvent(event, lanes, wasWrite) +
             " without a fence.proxy.async of that thread between");
    return true;
  }
  return false;
}

static bool checkCell(Warp &warp, const Op &op, unsigned lane,
                      const ShadowCell &cell, const Spot &spot,
                      bool overwrites) {
  bool isStrict = warp.cluster->launch.options->checks & checkStrict;
  return checkSet(warp, op, lane, cell.write, spot, true, overwrites) ||
         (overwrites && isStrict &&
          checkSet(warp, op, lane, cell.read, spot, false, true));
}

void quack::sim::checkProxy(Warp &warp, const Op &op, unsigned lane, Cta &cta,
                            uint32_t offset, uint32_t bytes, bool overwrites) {
  if (!warp.cluster->checksRaces || bytes == 0)
    return;
  uint32_t granule = warp.cluster->program.sharedGranule;
  for (uint64_t at = offset / granule; at <= (offset + bytes - 1) / granule;
       ++at)
    if (checkCell(warp, op, lane, *cta.shadow.cell(at), {&cta, at * granule},
                  overwrites))
      return;
}

void quack::sim::checkGlobalProxy(Warp &warp, const Op &op, unsigned lane,
                                  uint64_t address, uint32_t bytes,
                                  bool overwrites) {
  GlobalShadow &global = warp.cluster->machine.global;
  GlobalRange *range = global.find(address);
  if (!warp.cluster->checksRaces || bytes == 0 || !range)
    return;
  for (uint64_t at = address / global.granule;
       at <= (address + bytes - 1) / global.granule; ++at)
    if (checkCell(warp, op, lane, *range->cells.cell(at - range->firstCell),
                  {nullptr, at * global.granule}, overwrites))
      return;
}
