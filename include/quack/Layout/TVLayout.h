//===- quack/Layout/TVLayout.h - Thread-value layouts ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algebra of thread-value layouts: which CTA, warp, lane and register holds
// which element of a tile. The quack_tv layout attribute, the plan, the
// lowering and the tools all ask here, so that there is one answer. Invariant:
// nothing here needs an MLIRContext, and every query that a verifier makes
// costs a sort of the modes, never a walk over the tile.
//
//===----------------------------------------------------------------------===//
//
// A worked example
// ----------------
//
// A tile of R rows and C columns is numbered in row-major order: element
// (row, column) has the linear index row * C + column. A layout says who holds
// it. It has levels, from the widest place where partial results can meet to
// the narrowest: slice (a cluster among those that share a row; mostly there is
// one), cta (in a cluster), warp (in a CTA), lane (in a warp) and value (in a
// thread's registers). Each level is a list of modes `size:stride`, fastest
// first. Take 2 rows of 256 columns, held by one warp:
//
//     lane = [8:4, 4:32], value = [4:1, 2:128, 2:256]
//
// A level's index is written in mixed radix over its modes. Lane 11 = 3 + 8 * 1
// has the digits (3, 1); value 13 = 1 + 4 * (1 + 2 * 1) has the digits
// (1, 1, 1). The linear index is the sum of digit * stride over all levels:
//
//     lane 11            3 * 4  +  1 * 32                    =  44
//     value 13           1 * 1  +  1 * 128  +  1 * 256       = 385
//                                                      sum   = 429 = (1, 173)
//
// The first elements of the map, and its use of each axis:
//
//     lane \ value   0   1   2   3     4   5 ...    8   9 ...
//            0       0   1   2   3   128 129      256 257
//            1       4   5   6   7   132 133      260 261
//            2       8   9  10  11   136 137      264 265
//            8      32  33  34  35   160 161      288 289
//
//     mode           4:1    8:4    4:32   2:128  |  2:256
//     of             value  lane   lane   value  |  value
//     covers         4      32     128    256=C  |  512=R*C
//                    ---- column modes --------     row modes
//
// The second table is the whole theory. Sorted by stride, the modes of a legal
// layout form a chain: each stride is the product of the sizes before it, the
// chain passes through C exactly (no mode straddles two axes) and ends at R * C
// (every element has one owner). That is also necessary. Element 1 needs an
// owner, so some mode has stride 1; say it has size n. Elements below n are
// taken, so every other stride is at least n, and element n needs an owner, so
// some stride is n; and so on. Hence check() only sorts.
//
// Copies. A mode of stride 0 repeats the same elements: `lane = [32:0]` says
// that all lanes of the warp hold the same. Reductions skip such modes and one
// copy stores, so copies are left out of the rule above. A *nonzero* stride
// that meets another mode's elements is an error, not a copy:
//
//     1 x 256, lane = [32:8], value = [8:1], cta = [2:0]     legal, two copies
//     1 x 256, lane = [32:8], value = [8:1], cta = [2:128]   refused (L4):
//         element (0, 128) would be owned, and summed, twice
//
// The rules, as check() numbers them (C = columns; L6 is the attribute's):
//
//     L1   sizes are at least 1, strides at least 0
//     L2   a mode steps along one axis: size * stride <= C, or stride % C == 0
//     L3   lane sizes are powers of two with product 32
//     L4   without copies the map is one-to-one onto the tile
//     L5   value modes are not copies
//     L7   slices are stretches of a row: along the columns, slice modes step
//          farther than all others
//
// Reductions. A reduction along the columns consumes levels from the narrowest
// to the widest. What is left is again a tile with a layout, one column for
// each partial result:
//
//     tile        layout                                          consumed
//     1 x 131072  cta = [4:32768], warp = [8:128], lane = [32:4],
//                 value = [4:1, 32:1024]
//     1 x 1024    cta = [4:256], warp = [8:32], lane = [32:1]      value
//     1 x 32      cta = [4:8], warp = [8:1], lane = [32:0]         lane
//     1 x 4       cta = [4:1], warp = [8:0], lane = [32:0]         warp
//     1 x 1       cta = [4:0], warp = [8:0], lane = [32:0]         cta
//
// Where several clusters share a row, each has a slice of it, and one more
// level is left, `slice`, whose partials meet in global memory.
//
// Values vanish (a thread then holds one partial result), the other levels
// become copies (after a butterfly every lane knows the result). The column
// modes that are left keep their order and close ranks. Row modes keep their
// rows.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LAYOUT_TVLAYOUT_H
#define QUACK_LAYOUT_TVLAYOUT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace quack {

