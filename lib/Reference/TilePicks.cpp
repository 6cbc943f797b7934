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

FailureOr<std::vector<Number>>
TileMachine::pickColumns(Operation *op, ArrayRef<Value> passes, int64_t row,
                         int64_t from, int64_t to, int64_t count,
                         std::vector<int64_t> &columnsOfPicks) {
  const Distribution &tile = distributionOf(passes.front());
  // What each pass would find.
  std::vector<std::vector<size_t>> found;
  std::vector<double> values(to - from);
  for (Value pass : passes) {
    const Lane &lane = laneOf(pass);
    for (size_t i = 0; i < tile.size(); ++i)
      if (int64_t column = tile.columnOf(i);
          tile.rowOf(i) == row && column >= from && column < to)
        values[column - from] = lane.values[i];
    found.push_back(pickGreatest(values, count));
    if (found.back() != found.front())
      return op->emitOpError("must be given the same row for each pass");
  }
  std::vector<Number> picked;
  columnsOfPicks.clear();
  for (size_t column : found.front()) {
    picked.push_back({values[column], 0.0});
    columnsOfPicks.push_back(from + static_cast<int64_t>(column));
  }
  return picked;
}

LogicalResult TileMachine::visitTopK(tv::TopKOp op) {
  const Distribution &tile = distributionOf(op.getRow());
  if (failed(checkCopies(op, tile, laneOf(op.getRow()))))
    return failure();
  int64_t count = op.getCount();
  std::vector<int64_t> places;
  std::vector<double> names(tile.shape.columns);
  for (int64_t row = 0; row < tile.shape.rows && firstRow + row < rows; ++row) {
    FailureOr<std::vector<Number>> picked =
        pickColumns(op, {op.getRow(), op.getAgain(), op.getRetry()}, row, 0,
                    tile.shape.columns, count, places);
    if (failed(picked))
      return failure();
    if (op.getSoftmax())
      applySoftmax(*picked);
    for (size_t i = 0; i < tile.size(); ++i)
      if (tile.rowOf(i) == row)
        names[tile.columnOf(i)] =
            op.getNamed() ? laneOf(op.getNamed()).values[i]
                          : static_cast<double>(tile.columnOf(i));
    for (int64_t i = 0; i < count; ++i) {
      write(numberOf(op.getValues()), firstRow + row, i, (*picked)[i].value);
      write(numberOf(op.getColumns()), firstRow + row, i, names[places[i]]);
    }
  }
  return success();
}

LogicalResult TileMachine::visitSaveTopK(tv::SaveTopKOp op) {
  const Distribution &tile = distributionOf(op.getRow());
  if (failed(checkCopies(op, tile, laneOf(op.getRow()))))
    return failure();
  auto count = static_cast<int64_t>(op.getCount());
  int64_t width = tile.shape.columns / kernel.getPlan().getSlices();
  std::vector<int64_t> places;
  for (int64_t row = 0; row < tile.shape.rows && firstRow + row < rows; ++row)
    for (int64_t from = 0; from < tile.shape.columns; from += width) {
      FailureOr<std::vector<Number>> picked =
          pickColumns(op, {op.getRow(), op.getAgain(), op.getRetry()}, row,
                      from, from + width, count, places);
      if (failed(picked))
        return failure();
      Partial pairs;
      for (auto [pick, place] : llvm::zip(*picked, places))
        pairs.append({pick.value, static_cast<double>(place)});
      GlobalMemory::Slot slot = {firstRow + row,
                                 static_cast<int64_t>(op.getPlace()),
                                 from / width};
      if (memory.workspace.count(slot) ||
          !memory.saved.try_emplace(slot, pairs).second)
        return op.emitOpError("must save each slice once, got row ")
               << firstRow + row << ", slice " << from / width << " twice";
    }
  return success();
}

LogicalResult TileMachine::visitRecall(tv::RecallOp op) {
  const Distribution &tile = distributionOf(op.getValues());
  auto count = static_cast<int64_t>(op.getCount());
  Lane &values = laneOf(op.getValues()), &names = laneOf(op.getColumns());
  for (size_t i = 0; i < tile.size(); ++i) {
    int64_t row = firstRow + tile.rowOf(i), at = tile.columnOf(i);
    values.set(i, {-infinity, 0.0});
    names.set(i, {-1.0, 0.0});
    if (row >= rows || at >= op.getTotal())
      continue;
    auto saved = memory.workspace.find(
        {row, static_cast<int64_t>(op.getPlace()), at / count});
    if (saved == memory.workspace.end() ||
        static_cast<int64_t>(saved->second.size()) != 2 * count)
      return op.emitOpError("must read what an earlier stage has saved, got row ")
             << row << ", slice " << at / count;
    values.set(i, {saved->second[at % count * 2], 0.0});
    names.set(i, {saved->second[at % count * 2 + 1], 0.0});
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
