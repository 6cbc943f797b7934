//===- lib/Dialect/Quack/Dialect.cpp - registration -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the row-program dialect's attributes and operations.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/KernelOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quack;

#include "dialects/Quack/QuackDialect.cpp.inc"
#include "dialects/Quack/QuackEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Quack/QuackAttrs.cpp.inc"

void QuackDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Quack/QuackAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Quack/QuackOps.cpp.inc"
      >();
}

Attribute OperandAttr::parse(AsmParser &parser, Type) {
  StringAttr name;
  FailureOr<Direction> direction = failure();
  FailureOr<Role> role = failure();
  Presence presence = Presence::required;
  Attribute substitute;
  if (parser.parseLess() || parser.parseAttribute(name) || parser.parseComma() ||
      failed(direction = FieldParser<Direction>::parse(parser)) ||
      failed(role = FieldParser<Role>::parse(parser)) ||
      parsePresence(parser, presence, substitute) || parser.parseGreater())
    return {};
  return get(parser.getContext(), name, *direction, *role, presence, substitute);
}

void OperandAttr::print(AsmPrinter &printer) const {
  printer << '<' << getName() << ", " << stringifyDirection(getDirection()) << ' '
          << stringifyRole(getRole());
  printPresence(printer, *this);
  printer << '>';
}
