//===- Shadow.cpp - who accessed a place last ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

using namespace quack::sim;

AccessLog::AccessLog() { clear(); }

void AccessLog::clear() {
  events.assign(1, {}); // number 0 is none
  lists.clear();
  table.clear();
  limit = leastLimit;
  ++generations;
}

void AccessLog::setCapacity(uint32_t accesses) {
  capacity = std::clamp(accesses, leastCapacity, mostCapacity);
}

/// Appends without the slack that doubling leaves.
template <typename T>
static void append(std::vector<T> &list, const T &element) {
  if (list.size() == list.capacity())
    list.reserve(list.size() + list.size() / 4 + 256);
  list.push_back(element);
}

uint32_t AccessLog::add(const Event &event) {
  append(events, event);
  return uint32_t(events.size() - 1);
}

static size_t hash(const AccessLog::Item &item) {
  uint64_t value = uint64_t(item.rest) << 32 | item.event;
  value = (value ^ value >> 29 ^ item.lanes) * 0xbf58476d1ce4e5b9u;
  return size_t(value ^ value >> 32);
}

void AccessLog::growTable() {
  table.assign(std::max<size_t>(256, 2 * table.size()), 0);
  for (uint32_t i = 0; i < lists.size(); ++i) {
    size_t at = hash(lists[i]);
    while (table[at & (table.size() - 1)])
      ++at;
    table[at & (table.size() - 1)] = i + 1;
  }
}

uint32_t AccessLog::numberOf(const Item &item) {
  if (4 * lists.size() >= 3 * table.size())
    growTable();
  size_t at = hash(item);
  for (; uint32_t number = table[at & (table.size() - 1)]; ++at) {
    const Item &other = lists[number - 1];
    if (other.event == item.event && other.lanes == item.lanes &&
        other.rest == item.rest)
      return number - 1;
  }
  append(lists, item);
  return (table[at & (table.size() - 1)] = uint32_t(lists.size())) - 1;
}

AccessSet AccessLog::with(AccessSet set, uint32_t event, uint32_t lanes) {
  set &= ~readByNc;
  if (set) {
    Item head = first(set);
    if (head.event == event) {
      if ((head.lanes & lanes) == lanes)
        return set;
      lanes |= head.lanes;
      set = head.rest;
    }
  }
  if (!set && (lanes & (lanes - 1)) == 0)
    return one(event, unsigned(__builtin_ctz(lanes)));
  unsigned from = unsigned(__builtin_ctz(lanes));
  uint32_t number = numberOf({event, lanes >> from, shift(set, -from)});
  return 1u << 31 | number << 5 | from;
}

void AccessLog::compact(
    llvm::function_ref<void(Visit)> forEachSet,
    llvm::function_ref<void(llvm::function_ref<void(uint32_t &)>)>
        forEachPinned) {
  uint64_t before = presentBytes();
  std::vector<Event> oldEvents;
  std::vector<Item> oldLists;
  oldEvents.swap(events);
  oldLists.swap(lists);
  table.clear();
  events.assign(1, {});
  ++generations;
  std::vector<uint32_t> newEvent(oldEvents.size(), 0);
  std::vector<AccessSet> newList(oldLists.size(), 0);
  auto keepEvent = [&](uint32_t event) {
    if (!newEvent[event])
      newEvent[event] = add(oldEvents[event]);
    return newEvent[event];
  };
  auto convert = [&](AccessSet set) -> AccessSet {
    if (isList(set))
      return shift(newList[listOf(set)], laneOf(set));
    return set ? one(keepEvent(eventOf(set)), laneOf(set)) : 0;
  };
  std::vector<uint32_t> chain;
  auto keepSet = [&](AccessSet &set) {
    AccessSet mark = set & readByNc, rest = set & ~readByNc;
    chain.clear();
    for (AccessSet at = rest; isList(at) && !newList[listOf(at)];
         at = oldLists[listOf(at)].rest)
      chain.push_back(listOf(at));
    for (size_t i = chain.size(); i-- > 0;) {
      const Item &item = oldLists[chain[i]];
      newList[chain[i]] =
          with(convert(item.rest), keepEvent(item.event), item.lanes);
    }
    set = convert(rest) | mark;
  };
  forEachSet(keepSet);
  forEachPinned([&](uint32_t &event) {
    if (event)
      event = keepEvent(event);
  });
  mostBytes = std::max(mostBytes, before + presentBytes());
  limit = std::max(leastLimit, 2 * (events.size() + lists.size()));
}
