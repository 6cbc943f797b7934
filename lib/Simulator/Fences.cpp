//===- Fences.cpp - fences, and what strong accesses hand on ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Memory Consistency Model", "Release and Acquire Patterns": a
// release, or a fence and then a strong write, hands on what its thread knows
// to who reads the value with an acquire, or with a strong read and then a
// fence. Read-modify-writes hand on what they read besides. Each location keeps
// what its present value hands on, by how far the scopes reach: to the writer's
// CTA, to its cluster, to all. What an access of too narrow a scope misses is
// a fault of that access itself (Races.cpp).
//
//===----------------------------------------------------------------------===//
#include "Fences.h"

#include "Order.h"
#include "RaceCheck.h"

using namespace quack::sim;

static bool acquires(Order order) {
  return order == Order::acquire || order == Order::acqRel ||
         order == Order::sc;
}
static bool releases(Order order) {
  return order == Order::release || order == Order::acqRel ||
         order == Order::sc;
}

/// Returns up to which distance a scope reaches.
static unsigned reach(Scope scope) {
  return std::min(unsigned(scope), unsigned(Scope::gpu));
}

/// Returns the fences of a group for changes.
static FenceState &change(LaneGroup &group) {
  if (!group.fences)
    group.fences = std::make_shared<FenceState>();
  else if (group.fences.use_count() > 1)
    group.fences = std::make_shared<FenceState>(*group.fences);
  return *group.fences;
}

void quack::sim::runFence(Warp &warp, const Op &op, uint32_t lanes) {
  if (!warp.cluster->tracksOrder)
    return;
  partGroups(warp, lanes);
  for (LaneGroup &group : warp.groups) {
    if (!(group.lanes & lanes))
      continue;
    FenceState &state = change(group);
    for (unsigned i = 0; i <= reach(op.scope); ++i) {
      if (acquires(op.order)) {
        group.clock.join(state.observed[i]);
        state.observed[i].clear();
      }
    }
    for (unsigned i = 0; releases(op.order) && i <= reach(op.scope); ++i) {
      state.released[i] = group.clock;
      state.times[i] = warp.time;
    }
  }
  ++warp.time;
}

/// Calls `visit` for each location of an access, with its lanes.
template <typename F>
static void forEachLocation(const Access &access, F visit) {
  for (uint32_t rest = access.valid & ~access.local; rest;) {
    unsigned leader = firstLane(rest);
    uint32_t same = 0;
    for (unsigned i = 0; i < warpLanes; ++i)
      same |= uint32_t(access.addresses[i] == access.addresses[leader]) << i;
    bool isShared = access.shared >> leader & 1;
    Spot spot = {isShared ? access.places[leader].cta : nullptr,
                 isShared ? access.places[leader].offset
                          : access.addresses[leader]};
    visit(spot.key(), same & rest);
    rest &= ~same;
  }
}

/// Lets lanes that read a location come after what its value hands on.
static void observe(Warp &warp, const Op &op, uint64_t key, uint32_t lanes) {
  auto &locations = warp.cluster->machine.locations;
  auto found = locations.find(key);
  if (found == locations.end())
    return;
  const Location &location = found->second;
  const Cta &cta = *warp.cta;
  unsigned distance = cta.index == location.cta                  ? 0
                      : cta.index - cta.rank == location.cluster ? 1
                                                                 : 2;
  if (distance > reach(op.scope))
    return;
  const Clock &clock = location.handsOn[distance];
  if (acquires(op.order))
    return acquire(warp, lanes, clock);
  partGroups(warp, lanes);
  for (LaneGroup &group : warp.groups)
    if (group.lanes & lanes)
      change(group).observed[distance].join(clock);
}

/// What a lane hands on by a strong write, by distance.
static void collect(Warp &warp, const Op &op, unsigned lane,
                    std::array<Clock, 3> &clocks) {
  LaneGroup &group = groupOf(warp, lane);
  if (releases(op.order)) {
    Clock all;
    release(warp, 1u << lane, all);
    for (unsigned i = 0; i <= reach(op.scope); ++i)
      clocks[i].join(all);
    return;
  }
  if (!group.fences)
    return;
  for (unsigned i = 0; i <= reach(op.scope); ++i) {
    if (!group.fences->times[i])
      continue;
    clocks[i].join(group.fences->released[i]);
    handOnOwn(warp, 1u << lane, group.fences->times[i], clocks[i]);
  }
}

static void publish(Warp &warp, const Op &op, uint64_t key, uint32_t lanes,
                    bool isAtomic) {
  Location &location = warp.cluster->machine.locations[key];
  const Cta &cta = *warp.cta;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    bool isSame = location.cta == cta.index && location.warp == warp.number &&
                  location.lane == lane;
    if (!isAtomic && !isSame)
      for (Clock &clock : location.handsOn)
        clock.clear();
    if (location.cta != cta.index)
      location.handsOn[0] = location.handsOn[1];
    if (location.cluster != cta.index - cta.rank)
      location.handsOn[0] = location.handsOn[1] = location.handsOn[2];
    location.cta = cta.index;
    location.cluster = cta.index - cta.rank;
    location.warp = warp.number;
    location.lane = lane;
    collect(warp, op, lane, location.handsOn);
  }
}

void quack::sim::observeLocations(Warp &warp, const Op &op,
                                  const Access &access) {
  if (op.order == Order::weak || !warp.cluster->program.hasFences ||
      !warp.cluster->tracksOrder)
    return;
  forEachLocation(access, [&](uint64_t key, uint32_t lanes) {
    observe(warp, op, key, lanes);
  });
}

void quack::sim::publishLocations(Warp &warp, const Op &op,
                                  const Access &access) {
  if (op.order == Order::weak || !warp.cluster->program.hasFences ||
      !warp.cluster->tracksOrder)
    return;
  forEachLocation(access, [&](uint64_t key, uint32_t lanes) {
    publish(warp, op, key, lanes, false);
  });
}

void quack::sim::passLocations(Warp &warp, const Op &op, const Access &access) {
  if (!warp.cluster->program.hasFences || !warp.cluster->tracksOrder)
    return;
  forEachLocation(access, [&](uint64_t key, uint32_t lanes) {
    // Each lane reads what the one before it wrote.
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
      observe(warp, op, key, rest & -rest);
      publish(warp, op, key, rest & -rest, true);
    }
  });
}

void quack::sim::forgetReleases(Machine &machine, uint64_t key) {
  machine.locations.erase(key);
}
