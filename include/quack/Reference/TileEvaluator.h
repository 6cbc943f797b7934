//===- quack/Reference/TileEvaluator.h - tile programs on a CPU -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tile program means: level-2 operations in float64, element by element
// where the layouts put them, so that a wrong layout, a missing mask or a
// broken exchange shows. Every level-2 pass is tested by evaluating the program
// before and after it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_REFERENCE_TILEEVALUATOR_H
#define QUACK_REFERENCE_TILEEVALUATOR_H

#include "quack/Dialect/QuackTV/QuackTV.h"
#include "quack/Reference/Evaluator.h"

namespace quack {

/// How a tile program is evaluated.
struct TileEvaluation {
  /// Columns from N on and rows from M on are loaded as NaN (integers: as
  /// numbers far out, of either sign) instead of the zero that the lowering
  /// gives them. A mask that is missing then shows in a result.
  bool poisonsPadding = false;
};

/// Evaluates `kernel`, and the stages after it, on `rows` rows; `inputs` are
/// those of `evaluate`. The result has no bounds: the arithmetic is float64
/// throughout, rounded only where the program rounds, its stores included.
/// Emits an error at the operation that cannot be evaluated or that breaks a
/// rule which only an execution can see:
///
///   - copies of one element differ
///   - an output element is written twice, or never
///   - a slot of an exchange buffer is written twice, or read before it was
///     written or before all threads know that it was
///   - an mbarrier expects other bytes than arrive; a peer is written before it
///     is ready, or may have left
///   - an operand is read after it was stored
///   - a slot of the workspace is saved twice, or merged before it was saved
llvm::FailureOr<ReferenceResult>
evaluateTile(tv::KernelOp kernel, int64_t rows,
             const std::map<std::string, ReferenceArray> &inputs,
             TileEvaluation evaluation = {});

} // namespace quack

#endif // QUACK_REFERENCE_TILEEVALUATOR_H
