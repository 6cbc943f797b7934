//===- lib/Dialect/Quack/Dialect.cpp - registration -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the row-program dialect's attributes and operations.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/Quack.h"

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
