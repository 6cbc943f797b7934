//===- lib/Dialect/Quack/RowMeaning.cpp -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is asked of elementwise operations that this dialect does not know. Whoever writes
// such an operation is not one of us: what it means is checked before anybody trusts it.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/RowMeaning.h"

#include "quack/Dialect/Quack/Quack.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace quack;

#include "dialects/Quack/QuackInterfaces.cpp.inc"

static bool isOfKnownDialect(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

LogicalResult quack::verifyElementwise(Operation *op, StringRef place) {
  if (unsigned regions = op->getNumRegions())
    return op->emitOpError("must have no regions to stand in a ")
           << place << ", got " << regions;
  if (!isMemoryEffectFree(op))
    return op->emitOpError("must have no side effects to stand in a ")
           << place << ": declare it Pure";
  if (isOfKnownDialect(op) || isa<RowMeaningOpInterface>(op))
    return success();
  return op->emitOpError("must not stand in a ")
         << place
         << ": it is elementwise, but nothing says what it means for a row; let it "
            "implement quack::RowMeaningOpInterface, or attach that to it";
}

/// Returns whether `op` may be a part of what another operation means.
static bool isPartOfMeaning(Operation *op) {
  bool isKnown = isOfKnownDialect(op) && op->getNumRegions() == 0 &&
                 (op->hasTrait<OpTrait::Elementwise>() ||
                  op->hasTrait<OpTrait::ConstantLike>());
  // Nothing is expanded twice: a meaning that uses itself would have no end.
  return isa<BroadcastOp>(op) || (isKnown && !isa<RowMeaningOpInterface>(op));
}

/// Asks `op` what it means. A failure that it does not explain is an error all the same.
static FailureOr<SmallVector<Value>> askMeaning(RowMeaningOpInterface op, OpBuilder &b,
                                                ValueRange operands) {
  bool isExplained = false;
  FailureOr<SmallVector<Value>> values = failure();
  {
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diagnostic) {
      isExplained |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return failure();
    });
    values = op.expandRow(b, op->getLoc(), operands);
  }
  if (failed(values) && !isExplained)
    op->emitOpError("has no row meaning for operands of ") << operands.getTypes();
  return values;
}

FailureOr<SmallVector<Value>> quack::expandMeaning(RowMeaningOpInterface op, OpBuilder &b,
                                                   ValueRange operands) {
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.getInsertionBlock();
  Block::iterator end = b.getInsertionPoint();
  Operation *before = end == block->begin() ? nullptr : &*std::prev(end);
  FailureOr<SmallVector<Value>> values = askMeaning(op, b, operands);
  if (failed(values))
    return failure();
  Block::iterator begin = before ? std::next(Block::iterator(before)) : block->begin();
  for (Operation &part : llvm::make_range(begin, end))
    if (!isPartOfMeaning(&part))
      return op->emitOpError("row meaning must consist of elementwise operations of arith "
                             "and math without a row meaning of their own, of constants "
                             "and quack.broadcast, got '")
             << part.getName() << "'";
  if (llvm::is_contained(*values, Value()))
    return op->emitOpError("row meaning must give a value for each result, got none");
  if (values->size() != op->getNumResults())
    return op->emitOpError("row meaning must give ")
           << op->getNumResults() << " values, of " << op->getResultTypes() << ", got "
           << values->size();
  if (TypeRange(ValueRange(*values)) != TypeRange(op->getResultTypes()))
    return op->emitOpError("row meaning must give values of ")
           << op->getResultTypes() << ", got " << TypeRange(ValueRange(*values));
  return values;
}

Value quack::createNumber(OpBuilder &b, Location loc, double number, Type type) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr value;
  if (isa<FloatType>(element))
    value = b.getFloatAttr(element, number);
  else
    value = b.getIntegerAttr(element, static_cast<int64_t>(number));
  auto row = dyn_cast<RankedTensorType>(type);
  if (row && row.hasStaticShape())
    value = DenseElementsAttr::get(row, ArrayRef<Attribute>(value));
  Value constant = arith::ConstantOp::create(b, loc, value);
  return row && !row.hasStaticShape() ? BroadcastOp::create(b, loc, type, constant)
                                      : constant;
}
