//===- lib/Dialect/Quack/Picks.cpp - the greatest columns -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of the operations between rows and operands with role picks.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/KernelOperands.h"

using namespace mlir;
using namespace quack;

static LogicalResult verifyIsFloat(Operation *op, Value value, StringRef what) {
  Type element = getElementTypeOrSelf(value.getType());
  if (element.isF32() || element.isBF16() || element.isF16())
    return success();
  return op->emitOpError("'")
         << what << "' must have element type f32, bf16 or f16, got "
         << element;
}

static LogicalResult verifyIsIndex(Operation *op, Value value, StringRef what) {
  Type element = getElementTypeOrSelf(value.getType());
  if (element.isInteger(32) || element.isInteger(64))
    return success();
  return op->emitOpError("'")
         << what << "' must have element type i32 or i64, got " << element;
}

LogicalResult TopKOp::verify() {
  // C1
  if (failed(verifyIsOperand(*this, getValues(), "values", Role::picks,
                             Direction::out)) ||
      failed(verifyIsOperand(*this, getColumns(), "columns", Role::picks,
                             Direction::out)))
    return failure();
  // C2
  auto row = cast<RankedTensorType>(getSource().getType());
  int64_t columns = (*this)->getParentOfType<KernelOp>().getColumns();
  auto expected =
      RankedTensorType::get({columns}, Float32Type::get(getContext()));
  if (row != expected)
    return emitOpError("'source' must be ") << expected << ", got " << row;
  // C3
  if (failed(verifyIsFloat(*this, getValues(), "values")))
    return failure();
  return verifyIsIndex(*this, getColumns(), "columns");
}

LogicalResult ScatterOp::verify() {
  // C1
  if (failed(verifyIsOperand(*this, getValues(), "values", Role::picks,
                             Direction::in)) ||
      failed(verifyIsOperand(*this, getColumns(), "columns", Role::picks,
                             Direction::in)))
    return failure();
  // C2
  if (failed(verifyIsOperand(*this, getTarget(), "target", Role::row,
                             Direction::out)))
    return failure();
  // C3
  if (failed(verifyIsFloat(*this, getValues(), "values")) ||
      failed(verifyIsFloat(*this, getTarget(), "target")))
    return failure();
  return verifyIsIndex(*this, getColumns(), "columns");
}
