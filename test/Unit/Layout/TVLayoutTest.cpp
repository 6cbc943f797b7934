//===- TVLayoutTest.cpp - Truth tables of the layout algebra ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The map, its inverse and the text of a layout: truth tables for what can be
// read off by eye, and brute force over the samples for the rest. Rules and
// reductions have files of their own. Invariant: expected values are written
// out or enumerated, never computed with the algebra under test.
//
//===----------------------------------------------------------------------===//

#include "LayoutSamples.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <map>

using namespace quack;

static const TVLayout headerExample({}, {}, {{8, 4}, {4, 32}},
                                    {{4, 1}, {2, 128}, {2, 256}});
static const TVLayout designExample({{4, 32768}}, {{8, 128}}, {{32, 4}},
                                    {{4, 1}, {32, 1024}});

TEST(TVLayoutTest, evaluateIsTheTableOfTheHeader) {
  const int64_t values[] = {0, 1, 2, 3, 4, 5, 8, 9};
  const std::map<int64_t, std::vector<int64_t>> table = {
      {0, {0, 1, 2, 3, 128, 129, 256, 257}},
      {1, {4, 5, 6, 7, 132, 133, 260, 261}},
      {2, {8, 9, 10, 11, 136, 137, 264, 265}},
      {8, {32, 33, 34, 35, 160, 161, 288, 289}},
  };
  for (const auto &[lane, row] : table)
    for (size_t i = 0; i < row.size(); ++i)
      EXPECT_EQ(headerExample.evaluate(0, 0, lane, values[i]), row[i])
          << "lane " << lane << " value " << values[i];
  EXPECT_EQ(headerExample.evaluate(0, 0, 11, 13), 429);
}

TEST(TVLayoutTest, evaluateAddsEveryLevel) {
  struct Row {
    Owner owner;
    int64_t linear;
  };
  const Row table[] = {
      {{0, 0, 0, 0}, 0},         {{0, 0, 0, 3}, 3},
      {{0, 0, 0, 4}, 1024},      {{0, 0, 0, 127}, 31747},
      {{0, 0, 1, 0}, 4},         {{0, 0, 31, 0}, 124},
      {{0, 1, 0, 0}, 128},       {{0, 7, 31, 3}, 1023},
      {{1, 0, 0, 0}, 32768},     {{2, 3, 4, 5}, 65536 + 384 + 16 + 1025},
      {{3, 7, 31, 127}, 131071},
  };
  for (const Row &row : table)
    EXPECT_EQ(designExample.evaluate(row.owner), row.linear);
}

TEST(TVLayoutTest, sizeCountsCopies) {
  EXPECT_EQ(designExample.size(Level::Value), 128);
  EXPECT_EQ(designExample.size(Level::Lane), 32);
  EXPECT_EQ(designExample.size(Level::Warp), 8);
  EXPECT_EQ(designExample.size(Level::Cta), 4);
  EXPECT_EQ(headerExample.size(Level::Cta), 1);
  TVLayout copies({{2, 0}}, {{3, 0}, {2, 32}}, {{32, 1}}, {});
  EXPECT_EQ(copies.size(Level::Cta), 2);
  EXPECT_EQ(copies.size(Level::Warp), 6);
  EXPECT_EQ(copies.size(Level::Value), 1);
}

TEST(TVLayoutTest, modesAreKeptAsGiven) {
  EXPECT_EQ(designExample.modes(Level::Cta), (Modes{{4, 32768}}));
  EXPECT_EQ(designExample.modes(Level::Value), (Modes{{4, 1}, {32, 1024}}));
  EXPECT_TRUE(headerExample.modes(Level::Warp).empty());
  EXPECT_EQ(designExample, TVLayout(designExample));
  EXPECT_NE(designExample, headerExample);
}

TEST(TVLayoutTest, strLeavesOutEmptyLevels) {
  EXPECT_EQ(designExample.str(), "cta = [4:32768], warp = [8:128], lane = "
                                 "[32:4], value = [4:1, 32:1024]");
  EXPECT_EQ(headerExample.str(),
            "lane = [8:4, 4:32], value = [4:1, 2:128, 2:256]");
  EXPECT_EQ(TVLayout({}, {{3, 32}}, {{32, 1}}, {}).str(),
            "warp = [3:32], lane = [32:1]");
  EXPECT_EQ(TVLayout({}, {}, {}, {}).str(), "");
}

