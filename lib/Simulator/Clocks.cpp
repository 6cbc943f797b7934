//===- Clocks.cpp - what is ordered before a point -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clocks.h"

#include <algorithm>

using namespace quack::sim;

//===----------------------------------------------------------------------===//
// The times of one CTA
//===----------------------------------------------------------------------===//

/// Returns whether `a` knows all that `b` does.
static bool covers(const CtaTimes &a, const CtaTimes &b) {
  bool less = false;
  for (unsigned part = 0; part < 2; ++part) {
    const std::vector<uint32_t> &mine = a.times[part], &theirs = b.times[part];
    size_t common = std::min(mine.size(), theirs.size());
    for (size_t i = 0; i < common; ++i)
      less |= mine[i] < theirs[i];
    for (size_t i = common; i < theirs.size(); ++i)
      less |= theirs[i] != 0;
  }
  if (less)
    return false;
  for (const auto &[agent, theirs] : b.lanes) {
    const LaneTimes *mine = a.findLanes(agent);
    uint32_t base = a.time(agent);
    for (unsigned i = 0; i < warpLanes; ++i)
      if (theirs[i] != neverTime && theirs[i] > base &&
          (!mine || (*mine)[i] < theirs[i]))
        return false;
  }
  return true;
}

/// Raises the time of an agent as a whole to what all of its lanes have.
static void normalise(CtaTimes &times, size_t entry) {
  auto &[agent, lanes] = times.lanes[entry];
  uint32_t &base = times.change(agent);
  uint32_t least = neverTime, most = 0;
  for (uint32_t &time : lanes) {
    time = std::max(time, base);
    least = std::min(least, time);
    if (time != neverTime)
      most = std::max(most, time);
  }
  base = std::max(base, least == neverTime ? 0 : least);
  if (most > base)
    return;
  times.lanes[entry] = times.lanes.back();
  times.lanes.pop_back();
}

static void joinTimes(CtaTimes &into, const CtaTimes &from) {
  for (unsigned part = 0; part < 2; ++part) {
    std::vector<uint32_t> &mine = into.times[part];
    const std::vector<uint32_t> &theirs = from.times[part];
    mine.resize(std::max(mine.size(), theirs.size()));
    for (size_t i = 0; i < theirs.size(); ++i)
      mine[i] = std::max(mine[i], theirs[i]);
  }
  for (const auto &entry : from.lanes) {
    auto *mine = llvm::find_if(
        into.lanes, [&](auto &own) { return own.first == entry.first; });
    if (mine == into.lanes.end()) {
      into.lanes.push_back(entry);
      continue;
    }
    for (unsigned i = 0; i < warpLanes; ++i)
      mine->second[i] = std::max(mine->second[i], entry.second[i]);
  }
  for (size_t i = into.lanes.size(); i-- > 0;)
    normalise(into, i);
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

const CtaTimes *Clock::find(uint32_t cta) const {
  for (const Entry &entry : entries)
    if (entry.cta >= cta)
      return entry.cta == cta ? entry.times.get() : nullptr;
  return nullptr;
}

CtaTimes &Clock::change(uint32_t cta) {
  Entry *entry = llvm::find_if(
      entries, [&](const Entry &each) { return each.cta >= cta; });
  if (entry == entries.end() || entry->cta != cta)
    entry = entries.insert(entry, {cta, new CtaTimes()});
  else if (entry->times->UseCount() > 1)
    entry->times = new CtaTimes(*entry->times);
  return *entry->times;
}

uint32_t Clock::known(Agent agent, uint32_t lanes, uint32_t time) const {
  const CtaTimes *of = find(agent.cta);
  if (!of)
    return 0;
  if (of->time(agent.index) >= time)
    return lanes;
  const LaneTimes *each = of->findLanes(agent.index);
  uint32_t result = 0;
  for (unsigned i = 0; each && i < warpLanes; ++i)
    result |= uint32_t((*each)[i] >= time) << i;
  return result & lanes;
}

void Clock::learn(Agent agent, uint32_t lanes, uint32_t all, uint32_t time) {
  if (known(agent, lanes, time) == lanes)
    return;
  CtaTimes &times = change(agent.cta);
  auto *entry = llvm::find_if(
      times.lanes, [&](auto &each) { return each.first == agent.index; });
  if ((lanes & all) == all) {
    times.change(agent.index) = time;
    if (entry == times.lanes.end())
      return;
  } else if (entry == times.lanes.end()) {
    times.lanes.emplace_back();
    entry = &times.lanes.back();
    entry->first = agent.index;
    for (unsigned i = 0; i < warpLanes; ++i)
      entry->second[i] = all >> i & 1 ? 0 : neverTime;
  }
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1)
      entry->second[i] = std::max(entry->second[i], time);
  normalise(times, size_t(entry - times.lanes.begin()));
}

bool Clock::join(const Clock &other) {
  if (entries.empty()) {
    entries = other.entries;
    return !entries.empty();
  }
  bool changes = false;
  size_t at = 0;
  for (const Entry &theirs : other.entries) {
    while (at < entries.size() && entries[at].cta < theirs.cta)
      ++at;
    if (at == entries.size() || entries[at].cta != theirs.cta) {
      entries.insert(entries.begin() + at, theirs);
      changes = true;
      continue;
    }
    const CtaTimes &mine = *entries[at].times;
    if (&mine == theirs.times.get() || covers(mine, *theirs.times))
      continue;
    changes = true;
    if (covers(*theirs.times, mine))
      entries[at].times = theirs.times;
    else
      joinTimes(change(theirs.cta), *theirs.times);
  }
  return changes;
}

bool Clock::isSame(const Clock &other) const {
  if (entries.size() != other.entries.size())
    return false;
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].times != other.entries[i].times ||
        entries[i].cta != other.entries[i].cta)
      return false;
  return true;
}
