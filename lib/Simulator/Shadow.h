//===- Shadow.h - who accessed a place last ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each granule of memory (the smallest access of the program, so that
// granules are exact) a cell of 8 bytes: the accesses that a later one must be
// ordered after. A cell names accesses by number. One of a single lane stands
// in the cell; several are a list, of which each that differs is kept once
// however many cells have it. The lanes of a list are relative to what names
// it: where each lane of some warps accesses a cell of its own, one list stands
// in all of them. Numbers that no cell names any more are given back when there
// are many.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_SHADOW_H
#define QUACK_LIB_SIMULATOR_SHADOW_H

#include "Clocks.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Compiler.h"

#include <algorithm>
#include <memory>

namespace quack::sim {

/// An instruction that a warp executed in one of its steps, or an asynchronous
/// operation.
struct Event {
  const Op *op = nullptr;
  Agent agent; ///< who must be known up to `time` by who comes after
  uint32_t time = 0;
  uint32_t ctaNumber = 0; ///< in the grid, of who issued it
  Agent view;            ///< of a use of an mbarrier: or this up to `viewTime`,
  uint32_t viewTime = 0; ///< if not 0
  uint32_t cta = 0;      ///< in the machine, of who issued it,
  uint32_t cluster = 0;  ///< and the first of its cluster
  uint16_t grid = 0;     ///< in the machine's stream
  uint16_t warp = 0;
  uint8_t lane = 0; ///< of an asynchronous operation
  bool isAsync = false;
  bool isPending = false; ///< issued and not completed
  bool isStrong = false;  ///< relaxed, volatile, atomic, ...
  bool isAtomic = false;  ///< a read-modify-write
  bool isRead = false;    ///< among writes: it reads the one after it
};

/// What a half of a cell holds: 0, an event's number and a lane, or a list's
/// and the lane that its lanes count from. The lane is in the low 5 bits.
using AccessSet = uint32_t;

struct ShadowCell {
  AccessSet write = 0; ///< with strong reads of a strong write, before it
  AccessSet read = 0;  ///< with `readByNc`
  bool operator==(const ShadowCell &other) const {
    return write == other.write && read == other.read;
  }
};

/// Marks cells that an ld.global.nc has read, whoever read them since.
inline constexpr AccessSet readByNc = 1u << 30;

/// The cells of a range of memory, in pages that come with the first access.
template <typename Cell> class PagedCells {
public:
  static constexpr unsigned pageCells = 256;
  void resize(uint64_t cells) {
    clear();
    pages.resize((cells + pageCells - 1) / pageCells);
  }
  /// Returns cell `index`; those up to the page's end follow.
  Cell *cell(uint64_t index) {
    std::unique_ptr<Cell[]> &page = pages[index / pageCells];
    if (!page)
      touch(index / pageCells);
    return page.get() + index % pageCells;
  }
  static uint64_t left(uint64_t index) { return pageCells - index % pageCells; }
  void clear() {
    for (uint64_t page : touched)
      spare.push_back(std::move(pages[page]));
    touched.clear();
  }
  /// Calls `visit` with the first index and the cells of each touched page.
  void forEachPage(llvm::function_ref<void(uint64_t, Cell *)> visit) {
    for (uint64_t page : touched)
      visit(page * pageCells, pages[page].get());
  }
  /// Returns the host's memory that they take.
  uint64_t hostBytes() const {
    return (touched.size() + spare.size()) * pageCells * sizeof(Cell) +
           pages.capacity() * sizeof(pages[0]) +
           (touched.capacity() + spare.capacity()) * sizeof(uint64_t);
  }

private:
  std::vector<std::unique_ptr<Cell[]>> pages, spare;
  std::vector<uint64_t> touched;

  LLVM_ATTRIBUTE_NOINLINE void touch(uint64_t page) {
    touched.push_back(page);
    if (spare.empty()) {
      pages[page] = std::make_unique<Cell[]>(pageCells);
      return;
    }
    pages[page] = std::move(spare.back());
    spare.pop_back();
    std::fill_n(pages[page].get(), pageCells, Cell());
  }
};

using ShadowMap = PagedCells<ShadowCell>;

/// The events and lists that cells name.
class AccessLog {
public:
  /// The names that there are: one(event, 31) must stay below readByNc.
  static constexpr uint32_t mostCapacity = readByNc >> 5;
  AccessLog();
  void clear();
  /// Sets how many accesses there may be names for.
  void setCapacity(uint32_t accesses);

