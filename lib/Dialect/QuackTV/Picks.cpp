//===- lib/Dialect/QuackTV/Picks.cpp - topk and scatter ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of the operations that pick elements of rows, and their shared
// memory.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/QuackTV/PickBuffer.h"
#include "quack/Dialect/QuackTV/QuackTV.h"

using namespace mlir;

namespace quack::tv {

/// The rule of both operations that concerns the plan.
static LogicalResult verifyPlan(Operation *op) {
  PlanAttr plan = op->getParentOfType<KernelOp>().getPlan();
  bool isWhole = plan.getThreadsPerRow() == warpSize ||
                 plan.getThreadsPerRow() == plan.getThreads();
  if (isWhole && plan.getThreadsPerRow() >= warpSize &&
      plan.getRowsPerThread() == 1 && plan.getCtasPerRow() == 1)
    return success();
  return op->emitOpError(
             "plan must give a thread elements of one row, and a row the 32 "
             "lanes of a warp or all threads of one CTA, got threads_per_row "
             "= ")
         << plan.getThreadsPerRow() << " of " << plan.getThreads()
         << ", rows_per_thread = " << plan.getRowsPerThread()
         << ", cluster = " << plan.getCluster()
         << ", split = " << plan.getSplit();
}

static int64_t countOf(Value operand) {
  return cast<MemRefType>(operand.getType()).getShape().back();
}

static int64_t rowsOf(Operation *op) {
  return op->getParentOfType<KernelOp>().getPlan().getRows();
}

int64_t TopKOp::getCount() { return countOf(getValues()); }

int64_t TopKOp::getSharedBytes() {
  int64_t warps =
      (*this)->getParentOfType<KernelOp>().getPlan().getThreadsPerRow() /
      warpSize;
  return rowsOf(*this) * PickBuffer(getCount(), warps, getSoftmax()).bytes;
}

LogicalResult TopKOp::verify() {
  // C1
  if (failed(verifyIsOperand(*this, getValues(), "values", Role::picks,
                             Direction::out)) ||
      failed(verifyIsOperand(*this, getColumns(), "columns", Role::picks,
                             Direction::out)))
    return failure();
  // C2
  auto kernel = (*this)->getParentOfType<KernelOp>();
  RankedTensorType type = getRow().getType();
  LayoutAttr layout = getLayoutAttr(type);
  TileShape shape = type.getRank() == 2 ? getTileShape(type) : TileShape{};
  if (!layout || !type.getElementType().isF32() ||
      shape.rows != kernel.getPlan().getRows() ||
      shape.columns < kernel.getColumns())
    return emitOpError("'row' must be a tile of f32 with the kernel's ")
           << kernel.getPlan().getRows() << " rows and at least its "
           << kernel.getColumns() << " columns, got " << type;
  // C3
  return verifyPlan(*this);
}

int64_t ScatterOp::getCount() { return countOf(getValues()); }

int64_t ScatterOp::getSharedBytes() {
  return rowsOf(*this) * scatterBytes(getCount());
}

LogicalResult ScatterOp::verify() {
  // C1
  if (failed(verifyIsOperand(*this, getValues(), "values", Role::picks,
                             Direction::in)) ||
      failed(verifyIsOperand(*this, getColumns(), "columns", Role::picks,
                             Direction::in)) ||
      failed(verifyIsOperand(*this, getTarget(), "target", Role::row,
                             Direction::out)))
    return failure();
  bool isStored = llvm::any_of(getTarget().getUsers(), [&](Operation *user) {
    return isa<StoreOp>(user) && user->isBeforeInBlock(*this);
  });
  if (!isStored)
    return emitOpError("'target' must be stored before");
  // C2
  return verifyPlan(*this);
}

} // namespace quack::tv
