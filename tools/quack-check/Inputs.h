//===- tools/quack-check/Inputs.h - what kernels are checked on -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs from a seed, with rows that have broken reduction kernels before.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKCHECK_INPUTS_H
#define QUACK_TOOLS_QUACKCHECK_INPUTS_H

#include "quack/Dialect/QuackTV/QuackTV.h"
#include "quack/Reference/Evaluator.h"

namespace quack::check {

/// What a kernel of either level says of its operands.
struct Signature {
  struct Operand {
    std::string name;
    Role role;
    Direction direction;
    mlir::Type storage;
    int64_t columns; ///< elements a row, or of all rows
  };
  std::vector<Operand> operands;
  int64_t columns;

  static Signature of(KernelOp kernel);
  static Signature of(tv::KernelOp kernel);
};

/// What the inputs are made from.
struct InputOptions {
  uint64_t seed = 1;
  /// Rows of -inf, +inf, NaN, large offsets and the like among random ones.
  bool hasSpecials = false;
};

/// Inputs by operand name.
using Inputs = std::map<std::string, ReferenceArray>;

/// Makes the inputs that a kernel, whose N must be static, reads for `rows`
/// rows: numbers that the operands' storage types hold.
Inputs makeInputs(const Signature &kernel, int64_t rows,
                  const InputOptions &options);

/// Rounds `number` to the storage type `type`, or wraps it.
double toStorage(mlir::Type type, double number);

} // namespace quack::check

#endif // QUACK_TOOLS_QUACKCHECK_INPUTS_H
