//===- Picks.cpp - topk and scatter -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"
#include "quack/Dialect/Quack/KernelOperands.h"

using namespace mlir;
using namespace quack;

LogicalResult TileBuilder::createTopK(TopKOp topk) {
  Location loc = topk.getLoc();
  int64_t pass = passOf(topk.getSource());
  TypedAttr least = getIdentity(ReduceKind::maximumf, b.getF32Type());
  SmallVector<Value> rows;
  for (int64_t i = 0; i < 3; ++i) {
    Value row = get(topk.getSource(), pass + i);
    if (!row)
      return failure();
    rows.push_back(createMask(loc, row, least));
  }
  auto argument = [&](Value operand) {
    return target.getBody().getArgument(
        cast<BlockArgument>(operand).getArgNumber());
  };
  tv::TopKOp::create(b, loc, rows[0], rows[1], rows[2], /*named=*/Value(),
                     argument(topk.getValues()), argument(topk.getColumns()),
                     topk.getSoftmax(),
                     /*offset=*/IntegerAttr());
  return success();
}

void TileBuilder::createScatter(ScatterOp scatter) {
  Location loc = scatter.getLoc();
  auto argument = [&](Value operand) {
    return target.getBody().getArgument(
        cast<BlockArgument>(operand).getArgNumber());
  };
  unsigned number = cast<BlockArgument>(scatter.getTarget()).getArgNumber();
  Type storage = getElementTypeOrSelf(scatter.getTarget().getType());
  Value zero =
      splat(loc, b.getZeroAttr(storage),
            tileType(RankedTensorType::get({kernel.getColumns()}, storage)));
  auto policy = plan.storePolicyOf(kernel.getOperandAttr(number).getName())
                    .value_or(tv::StorePolicy::write_back);
  tv::StoreOp::create(b, loc, zero, argument(scatter.getTarget()),
                      tv::StorePolicyAttr::get(b.getContext(), policy));
  tv::ScatterOp::create(
      b, loc, argument(scatter.getValues()), argument(scatter.getColumns()),
      argument(scatter.getTarget()), /*offset=*/IntegerAttr());
}
