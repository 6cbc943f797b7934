//===- include/quack/Support/Dependence.h - who needs whom ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks operands backwards. For passes that move or merge operations of one
// block: each operation is visited once, however many paths lead to it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_SUPPORT_DEPENDENCE_H
#define QUACK_SUPPORT_DEPENDENCE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace quack {

/// Visits the operations that lead to `values`, the nearest first along each path. The walk
/// does not go beyond one for which `visit` returns false.
inline void
walkProducers(mlir::ValueRange values,
              llvm::function_ref<bool(mlir::Operation *)> visit) {
  llvm::SmallVector<mlir::Value> worklist(values);
  llvm::SmallPtrSet<mlir::Operation *, 32> seen;
  while (!worklist.empty()) {
    mlir::Operation *op = worklist.pop_back_val().getDefiningOp();
    if (op && seen.insert(op).second && visit(op))
      llvm::append_range(worklist, op->getOperands());
  }
}

/// Returns whether one of `values` is, or indirectly needs, a result of an
/// operation that `isProducer` accepts.
inline bool
dependsOn(mlir::ValueRange values,
          llvm::function_ref<bool(mlir::Operation *)> isProducer) {
  bool found = false;
  walkProducers(values, [&](mlir::Operation *op) {
    found = found || isProducer(op);
    return !found;
  });
  return found;
}

} // namespace quack

#endif // QUACK_SUPPORT_DEPENDENCE_H
