//===- RegisterPlaces.cpp - registers that share a place -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Liveness over the basic blocks, then a linear scan (Poletto and Sarkar,
// TOPLAS 1999) over one interval a register.
//
//===----------------------------------------------------------------------===//

#include "RegisterPlaces.h"

#include "Blocks.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace quack::sim;
using llvm::BitVector;

namespace {
struct BlockSets {
  BitVector read;    ///< before they are written here
  BitVector written; ///< in all lanes
  BitVector liveIn, liveOut;
};

/// The instructions from the first to the last at which a register is live.
struct Interval {
  uint32_t begin = UINT32_MAX, end = 0;
  void cover(uint32_t at) {
    begin = std::min(begin, at);
    end = std::max(end, at);
  }
};
} // namespace

static std::vector<BlockSets> gatherSets(const Program &program,
                                         const BlockGraph &graph, size_t count,
                                         llvm::ArrayRef<RegisterUse> uses) {
  std::vector<BlockSets> sets(graph.begins.size());
  for (BlockSets &each : sets)
    for (BitVector *set :
         {&each.read, &each.written, &each.liveIn, &each.liveOut})
      set->resize(unsigned(count));
  size_t block = 0;
  for (size_t i = 0; i < uses.size();) {
    uint32_t op = uses[i].op;
    while (graph.begins[block + 1] <= op)
      ++block;
    size_t end = i;
    while (end < uses.size() && uses[end].op == op)
      ++end;
    // Reads come before writes. What a guard leaves out keeps its value.
    for (const RegisterUse &use : uses.slice(i, end - i))
      if ((!use.isWrite || program.ops[op].hasGuard) &&
          !sets[block].written[use.reg])
        sets[block].read.set(use.reg);
    for (const RegisterUse &use : uses.slice(i, end - i))
      if (use.isWrite && !program.ops[op].hasGuard)
        sets[block].written.set(use.reg);
    i = end;
  }
  return sets;
}

static void spreadLiveness(const BlockGraph &graph,
                           std::vector<BlockSets> &sets) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t block = graph.begins.size() - 1; block-- > 0;) {
      BlockSets &set = sets[block];
      for (uint32_t next : graph.successors[block])
        set.liveOut |= sets[next].liveIn;
      BitVector in = set.liveOut;
      in.reset(set.written);
      in |= set.read;
      changed |= in != set.liveIn;
      set.liveIn = std::move(in);
    }
  }
}

static std::vector<Interval> findIntervals(const BlockGraph &graph,
                                           llvm::ArrayRef<BlockSets> sets,
                                           size_t count,
                                           llvm::ArrayRef<RegisterUse> uses) {
  std::vector<Interval> intervals(count);
  for (const RegisterUse &use : uses)
    intervals[use.reg].cover(use.op);
  for (size_t block = 0; block + 1 < graph.begins.size(); ++block) {
    for (unsigned reg : sets[block].liveIn.set_bits())
      intervals[reg].cover(graph.begins[block]);
    for (unsigned reg : sets[block].liveOut.set_bits())
      intervals[reg].cover(graph.begins[block + 1] - 1);
  }
  return intervals;
}

std::vector<Slot>
quack::sim::placeRegisters(const Program &program,
                           llvm::ArrayRef<ParsedRegister> registers,
                           llvm::ArrayRef<RegisterUse> uses, Slot &next) {
  BlockGraph graph = buildBlocks(program);
  std::vector<BlockSets> sets =
      gatherSets(program, graph, registers.size(), uses);
  spreadLiveness(graph, sets);
  std::vector<Interval> intervals =
      findIntervals(graph, sets, registers.size(), uses);
  std::vector<uint32_t> order(registers.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::stable_sort(order, [&](uint32_t x, uint32_t y) {
    return intervals[x].begin < intervals[y].begin;
  });
  // Places are reused among registers of one size; those of predicates, which
  // are masks, by predicates only: lanes that part would write each other's. An
  // instruction that has read a register for the last time may not write its
  // place: it may be tried again.
  std::vector<Slot> places(registers.size(), zeroSlot);
  std::map<unsigned, std::vector<Slot>> unused; ///< by sizeOf
  std::multimap<uint32_t, uint32_t> live;       ///< by the end
  for (uint32_t reg : order) {
    while (!live.empty() && live.begin()->first < intervals[reg].begin) {
      uint32_t ended = live.begin()->second;
      unused[sizeOf(registers[ended].type)].push_back(places[ended]);
      live.erase(live.begin());
    }
    Type type = registers[reg].type;
    std::vector<Slot> &reusable = unused[sizeOf(type)];
    if (reusable.empty()) {
      places[reg] = next;
      next += slotsOf(type);
    } else {
      places[reg] = reusable.back();
      reusable.pop_back();
    }
    if (intervals[reg].begin != UINT32_MAX)
      live.emplace(intervals[reg].end, reg);
    else
      reusable.push_back(places[reg]);
  }
  return places;
}
