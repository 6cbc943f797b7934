//===- lib/Raise/Emitter.h - from scalars to rows ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a linalg operation computes one element; a row program computes a row, or
// one number for it. This emits the second from the first.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_RAISE_EMITTER_H
#define QUACK_LIB_RAISE_EMITTER_H

#include "quack/Dialect/Quack/Quack.h"

#include "mlir/IR/Builders.h"

namespace quack::raise {

/// Emits operations of a row program. A value stands for a row either as a row, or as a
/// scalar if all columns are equal: then it is broadcast where a row is needed.
///
/// Floats of 16 bits are held in f32, as numbers that their own type has: they are widened
/// where they are loaded, and rounded by arith.truncf and widened again where the program
/// rounds. Numbers of type index are held in i64.
///
/// What cannot be emitted returns a null value, and the reason is in `whyNot`.
class Emitter {
public:
  Emitter(mlir::OpBuilder &b, int64_t columns) : b(b), columns(columns) {}

  mlir::OpBuilder &b;
  std::string whyNot;

  /// Returns the type in which an element of type `type` is held; null if kernels do not
  /// compute in it.
  static mlir::Type heldType(mlir::Type type);

  mlir::RankedTensorType rowOf(mlir::Type element) const {
    return mlir::RankedTensorType::get({columns}, element);
  }

  /// Returns `value` as a row.
  mlir::Value asRow(mlir::Location loc, mlir::Value value);

  /// Returns the number `value` of type `type`.
  mlir::Value constant(mlir::Location loc, mlir::Attribute value, mlir::Type type);

  /// Returns column numbers, as i64.
  mlir::Value columnNumbers(mlir::Location loc);

  /// Emits `op`, of scalars, for `operands`, which hold its own.
  mlir::Value elementwise(mlir::Operation *op, mlir::ValueRange operands);

  /// Rounds a number that is held in f32 to `type`, and holds it.
  mlir::Value rounded(mlir::Location loc, mlir::Value value, mlir::Type type);

  /// Converts between integers; their width alone decides.
  mlir::Value resized(mlir::Location loc, mlir::Value value, mlir::Type type,
                      bool isSigned = true);

  /// Returns a value that gives the same when it is stored as `type`, without the rounding
  /// that the store does itself.
  static mlir::Value beforeRounding(mlir::Value value, mlir::Type type);

  /// Returns whether `value` is a float of 8 bits that only a store rounds.
  bool isUnrounded(mlir::Value value) const { return unrounded.contains(value); }

  mlir::Value fail(const llvm::Twine &reason) {
    whyNot = reason.str();
    return mlir::Value();
  }

private:
  mlir::Value convertFloat(mlir::Operation *op, mlir::Value value);
  mlir::Value toByteFloat(mlir::Location loc, mlir::Value value, mlir::Type type);
  /// Emits what an operation of another dialect says that it means.
  mlir::Value emitMeaning(mlir::Operation *op, mlir::ValueRange operands);
  /// Clones `op` for rows, or scalars if all operands are that.
  mlir::Value clone(mlir::Operation *op, mlir::ValueRange operands);

  int64_t columns;
  llvm::DenseMap<mlir::Value, mlir::Value> rows; ///< of scalars
  llvm::DenseSet<mlir::Value> unrounded;
};

/// Returns `type` as it is written.
std::string textOf(mlir::Type type);

} // namespace quack::raise

#endif // QUACK_LIB_RAISE_EMITTER_H
