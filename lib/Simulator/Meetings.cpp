//===- Meetings.cpp - lanes that do an instruction together ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, shfl.sync: "causes executing thread to wait until all non-exited
// threads corresponding to membermask have executed" it "with the same
// qualifiers and same membermask value"; where they do so does not matter.
//
//===----------------------------------------------------------------------===//
#include "Meetings.h"

#include "Checks.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <cstring>
#include <utility>

using namespace quack::sim;

/// Returns the lanes among `lanes` that name the same mask as the first one.
static uint32_t groupOfFirst(const uint32_t *masks, uint32_t lanes) {
  uint32_t group = 0, mask = masks[firstLane(lanes)];
  for (unsigned i = 0; i < warpLanes; ++i)
    group |= uint32_t(masks[i] == mask) << i;
  return group & lanes;
}

/// Returns whether all lanes that the masks of `lanes` name are among them, in
/// several groups perhaps, each with its mask. `missing` are those that are
/// not.
static bool areAllHere(Warp &warp, const Op &op, uint32_t lanes,
                       uint32_t &missing) {
  const uint32_t *masks = warp.reg<uint32_t>(op.list);
  uint32_t alive = warp.lanes & ~warp.exited;
  missing = 0;
  for (uint32_t rest = lanes, group; rest; rest &= ~group) {
    group = groupOfFirst(masks, rest);
    missing |= masks[firstLane(group)] & alive & ~lanes;
  }
  if (missing)
    return false;
  for (uint32_t rest = lanes, group; rest; rest &= ~group) {
    group = groupOfFirst(masks, rest);
    uint32_t mask = masks[firstLane(group)];
    if (group & ~mask)
      report(warp, op, firstLane(group & ~mask), "lane-mask",
             "executes the instruction but is not in its mask");
    if (mask & alive & ~group)
      report(warp, op, firstLane(mask & alive & ~group), "lane-mask",
             "is in another lane's mask but names a different one");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Lanes that meet from different places
//===----------------------------------------------------------------------===//

namespace {
/// Lanes of another fragment that wait at an instruction of the same kind.
struct Elsewhere {
  unsigned fragment;
  const Op *op;
  uint32_t lanes;
};

/// The lanes of a register, and whether they are defined.
struct Row {
  alignas(64) uint8_t bytes[warpLanes * 8];
  uint32_t defined;
};
} // namespace

/// Bytes of the source a and of the result d; 0 stands for a predicate. b and c
/// have four, d2 is a predicate.
static unsigned sourceBytes(const Op &op) {
  return op.type == Type::pred ? 0 : sizeOf(op.type);
}
static unsigned resultBytes(const Op &op) {
  return op.type == Type::pred && op.mode != ballotMode ? 0 : 4;
}

static Row readRow(Warp &warp, Slot slot, unsigned bytes) {
  Row row = {};
  std::memcpy(row.bytes, warp.reg<uint8_t>(slot),
              bytes ? warpLanes * bytes : 4);
  row.defined = warp.defined[slot];
  return row;
}

static void writeRow(Warp &warp, Slot slot, unsigned bytes, uint32_t lanes,
                     const Row &row) {
  warp.define(slot, lanes, row.defined);
  if (bytes == 0) {
    uint32_t values;
    std::memcpy(&values, row.bytes, 4);
    warp.mask(slot) = (warp.mask(slot) & ~lanes) | (values & lanes);
    return;
  }
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1)
      std::memcpy(warp.reg<uint8_t>(slot) + i * bytes, row.bytes + i * bytes,
                  bytes);
}

/// Finds fragments that wait at an instruction of the same kind with the same
/// mask and together hold the `missing` lanes; none if some are not there yet.
static std::vector<Elsewhere> findElsewhere(Warp &warp, const Op &op,
                                            uint32_t lanes, uint32_t missing) {
  std::vector<Elsewhere> found;
  uint32_t mask = warp.reg<uint32_t>(op.list)[firstLane(lanes)];
  for (unsigned i = 0; i < warp.fragments.size(); ++i) {
    const Fragment &fragment = warp.fragments[i];
    if (i == warp.current || fragment.wait != Wait::lanes)
      continue;
    const Op &other = warp.cluster->program.ops[fragment.pc];
    uint32_t there = fragment.lanes & missing;
    if (other.hasGuard)
      there &= other.isGuardNegated ? ~warp.mask(other.guard)
                                    : warp.mask(other.guard);
    if (!there || other.run != op.run || other.mode != op.mode ||
        other.type != op.type)
      continue;
    const uint32_t *masks = warp.reg<uint32_t>(other.list);
    if (masks[firstLane(there)] != mask || groupOfFirst(masks, there) != there)
      continue;
    found.push_back({i, &other, there});
    missing &= ~there;
  }
  if (missing)
    found.clear();
  return found;
}

/// Executes `op` for `lanes` and those elsewhere, whose operands come from
/// their own instructions. They stand in op's registers meanwhile.
static void executeTogether(Warp &warp, const Op &op, uint32_t lanes,
                            llvm::ArrayRef<Elsewhere> others, Handler execute) {
  unsigned from = sourceBytes(op), to = resultBytes(op);
  Row a = readRow(warp, op.a, from), b = readRow(warp, op.b, 4),
      c = readRow(warp, op.c, 4), d = readRow(warp, op.d, to),
      d2 = readRow(warp, op.d2, 0);
  std::vector<std::array<Row, 3>> sources;
  for (const Elsewhere &other : others) {
    sources.push_back({readRow(warp, other.op->a, from),
                       readRow(warp, other.op->b, 4),
                       readRow(warp, other.op->c, 4)});
    if (other.op->isLogicNegated != op.isLogicNegated) // of a vote
      for (uint8_t &byte : sources.back()[0].bytes)
        byte = uint8_t(~byte);
  }
  uint32_t elsewhere = 0;
  for (auto [other, rows] : llvm::zip(others, sources)) {
    writeRow(warp, op.a, from, other.lanes, rows[0]);
    writeRow(warp, op.b, 4, other.lanes, rows[1]);
    writeRow(warp, op.c, 4, other.lanes, rows[2]);
    elsewhere |= other.lanes;
  }
  execute(warp, op, lanes | elsewhere);
  Row result = readRow(warp, op.d, to), second = readRow(warp, op.d2, 0);
  writeRow(warp, op.a, from, elsewhere, a);
  writeRow(warp, op.b, 4, elsewhere, b);
  writeRow(warp, op.c, 4, elsewhere, c);
  writeRow(warp, op.d, to, elsewhere, d);
  writeRow(warp, op.d2, 0, elsewhere, d2);
  for (const Elsewhere &other : others) {
    writeRow(warp, other.op->d, to, other.lanes, result);
    writeRow(warp, other.op->d2, 0, other.lanes, second);
    warp.fragments[other.fragment].hasMet = true;
  }
  ++warp.cluster->events;
}

void quack::sim::executeInGroups(Warp &warp, const Op &op, uint32_t lanes,
                                 Handler execute) {
  if (std::exchange(warp.fragment().hasMet, false))
    return;
  lanes = requireDefined(warp, op, op.list, lanes, "a lane mask");
  if (!lanes)
    return;
  const uint32_t *masks = warp.reg<uint32_t>(op.list);
  uint32_t missing = 0;
  if (!areAllHere(warp, op, lanes, missing)) {
    std::vector<Elsewhere> others;
    if (groupOfFirst(masks, lanes) == lanes)
      others = findElsewhere(warp, op, lanes, missing);
    if (others.empty())
      return waitHere(warp, Wait::lanes, masks[firstLane(lanes)]);
    return executeTogether(warp, op, lanes, others, execute);
  }
  for (uint32_t rest = lanes, group; rest; rest &= ~group) {
    group = groupOfFirst(masks, rest);
    execute(warp, op, group);
  }
}
