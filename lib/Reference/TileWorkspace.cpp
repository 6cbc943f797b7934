//===- TileWorkspace.cpp - how stages meet ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slot of the workspace is written once, and read by later stages only.
//
//===----------------------------------------------------------------------===//

#include "TileMachine.h"

using namespace mlir;
using namespace quack;
using namespace quack::reference;

LogicalResult TileMachine::visitSave(tv::SaveOp op) {
  const Distribution &from = distributionOf(op.getValues().front());
  for (Value value : op.getValues())
    if (failed(checkCopies(op, from, laneOf(value))))
      return failure();
  for (size_t i = 0; i < from.size(); ++i) {
    int64_t row = firstRow + from.rowOf(i), slice = from.columnOf(i);
    if (!from.isCanonical[i] || row >= rows)
      continue;
    Partial partial;
    for (Value value : op.getValues())
      partial.push_back(laneOf(value).values[i]);
    GlobalMemory::Slot slot = {row, static_cast<int64_t>(op.getOffset()),
                               slice};
    if (memory.workspace.count(slot) ||
        !memory.saved.try_emplace(slot, partial).second)
      return op.emitOpError("must save each slot once, got row ")
             << row << ", slice " << slice << " twice";
  }
  return success();
}

LogicalResult TileMachine::visitMerge(tv::MergeOp op) {
  SmallVector<Type> elements =
      llvm::map_to_vector(op.getResultTypes(),
                          [](Type type) { return getElementTypeOrSelf(type); });
  FailureOr<Combiner> combiner = Combiner::build(
      op, op.getKinds(), op.getIdentities(), op.getCombiner(), elements);
  if (failed(combiner))
    return failure();
  const Distribution &to = distributionOf(op.getResults().front());
  RowPartials totals;
  for (int64_t local = 0; local < to.shape.rows; ++local) {
    Partial &total = totals[local] = combiner->getIdentity();
    int64_t slices = firstRow + local < rows ? op.getSlices() : 0;
    for (int64_t slice = 0; slice < slices; ++slice) {
      auto saved = memory.workspace.find(
          {firstRow + local, static_cast<int64_t>(op.getOffset()), slice});
      if (saved == memory.workspace.end() ||
          saved->second.size() != op.getNumResults())
        return op.emitOpError(
                   "must read what an earlier stage has saved, got row ")
               << firstRow + local << ", slice " << slice;
      combiner->combine(total, saved->second);
    }
  }
  return deliver(op, 0, to.size(), totals);
}
