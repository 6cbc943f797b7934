//===- Order.cpp - what lanes know of each other's past --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Memory Consistency Model": causality order, as vector clocks. Lanes
// of a warp that know the same form a group with one clock; a lane knows its
// own past besides. A release hands on what the lanes know and what they did; a
// lane that releases alone hands on nothing of the others. An acquire by some
// lanes parts their group; groups that know the same become one again.
//
//===----------------------------------------------------------------------===//
#include "Order.h"

using namespace quack::sim;

Agent quack::sim::agentOf(const Warp &warp, AgentKind kind) {
  return {warp.cta->index, uint32_t(kind) * mostWarps + warp.number};
}

LaneGroup &quack::sim::groupOf(Warp &warp, unsigned lane) {
  for (LaneGroup &group : warp.groups)
    if (group.lanes >> lane & 1)
      return group;
  return warp.groups.front();
}

Clock &quack::sim::clockOf(Warp &warp, unsigned lane) {
  return groupOf(warp, lane).clock;
}

bool quack::sim::partGroups(Warp &warp, uint32_t lanes) {
  bool parts = false;
  for (size_t i = 0, count = warp.groups.size(); i < count; ++i) {
    uint32_t inside = warp.groups[i].lanes & lanes;
    if (inside == 0 || inside == warp.groups[i].lanes)
      continue;
    LaneGroup other = warp.groups[i];
    other.lanes = inside;
    warp.groups[i].lanes &= ~inside;
    warp.groups.push_back(std::move(other));
    parts = true;
  }
  return parts;
}

/// Unites the groups of `lanes` with those that know the same.
static void unite(Warp &warp, uint32_t lanes) {
  for (size_t i = warp.groups.size(); i-- > 0;) {
    LaneGroup &group = warp.groups[i];
    if (!(group.lanes & lanes))
      continue;
    auto *same = llvm::find_if(warp.groups, [&](const LaneGroup &other) {
      return &other != &group && other.clock.isSame(group.clock) &&
             other.fences == group.fences;
    });
    if (same == warp.groups.end())
      continue;
    same->lanes |= group.lanes;
    warp.groups.erase(warp.groups.begin() + i);
  }
}

void quack::sim::acquire(Warp &warp, uint32_t lanes, const Clock &from) {
  if (!warp.cluster->tracksOrder)
    return;
  if (warp.groups.size() == 1 && (warp.groups[0].lanes & ~lanes) == 0)
    return void(warp.groups[0].clock.join(from));
  bool changes = partGroups(warp, lanes);
  for (LaneGroup &group : warp.groups)
    if (group.lanes & lanes)
      changes |= group.clock.join(from);
  if (changes)
    unite(warp, lanes);
}

void quack::sim::handOnOwn(Warp &warp, uint32_t lanes, uint32_t time,
                           const OwnTimes *own, Clock &into) {
  into.learn(agentOf(warp, AgentKind::lanes), lanes, warp.lanes, time);
  for (unsigned kind = 1; own && kind < numAgentKinds; ++kind)
    for (uint32_t rest = lanes; rest;) {
      const LaneTimes &times = (*own)[kind];
      uint32_t time = times[firstLane(rest)], same = 0;
      for (unsigned i = 0; i < warpLanes; ++i)
        same |= uint32_t(times[i] == time) << i;
      if (time)
        into.learn(agentOf(warp, AgentKind(kind)), same & rest, warp.lanes,
                   time);
      rest &= ~same;
    }
}

void quack::sim::release(Warp &warp, uint32_t lanes, Clock &into) {
  if (!warp.cluster->tracksOrder)
    return;
  for (LaneGroup &group : warp.groups)
    if (group.lanes & lanes)
      into.join(group.clock);
  handOnOwn(warp, lanes, warp.time++,
            warp.hasOwnTimes ? &warp.ownTimes : nullptr, into);
}

void quack::sim::learnOwn(Warp &warp, uint32_t lanes, AgentKind kind,
                          uint32_t time) {
  warp.hasOwnTimes = true;
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1)
      warp.ownTimes[unsigned(kind)][i] = time;
}

void quack::sim::learn(Warp &warp, uint32_t lanes, Agent agent, uint32_t time) {
  if (!warp.cluster->tracksOrder)
    return;
  partGroups(warp, lanes);
  for (LaneGroup &group : warp.groups)
    if (group.lanes & lanes)
      group.clock.learn(agent, time);
}

void quack::sim::startOrder(Warp &warp) {
  warp.time = 1;
  warp.cachedEvents.fill({});
  warp.hasOwnTimes = false;
  for (auto &times : warp.ownTimes)
    times.fill(0);
  warp.groups.clear();
  if (!warp.cluster->tracksOrder)
    return;
  warp.groups.emplace_back();
  warp.groups[0].lanes = warp.lanes;
  warp.groups[0].clock.learnCta(warp.cta->index);
}

void quack::sim::endOrder(Warp &warp, uint32_t lanes) {
  if (!warp.cluster->tracksOrder)
    return;
  release(warp, lanes, warp.cta->exitClock);
  for (size_t i = warp.groups.size(); i-- > 0;) {
    warp.groups[i].lanes &= ~lanes;
    if (!warp.groups[i].lanes && warp.groups.size() > 1)
      warp.groups.erase(warp.groups.begin() + i);
  }
}