/// A step of a layout: `size` digits, `stride` elements apart. Stride 0 makes
/// `size` copies. Written `size:stride`.
struct Mode {
  int64_t size;
  int64_t stride;

  /// Returns whether the mode repeats elements instead of stepping over them.
  bool isCopy() const { return stride == 0; }

  bool operator==(const Mode &other) const {
    return size == other.size && stride == other.stride;
  }
  bool operator!=(const Mode &other) const { return !(*this == other); }
};

/// Prints `size:stride`.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Mode mode);

/// The modes of one level, fastest first. An empty list has size 1.
using Modes = llvm::SmallVector<Mode, 4>;

/// The places where partial results meet, in the order in which a reduction
/// consumes them.
enum class Level { Value, Lane, Warp, Cta, Slice };

/// All levels, in that order.
inline constexpr std::array<Level, 5> allLevels = {
    Level::Value, Level::Lane, Level::Warp, Level::Cta, Level::Slice};

/// The number of lanes of a warp; the product of the lane sizes (L3).
inline constexpr int64_t warpSize = 32;

/// Returns the name of `level` in the textual form: `value`, `lane`, `warp`,
/// `cta` or `slice`.
llvm::StringRef stringifyLevel(Level level);

/// The extents of a tile.
struct TileShape {
  int64_t rows;
  int64_t columns;

  /// Returns the number of elements. The shape must have been checked.
  int64_t elements() const { return rows * columns; }

  bool operator==(const TileShape &other) const {
    return rows == other.rows && columns == other.columns;
  }
  bool operator!=(const TileShape &other) const { return !(*this == other); }
};

/// Prints `rows x columns` as in a tensor type: `2x256`.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, TileShape tile);

/// An element of a tile, or the offset between two elements.
struct Coord {
  int64_t row;
  int64_t column;

  bool operator==(const Coord &other) const {
    return row == other.row && column == other.column;
  }
};

/// The holder of an element: an index for each level.
struct Owner {
  int64_t cta;
  int64_t warp;
  int64_t lane;
  int64_t value;
  int64_t slice = 0;

  bool operator==(const Owner &other) const {
    return slice == other.slice && cta == other.cta && warp == other.warp &&
           lane == other.lane && value == other.value;
  }
};

/// Why a layout is refused.
struct LayoutError {
  /// The rule that is broken, `L1` to `L5` or `L7`.
  llvm::StringRef rule;
  /// What was expected and what was found, in the form of a diagnostic:
  /// "lane sizes must be powers of two with product 32, got 3 * 8 = 24".
  std::string message;
};

/// A map from (slice, cta, warp, lane, value) to the elements of a tile.
///
/// A layout does not know its tile: queries that need the extents take them.
/// Unless a query says otherwise, `check` must have accepted the layout for
/// that tile.
class TVLayout {
public:
  TVLayout(Modes cta, Modes warp, Modes lane, Modes value, Modes slice = {});

  /// Returns the modes of `level`, fastest first, as they were given.
  const Modes &modes(Level level) const {
    return levels[static_cast<size_t>(level)];
  }

  /// Returns how many indices `level` has, copies included.
  ///
  ///     [4:1, 32:1024]   128
  ///     [8:0]              8
  ///     []                 1
  int64_t size(Level level) const;

  /// Returns the linear index that an owner holds. Each index must be in
  /// [0, size(level)). Needs no tile, and no legal layout.
  int64_t evaluate(int64_t cta, int64_t warp, int64_t lane, int64_t value,
                   int64_t slice = 0) const;
  int64_t evaluate(const Owner &owner) const {
    return evaluate(owner.cta, owner.warp, owner.lane, owner.value,
                    owner.slice);
  }

