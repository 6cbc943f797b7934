//===- TileGroups.cpp - groups of columns within a warp --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tile program's group operations mean: the lanes of a warp combine each
// element of a group once, and those that hold the group's element get the
// result.
//
//===----------------------------------------------------------------------===//

#include "TileMachine.h"

using namespace mlir;
using namespace quack;
using namespace quack::reference;

/// A group: its row, and its number in it.
using Group = std::pair<int64_t, int64_t>;

LogicalResult TileMachine::visitGroupReduce(tv::GroupReduceOp op) {
  const Distribution &from = distributionOf(op.getSource());
  const Distribution &to = distributionOf(op.getResult());
  const Lane &source = laneOf(op.getSource());
  Lane &result = laneOf(op.getResult());
  Combiner combiner = Combiner::build(
      op.getKind(), {getElementTypeOrSelf(op.getSource().getType())});
  int64_t size = from.shape.columns / to.shape.columns;
  int64_t held = from.holdersIn(Level::Lane), given = to.holdersIn(Level::Lane);
  for (int64_t warp = 0, e = from.size() / held; warp < e; ++warp) {
    // What the warp has of each group, and of how many columns.
    std::map<Group, std::pair<Partial, int64_t>> groups;
    int64_t last = -1;
    for (int64_t holder : from.byElement(warp * held, held)) {
      if (from.elements[holder] == last)
        continue;
      last = from.elements[holder];
      Group group{from.rowOf(holder), from.columnOf(holder) / size};
      Partial value{source.values[holder]};
      auto [found, isNew] = groups.try_emplace(group, value, 0);
      if (!isNew)
        combiner.combine(found->second.first, value);
      ++found->second.second;
    }
    for (int64_t i = warp * given; i < (warp + 1) * given; ++i) {
      auto found = groups.find({to.rowOf(i), to.columnOf(i)});
      if (found == groups.end() || found->second.second != size)
        return op.emitOpError("must find all columns of group ")
               << to.columnOf(i) << " of row " << to.rowOf(i)
               << " in the warp that holds its result";
      result.set(i, {found->second.first.front(), 0.0});
    }
  }
  return success();
}

LogicalResult TileMachine::visitGroupBroadcast(tv::GroupBroadcastOp op) {
  const Distribution &from = distributionOf(op.getSource());
  const Distribution &to = distributionOf(op.getResult());
  const Lane &source = laneOf(op.getSource());
  Lane &result = laneOf(op.getResult());
  int64_t size = to.shape.columns / from.shape.columns;
  for (size_t i = 0; i < to.size(); ++i) {
    // Of what this thread holds, the one of the element's group.
    int64_t holder = i / to.values * from.values, end = holder + from.values;
    while (holder < end && (from.rowOf(holder) != to.rowOf(i) ||
                            from.columnOf(holder) != to.columnOf(i) / size))
      ++holder;
    if (holder == end)
      return op.emitOpError(
                 "source must give each thread its columns' groups, got "
                 "none for column ")
             << to.columnOf(i) << " of row " << to.rowOf(i);
    result.set(i, source[holder]);
  }
  return success();
}
