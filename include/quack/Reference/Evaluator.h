//===- include/quack/Reference/Evaluator.h - the oracle ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a row program means: level-1 operations on the CPU in float64, rounded
// only where the program rounds. Written for reading; every lowering is tested
// against it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_REFERENCE_EVALUATOR_H
#define QUACK_REFERENCE_EVALUATOR_H

#include "quack/Dialect/Quack/Quack.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace quack {

/// An operand's values for M rows, widened to double (integers exactly, up to
/// 2^53). Row operands are M x N row-major, columns operands N, scalar operands
/// M, single and value operands 1.
struct ReferenceArray {
  std::vector<double> values;
};

/// The result of one evaluation, by operand name.
struct ReferenceResult {
  /// Each out and inout operand, before the store's rounding.
  std::map<std::string, ReferenceArray> outputs;
  /// For each element of `outputs`: a bound on the absolute error that a
  /// correct f32 kernel may show before the store's rounding, whatever the
  /// order of its reductions (running error analysis: each f32 operation adds
  /// its rounding, reductions add depth * 2^-24 times the sum of magnitudes,
  /// approximated functions their documented error).
  std::map<std::string, ReferenceArray> bounds;
};

/// How sums over rows are bounded.
struct RowSums {
  /// How many roundings a row's value can meet on its way into the sum;
  /// negative: as many as there are other rows, in whatever order a kernel adds
  /// them.
  int64_t depth = -1;
};

/// Evaluates `kernel`, whose N must be static, on `rows` rows. Storage rounding
/// of inputs is the caller's: `inputs` hold what memory holds. Emits an error
/// at the operation that cannot be evaluated.
llvm::FailureOr<ReferenceResult>
evaluate(KernelOp kernel, int64_t rows,
         const std::map<std::string, ReferenceArray> &inputs,
         RowSums sums = {});

} // namespace quack

#endif // QUACK_REFERENCE_EVALUATOR_H