  /// Returns the columns of a slice of `tile`, all of them where a row is not
  /// split.
  ///
  ///     slice = [4:1024] on 1 x 4096    1024
  ///     slice = [4:0]    on 1 x 1          1
  int64_t sliceColumns(TileShape tile) const;

  /// Returns the first rule that the layout breaks on `tile`, if any. Accepts
  /// anything, at the cost of a sort of the modes.
  std::optional<LayoutError> check(TileShape tile) const;

  /// Returns whether, copies left out, every owner holds an element of `tile`
  /// and no two hold the same one. Accepts layouts that `check` refuses; only
  /// for those it walks the tile, which then must have less than 2^32 elements.
  bool isOneToOne(TileShape tile) const;

  /// Returns whether every element of `tile` has an owner. Accepts layouts that
  /// `check` refuses; only for those it walks the tile, as `isOneToOne` does.
  bool covers(TileShape tile) const;

  /// Returns all owners of the element `linear`; first the canonical one, whose
  /// copy digits are all 0. That is the copy which stores.
  ///
  ///     lane = [8:4, 4:0], value = [4:1] on 1 x 32:
  ///       inverse(5) = lane 1, lane 9, lane 17, lane 25, each with value 1
  llvm::SmallVector<Owner> inverse(int64_t linear, TileShape tile) const;

  /// Returns the vector width that the layout offers: the largest k such that,
  /// for every thread and every value v that is a multiple of k, the values v
  /// to v + k - 1 are consecutive elements of one row, the first at a column
  /// that is a multiple of k.
  ///
  ///     value = [4:1, 32:1024]         4
  ///     value = [4:1, 2:4]             8
  ///     value = [4:1, 2:4], C == 4     4   the second mode is a row mode
  ///     value = [4:32]                 1
  int64_t contiguousRun(TileShape tile) const;

  /// Returns what the digits of `value` add to the coordinates of a thread's
  /// first element.
  ///
  ///     value = [8:1, 4:64] on 4 x 64:  valueCoord(10) = (1, 2)
  Coord valueCoord(int64_t value, TileShape tile) const;

  /// Returns the layout that is left once the columns which `level` spreads are
  /// reduced to one, and sets `result` to its tile. Column modes of `level`
  /// vanish (Value) or become copies (the others); the other column modes close
  /// ranks in the order of their strides; row modes stay on their rows.
  ///
  ///     2 x 256, lane = [8:4, 4:32], value = [4:1, 2:128, 2:256]
  ///       Value:  2 x 32,   lane = [8:1, 4:8], value = [2:32]
  ///       Lane:   2 x 8,    lane = [8:0, 4:0], value = [4:1, 2:4, 2:8]
  TVLayout reduceLevel(Level level, TileShape tile, TileShape &result) const;

  /// Returns the layout of a row scalar: `reduceLevel` over all levels, on a
  /// tile of `tile.rows` rows and 1 column.
  TVLayout projectColumns(TileShape tile) const;

  /// Returns whether `mode` steps within a row of `tile`. Copies step along
  /// neither axis.
  ///
  ///     C = 256    4:1  column    2:128  column    2:256  row    4:0  neither
  ///     C = 1      2:1  row       2:2    row
  bool isColumnMode(Mode mode, TileShape tile) const;

  /// Returns whether `mode` steps from row to row of `tile`.
  bool isRowMode(Mode mode, TileShape tile) const;

  /// Returns the textual form, as in the attribute; empty levels are left out:
  /// `cta = [4:32768], warp = [8:128], lane = [32:4], value = [4:1, 32:1024]`.
  std::string str() const;

  bool operator==(const TVLayout &other) const {
    return levels == other.levels;
  }
  bool operator!=(const TVLayout &other) const { return !(*this == other); }

private:
  /// Indexed by Level.
  std::array<Modes, 5> levels;
};

} // namespace quack

#endif // QUACK_LAYOUT_TVLAYOUT_H
