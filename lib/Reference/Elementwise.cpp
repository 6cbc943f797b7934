//===- Elementwise.cpp - lookup of elementwise operations ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an MLIR operation to the loop that evaluates it and what that loop must
// know of the operation's types and attributes.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace quack;
using namespace quack::reference;

bool reference::isKnownElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() <= 64;
  return type.isF64() || type.isF32() || type.isBF16() || type.isF16() ||
         isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

FloatFormat reference::getFloatFormat(Type type) {
  if (type.isF64())
    return FloatFormat::f64;
  if (type.isBF16())
    return FloatFormat::bf16;
  if (isa<Float8E4M3FNType>(type))
    return FloatFormat::f8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return FloatFormat::f8E5M2;
  return type.isF16() ? FloatFormat::f16 : FloatFormat::f32;
}

ElementwiseLoop reference::lookupElementwise(llvm::StringRef name) {
  if (ElementwiseLoop loop = lookupFloatOp(name))
    return loop;
  if (ElementwiseLoop loop = lookupMathOp(name))
    return loop;
  return lookupIntegerOp(name);
}

ElementwiseLoop reference::lookupElementwise(Operation *op) {
  std::string name = op->getName().getStringRef().str();
  if (isa<arith::BitcastOp>(op)) {
    Type from = getElementTypeOrSelf(op->getOperand(0).getType());
    Type to = getElementTypeOrSelf(op->getResult(0).getType());
    if (from.isF32() && to.isInteger(32))
      name += ".to_integer";
    if (from.isInteger(32) && to.isF32())
      name += ".to_float";
  }
  return lookupElementwise(llvm::StringRef(name));
}

std::optional<double> reference::getConstantNumber(Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    APFloat wide = number.getValue();
    bool losesInfo = false;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
    return wide.convertToDouble();
  }
  auto integer = dyn_cast<IntegerAttr>(attribute);
  if (!integer)
    return std::nullopt;
  const APInt &bits = integer.getValue();
  return bits.getBitWidth() == 1 ? bits.getZExtValue()
                                 : bits.signedRoundToDouble();
}

OpContext reference::getOpContext(Operation *op) {
  OpContext context;
  Type result = getElementTypeOrSelf(op->getResult(0).getType());
  context.resultWidth = result.getIntOrFloatBitWidth();
  context.inputWidth = context.resultWidth;
  if (op->getNumOperands() != 0)
    context.inputWidth = getElementTypeOrSelf(op->getOperand(0).getType())
                             .getIntOrFloatBitWidth();
  if (isa<FloatType>(result))
    context.traits = getTraits(getFloatFormat(result));
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    context.predicate = static_cast<int64_t>(cmp.getPredicate());
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    context.predicate = static_cast<int64_t>(cmp.getPredicate());
  return context;
}
