//===- lib/Raise/RowSpace.h - what dimensions run over ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group of operations works on M rows of N columns. Here each dimension of a tensor
// is told which of these it runs over, so that shapes and names need not be guessed
// from.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_RAISE_ROWSPACE_H
#define QUACK_LIB_RAISE_ROWSPACE_H

#include "quack/Dialect/Quack/Quack.h"

namespace quack::raise {

/// The axes that one dimension or loop runs over, outer first. None: its extent is 1.
using Axes = llvm::SmallVector<unsigned, 2>;

/// What each dimension of a tensor, or each loop, runs over.
using Labels = llvm::SmallVector<Axes, 4>;

/// The axes of M rows and N columns. M and N may have several axes each: a tensor's
/// leading dimensions, and those that it is normalised over. An axis can be split when an
/// operation collapses what others work on; labels from before stay valid, since all
/// queries look through splits.
class RowSpace {
public:
  /// Adds an axis, inside of those before it.
  unsigned addAxis(int64_t extent, bool isColumn);

  /// Splits `axis` in two, of which the outer one has the extent `outer`, a divisor.
  std::pair<unsigned, unsigned> split(unsigned axis, int64_t outer);

  /// Returns the axes without splits that `axes` stand for.
  Axes leaves(llvm::ArrayRef<unsigned> axes) const;
  /// The same of all dimensions, outer first.
  Axes leaves(const Labels &labels) const;

  /// Returns the number of elements along `axes`, or kDynamic.
  int64_t extentOf(llvm::ArrayRef<unsigned> axes) const;

  bool isColumn(unsigned axis) const { return axes[axis].isColumn; }
  /// Returns all axes of rows, or of columns, outer first.
  Axes all(bool areColumns) const;
  int64_t columns() const { return extentOf(all(/*areColumns=*/true)); }

  /// Returns the role of an operand whose dimensions run over `labels`. None if no
  /// operand of a kernel is like that: a part of the axes, in another order, or both rows
  /// and columns in one dimension. If there is but one row, each row is `row`, and each
  /// number `single`.
  std::optional<Role> roleOf(const Labels &labels) const;

private:
  struct Axis {
    int64_t extent;
    bool isColumn;
    std::optional<std::pair<unsigned, unsigned>> parts;
  };
  llvm::SmallVector<Axis> axes;
  llvm::SmallVector<unsigned> roots; ///< in the order in which they were added
};

} // namespace quack::raise

#endif // QUACK_LIB_RAISE_ROWSPACE_H
