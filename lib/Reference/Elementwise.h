//===- Elementwise.h - arith and math on whole rows ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The evaluator's view of an elementwise operation: a loop over a row, found by
// the operation's name. Rows and scalars are the same thing here, a scalar has
// one element. Integers are held as sign-extended doubles, i1 as 0 or 1.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_REFERENCE_ELEMENTWISE_H
#define QUACK_LIB_REFERENCE_ELEMENTWISE_H

#include "Number.h"

#include "quack/Dialect/Quack/Quack.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace quack::reference {

/// The numbers of one SSA value for one row.
struct Lane {
  std::vector<double> values;
  std::vector<double> errors;

  size_t size() const { return values.size(); }
  Number operator[](size_t i) const { return {values[i], errors[i]}; }
  void set(size_t i, Number number) {
    values[i] = number.value;
    errors[i] = number.error;
  }
  void resize(size_t n) {
    values.resize(n);
    errors.resize(n);
  }
};

/// What a loop must know of its operation besides the operands.
struct OpContext {
  FloatTraits traits = getTraits(FloatFormat::f32); ///< of a float result
  unsigned inputWidth = 32;  ///< bits of the first operand's element type
  unsigned resultWidth = 32; ///< bits of the result's element type
  int64_t predicate = 0;     ///< of cmpf and cmpi
  /// The first operand is never negative, whatever its error: the domain of
  /// sqrt, rsqrt and log then ends at 0, not at a NaN.
  bool isNonNegative = false;
};

/// Computes `result`, already sized, from `operands`.
using ElementwiseLoop = void (*)(const OpContext &context,
                                 llvm::ArrayRef<const Lane *> operands,
                                 Lane &result);

/// Returns the loop for the operation called `name`, or null.
ElementwiseLoop lookupElementwise(llvm::StringRef name);

/// Returns the loop for `op`, or null.
ElementwiseLoop lookupElementwise(mlir::Operation *op);

ElementwiseLoop lookupFloatOp(llvm::StringRef name);
ElementwiseLoop lookupMathOp(llvm::StringRef name);
ElementwiseLoop lookupIntegerOp(llvm::StringRef name);

/// Returns the loop's context for `op`; `isNonNegative` stays to be set.
OpContext getOpContext(mlir::Operation *op);

/// Returns the number that a float or integer attribute holds.
std::optional<double> getConstantNumber(mlir::Attribute attribute);

/// Returns the float format of `type`, which must be f64, f32, bf16, f16 or one
/// of 8 bits.
FloatFormat getFloatFormat(mlir::Type type);

/// Returns whether the evaluator knows the element type.
bool isKnownElementType(mlir::Type type);

/// Returns a sum of f32 as a kernel may compute it: of numbers whose magnitudes
/// and errors have these sums, each of which meets `depth` roundings.
Number settleSum(double value, double magnitude, double error, double depth);

/// Combines all elements of `lane` by `kind`. Integers have `width` bits.
Number reduceLane(ReduceKind kind, unsigned width, const Lane &lane);

template <typename Fn>
void mapUnary(llvm::ArrayRef<const Lane *> operands, Lane &result, Fn fn) {
  const Lane &a = *operands[0];
  for (size_t i = 0, n = result.size(); i < n; ++i)
    result.set(i, fn(a[i]));
}

template <typename Fn>
void mapBinary(llvm::ArrayRef<const Lane *> operands, Lane &result, Fn fn) {
  const Lane &a = *operands[0], &b = *operands[1];
  for (size_t i = 0, n = result.size(); i < n; ++i)
    result.set(i, fn(a[i], b[i]));
}

} // namespace quack::reference

#endif // QUACK_LIB_REFERENCE_ELEMENTWISE_H
