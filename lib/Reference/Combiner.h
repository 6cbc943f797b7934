//===- Combiner.h - how two partials of a step merge -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step above the thread combines its values each by a kind, or all by a
// region. Both are a short list of elementwise operations on scalars.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_REFERENCE_COMBINER_H
#define QUACK_LIB_REFERENCE_COMBINER_H

#include "Elementwise.h"

#include "llvm/ADT/DenseMap.h"

namespace quack::reference {

/// The values that travel together, of one row: one number for each source.
using Partial = llvm::SmallVector<double, 2>;

/// Merges partials.
class Combiner {
public:
  /// Builds a combiner of `kinds`, one for each of `elements`.
  static Combiner build(llvm::ArrayRef<ReduceKind> kinds,
                        llvm::ArrayRef<mlir::Type> elements);

  /// Builds the combiner of a step or collect `op`: its region's, or that of
  /// its kinds. Emits an error at an operation that has no reference.
  static llvm::FailureOr<Combiner>
  build(mlir::Operation *op, mlir::ArrayAttr kinds, mlir::ArrayAttr identities,
        mlir::Region &region, llvm::ArrayRef<mlir::Type> elements);

  /// Replaces `total` by `total` combined with `next`.
  void combine(Partial &total, const Partial &next);
  /// The same, with bounds of the errors.
  void combine(llvm::SmallVectorImpl<Number> &total, llvm::ArrayRef<Number> next);

  /// Returns the partial that leaves any other unchanged.
  const Partial &getIdentity() const { return identity; }

private:
  struct Step {
    ElementwiseLoop loop;
    OpContext context;
    llvm::SmallVector<unsigned, 3> operands;
    unsigned result;
  };

  unsigned addSlot() {
    slots.emplace_back().resize(1);
    return slots.size() - 1;
  }
  void addKind(ReduceKind kind, mlir::Type element, unsigned index,
               unsigned count);
  llvm::LogicalResult addRegion(mlir::Region &region);

  /// One number each: first the totals, then the next partial, then results.
  std::vector<Lane> slots;
  std::vector<Step> steps;
  llvm::SmallVector<unsigned, 2> yielded;
  Partial identity;
};

} // namespace quack::reference

#endif // QUACK_LIB_REFERENCE_COMBINER_H
