//===- lib/Raise/View.h - which elements an operation touches ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linalg operations, linalg.softmax and reshapes as what they have in common: loops,
// and tensors that are accessed by them.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_RAISE_VIEW_H
#define QUACK_LIB_RAISE_VIEW_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"

namespace quack::raise {

/// One tensor that an operation reads, or one of its results.
struct Access {
  mlir::Value tensor;
  /// The loops that index each dimension, outer first: one, or none where the index
  /// is 0; several where a reshape makes one dimension of them.
  llvm::SmallVector<llvm::SmallVector<unsigned, 1>, 4> dims;
  /// The block argument that an element becomes in the body; null where there is none.
  mlir::BlockArgument arg;
  /// The access within the body that this is; it may gather along one dimension.
  mlir::tensor::ExtractOp extract;
  int gatherDim = -1;
};

struct View {
  mlir::Operation *op;
  llvm::SmallVector<int64_t, 4> extents; ///< of the loops, or kDynamic
  llvm::SmallVector<bool, 4> isReduction; ///< of the loops
  llvm::SmallVector<Access> reads;
  llvm::SmallVector<Access> results;
  int softmaxLoop = -1; ///< of linalg.softmax: the loop that it normalises over

  bool isUnit(unsigned loop) const { return extents[loop] == 1; }
  /// Returns whether loop `loop`'s elements are combined.
  bool combines(unsigned loop) const {
    return !isUnit(loop) && (isReduction[loop] || softmaxLoop == static_cast<int>(loop));
  }
  /// Returns whether the operation combines elements at all.
  bool isReducing() const;

  /// Returns the view of `op`, or none, and `whyNot`: empty if it is no operation on
  /// tensors that could be part of a group.
  static std::optional<View> of(mlir::Operation *op, std::string &whyNot);
};

} // namespace quack::raise

#endif // QUACK_LIB_RAISE_VIEW_H
