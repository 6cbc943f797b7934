//===- TileSums.cpp - sums over rows ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cluster i of P has the tiles i, i + P, ... and a partial sum of its own, once
// that has a place in the workspace. Before, all tiles have one sum.
//
//===----------------------------------------------------------------------===//

#include "TileMachine.h"

using namespace mlir;
using namespace quack;
using namespace quack::reference;

void GlobalMemory::finishStage() {
  workspace.merge(saved);
  finishedPartials.merge(partials);
  for (auto &[index, values] : sums)
    for (auto [at, value] : llvm::enumerate(values)) {
      // As stores do: f32 is kept as it was computed.
      bool isNarrow = storage[index].precision < 24;
      operands[index].output[at] =
          isNarrow ? roundTo(storage[index], value) : value;
      ++writes[index][at];
    }
  sums.clear();
}

/// Returns how many numbers an operand has that rows are added to.
static int64_t widthOf(tv::KernelOp kernel, unsigned index) {
  return isOneNumber(kernel.getOperandAttr(index).getRole())
             ? 1
             : kernel.getColumns();
}

static unsigned numberOf(Value operand) {
  return cast<BlockArgument>(operand).getArgNumber();
}

void TileMachine::beginSums() {
  for (auto op : kernel.getBody().getOps<tv::AccumulateOp>()) {
    unsigned index = numberOf(op.getTarget());
    int64_t width = widthOf(kernel, index);
    if (op.getOffset())
      memory.partials[*op.getOffset()].resize(kernel.getPlan().getPartials() *
                                              width);
    else
      memory.sums[index].resize(width);
  }
}

LogicalResult TileMachine::visitAccumulate(tv::AccumulateOp op) {
  unsigned index = numberOf(op.getTarget());
  const Distribution &tile = distributionOf(op.getValue());
  const Lane &value = laneOf(op.getValue());
  if (failed(checkCopies(op, tile, value)))
    return failure();
  int64_t width = widthOf(kernel, index);
  double *to = op.getOffset()
                   ? memory.partials[*op.getOffset()].data() +
                         tileNumber % kernel.getPlan().getPartials() * width
                   : memory.sums[index].data();
  for (size_t i = 0; i < tile.size(); ++i)
    if (tile.isCanonical[i] && firstRow + tile.rowOf(i) < rows &&
        tile.columnOf(i) < width)
      to[tile.columnOf(i)] += value.values[i];
  return success();
}

LogicalResult TileMachine::runFolds() {
  for (auto op : kernel.getBody().getOps<tv::FoldOp>()) {
    unsigned index = numberOf(op.getTarget());
    int64_t width = op.getColumns(), count = op.getPartials();
    auto found = memory.finishedPartials.find(op.getOffset());
    if (found == memory.finishedPartials.end() ||
        static_cast<int64_t>(found->second.size()) != count * width)
      return op.emitOpError(
                 "must read partials that an earlier stage has left at byte ")
             << op.getOffset();
    std::vector<double> &sum = memory.sums[index];
    sum.assign(width, 0);
    for (int64_t at = 0; at < count * width; ++at)
      sum[at % width] += found->second[at];
  }
  return success();
}
