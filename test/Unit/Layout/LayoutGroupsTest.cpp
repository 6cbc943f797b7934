//===- LayoutGroupsTest.cpp - groups of columns ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of what is left of a layout, and by brute force: each thread holds
// exactly the groups of which it has columns.
//
//===----------------------------------------------------------------------===//

#include "quack/Layout/LayoutGroups.h"

#include "gtest/gtest.h"

#include <set>

using namespace quack;

static std::string describe(const TVLayout &layout, TileShape tile,
                            int64_t group) {
  std::optional<LayoutGroups> groups = groupColumns(layout, tile, group);
  if (!groups)
    return "none";
  return std::to_string(groups->result.rows) + "x" +
         std::to_string(groups->result.columns) + " " + groups->groups.str();
}

TEST(LayoutGroupsTest, table) {
  TVLayout wide{{}, {{4, 1024}}, {{32, 8}}, {{8, 1}, {4, 256}}};
  EXPECT_EQ(describe(wide, {1, 4096}, 128),
            "1x32 warp = [4:8], lane = [16:0, 2:1], value = [4:2]");
  EXPECT_EQ(describe(wide, {1, 4096}, 32),
            "1x128 warp = [4:32], lane = [4:0, 8:1], value = [4:8]");
  EXPECT_EQ(describe(wide, {1, 4096}, 8),
            "1x512 warp = [4:128], lane = [32:1], value = [4:32]");
  EXPECT_EQ(describe(wide, {1, 4096}, 512),
            "1x8 warp = [4:2], lane = [32:0], value = [2:1]");
  EXPECT_EQ(describe(wide, {1, 4096}, 1024), "1x4 warp = [4:1], lane = [32:0]");
  // Several warps would have a part.
  EXPECT_EQ(describe(wide, {1, 4096}, 2048), "none");
  EXPECT_EQ(describe(wide, {1, 4096}, 96), "none");
  // The end of a group within a lane's digit of three.
  TVLayout three{{}, {}, {{32, 2}}, {{2, 1}, {3, 64}}};
  EXPECT_EQ(describe(three, {1, 192}, 64), "1x3 lane = [32:0], value = [3:1]");
  EXPECT_EQ(describe(three, {1, 192}, 96), "none");
  EXPECT_EQ(describe(three, {1, 192}, 128), "none");
  // A few lanes a row, several rows a warp and a thread.
  TVLayout rows{
      {}, {{2, 2048}}, {{4, 4}, {8, 256}}, {{4, 1}, {4, 16}, {4, 64}}};
  EXPECT_EQ(describe(rows, {64, 64}, 32),
            "64x2 warp = [2:64], lane = [4:0, 8:8], value = [2:1, 4:2]");
  EXPECT_EQ(describe(rows, {64, 64}, 64),
            "64x1 warp = [2:32], lane = [4:0, 8:4], value = [4:1]");
  TVLayout slices{{{2, 512}}, {{2, 256}}, {{32, 8}}, {{8, 1}}, {{3, 1024}}};
  EXPECT_EQ(
      describe(slices, {1, 3072}, 64),
      "1x48 slice = [3:16], cta = [2:8], warp = [2:4], lane = [8:0, 4:1]");
}

/// Returns the groups of which a thread has columns.
static std::set<int64_t> groupsOf(const TVLayout &layout, TileShape tile,
                                  int64_t group, int64_t warp, int64_t lane) {
  std::set<int64_t> groups;
  for (int64_t value = 0; value < layout.size(Level::Value); ++value) {
    int64_t element = layout.evaluate(0, warp, lane, value);
    int64_t row = element / tile.columns, column = element % tile.columns;
    groups.insert(row * (tile.columns / group) + column / group);
  }
  return groups;
}

TEST(LayoutGroupsTest, threadsHoldTheGroupsOfTheirColumns) {
  const std::pair<TVLayout, TileShape> layouts[] = {
      {{{}, {{4, 1024}}, {{32, 8}}, {{8, 1}, {4, 256}}}, {1, 4096}},
      {{{}, {{3, 384}}, {{32, 4}}, {{4, 1}, {3, 128}}}, {1, 1152}},
      {{{}, {{2, 2048}}, {{4, 4}, {8, 256}}, {{4, 1}, {4, 16}, {4, 64}}},
       {64, 64}}};
  for (const auto &[layout, tile] : layouts)
    for (int64_t group : {4, 8, 16, 32, 64, 128, 256, 384})
      if (std::optional<LayoutGroups> groups =
              groupColumns(layout, tile, group)) {
        EXPECT_FALSE(groups->rows.check(groups->shape)) << groups->rows.str();
        EXPECT_FALSE(groups->groups.check(groups->result))
            << groups->groups.str();
        for (int64_t warp = 0; warp < layout.size(Level::Warp); ++warp)
          for (int64_t lane = 0; lane < warpSize; ++lane)
            EXPECT_EQ(groupsOf(groups->groups, groups->result, 1, warp, lane),
                      groupsOf(layout, tile, group, warp, lane))
                << layout.str() << " by " << group;
      }
}