  uint32_t add(const Event &event);
  Event &operator[](uint32_t event) { return events[event]; }
  const Event &operator[](uint32_t event) const { return events[event]; }
  size_t size() const { return events.size(); }
  /// Returns the most of the host's memory that it has taken.
  uint64_t hostBytes() const { return std::max(mostBytes, presentBytes()); }
  /// Grows when numbers change.
  uint32_t generation() const { return generations; }

  /// Returns `set` with the access of `lanes` in `event`.
  AccessSet with(AccessSet set, uint32_t event, uint32_t lanes);

  static bool isList(AccessSet set) { return set >> 31; }
  static uint32_t eventOf(AccessSet one) { return (one & ~readByNc) >> 5; }
  static uint32_t listOf(AccessSet set) { return (set & (readByNc - 1)) >> 5; }
  static unsigned laneOf(AccessSet one) { return one & 31; }
  static AccessSet one(uint32_t event, unsigned lane) {
    return event << 5 | lane;
  }
  struct Item {
    uint32_t event = 0, lanes = 0;
    AccessSet rest = 0;
  };
  /// Returns the latest access of a set that is not empty.
  Item first(AccessSet set) const {
    if (!isList(set))
      return {eventOf(set), 1u << laneOf(set), 0};
    Item item = lists[listOf(set)];
    unsigned from = laneOf(set);
    item.lanes = item.lanes << from | item.lanes >> (-from & 31);
    item.rest = shift(item.rest, from);
    return item;
  }

  /// Returns whether it should be compacted.
  bool isLarge() const {
    return events.size() + lists.size() > limit || !hasRoom(reserve);
  }
  /// Returns whether what is left after that is too much to go on.
  bool isFull() const { return !hasRoom(capacity / 8); }
  /// Forgets what is named by none of the sets that `forEachSet` visits, nor by
  /// `pinned`; renumbers the others.
  using Visit = llvm::function_ref<void(AccessSet &)>;
  void compact(llvm::function_ref<void(Visit)> forEachSet,
               llvm::function_ref<void(llvm::function_ref<void(uint32_t &)>)>
                   forEachPinned);

private:
  /// Returns `set` with all its lanes further by `lanes`, modulo a warp.
  static AccessSet shift(AccessSet set, unsigned lanes) {
    return set ? (set & ~31u) | ((set + lanes) & 31) : 0;
  }
  static constexpr size_t leastLimit = 1 << 16;
  static constexpr uint32_t leastCapacity = 1 << 14;
  /// More than one instruction adds: a multicast of each lane to 16 CTAs.
  static constexpr uint32_t reserve = leastCapacity / 8;
  uint32_t capacity = mostCapacity;
  bool hasRoom(uint32_t more) const {
    return std::max(events.size(), lists.size()) + more <= capacity;
  }
  std::vector<Event> events;
  std::vector<Item> lists;
  /// A hash table of the lists, by what they hold: numbers + 1, or 0. Its size
  /// is a power of two.
  std::vector<uint32_t> table;
  uint32_t numberOf(const Item &item);
  void growTable();
  uint64_t mostBytes = 0; ///< taken while it was compacted
  uint64_t presentBytes() const {
    return events.capacity() * sizeof(Event) + lists.capacity() * sizeof(Item) +
           table.capacity() * sizeof(uint32_t);
  }
  size_t limit = leastLimit;
  uint32_t generations = 0;
};

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_SHADOW_H
