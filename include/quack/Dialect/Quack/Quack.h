//===- include/quack/Dialect/Quack/Quack.h - row programs -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The row-program dialect: what people write, and what a frontend's reductions
// are raised to. The language itself is documented in dialects/Quack.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_DIALECT_QUACK_QUACK_H
#define QUACK_DIALECT_QUACK_QUACK_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Quack/QuackDialect.h.inc"
#include "dialects/Quack/QuackEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Quack/QuackAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/Quack/QuackOps.h.inc"

#endif // QUACK_DIALECT_QUACK_QUACK_H
