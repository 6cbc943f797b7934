//===- quack/Layout/LayoutGroups.h - groups of columns ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who holds what once each G consecutive columns have been reduced to one. A
// tile of R x C is numbered in row-major order, so it is also one of R * C / G
// rows of G columns, and a reduction of all columns of that one is what a group
// reduction is of this one. A mode that steps within groups and beyond them
// becomes two.
//
//     1 x 4096, lane = [32:8], value = [8:1, 16:256], groups of 128
//     as 32 x 128:  lane = [16:8, 2:128], value = [8:1, 16:256]
//     reduced:      lane = [16:0, 2:1],   value = [16:2], on 1 x 32
//
// The columns of a group must lie within a warp, so that no partial result goes
// through shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LAYOUT_LAYOUTGROUPS_H
#define QUACK_LAYOUT_LAYOUTGROUPS_H

#include "quack/Layout/TVLayout.h"

#include <optional>

namespace quack {

/// A tile seen as one with a row for each group of columns.
struct LayoutGroups {
  TVLayout rows;    ///< the layout of the tile, with a row for each group
  TileShape shape;  ///< its shape: R * C / G x G
  TVLayout groups;  ///< with one element for each group
  TileShape result; ///< its shape: R x C / G
};

/// Returns `tile`, which `layout` is legal for, in groups of `group` columns.
/// Nothing if groups do not fill the tile's columns, if no two modes meet where
/// a group ends, or if several warps have a part of a group.
///
///     1 x 768, warp = [3:256], lane = [32:8], value = [8:1], 128    1 x 6
///     1 x 768, the same layout                               512    nothing
///     1 x 192, warp = [3:64], lane = [32:2], value = [2:1],  128    nothing
std::optional<LayoutGroups> groupColumns(const TVLayout &layout, TileShape tile,
                                         int64_t group);

} // namespace quack

#endif // QUACK_LAYOUT_LAYOUTGROUPS_H
