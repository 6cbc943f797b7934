//===- lib/Dialect/Quack/ReduceKinds.cpp - named combinations ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each reduction kind combines, with which operation and identity.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/KernelOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace quack;

bool quack::fitsElementType(ReduceKind kind, Type type) {
  bool isFloatKind = kind <= ReduceKind::minnumf;
  return isFloatKind ? isa<FloatType>(type) : isa<IntegerType>(type);
}

static APFloat getFloatIdentity(ReduceKind kind, const llvm::fltSemantics &sem) {
  switch (kind) {
  case ReduceKind::mulf:
    return APFloat(sem, 1);
  case ReduceKind::maximumf:
    return APFloat::getInf(sem, /*Negative=*/true);
  case ReduceKind::minimumf:
    return APFloat::getInf(sem);
  case ReduceKind::maxnumf:
  case ReduceKind::minnumf:
    // Not an infinity: a row of NaN has to stay NaN.
    return APFloat::getQNaN(sem);
  default:
    // -0 would be the exact identity of addf; +0 only turns a sum of -0 into
    // +0, which compares equal.
    return APFloat::getZero(sem);
  }
}

static APInt getIntegerIdentity(ReduceKind kind, unsigned width) {
  switch (kind) {
  case ReduceKind::muli:
    return APInt(width, 1);
  case ReduceKind::maxsi:
    return APInt::getSignedMinValue(width);
  case ReduceKind::minsi:
    return APInt::getSignedMaxValue(width);
  case ReduceKind::minui:
  case ReduceKind::andi:
    return APInt::getAllOnes(width);
  default:
    return APInt::getZero(width);
  }
}

TypedAttr quack::getIdentity(ReduceKind kind, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(
        type, getFloatIdentity(kind, floatType.getFloatSemantics()));
  return IntegerAttr::get(type,
                          getIntegerIdentity(kind, type.getIntOrFloatBitWidth()));
}

Value quack::createCombine(OpBuilder &b, Location loc, ReduceKind kind,
                           Value lhs, Value rhs) {
  switch (kind) {
  case ReduceKind::addf:
    return arith::AddFOp::create(b, loc, lhs, rhs);
  case ReduceKind::mulf:
    return arith::MulFOp::create(b, loc, lhs, rhs);
  case ReduceKind::maximumf:
    return arith::MaximumFOp::create(b, loc, lhs, rhs);
  case ReduceKind::minimumf:
    return arith::MinimumFOp::create(b, loc, lhs, rhs);
  case ReduceKind::maxnumf:
    return arith::MaxNumFOp::create(b, loc, lhs, rhs);
  case ReduceKind::minnumf:
    return arith::MinNumFOp::create(b, loc, lhs, rhs);
  case ReduceKind::addi:
    return arith::AddIOp::create(b, loc, lhs, rhs);
  case ReduceKind::muli:
    return arith::MulIOp::create(b, loc, lhs, rhs);
  case ReduceKind::maxsi:
    return arith::MaxSIOp::create(b, loc, lhs, rhs);
  case ReduceKind::minsi:
    return arith::MinSIOp::create(b, loc, lhs, rhs);
  case ReduceKind::maxui:
    return arith::MaxUIOp::create(b, loc, lhs, rhs);
  case ReduceKind::minui:
    return arith::MinUIOp::create(b, loc, lhs, rhs);
  case ReduceKind::andi:
    return arith::AndIOp::create(b, loc, lhs, rhs);
  case ReduceKind::ori:
    return arith::OrIOp::create(b, loc, lhs, rhs);
  case ReduceKind::xori:
    return arith::XOrIOp::create(b, loc, lhs, rhs);
  }
  llvm_unreachable("unknown reduction kind");
}

ParseResult quack::parseReduceKind(OpAsmParser &parser, ReduceKindAttr &kind) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<ReduceKind> value = symbolizeReduceKind(keyword);
  if (!value)
    return parser.emitError(loc, "expected a reduction kind (addf, mulf, "
                                 "maximumf, minimumf, maxnumf, minnumf, addi, "
                                 "muli, maxsi, minsi, maxui, minui, andi, ori "
                                 "or xori), got '")
           << keyword << "'";
  kind = ReduceKindAttr::get(parser.getContext(), *value);
  return success();
}

void quack::printReduceKind(OpAsmPrinter &printer, Operation *,
                            ReduceKindAttr kind) {
  printer << stringifyReduceKind(kind.getValue());
}
