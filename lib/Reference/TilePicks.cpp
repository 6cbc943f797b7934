//===- TilePicks.cpp - topk and scatter -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Picks.h"
#include "TileMachine.h"

using namespace mlir;
using namespace quack;
using namespace quack::reference;

static unsigned numberOf(Value operand) {
  return cast<BlockArgument>(operand).getArgNumber();
}

void TileMachine::write(unsigned index, int64_t row, int64_t column,
                        double value) {
  const OperandBuffers &operand = memory.operands[index];
  int64_t at = operand.rowOffset(row, columns) + column;
  ++memory.writes[index][at];
  bool isNarrow = memory.storage[index].precision < 24;
  operand.output[at] = isNarrow ? roundTo(memory.storage[index], value) : value;
}

LogicalResult TileMachine::visitTopK(tv::TopKOp op) {
  const Distribution &tile = distributionOf(op.getRow());
  if (failed(checkCopies(op, tile, laneOf(op.getRow()))))
    return failure();
  int64_t count = op.getCount();
  for (int64_t row = 0; row < tile.shape.rows && firstRow + row < rows; ++row) {
    // What each pass would find.
    std::vector<std::vector<size_t>> found;
    std::vector<double> values(tile.shape.columns);
    for (Value pass : {op.getRow(), op.getAgain(), op.getRetry()}) {
      const Lane &lane = laneOf(pass);
      for (size_t i = 0; i < tile.size(); ++i)
        if (tile.rowOf(i) == row)
          values[tile.columnOf(i)] = lane.values[i];
      found.push_back(pickGreatest(values, count));
      if (found.back() != found.front())
        return op.emitOpError("must be given the same row for each pass");
    }
    std::vector<Number> picked;
    for (size_t column : found.front())
      picked.push_back({values[column], 0.0});
    if (op.getSoftmax())
      applySoftmax(picked);
    for (int64_t i = 0; i < count; ++i) {
      write(numberOf(op.getValues()), firstRow + row, i, picked[i].value);
      write(numberOf(op.getColumns()), firstRow + row, i,
            static_cast<double>(found.front()[i]));
    }
  }
  return success();
}

LogicalResult TileMachine::visitScatter(tv::ScatterOp op) {
  unsigned target = numberOf(op.getTarget());
  const OperandBuffers &values = memory.operands[numberOf(op.getValues())];
  const OperandBuffers &picks = memory.operands[numberOf(op.getColumns())];
  const OperandBuffers &to = memory.operands[target];
  int64_t last = std::min(rows, firstRow + int64_t(kernel.getPlan().getRows()));
  for (int64_t row = firstRow; row < last; ++row)
    for (int64_t i = 0; i < op.getCount(); ++i) {
      double column = picks.input[picks.rowOffset(row, columns) + i];
      if (column >= 0 && column < static_cast<double>(columns))
        to.output[to.rowOffset(row, columns) + static_cast<int64_t>(column)] =
            roundTo(memory.storage[target],
                    values.input[values.rowOffset(row, columns) + i]);
    }
  return success();
}
