//===- Groups.cpp - groups of columns ----------------------------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group's element is made when it is asked for: a thread combines its columns
// of the group position by position, then the positions, then lanes meet by
// shuffles. All threads of a warp ask for the same pieces in the same order, so
// that they meet.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "quack/Layout/LayoutGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace quack;

/// Returns the xor distances of the lanes that share a group, greatest first.
static SmallVector<int64_t> laneDistances(const LayoutGroups &groups) {
  SmallVector<int64_t> distances;
  int64_t position = 1;
  for (Mode mode : groups.rows.modes(Level::Lane)) {
    if (groups.rows.isColumnMode(mode, groups.shape))
      for (int64_t distance = 1; distance < mode.size; distance *= 2)
        distances.push_back(position * distance);
    position *= mode.size;
  }
  std::reverse(distances.begin(), distances.end());
  return distances;
}

/// Returns whether piece `index` of a row, cut as `row`, belongs to piece
/// `group` of the groups, which have `size` columns each. What lanes and warps
/// add to a column is alike for both: whole groups, and less than one that the
/// piece's own columns do not fill up.
static bool isInGroup(const Fragment &row, int64_t index,
                      const Fragment &groups, int64_t group, int64_t size) {
  Coord piece = row.offset(index), of = groups.offset(group);
  return piece.row == of.row && piece.column / size == of.column;
}

Value ThreadBuilder::createGroupReduce(tv::GroupReduceOp reduce,
                                       int64_t index) {
  Fragment row = fragmentOf(reduce.getSource().getType());
  Fragment groups = fragmentOf(reduce.getType());
  Location loc = reduce.getLoc();
  int64_t size = row.shape.columns / groups.shape.columns;
  Value total;
  for (int64_t i = 0; i < row.pieces; ++i) {
    if (!isInGroup(row, i, groups, index, size))
      continue;
    Value columns = piece(reduce.getSource(), i);
    total = total ? createCombine(b, loc, reduce.getKind(), total, columns)
                  : columns;
  }
  // The positions of a run by halves, then the lanes.
  Values values = elementsOf(total);
  for (size_t half = values.size() / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i)
      values[i] = createCombine(b, loc, reduce.getKind(), values[i], values[i + half]);
  Value value = values.front();
  for (int64_t distance :
       laneDistances(*groupColumns(*row.layout, row.shape, size))) {
    Value other = NVVM::ShflOp::create(b, loc, value.getType(), i32(-1), value,
                                       i32(distance), i32(warpSize - 1),
                                       NVVM::ShflKind::bfly, UnitAttr());
    value = createCombine(b, loc, reduce.getKind(), value, other);
  }
  return value;
}

Value ThreadBuilder::createGroupBroadcast(tv::GroupBroadcastOp broadcast,
                                          int64_t index) {
  Fragment row = fragmentOf(broadcast.getType());
  Fragment groups = fragmentOf(broadcast.getSource().getType());
  int64_t size = row.shape.columns / groups.shape.columns, group = 0;
  while (!isInGroup(row, index, groups, group, size))
    ++group;
  Value element = piece(broadcast.getSource(), group);
  if (row.run == 1)
    return element;
  return vector::BroadcastOp::create(b, broadcast.getLoc(), row.pieceType(),
                                     element);
}

int64_t ThreadBuilder::columnsOf(const Fragment &fragment) {
  return llvm::divideCeil(kernel.getColumns(),
                          tileColumns / fragment.shape.columns);
}
