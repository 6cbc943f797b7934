//===- include/quack/Dialect/Quack/RowMeaning.h -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How elementwise operations of other dialects take part in row programs: by the
// interface, which this header declares, and never by their names.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_DIALECT_QUACK_ROWMEANING_H
#define QUACK_DIALECT_QUACK_ROWMEANING_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/Quack/QuackInterfaces.h.inc"

namespace quack {

/// Checks that the elementwise operation `op` may stand in a `place`: it is one of arith or
/// math, or has a row meaning, and neither regions nor side effects.
llvm::LogicalResult verifyElementwise(mlir::Operation *op, llvm::StringRef place);

/// Builds what `op` means where `b` stands, and checks it. Returns the values of its
/// results; errors are diagnostics at `op`.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
expandMeaning(RowMeaningOpInterface op, mlir::OpBuilder &b, mlir::ValueRange operands);

/// Returns `number` as a value of `type`: a float or an integer, or a row whose elements
/// are all equal to it. For implementations of `expandRow`.
mlir::Value createNumber(mlir::OpBuilder &b, mlir::Location loc, double number,
                         mlir::Type type);

} // namespace quack

#endif // QUACK_DIALECT_QUACK_ROWMEANING_H
