//===- Groups.cpp - groups of columns in tile programs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group reduction is part of the pass that its row is in: it waits for no
// other threads but those of its warp. So its result is kept or computed again
// as that row is.
//
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"

using namespace mlir;
using namespace quack;

LogicalResult TileBuilder::checkGroups() {
  for (Operation &op : kernel.getBody().front())
    for (Type type : op.getResultTypes())
      if (GroupsAttr groups = getGroups(type); groups && !tileType(type))
        return op.emitOpError("has groups of ")
               << groups.getSize()
               << " columns, which this plan cuts, or leaves to several warps: "
                  "have "
                  "quack-plan choose one";
  return success();
}

Value TileBuilder::createGroupReduce(GroupReduceOp reduce, int64_t pass) {
  Value row = get(reduce.getSource(), pass);
  if (!row)
    return Value();
  Location loc = reduce.getLoc();
  return tv::GroupReduceOp::create(
      b, loc, tileType(reduce.getType()),
      ReduceKindAttr::get(b.getContext(), reduce.getKind()),
      createMask(loc, row,
                 getIdentity(reduce.getKind(), getElementTypeOrSelf(row.getType()))));
}

Value TileBuilder::spread(Location loc, RankedTensorType type, Value source) {
  // A row that is one group has the tile of a row scalar.
  int64_t columns = tv::getTileShape(source.getType()).columns;
  if (columns > 1 && columns < tv::getTileShape(type).columns)
    return tv::GroupBroadcastOp::create(b, loc, type, source);
  return tv::BroadcastOp::create(b, loc, type, source);
}
