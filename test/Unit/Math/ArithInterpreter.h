//===- test/Unit/Math/ArithInterpreter.h - runs lowered math ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes the arith, vector and llvm operations that quack-lower-math makes,
// for many arguments at once. f32 arithmetic is that of IEEE 754; the GPU's
// approximations are the exact value, moved by the error that PTX allows them.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_UNIT_MATH_ARITHINTERPRETER_H
#define QUACK_TEST_UNIT_MATH_ARITHINTERPRETER_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <vector>

namespace quack::test {

/// How the approximations use the error that they may have.
enum class Approximation { Low, High, Mixed };

/// The raw bits of a value: row by row, and lane by lane in a row.
using Lanes = std::vector<uint64_t>;

/// Runs a block for `rows` sets of arguments.
class ArithInterpreter {
public:
  ArithInterpreter(size_t rows, Approximation approximation)
      : rows(rows), approximation(approximation) {}

  /// Gives a block argument its value in every row.
  void bind(mlir::Value value, Lanes lanes) {
    values[value] = std::move(lanes);
  }

  /// Runs the block and returns the first operand of its terminator. An
  /// operation that is not known is a failure of the test.
  Lanes run(mlir::Block &block);

private:
  const Lanes &get(mlir::Value value) { return values[value]; }
  void execute(mlir::Operation &op);
  bool executeFloat(mlir::Operation &op);
  bool executeInteger(mlir::Operation &op);
  bool executeConversion(mlir::Operation &op);
  bool executeVector(mlir::Operation &op);
  bool executeIf(mlir::Operation &op);
  float approximate(llvm::StringRef intrinsic, float x) const;

  /// Applies `function` to the bits of the operands, element by element.
  template <typename Function> bool map(mlir::Operation &op, Function function);

  size_t rows;
  Approximation approximation;
  llvm::DenseMap<mlir::Value, Lanes> values;
};

} // namespace quack::test

#endif // QUACK_TEST_UNIT_MATH_ARITHINTERPRETER_H
