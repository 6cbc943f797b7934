//===- TileMemory.cpp - tiles from and to memory ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and stages: bounds of N and M, padding, and who stores.
//
//===----------------------------------------------------------------------===//

#include "TileMachine.h"

using namespace mlir;
using namespace quack;
using namespace quack::reference;

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Returns what an element that does not exist is loaded as: NaN, or a number
/// far out whose sign alternates, so that no maximum or minimum hides it.
static double poisonOf(Type element, int64_t row, int64_t column) {
  if (isa<FloatType>(element))
    return std::numeric_limits<double>::quiet_NaN();
  double farOut = std::ldexp(0.7, element.getIntOrFloatBitWidth() - 1);
  double integer = std::min(std::floor(farOut), 0x1p52);
  return (row + column) % 2 ? -integer : integer;
}

LogicalResult TileMachine::loadTile(Operation *op, Value source, Type type,
                                    Lane &to) {
  const OperandBuffers &operand =
      memory.operands[cast<BlockArgument>(source).getArgNumber()];
  if (llvm::is_contained(stored, source))
    return op->emitOpError("must not read '")
           << operand.name << "' after it was stored";
  const Distribution &tile = distributionOf(type);
  Type element = getElementTypeOrSelf(type);
  to.resize(tile.size());
  for (size_t i = 0; i < tile.size(); ++i) {
    int64_t row = firstRow + tile.rowOf(i), column = tile.columnOf(i);
    bool exists = row < rows && column < operand.widthOf(columns);
    double padding =
        evaluation.poisonsPadding ? poisonOf(element, row, column) : 0.0;
    to.set(i, {exists ? operand.input[operand.rowOffset(row, columns) + column]
                      : padding,
               0.0});
  }
  return success();
}

LogicalResult TileMachine::visitLoad(tv::LoadOp op) {
  return loadTile(op, op.getSource(), op.getResult().getType(), laneOf(op));
}

LogicalResult TileMachine::visitGather(tv::GatherOp op) {
  const OperandBuffers &operand =
      memory.operands[cast<BlockArgument>(op.getSource()).getArgNumber()];
  if (llvm::is_contained(stored, op.getSource()))
    return op.emitOpError("must not read '")
           << operand.name << "' after it was stored";
  const Distribution &tile = distributionOf(op.getResult());
  const Lane &column = laneOf(op.getColumn());
  Lane &to = laneOf(op);
  for (size_t i = 0; i < tile.size(); ++i) {
    int64_t row = firstRow + tile.rowOf(i);
    double at = column.values[i];
    bool exists = row < rows && at >= 0 && at < static_cast<double>(columns);
    to.set(i, {exists ? operand.input[operand.rowOffset(row, columns) +
                                      static_cast<int64_t>(at)]
                      : 0.0,
               0.0});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

LogicalResult TileMachine::visitStage(tv::StageOp op) {
  if (std::optional<uint64_t> offset = op.getBarrierOffset())
    if (!barriers.count(*offset))
      return op.emitOpError(
                 "must come after the initialisation of the mbarrier "
                 "at ")
             << *offset;
  return loadTile(op, op.getSource(), op.getStaged().getType().getTile(),
                  lanes[op.getStaged().getAsOpaquePointer()]);
}

LogicalResult TileMachine::visitAwait(tv::AwaitOp op) {
  auto stage = op.getStaged().getDefiningOp<tv::StageOp>();
  if (stage && stage.getBarrierOffset() && !isInitVisible)
    return op.emitOpError(
               "must come after a barrier that makes the mbarrier at ")
           << *stage.getBarrierOffset() << " visible to all threads";
  awaited.push_back(op.getStaged());
  return success();
}

LogicalResult TileMachine::visitRead(tv::ReadOp op) {
  if (kernel.getSharedBytes() && !llvm::is_contained(awaited, op.getStaged()))
    return op.emitOpError("must come after the await of its stage");
  laneOf(op) = lanes[op.getStaged().getAsOpaquePointer()];
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

LogicalResult TileMachine::checkCopies(Operation *op, const Distribution &tile,
                                       const Lane &lane) {
  std::vector<double> valueOf(tile.shape.elements());
  for (size_t i = 0; i < tile.size(); ++i) {
    double &first = valueOf[tile.elements[i]];
    if (tile.isCanonical[i])
      first = lane.values[i];
    if (!isSameCopy(first, lane.values[i]))
      return op->emitOpError("all copies of element (")
             << tile.rowOf(i) << ", " << tile.columnOf(i)
             << ") must be the same, got " << first << " and "
             << lane.values[i];
  }
  return success();
}

LogicalResult TileMachine::visitStore(tv::StoreOp op) {
  unsigned index = cast<BlockArgument>(op.getTarget()).getArgNumber();
  OperandBuffers &operand = memory.operands[index];
  const Distribution &tile = distributionOf(op.getValue());
  const Lane &value = laneOf(op.getValue());
  if (failed(checkCopies(op, tile, value)))
    return failure();
  stored.push_back(op.getTarget());
  for (size_t i = 0; i < tile.size(); ++i) {
    int64_t row = firstRow + tile.rowOf(i), column = tile.columnOf(i);
    if (!tile.isCanonical[i] || row >= rows ||
        column >= operand.widthOf(columns))
      continue;
    int64_t at = operand.rowOffset(row, columns) + column;
    if (++memory.writes[index][at] > 1)
      return op.emitOpError("must write each element of '")
             << operand.name << "' once, got row " << row << ", column "
             << column << " twice";
    operand.output[at] = value.values[i];
  }
  return success();
}

LogicalResult TileMachine::checkOutputs() {
  for (auto [index, counts] : llvm::enumerate(memory.writes))
    for (auto [at, count] : llvm::enumerate(counts)) {
      if (count != 0)
        continue;
      int64_t width = memory.operands[index].widthOf(columns);
      int64_t row = at / width, column = at % width;
      return kernel.emitOpError("must write all of '")
             << memory.operands[index].name << "', got nothing at row " << row
             << ", column " << column;
    }
  return success();
}
