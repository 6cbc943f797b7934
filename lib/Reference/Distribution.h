//===- Distribution.h - a layout, spelt out --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile's holders are numbered with the values of a thread fastest, then
// lanes, warps, CTAs and slices, so that what one thread, warp, CTA or cluster
// holds is a run.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_REFERENCE_DISTRIBUTION_H
#define QUACK_LIB_REFERENCE_DISTRIBUTION_H

#include "quack/Layout/TVLayout.h"

#include <vector>

namespace quack::reference {

/// Which element each holder of a tile has.
struct Distribution {
  Distribution(const TVLayout &layout, TileShape shape);

  /// Returns how many holders one instance of `level`'s container has: a thread
  /// for Value, a warp for Lane, a CTA for Warp, a cluster for Cta, all for
  /// Slice.
  int64_t holdersIn(Level level) const;

  int64_t rowOf(int64_t holder) const { return coords[holder].row; }
  int64_t columnOf(int64_t holder) const { return coords[holder].column; }
  size_t size() const { return elements.size(); }

  /// Returns the holders of the run that begins at `first` and has `count`, by
  /// ascending element; holders of one element by number.
  std::vector<int64_t> byElement(int64_t first, int64_t count) const;

  TileShape shape;
  /// CTAs of all slices, those of one cluster, and so on.
  int64_t ctas, ctasPerCluster, warps, values;
  /// Row-major element of each holder, and its row and column.
  std::vector<int64_t> elements;
  std::vector<Coord> coords;
  /// Whether a holder is the canonical one of its element: all copy digits 0.
  std::vector<bool> isCanonical;
};

} // namespace quack::reference

#endif // QUACK_LIB_REFERENCE_DISTRIBUTION_H
