//===- TileReductions.cpp - where partials meet ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All reductions are one thing here: within a thread, warp, CTA or cluster, the
// elements of a row are combined, each once however many copies of it there
// are, and every holder of the result gets its row's.
//
//===----------------------------------------------------------------------===//

#include "TileMachine.h"

using namespace mlir;
using namespace quack;
using namespace quack::reference;

static SmallVector<Type> elementTypes(ValueRange tiles) {
  return llvm::to_vector(llvm::map_range(
      tiles, [](Value tile) { return getElementTypeOrSelf(tile.getType()); }));
}

static bool areSameCopies(const Partial &a, const Partial &b) {
  return llvm::all_of(llvm::zip(a, b), [](auto pair) {
    return isSameCopy(std::get<0>(pair), std::get<1>(pair));
  });
}

LogicalResult
TileMachine::reduceHolders(Operation *op, const Distribution &from,
                           ValueRange sources, ArrayRef<int64_t> holders,
                           Combiner &combiner, RowPartials &totals) {
  SmallVector<const Lane *, 2> lanesOf;
  for (Value source : sources)
    lanesOf.push_back(&laneOf(source));
  int64_t last = -1;
  Partial partial, lastPartial;
  for (int64_t holder : holders) {
    partial.clear();
    for (const Lane *lane : lanesOf)
      partial.push_back(lane->values[holder]);
    bool isCopy = from.elements[holder] == last;
    if (isCopy && !areSameCopies(partial, lastPartial))
      return op->emitOpError("all copies of element (")
             << from.rowOf(holder) << ", " << from.columnOf(holder)
             << ") must be the same, got " << lastPartial.front() << " and "
             << partial.front();
    last = from.elements[holder];
    lastPartial = partial;
    if (isCopy)
      continue;
    auto [total, isNew] = totals.try_emplace(from.rowOf(holder), partial);
    if (!isNew)
      combiner.combine(total->second, partial);
  }
  return success();
}

LogicalResult TileMachine::deliver(Operation *op, int64_t first, int64_t count,
                                   const RowPartials &totals) {
  const Distribution &to = distributionOf(op->getResult(0));
  for (int64_t holder = first; holder < first + count; ++holder) {
    auto total = totals.find(to.rowOf(holder));
    if (total == totals.end())
      return op->emitOpError("must find elements of row ")
             << to.rowOf(holder) << " where its result is held, got none";
    for (auto [index, result] : llvm::enumerate(op->getResults()))
      laneOf(result).set(holder, {total->second[index], 0.0});
  }
  return success();
}

LogicalResult TileMachine::reduceWithin(Level scope, Operation *op,
                                        ValueRange sources,
                                        Combiner &combiner) {
  const Distribution &from = distributionOf(sources.front());
  const Distribution &to = distributionOf(op->getResult(0));
  int64_t held = from.holdersIn(scope), given = to.holdersIn(scope);
  for (int64_t i = 0, e = from.size() / held; i < e; ++i) {
    RowPartials totals;
    if (failed(reduceHolders(op, from, sources, from.byElement(i * held, held),
                             combiner, totals)) ||
        failed(deliver(op, i * given, given, totals)))
      return failure();
  }
  return success();
}

template <typename StepOp>
LogicalResult TileMachine::visitStep(StepOp op, Level scope) {
  FailureOr<Combiner> combiner =
      Combiner::build(op, op.getKinds(), op.getIdentities(), op.getCombiner(),
                      elementTypes(op.getSources()));
  if (failed(combiner))
    return failure();
  return reduceWithin(scope, op, op.getSources(), *combiner);
}

template LogicalResult TileMachine::visitStep(tv::ReduceOp, Level);
template LogicalResult TileMachine::visitStep(tv::ThreadReduceOp, Level);
template LogicalResult TileMachine::visitStep(tv::WarpReduceOp, Level);
template LogicalResult TileMachine::visitStep(tv::BlockReduceOp, Level);
template LogicalResult TileMachine::visitStep(tv::ClusterReduceOp, Level);
template LogicalResult TileMachine::visitStep(tv::GridReduceOp, Level);
