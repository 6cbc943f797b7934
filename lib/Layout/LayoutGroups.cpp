//===- LayoutGroups.cpp - groups of columns ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Layout/LayoutGroups.h"

using namespace quack;

/// Splits the modes of a level where a group of `group` columns ends; nothing
/// if a mode steps over that place.
static std::optional<Modes> splitModes(const Modes &modes, int64_t group) {
  Modes split;
  for (Mode mode : modes) {
    bool isWithin = mode.isCopy() || mode.stride * mode.size <= group;
    if (isWithin || mode.stride % group == 0) {
      split.push_back(mode);
      continue;
    }
    int64_t within = group / mode.stride;
    if (group % mode.stride != 0 || mode.size % within != 0)
      return std::nullopt;
    split.push_back({within, mode.stride});
    split.push_back({mode.size / within, group});
  }
  return split;
}

std::optional<LayoutGroups> quack::groupColumns(const TVLayout &layout,
                                                TileShape tile, int64_t group) {
  if (group < 1 || tile.columns % group != 0)
    return std::nullopt;
  std::array<Modes, 5> modes;
  for (Level level : allLevels) {
    std::optional<Modes> split = splitModes(layout.modes(level), group);
    if (!split)
      return std::nullopt;
    bool isBelow = level == Level::Value || level == Level::Lane;
    for (Mode mode : *split)
      if (!isBelow && mode.size > 1 && !mode.isCopy() && mode.stride < group)
        return std::nullopt;
    modes[static_cast<size_t>(level)] = std::move(*split);
  }
  auto at = [&](Level level) { return modes[static_cast<size_t>(level)]; };
  TVLayout rows(at(Level::Cta), at(Level::Warp), at(Level::Lane),
                at(Level::Value), at(Level::Slice));
  TileShape shape{tile.elements() / group, group};
  return LayoutGroups{rows,
                      shape,
                      rows.projectColumns(shape),
                      {tile.rows, tile.columns / group}};
}
