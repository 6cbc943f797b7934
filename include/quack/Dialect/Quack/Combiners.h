//===- Combiners.h - regions that merge two partials ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of both dialects combine their values by kinds or by a region: this is
// what the region forms have in common.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_DIALECT_QUACK_COMBINERS_H
#define QUACK_DIALECT_QUACK_COMBINERS_H

#include "quack/Dialect/Quack/Quack.h"

namespace quack {

/// Parses the clauses of a region form: `identity [...]`, and the region itself.
mlir::ParseResult parseIdentities(mlir::OpAsmParser &parser, mlir::StringAttr name,
                                  mlir::OperationState &result);
mlir::ParseResult parseCombiner(mlir::OpAsmParser &parser,
                                mlir::OperationState &result);
/// Prints the region, if there is one.
void printCombiner(mlir::OpAsmPrinter &printer, mlir::Region &combiner);

/// Checks the combiner of `op`, which merges one element of each of `types` with
/// another one of each: its arguments, its body, which ends with an operation called
/// `yield`, what it yields, and the identities.
llvm::LogicalResult verifyCombiner(mlir::Operation *op, mlir::Region &combiner,
                                   mlir::ArrayAttr identities, mlir::TypeRange types,
                                   llvm::StringRef yield);

/// Clones the combiner's operations for `lhs` and `rhs`: scalars, vectors or tensors of
/// one shape. Returns what it yields.
llvm::SmallVector<mlir::Value> inlineCombiner(mlir::OpBuilder &builder,
                                              mlir::Region &combiner,
                                              mlir::ValueRange lhs,
                                              mlir::ValueRange rhs);

/// Returns whether the combiner gives the same bits when its partials change places.
/// False if that is not seen from its operations.
bool isSymmetric(mlir::Region &combiner);

} // namespace quack

#endif // QUACK_DIALECT_QUACK_COMBINERS_H
