//===- quack/Layout/LayoutDrawing.h - Pictures of a layout -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout as a picture: the tile's elements in their order, cut into the
// vector accesses that threads make to them, each with its owner. Long tiles
// are drawn at both ends of each CTA's part; what is left out is counted.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LAYOUT_LAYOUTDRAWING_H
#define QUACK_LAYOUT_LAYOUTDRAWING_H

#include "quack/Layout/TVLayout.h"

#include <vector>

namespace quack {

/// What to draw, and how much of it.
struct DrawingOptions {
  /// Bytes of an element as stored; 0 if they are not known: then nothing is
  /// said of bytes.
  int64_t elementBytes = 0;
  /// Elements of one access; 0 stands for 16 bytes' worth, or for the layout's
  /// contiguous run where bytes are not known. Never more than that run.
  int64_t vectorElements = 0;
  /// Accesses of a line. At least 1.
  int64_t accessesPerLine = 8;
  /// Lines drawn of a row of one CTA, CTAs drawn of a row, and rows drawn,
  /// before the middle is left out. At least 2.
  int64_t mostLines = 4, mostCtas = 4, mostRows = 4;
};

/// One vector access: `count` elements of a row from `column` on.
struct DrawnAccess {
  int64_t column;
  int64_t count;
  Owner owner; ///< the canonical one; `value` is that of the first element
};

/// Accesses side by side in one row and one CTA.
struct DrawnLine {
  int64_t row;
  int64_t cta;
  std::vector<DrawnAccess> accesses;
  /// Lines of this row and CTA left out after this one.
  int64_t linesLeftOut = 0;
  /// CTAs of this row left out after this line's.
  int64_t ctasLeftOut = 0;
  /// Rows left out after this line's.
  int64_t rowsLeftOut = 0;
};

/// Returns the elements of one access under `options`.
int64_t drawnVector(const TVLayout &layout, TileShape tile,
                    const DrawingOptions &options);

/// Cuts the tile into lines. `layout` must be legal for `tile`.
std::vector<DrawnLine> drawLines(const TVLayout &layout, TileShape tile,
                                 const DrawingOptions &options);

/// Prints what each level holds, the access, and the picture as a text grid.
void printLayout(llvm::raw_ostream &os, const TVLayout &layout, TileShape tile,
                 const DrawingOptions &options);

/// Writes the picture as an SVG document: threads coloured, values numbered,
/// vector accesses outlined, CTAs apart.
void writeLayoutSVG(llvm::raw_ostream &os, const TVLayout &layout,
                    TileShape tile, const DrawingOptions &options);

} // namespace quack

#endif // QUACK_LAYOUT_LAYOUTDRAWING_H
