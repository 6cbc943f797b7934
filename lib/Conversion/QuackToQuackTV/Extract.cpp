//===- Extract.cpp - one element of a row -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows are made from operands by elementwise operations alone. So one element of a row
// is made from one element of each operand, which every thread reads from memory.
//
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"
#include "quack/Dialect/Quack/KernelOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace quack;

Value TileBuilder::createExtract(ExtractOp extract) {
  Location loc = extract.getLoc();
  Value column = get(extract.getColumn(), 0), otherwise = get(extract.getOtherwise(), 0);
  if (!column || !otherwise)
    return Value();
  Value element = elementOf(extract.getSource(), column);
  if (!element)
    return Value();
  // As an unsigned number a negative column is too great.
  auto type = cast<RankedTensorType>(column.getType());
  Value end = splat(loc, b.getIntegerAttr(type.getElementType(), kernel.getColumns()), type);
  Value exists =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, column, end);
  return arith::SelectOp::create(b, loc, exists, element, otherwise);
}

Value TileBuilder::elementOf(Value row, Value column) {
  if (!isa<RankedTensorType>(row.getType()))
    return get(row, 0);
  if (auto it = elements.find({row, column}); it != elements.end())
    return it->second;
  Value element = createElement(cast<OpResult>(row), column);
  return elements[{row, column}] = element;
}

Value TileBuilder::createElement(OpResult row, Value column) {
  Operation *op = row.getOwner();
  Location loc = op->getLoc();
  Type element = getElementTypeOrSelf(row.getType());
  if (auto load = dyn_cast<LoadOp>(op)) {
    auto arg = cast<BlockArgument>(load.getSource());
    Type storage = cast<MemRefType>(arg.getType()).getElementType();
    Value read = tv::GatherOp::create(b, loc, scalarType(storage),
                                      target.getBody().getArgument(arg.getArgNumber()),
                                      column);
    // Nothing but a widening works on floats of 8 bits.
    if (isByteFloat(storage))
      read = convert(loc, read, b.getF32Type());
    if (mayBeStored(kernel.getFunctionType(), kernel.getOperandSpecs(),
                    arg.getArgNumber()))
      read = meet(loc, read);
    return convert(loc, read, element);
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return get(broadcast.getSource(), 0);
  if (isa<IndexOp>(op))
    return convert(loc, column, element);
  if (isa<GroupBroadcastOp>(op)) {
    op->emitOpError("must not be what an element is extracted from: other columns of "
                    "its group have a part in it");
    return Value();
  }
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    Attribute value;
    if (!get(row, 0) || !matchPattern(op, m_Constant(&value)))
      return Value();
    return splat(loc, cast<DenseElementsAttr>(value).getSplatValue<TypedAttr>(),
                 scalarType(element));
  }
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value of = elementOf(operand, column);
    if (!of)
      return Value();
    mapping.map(operand, of);
  }
  Operation *clone = b.clone(*op, mapping);
  for (OpResult result : clone->getResults())
    result.setType(scalarType(getElementTypeOrSelf(result.getType())));
  return clone->getResult(row.getResultNumber());
}

/// All threads have the same element: the `or` of its bits over the threads is it again.
Value TileBuilder::meet(Location loc, Value scalar) {
  auto type = cast<RankedTensorType>(scalar.getType());
  unsigned width = type.getElementTypeBitWidth();
  RankedTensorType word = scalarType(b.getI32Type());
  Value bits = scalar;
  if (isa<FloatType>(type.getElementType()))
    bits = arith::BitcastOp::create(b, loc, scalarType(b.getIntegerType(width)), bits);
  auto join = [&](Value part) -> Value {
    RankedTensorType partial = tv::reduceTileType(
        tileType(RankedTensorType::get({1}, b.getI32Type())), Level::Value);
    Value own = tv::BroadcastOp::create(b, loc, partial, part);
    own = createMask(loc, own, b.getI32IntegerAttr(0));
    return tv::ReduceOp::create(b, loc, ReduceKind::ori, own).getResult();
  };
  if (width == 64) {
    Value shift = splat(loc, b.getI64IntegerAttr(32), scalarType(b.getI64Type()));
    Value low = arith::TruncIOp::create(b, loc, word, bits);
    Value high = arith::TruncIOp::create(
        b, loc, word, arith::ShRUIOp::create(b, loc, bits, shift));
    low = arith::ExtUIOp::create(b, loc, bits.getType(), join(low));
    high = arith::ExtUIOp::create(b, loc, bits.getType(), join(high));
    bits = arith::OrIOp::create(b, loc, low, arith::ShLIOp::create(b, loc, high, shift));
  } else if (width == 32) {
    bits = join(bits);
  } else {
    bits = arith::TruncIOp::create(
        b, loc, bits.getType(), join(arith::ExtUIOp::create(b, loc, word, bits)));
  }
  return bits.getType() == type ? bits
                                : Value(arith::BitcastOp::create(b, loc, type, bits));
}