TEST(TVLayoutTest, modesStepAlongOneAxis) {
  struct Row {
    Mode mode;
    int64_t columns;
    bool isColumn, isRow;
  };
  const Row table[] = {
      {{4, 1}, 256, true, false},    {{2, 128}, 256, true, false},
      {{2, 256}, 256, false, true},  {{3, 512}, 256, false, true},
      {{4, 0}, 256, false, false},   {{3, 128}, 256, false, false},
      {{2, 300}, 256, false, false}, {{2, 1}, 1, false, true},
      {{2, 3}, 1, false, true},      {{4, 0}, 1, false, false},
      {{1, 64}, 256, true, false},   {{1, 256}, 256, false, true},
      {{3, 128}, 384, true, false},
  };
  const TVLayout &layout = headerExample;
  for (const Row &row : table) {
    TileShape tile = {4, row.columns};
    EXPECT_EQ(layout.isColumnMode(row.mode, tile), row.isColumn)
        << row.mode.size << ":" << row.mode.stride << " in " << row.columns;
    EXPECT_EQ(layout.isRowMode(row.mode, tile), row.isRow)
        << row.mode.size << ":" << row.mode.stride << " in " << row.columns;
  }
}

TEST(TVLayoutTest, inverseListsTheCanonicalCopyFirst) {
  TVLayout layout({{2, 0}}, {}, {{8, 4}, {4, 0}}, {{4, 1}});
  auto owners = layout.inverse(5, {1, 32});
  ASSERT_EQ(owners.size(), 8u);
  EXPECT_EQ(owners.front(), (Owner{0, 0, 1, 1}));
  for (int64_t cta : {0, 1})
    for (int64_t lane : {1, 9, 17, 25})
      EXPECT_TRUE(llvm::is_contained(owners, Owner{cta, 0, lane, 1}))
          << "cta " << cta << " lane " << lane;
}

TEST(TVLayoutTest, inverseOfTheDesignExample) {
  TileShape tile = {1, 131072};
  ASSERT_FALSE(designExample.check(tile));
  for (int64_t linear : {0, 1, 1023, 1024, 32767, 32768, 70000, 131071}) {
    auto owners = designExample.inverse(linear, tile);
    ASSERT_EQ(owners.size(), 1u);
    EXPECT_EQ(designExample.evaluate(owners[0]), linear);
  }
  EXPECT_EQ(designExample.inverse(66961, tile)[0], (Owner{2, 3, 4, 5}));
}

/// Returns whether all copy digits of `owner` are 0.
static bool isCanonical(const TVLayout &layout, Owner owner) {
  auto hasNoCopyDigit = [](const Modes &modes, int64_t index) {
    for (Mode mode : modes) {
      if (mode.stride == 0 && index % mode.size != 0)
        return false;
      index /= mode.size;
    }
    return true;
  };
  return hasNoCopyDigit(layout.modes(Level::Slice), owner.slice) &&
         hasNoCopyDigit(layout.modes(Level::Cta), owner.cta) &&
         hasNoCopyDigit(layout.modes(Level::Warp), owner.warp) &&
         hasNoCopyDigit(layout.modes(Level::Lane), owner.lane) &&
         hasNoCopyDigit(layout.modes(Level::Value), owner.value);
}

TEST(TVLayoutTest, inverseIsTheEnumeratedInverse) {
  for (const auto &[name, tile, layout] : manySamples(/*numRandom=*/200)) {
    SCOPED_TRACE(std::string(name) + ": " + layout.str());
    ASSERT_FALSE(layout.check(tile));
    std::map<int64_t, std::vector<Owner>> owners;
    forEachOwner(layout,
                 [&](Owner o) { owners[layout.evaluate(o)].push_back(o); });
    ASSERT_EQ(owners.size(), static_cast<size_t>(tile.elements()));
    for (const auto &[linear, expected] : owners) {
      auto found = layout.inverse(linear, tile);
      ASSERT_EQ(found.size(), expected.size()) << "element " << linear;
      for (Owner owner : expected)
        ASSERT_TRUE(llvm::is_contained(found, owner)) << "element " << linear;
      ASSERT_TRUE(isCanonical(layout, found.front())) << "element " << linear;
      ASSERT_EQ(llvm::count_if(expected,
                               [&](Owner o) { return isCanonical(layout, o); }),
                1);
    }
  }
}

