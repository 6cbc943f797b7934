//===- Fences.cpp - fences, and what strong accesses hand on ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Memory Consistency Model", "Release and Acquire Patterns": a
// release, or a fence and then a strong write, hands on what its thread knows
// to who reads the value with an acquire, or with a strong read and then a
// fence. A release may be followed by a strong write of its thread to the same
// location, and a strong read by an acquire from it. Read-modify-writes hand on
// what they read besides. Who begins and who ends must be in each other's
// scope, and so must a write and who reads it; what an access of too narrow a
// scope misses is a fault of that access itself (Races.cpp).
//
// fence.sc is taken for .acq_rel: which of two comes first in the order that
// PTX gives them is not known before they run.
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
  std::shared_ptr<const OwnTimes> own;
  if (warp.hasOwnTimes)
    own = std::make_shared<const OwnTimes>(warp.ownTimes);
  partGroups(warp, lanes);
  for (LaneGroup &group : warp.groups) {
    if (!(group.lanes & lanes))
      continue;
    FenceState &state = change(group);
    for (unsigned i = 0; acquires(op.order) && i <= reach(op.scope); ++i) {
      group.clock.join(state.observed[i]);
      state.observed[i].clear();
    }
    for (unsigned i = 0; releases(op.order) && i <= reach(op.scope); ++i)
      state.released[i] = {group.clock, warp.time, own};
  }
  ++warp.time;
}

void quack::sim::releaseByFences(Warp &warp, unsigned lane, const Cta &of,
                                 Clock &to) {
  const std::shared_ptr<FenceState> &fences = groupOf(warp, lane).fences;
  if (!warp.cluster->tracksOrder || !fences)
    return;
  const ReleasedByFence &released = fences->released[&of == warp.cta ? 0 : 1];
  if (!released.time)
    return;
  Clock clock = released.clock;
  handOnOwn(warp, 1u << lane, released.time, released.own.get(), clock);
  to.join(clock);
}

void quack::sim::observePhase(Warp &warp, uint32_t lanes, const Clock &completed,
                              bool isOfPeers) {
  if (!warp.cluster->tracksOrder || !warp.cluster->program.hasFences)
    return;
  partGroups(warp, lanes);
  for (LaneGroup &group : warp.groups)
    if (group.lanes & lanes)
      change(group).observed[isOfPeers ? 1 : 0].join(completed);
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

/// Returns what a location hands on to a thread of a CTA from those as near as
/// `reach` says; null if nothing.
static const Clock *find(const HandedOn &from, const Cta &cta, unsigned reach) {
  if (reach == 2)
    return &from.toAll;
  const auto &clocks = reach ? from.inCluster : from.inCta;
  auto found = clocks.find(reach ? cta.index - cta.rank : cta.index);
  return found == clocks.end() ? nullptr : &found->second;
}

/// Hands `clock` on to those who are as near to a CTA as `reach` says.
static void add(HandedOn &to, const Warp &warp, unsigned reach,
                const Clock &clock) {
  const Cta &cta = *warp.cta;
  if (reach == 2)
    to.toAll.join(clock);
  else if (warp.cluster->program.hasNarrowScopes)
    (reach ? to.inCluster[cta.index - cta.rank] : to.inCta[cta.index])
        .join(clock);
}

/// Returns whether an access and the write before it include each other.
static bool meets(const Location &location, const Warp &warp, const Op &op) {
  const Cta &cta = *warp.cta;
  unsigned distance = cta.index == location.cta                  ? 0
                      : cta.index - cta.rank == location.cluster ? 1
                                                                 : 2;
  return distance <= std::min(reach(op.scope), location.reach);
}

/// Lets lanes that read a location come after what its value hands on.
static void observe(Warp &warp, const Op &op, uint64_t key, uint32_t lanes) {
  auto &locations = warp.cluster->machine.locations;
  auto found = locations.find(key);
  if (found == locations.end() || !meets(found->second, warp, op))
    return;
  Location &location = found->second;
  for (unsigned i = 0; i < numReaches; ++i) {
    const Clock *clock = find(location.handedOn, *warp.cta, i);
    if (!clock || clock->isEmpty())
      continue;
    if (acquires(op.order) && i <= reach(op.scope)) {
      acquire(warp, lanes, *clock);
      continue;
    }
    partGroups(warp, lanes);
    for (LaneGroup &group : warp.groups)
      if (group.lanes & lanes)
        change(group).observed[i].join(*clock);
    if (warp.cluster->program.mixesReads)
      for (uint32_t rest = lanes; rest; rest &= rest - 1)
        location.own[{warp.serial, firstLane(rest)}].observed[i].join(*clock);
  }
}

/// Lets lanes that acquire from a location come after what they have observed
/// there before.
static void acquireObserved(Warp &warp, const Op &op, uint64_t key,
                            uint32_t lanes) {
  auto &locations = warp.cluster->machine.locations;
  auto found = locations.find(key);
  if (!warp.cluster->program.mixesReads || !acquires(op.order) ||
      found == locations.end())
    return;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    auto own = found->second.own.find({warp.serial, firstLane(rest)});
    for (unsigned i = 0; own != found->second.own.end() && i <= reach(op.scope);
         ++i)
      acquire(warp, rest & -rest, own->second.observed[i]);
  }
}

/// What a lane hands on by a strong write.
static void collect(Warp &warp, const Op &op, unsigned lane,
                    Location &location) {
  bool mixes = warp.cluster->program.mixesWrites;
  if (mixes) {
    auto own = location.own.find({warp.serial, lane});
    for (unsigned i = 0; own != location.own.end() && i < numReaches; ++i)
      add(location.handedOn, warp, i, own->second.released[i]);
  }
  if (const std::shared_ptr<FenceState> &fences = groupOf(warp, lane).fences)
    for (unsigned i = 0; i < numReaches; ++i) {
      const ReleasedByFence &released = fences->released[i];
      if (!released.time)
        continue;
      Clock clock = released.clock;
      handOnOwn(warp, 1u << lane, released.time, released.own.get(), clock);
      add(location.handedOn, warp, i, clock);
    }
  if (!releases(op.order))
    return;
  Clock clock;
  release(warp, 1u << lane, clock);
  for (unsigned i = 0; i <= reach(op.scope); ++i) {
    add(location.handedOn, warp, i, clock);
    if (mixes)
      location.own[{warp.serial, lane}].released[i].join(clock);
  }
}

static void publish(Warp &warp, const Op &op, uint64_t key, uint32_t lanes,
                    bool isAtomic) {
  Location &location = warp.cluster->machine.locations[key];
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    if (!isAtomic || !meets(location, warp, op))
      location.handedOn.clear();
    location.cta = warp.cta->index;
    location.cluster = warp.cta->index - warp.cta->rank;
    location.reach = reach(op.scope);
    collect(warp, op, firstLane(rest), location);
  }
}

void quack::sim::observeLocations(Warp &warp, const Op &op,
                                  const Access &access) {
  if (op.order == Order::weak || !warp.cluster->program.hasFences ||
      !warp.cluster->tracksOrder)
    return;
  forEachLocation(access, [&](uint64_t key, uint32_t lanes) {
    observe(warp, op, key, lanes);
    acquireObserved(warp, op, key, lanes);
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
  auto found = machine.locations.find(key);
  if (found == machine.locations.end())
    return;
  // A thread's release stands for its later writes, too.
  found->second.handedOn.clear();
  if (found->second.own.empty())
    machine.locations.erase(found);
}
