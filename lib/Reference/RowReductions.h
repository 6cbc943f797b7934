//===- RowReductions.h - reductions of several numbers --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a row program reduces to more than one number.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_REFERENCE_ROWREDUCTIONS_H
#define QUACK_LIB_REFERENCE_ROWREDUCTIONS_H

#include "Combiner.h"

#include <utility>

namespace quack::reference {

/// Combines the elements of `rows`, which have one length, in the order of the columns
/// within stretches such as a thread has, and these as a tree.
llvm::SmallVector<Number> combineRows(Combiner &combiner,
                                      llvm::ArrayRef<const Lane *> rows);

/// Returns the greatest (least) element and its column: of equals the first, and the
/// first NaN if there is one.
std::pair<Number, Number> findExtreme(const Lane &row, bool isMax);

/// The mean, what its rounding has left of it, and the sum of squared deviations.
struct Moments {
  Number mean, low, squares;
};
Moments computeMoments(const Lane &row);

} // namespace quack::reference

#endif // QUACK_LIB_REFERENCE_ROWREDUCTIONS_H