TEST(TVLayoutTest, contiguousRunTable) {
  struct Row {
    const char *name;
    TileShape tile;
    TVLayout layout;
    int64_t run;
  };
  const Row table[] = {
      {"leading mode", {1, 131072}, designExample, 4},
      {"two modes in a chain",
       {1, 256},
       {{}, {}, {{32, 8}}, {{4, 1}, {2, 4}}},
       8},
      {"size 1 in between",
       {1, 256},
       {{}, {}, {{32, 8}}, {{4, 1}, {1, 4}, {2, 4}}},
       8},
      {"the next row", {64, 4}, {{}, {}, {{32, 8}}, {{4, 1}, {2, 4}}}, 4},
      {"strided values", {1, 256}, {{}, {}, {{32, 1}}, {{8, 32}}}, 1},
      {"slowest first", {1, 256}, {{}, {}, {{32, 8}}, {{2, 4}, {4, 1}}}, 1},
      {"three values", {1, 96}, {{}, {}, {{32, 3}}, {{3, 1}}}, 3},
      {"no values", {1, 32}, {{}, {}, {{32, 1}}, {}}, 1},
      {"one column", {64, 1}, {{}, {}, {{32, 2}}, {{2, 1}}}, 1},
  };
  for (const Row &row : table)
    EXPECT_EQ(row.layout.contiguousRun(row.tile), row.run) << row.name;
}

/// Returns whether every aligned group of `run` values is consecutive, in one
/// row and aligned, in every thread.
static bool isContiguous(const TVLayout &layout, TileShape tile, int64_t run) {
  bool result = layout.size(Level::Value) % run == 0;
  forEachOwner(layout, [&](Owner owner) {
    if (!result)
      return;
    Owner start = owner;
    start.value -= owner.value % run;
    int64_t first = layout.evaluate(start);
    int64_t linear = layout.evaluate(owner);
    result = linear == first + owner.value % run &&
             linear / tile.columns == first / tile.columns &&
             first % tile.columns % run == 0;
  });
  return result;
}

TEST(TVLayoutTest, contiguousRunIsTheLargestThatHolds) {
  for (const auto &[name, tile, layout] : manySamples(/*numRandom=*/200)) {
    SCOPED_TRACE(std::string(name) + ": " + layout.str());
    int64_t longest = 1;
    for (int64_t run = 2; run <= layout.size(Level::Value); ++run)
      if (isContiguous(layout, tile, run))
        longest = run;
    EXPECT_EQ(layout.contiguousRun(tile), longest);
  }
}

TEST(TVLayoutTest, valueCoordTable) {
  TVLayout layout({}, {}, {{8, 8}, {4, 256}}, {{8, 1}, {4, 64}});
  TileShape tile = {4, 256};
  EXPECT_EQ(layout.valueCoord(0, tile), (Coord{0, 0}));
  EXPECT_EQ(layout.valueCoord(7, tile), (Coord{0, 7}));
  EXPECT_EQ(layout.valueCoord(8, tile), (Coord{0, 64}));
  EXPECT_EQ(layout.valueCoord(31, tile), (Coord{0, 199}));
  EXPECT_EQ(headerExample.valueCoord(13, {2, 256}), (Coord{1, 129}));
  TVLayout rows({}, {}, {{8, 8}, {4, 0}}, {{8, 1}, {4, 64}});
  EXPECT_EQ(rows.valueCoord(10, {4, 64}), (Coord{1, 2}));
}

TEST(TVLayoutTest, valueCoordIsTheSameInEveryThread) {
  for (const auto &[name, tile, layout] : manySamples(/*numRandom=*/100)) {
    SCOPED_TRACE(std::string(name) + ": " + layout.str());
    bool same = true;
    forEachOwner(layout, [&, &layout = layout, &tile = tile](Owner owner) {
      int64_t linear = layout.evaluate(owner);
      int64_t base =
          layout.evaluate(owner.cta, owner.warp, owner.lane, 0, owner.slice);
      Coord offset = {linear / tile.columns - base / tile.columns,
                      linear % tile.columns - base % tile.columns};
      same &= offset == layout.valueCoord(owner.value, tile);
    });
    EXPECT_TRUE(same);
  }
}
