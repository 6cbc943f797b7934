//===- TVLayoutReduceTest.cpp - What a reduction leaves --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of a layout, level by level: the chain of the design example, the
// shapes a plan may take, and brute-force grouping of the elements that meet.
// Invariant: what is left is legal on its tile, or the next step could not be
// typed.
//
//===----------------------------------------------------------------------===//

#include "LayoutSamples.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

using namespace quack;

static std::string print(TileShape tile) {
  return std::to_string(tile.rows) + "x" + std::to_string(tile.columns);
}

namespace {
/// A reduction of one level, with the text of what it leaves.
struct ReduceStep {
  Level level;
  const char *tile;
  const char *layout;
};
} // namespace

static void expectChain(TVLayout layout, TileShape tile,
                        const std::vector<ReduceStep> &steps) {
  for (const ReduceStep &step : steps) {
    layout = layout.reduceLevel(step.level, tile, tile);
    EXPECT_EQ(print(tile), step.tile);
    EXPECT_EQ(layout.str(), step.layout);
    EXPECT_FALSE(layout.check(tile)) << layout.str();
  }
}

TEST(TVLayoutReduceTest, designExample) {
  expectChain(
      {{{4, 32768}}, {{8, 128}}, {{32, 4}}, {{4, 1}, {32, 1024}}}, {1, 131072},
      {{Level::Value, "1x1024", "cta = [4:256], warp = [8:32], lane = [32:1]"},
       {Level::Lane, "1x32", "cta = [4:8], warp = [8:1], lane = [32:0]"},
       {Level::Warp, "1x4", "cta = [4:1], warp = [8:0], lane = [32:0]"},
       {Level::Cta, "1x1", "cta = [4:0], warp = [8:0], lane = [32:0]"}});
}

TEST(TVLayoutReduceTest, multiRowWarp) {
  expectChain({{}, {}, {{8, 8}, {4, 256}}, {{8, 1}, {4, 64}}}, {4, 256},
              {{Level::Value, "4x8", "lane = [8:1, 4:8]"},
               {Level::Lane, "4x1", "lane = [8:0, 4:1]"},
               {Level::Warp, "4x1", "lane = [8:0, 4:1]"}});
}

TEST(TVLayoutReduceTest, rowValueModesStay) {
  expectChain({{}, {}, {{8, 4}, {4, 32}}, {{4, 1}, {2, 128}, {2, 256}}},
              {2, 256},
              {{Level::Value, "2x32", "lane = [8:1, 4:8], value = [2:32]"},
               {Level::Lane, "2x1", "lane = [8:0, 4:0], value = [2:1]"}});
}

TEST(TVLayoutReduceTest, threeWarpsOfFiveCtas) {
  expectChain({{{5, 384}}, {{3, 128}}, {{32, 4}}, {{4, 1}}}, {1, 1920},
              {{Level::Value, "1x480",
                "cta = [5:96], warp = [3:32], "
                "lane = [32:1]"},
               {Level::Lane, "1x15",
                "cta = [5:3], warp = [3:1], "
                "lane = [32:0]"},
               {Level::Warp, "1x5",
                "cta = [5:1], warp = [3:0], "
                "lane = [32:0]"},
               {Level::Cta, "1x1",
                "cta = [5:0], warp = [3:0], "
                "lane = [32:0]"}});
}

TEST(TVLayoutReduceTest, rowsAtEveryLevel) {
  expectChain(
      {{{3, 768}}, {{3, 32}, {2, 384}}, {{16, 2}, {2, 96}}, {{2, 1}, {2, 192}}},
      {24, 96},
      {{Level::Value, "24x48",
        "cta = [3:384], warp = [3:16, 2:192], lane = [16:1, 2:48], "
        "value = [2:96]"},
       {Level::Lane, "24x3",
        "cta = [3:24], warp = [3:1, 2:12], lane = [16:0, 2:3], value = [2:6]"},
       {Level::Warp, "24x1",
        "cta = [3:8], warp = [3:0, 2:4], lane = [16:0, 2:1], value = [2:2]"},
       {Level::Cta, "24x1",
        "cta = [3:8], warp = [3:0, 2:4], lane = [16:0, 2:1], "
        "value = [2:2]"}});
}

TEST(TVLayoutReduceTest, copiesStayCopies) {
  expectChain({{{2, 0}}, {{2, 128}, {3, 0}}, {{16, 8}, {2, 0}}, {{8, 1}}},
              {1, 256},
              {{Level::Value, "1x32",
                "cta = [2:0], warp = [2:16, 3:0], "
                "lane = [16:1, 2:0]"},
               {Level::Cta, "1x32",
                "cta = [2:0], warp = [2:16, 3:0], "
                "lane = [16:1, 2:0]"},
               {Level::Lane, "1x2",
                "cta = [2:0], warp = [2:1, 3:0], "
                "lane = [16:0, 2:0]"}});
}

TEST(TVLayoutReduceTest, anyLevelMayComeFirst) {
  TVLayout layout({}, {}, {{8, 4}, {4, 32}}, {{4, 1}, {2, 128}, {2, 256}});
  expectChain(
      layout, {2, 256},
      {{Level::Lane, "2x8", "lane = [8:0, 4:0], value = [4:1, 2:4, 2:8]"}});
}

