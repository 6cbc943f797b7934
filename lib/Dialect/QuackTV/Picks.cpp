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

/// The rule of all operations that concerns the plan.
static LogicalResult verifyPlan(Operation *op) {
  PlanAttr plan = op->getParentOfType<KernelOp>().getPlan();
  bool isWhole = plan.getThreadsPerRow() == warpSize ||
                 plan.getThreadsPerRow() == plan.getThreads();
  if (isWhole && plan.getThreadsPerRow() >= warpSize &&
      plan.getRowsPerThread() == 1 && plan.getCluster() == 1)
    return success();
  return op->emitOpError(
             "plan must give a thread elements of one row, and a row, or "
             "slice, the 32 lanes of a warp or all threads of one CTA, got "
             "threads_per_row = ")
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

/// Returns the bytes of shared memory in which the rows of `op` are picked from.
static int64_t sharedBytesOf(Operation *op, int64_t count, bool softmax) {
  PlanAttr plan = op->getParentOfType<KernelOp>().getPlan();
  int64_t warps = plan.getThreadsPerRow() / warpSize;
  return plan.getRows() * PickBuffer(count, warps, softmax).bytes;
}

/// The rule of what is picked from: tiles of f32 with the kernel's rows, and at
/// least `columns` columns.
static LogicalResult verifyRow(Operation *op, RankedTensorType type,
                               int64_t columns) {
  int64_t rows = rowsOf(op);
  LayoutAttr layout = getLayoutAttr(type);
  TileShape shape = type.getRank() == 2 ? getTileShape(type) : TileShape{};
  if (layout && type.getElementType().isF32() && shape.rows == rows &&
      shape.columns >= columns)
    return success();
  return op->emitOpError("'row' must be a tile of f32 with the kernel's ")
         << rows << " rows and at least its " << columns << " columns, got "
         << type;
}

int64_t TopKOp::getCount() { return countOf(getValues()); }

int64_t TopKOp::getSharedBytes() {
  return sharedBytesOf(*this, getCount(), getSoftmax());
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
  if (failed(verifyRow(*this, type, getNamed() ? 1 : kernel.getColumns())))
    return failure();
  // C4
  if (Value named = getNamed()) {
    auto recall = named.getDefiningOp<RecallOp>();
    if (!recall || named != recall.getColumns() ||
        recall.getValues().getType() != type)
      return emitOpError("'named' must be the columns of a quack_tv.recall with "
                         "the layout of 'row', ")
             << type;
  }
  // C3
  int64_t slices = kernel.getPlan().getSlices();
  if (getOffset() && slices > 1)
    return emitOpError("must not stand in a kernel whose rows are split once "
                       "shared memory is laid out, got split = ")
           << slices << ": run quack-tv-split-stages first";
  return verifyPlan(*this);
}

int64_t SaveTopKOp::getSharedBytes() {
  return sharedBytesOf(*this, getCount(), /*softmax=*/false);
}

LogicalResult SaveTopKOp::verify() {
  // C1
  auto kernel = dyn_cast<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return emitOpError("must stand in a quack_tv.kernel");
  RankedTensorType type = getRow().getType();
  if (failed(verifyRow(*this, type, kernel.getColumns())))
    return failure();
  // C2
  if (failed(verifyPlan(*this)))
    return failure();
  // C3
  int64_t columns =
      getLayoutAttr(type).getValue().sliceColumns(getTileShape(type));
  if (columns < static_cast<int64_t>(getCount()))
    return emitOpError("must pick at most the ")
           << columns << " elements of a slice, got count = " << getCount();
  return success();
}

LogicalResult RecallOp::verify() {
  // C3
  auto kernel = dyn_cast<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return emitOpError("must stand in a quack_tv.kernel");
  // C1
  RankedTensorType type = getValues().getType();
  if (failed(verifyRow(*this, type, getTotal())))
    return failure();
  auto columns = RankedTensorType::get(
      type.getShape(), IntegerType::get(getContext(), 32), type.getEncoding());
  if (getColumns().getType() != columns)
    return emitOpError("'columns' must be ")
           << columns << ", got " << getColumns().getType();
  // C2
  int64_t run =
      std::min(getLayoutAttr(type).getValue().contiguousRun(getTileShape(type)),
               getLongestRun(kernel));
  if (getTotal() % run != 0)
    return emitOpError("must have a run that divides the ")
           << getTotal() << " elements that are saved, got " << run;
  return success();
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
