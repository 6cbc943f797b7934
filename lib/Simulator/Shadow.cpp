//===- Shadow.cpp - who accessed a place last ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

using namespace quack::sim;

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

void ShadowMap::resize(uint64_t cells) {
  clear();
  pages.resize((cells + pageCells - 1) / pageCells);
}

void ShadowMap::touch(uint64_t page) {
  touched.push_back(page);
  if (spare.empty()) {
    pages[page] = std::make_unique<ShadowCell[]>(pageCells);
    return;
  }
  pages[page] = std::move(spare.back());
  spare.pop_back();
  std::fill_n(pages[page].get(), pageCells, ShadowCell());
}

void ShadowMap::clear() {
  for (uint64_t page : touched)
    spare.push_back(std::move(pages[page]));
  touched.clear();
}

void ShadowMap::forEachPage(
    llvm::function_ref<void(uint64_t, ShadowCell *)> visit) {
  for (uint64_t page : touched)
    visit(page * pageCells, pages[page].get());
}

//===----------------------------------------------------------------------===//
// Events and lists
//===----------------------------------------------------------------------===//

AccessLog::AccessLog() { clear(); }

void AccessLog::clear() {
  events.assign(1, {}); // number 0 is none
  lists.clear();
  numbers.clear();
  limit = leastLimit;
  ++generations;
}

void AccessLog::setCapacity(uint32_t accesses) {
  capacity = std::clamp(accesses, leastCapacity, mostCapacity);
}

uint32_t AccessLog::add(const Event &event) {
  events.push_back(event);
  return uint32_t(events.size() - 1);
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
  auto [found, isNew] = numbers.try_emplace(
      {uint64_t(set) << 32 | event, lanes}, uint32_t(lists.size()));
  if (isNew)
    lists.push_back({event, lanes, set});
  return 1u << 31 | found->second;
}

void AccessLog::compact(
    llvm::function_ref<void(Visit)> forEachSet,
    llvm::function_ref<void(llvm::function_ref<void(uint32_t &)>)>
        forEachPinned) {
  std::vector<Event> oldEvents;
  std::vector<Item> oldLists;
  oldEvents.swap(events);
  oldLists.swap(lists);
  numbers.clear();
  events.assign(1, {});
  ++generations;
  std::vector<uint32_t> newEvent(oldEvents.size(), 0);
  std::vector<AccessSet> newList(oldLists.size(), 0);
  auto keepEvent = [&](uint32_t event) {
    if (!newEvent[event])
      newEvent[event] = add(oldEvents[event]);
    return newEvent[event];
  };
  std::vector<uint32_t> chain;
  auto keepSet = [&](AccessSet &set) {
    AccessSet mark = set & readByNc, rest = set & ~readByNc;
    if (!rest)
      return;
    chain.clear();
    while (isList(rest) && !newList[rest & listMask]) {
      chain.push_back(rest & listMask);
      rest = oldLists[rest & listMask].rest;
    }
    if (isList(rest))
      rest = newList[rest & listMask];
    else if (rest)
      rest = one(keepEvent(eventOf(rest)), laneOf(rest));
    for (size_t i = chain.size(); i-- > 0;) {
      const Item &item = oldLists[chain[i]];
      rest = newList[chain[i]] = with(rest, keepEvent(item.event), item.lanes);
    }
    set = rest | mark;
  };
  forEachSet(keepSet);
  forEachPinned([&](uint32_t &event) {
    if (event)
      event = keepEvent(event);
  });
  limit = std::max(leastLimit, 2 * (events.size() + lists.size()));
}