TEST(TVLayoutReduceTest, oneColumnIsLeftAlone) {
  TVLayout layout({}, {{3, 32}}, {{32, 1}}, {{2, 96}});
  TileShape tile = {192, 1};
  for (Level level : allLevels) {
    TileShape result;
    EXPECT_EQ(layout.reduceLevel(level, tile, result), layout);
    EXPECT_EQ(result, tile);
  }
  EXPECT_EQ(layout.projectColumns(tile), layout);
}

TEST(TVLayoutReduceTest, projectColumnsTable) {
  struct Row {
    TVLayout layout;
    TileShape tile;
    const char *projected;
  };
  const Row table[] = {
      {{{{4, 32768}}, {{8, 128}}, {{32, 4}}, {{4, 1}, {32, 1024}}},
       {1, 131072},
       "cta = [4:0], warp = [8:0], lane = [32:0]"},
      {{{}, {}, {{8, 8}, {4, 256}}, {{8, 1}, {4, 64}}},
       {4, 256},
       "lane = [8:0, 4:1]"},
      {{{}, {}, {{32, 8}}, {{8, 1}}}, {32, 8}, "lane = [32:1]"},
      {{{}, {}, {{32, 4}}, {{4, 1}, {2, 128}}},
       {2, 128},
       "lane = [32:0], value = [2:1]"},
  };
  for (const Row &row : table) {
    TVLayout projected = row.layout.projectColumns(row.tile);
    EXPECT_EQ(projected.str(), row.projected);
    EXPECT_FALSE(projected.check({row.tile.rows, 1}));
  }
}

TEST(TVLayoutReduceTest, allOrdersEndInTheProjection) {
  for (const auto &[name, tile, layout] : manySamples(/*numRandom=*/100)) {
    SCOPED_TRACE(std::string(name) + ": " + layout.str());
    auto order = allLevels;
    do {
      TVLayout reduced = layout;
      TileShape reducedTile = tile;
      for (Level level : order)
        reduced = reduced.reduceLevel(level, reducedTile, reducedTile);
      EXPECT_EQ(reducedTile, (TileShape{tile.rows, 1}));
      forEachOwner(reduced, [&, &layout = layout, &tile = tile](Owner owner) {
        EXPECT_EQ(reduced.evaluate(owner),
                  layout.projectColumns(tile).evaluate(owner));
      });
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

/// Returns, for each element of `tile`, the number of the partial result it
/// goes into when `level` is reduced along the columns: elements of one row
/// meet if owners that differ only in `level` hold them. Partial results are
/// numbered in row-major order of their first elements.
static std::vector<int64_t> groupByMeeting(const TVLayout &layout, Level level,
                                           TileShape tile) {
  std::vector<int64_t> parent(tile.elements());
  std::iota(parent.begin(), parent.end(), 0);
  auto find = [&](int64_t element) {
    while (parent[element] != element)
      element = parent[element] = parent[parent[element]];
    return element;
  };
  // The first element seen for each place where elements meet.
  std::map<std::array<int64_t, 6>, int64_t> meeting;
  forEachOwner(layout, [&](Owner owner) {
    int64_t linear = layout.evaluate(owner);
    std::array<int64_t, 6> place = {linear / tile.columns,
                                    owner.value,
                                    owner.lane,
                                    owner.warp,
                                    owner.cta,
                                    owner.slice};
    place[1 + static_cast<size_t>(level)] = 0;
    auto [first, isNew] = meeting.try_emplace(place, linear);
    int64_t a = find(first->second), b = find(linear);
    parent[std::max(a, b)] = std::min(a, b);
  });
  std::vector<int64_t> group(tile.elements());
  int64_t numGroups = 0;
  for (int64_t element = 0; element < tile.elements(); ++element)
    group[element] =
        find(element) == element ? numGroups++ : group[find(element)];
  return group;
}

/// Returns the owner of the partial result that `owner` works on: the digits
/// that are dropped from the values are taken out.
static Owner dropReducedValues(const TVLayout &layout, TileShape tile,
                               Owner owner) {
  int64_t index = owner.value, kept = 0, weight = 1;
  for (Mode mode : layout.modes(Level::Value)) {
    if (layout.isRowMode(mode, tile)) {
      kept += index % mode.size * weight;
      weight *= mode.size;
    }
    index /= mode.size;
  }
  owner.value = kept;
  return owner;
}

TEST(TVLayoutReduceTest, isTheGroupingOfElementsThatMeet) {
  for (const auto &[name, tile, layout] : manySamples(/*numRandom=*/150)) {
    for (Level level : allLevels) {
      SCOPED_TRACE(std::string(name) + ": " + layout.str() + " reduced by " +
                   stringifyLevel(level).str());
      std::vector<int64_t> group = groupByMeeting(layout, level, tile);
      TileShape result;
      TVLayout reduced = layout.reduceLevel(level, tile, result);
      auto error = reduced.check(result);
      ASSERT_FALSE(error) << reduced.str() << ": " << error->message;
      std::set<int64_t> groups(group.begin(), group.end());
      ASSERT_EQ(static_cast<size_t>(result.elements()), groups.size());
      forEachOwner(layout, [&, &layout = layout, &tile = tile](Owner owner) {
        Owner holder = level == Level::Value
                           ? dropReducedValues(layout, tile, owner)
                           : owner;
        ASSERT_EQ(reduced.evaluate(holder), group[layout.evaluate(owner)]);
      });
    }
  }
}
