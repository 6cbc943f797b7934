//===- TVLayoutRulesTest.cpp - What a layout may not be --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule of check() with layouts that break it and the full message, and
// the verdicts on damaged layouts against enumeration. Invariant: a message is
// compared whole, since users see it.
//
//===----------------------------------------------------------------------===//

#include "LayoutSamples.h"

#include "gtest/gtest.h"

#include <limits>

using namespace quack;

static constexpr int64_t huge = std::numeric_limits<int64_t>::max();

namespace {
struct Refusal {
  TileShape tile;
  TVLayout layout;
  const char *rule;
  const char *message;
};
} // namespace

static void expectRefused(const std::vector<Refusal> &table) {
  for (const Refusal &row : table) {
    auto error = row.layout.check(row.tile);
    ASSERT_TRUE(error) << row.layout.str();
    EXPECT_EQ(error->rule.str(), row.rule) << row.layout.str();
    EXPECT_EQ(error->message, row.message);
  }
}

TEST(TVLayoutRulesTest, acceptsTheSamples) {
  for (const auto &[name, tile, layout] : manySamples(/*numRandom=*/500)) {
    auto error = layout.check(tile);
    EXPECT_FALSE(error) << name << ": " << layout.str() << ": "
                        << error->message;
    EXPECT_TRUE(layout.isOneToOne(tile)) << name;
    EXPECT_TRUE(layout.covers(tile)) << name;
  }
}

TEST(TVLayoutRulesTest, refusesL1Ranges) {
  expectRefused({
      {{1, 32},
       {{}, {{0, 4}}, {{32, 1}}, {}},
       "L1",
       "sizes must be at least 1, got warp mode 0:4"},
      {{1, 32},
       {{{-2, 4}}, {}, {{32, 1}}, {}},
       "L1",
       "sizes must be at least 1, got cta mode -2:4"},
      {{1, 64},
       {{}, {}, {{32, 2}}, {{2, -1}}},
       "L1",
       "strides must be at least 0, got value mode 2:-1"},
  });
}

TEST(TVLayoutRulesTest, refusesL2ModesAcrossAxes) {
  expectRefused({
      {{4, 48},
       {{}, {}, {{32, 3}}, {{3, 1}}},
       "L2",
       "each mode must step along one axis (size * stride at most 48, or "
       "stride a multiple of 48), got lane mode 32:3 with 32 * 3 = 96"},
      {{2, 100},
       {{}, {{2, 150}}, {{32, 1}}, {}},
       "L2",
       "each mode must step along one axis (size * stride at most 100, or "
       "stride a multiple of 100), got warp mode 2:150 with 2 * 150 = 300"},
      {{1, 100},
       {{}, {}, {{32, 3}}, {{5, 25}}},
       "L2",
       "each mode must step along one axis (size * stride at most 100, or "
       "stride a multiple of 100), got value mode 5:25 with 5 * 25 = 125"},
      {{1, 64},
       {{}, {{huge, 3}}, {{32, 2}}, {}},
       "L2",
       "each mode must step along one axis (size * stride at most 64, or "
       "stride a multiple of 64), got warp mode 9223372036854775807:3 with "
       "9223372036854775807 * 3 = 9223372036854775807"},
  });
}

TEST(TVLayoutRulesTest, refusesL7SlicesWithinOtherLevels) {
  expectRefused({
      {{1, 64},
       {{}, {}, {{32, 2}}, {}, {{2, 1}}},
       "L7",
       "slice modes must step farther along the columns than all others, got "
       "slice mode 2:1 and lane mode 32:2"},
      {{1, 128},
       {{{2, 64}}, {}, {{32, 1}}, {}, {{2, 32}}},
       "L7",
       "slice modes must step farther along the columns than all others, got "
       "slice mode 2:32 and cta mode 2:64"},
  });
  // Rows may lie farther apart, and a mode of one step steps nowhere.
  EXPECT_FALSE(
      TVLayout({}, {}, {{32, 1}}, {{2, 64}}, {{2, 32}}).check({2, 64}));
  EXPECT_FALSE(
      TVLayout({{1, 64}}, {}, {{32, 1}}, {}, {{2, 32}}).check({1, 64}));
}

TEST(TVLayoutRulesTest, refusesL3LaneSizes) {
  expectRefused({
      {{1, 24},
       {{}, {}, {{3, 1}, {8, 3}}, {}},
       "L3",
       "lane sizes must be powers of two with product 32, got 3 * 8 = 24"},
      {{1, 16},
       {{}, {}, {{16, 1}}, {}},
       "L3",
       "lane sizes must be powers of two with product 32, got 16"},
      {{1, 4},
       {{}, {}, {}, {{4, 1}}},
       "L3",
       "lane sizes must be powers of two with product 32, got 1"},
      {{1, 64},
       {{}, {}, {{4, 1}, {4, 4}, {4, 16}}, {}},
       "L3",
       "lane sizes must be powers of two with product 32, got 4 * 4 * 4 = 64"},
      {{1, 32},
       {{}, {}, {{32, 1}, {int64_t(1) << 62, 0}, {4, 0}}, {}},
       "L3",
       "lane sizes must be powers of two with product 32, got 32 * "
       "4611686018427387904 * 4 = 9223372036854775807"},
  });
}

TEST(TVLayoutRulesTest, refusesL4TwoOwners) {
  expectRefused({
      // Two CTAs of a cluster own the same columns.
      {{1, 256},
       {{{2, 128}}, {}, {{32, 8}}, {{8, 1}}},
       "L4",
       "without copies the map must be one-to-one onto the 1x256 tile, got "
       "two owners of element (0, 128)"},
      // The sizes multiply to the tile, yet steps coincide.
      {{1, 128},
       {{{2, 1}}, {}, {{32, 2}}, {{2, 1}}},
       "L4",
       "without copies the map must be one-to-one onto the 1x128 tile, got "
       "two owners of element (0, 1)"},
      {{2, 64},
       {{}, {{2, 64}}, {{32, 2}}, {{2, 1}, {2, 64}}},
       "L4",
       "without copies the map must be one-to-one onto the 2x64 tile, got two "
       "owners of element (1, 0)"},
  });
}

TEST(TVLayoutRulesTest, refusesL4NoOwner) {
  expectRefused({
      {{1, 256},
       {{}, {}, {{32, 4}}, {{4, 1}}},
       "L4",
       "without copies the map must be one-to-one onto the 1x256 tile, got no "
       "owner of element (0, 128)"},
      {{1, 64},
       {{}, {}, {{32, 2}}, {}},
       "L4",
       "without copies the map must be one-to-one onto the 1x64 tile, got no "
       "owner of element (0, 1)"},
      {{2, 64},
       {{}, {{2, 64}}, {{32, 1}}, {}},
       "L4",
       "without copies the map must be one-to-one onto the 2x64 tile, got no "
       "owner of element (0, 32)"},
      {{4, 32},
       {{}, {{2, 64}}, {{32, 1}}, {}},
       "L4",
       "without copies the map must be one-to-one onto the 4x32 tile, got no "
       "owner of element (1, 0)"},
  });
}

TEST(TVLayoutRulesTest, refusesL4RowsBeyondTheTile) {
  expectRefused({
      // Two CTAs, each as wide as the row: the second is a row too far.
      {{1, 256},
       {{{2, 256}}, {}, {{32, 8}}, {{8, 1}}},
       "L4",
       "row modes must stay below row 1, got cta mode 2:256 reaching row 1"},
      {{3, 32},
       {{}, {{4, 32}}, {{32, 1}}, {}},
       "L4",
       "row modes must stay below row 3, got warp mode 4:32 reaching row 3"},
      {{1, 32},
       {{}, {{huge, 32}}, {{32, 1}}, {}},
       "L4",
       "row modes must stay below row 1, got warp mode 9223372036854775807:32 "
       "reaching row 9223372036854775806"},
  });
}

TEST(TVLayoutRulesTest, refusesL4ImpossibleTiles) {
  TVLayout layout({}, {}, {{32, 1}}, {});
  expectRefused({{{0, 32},
                  layout,
                  "L4",
                  "a tile must have at least 1 row, 1 column and less than "
                  "2^63 elements, got 0x32"}});
  for (TileShape tile : {TileShape{1, 0}, TileShape{-1, 32}, TileShape{huge, 2},
                         TileShape{std::numeric_limits<int64_t>::min(), 32}}) {
    auto error = layout.check(tile);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->rule.str(), "L4");
    EXPECT_FALSE(layout.isOneToOne(tile));
    EXPECT_FALSE(layout.covers(tile));
  }
}

TEST(TVLayoutRulesTest, refusesL5ValueCopies) {
  expectRefused({
      {{1, 32},
       {{}, {}, {{32, 1}}, {{4, 0}}},
       "L5",
       "value modes must not be copies, got value mode 4:0"},
      {{1, 64},
       {{}, {}, {{32, 2}}, {{2, 1}, {1, 0}}},
       "L5",
       "value modes must not be copies, got value mode 1:0"},
  });
}

TEST(TVLayoutRulesTest, oneToOneAndCoversAreApart) {
  struct Row {
    const char *name;
    TileShape tile;
    TVLayout layout;
    bool isOneToOne, covers;
  };
  const Row table[] = {
      {"legal", {1, 64}, {{}, {}, {{32, 2}}, {{2, 1}}}, true, true},
      {"copies only", {1, 32}, {{{2, 0}}, {}, {{32, 1}}, {}}, true, true},
      {"a gap", {1, 64}, {{}, {}, {{32, 2}}, {}}, true, false},
      {"an overlap", {1, 34}, {{}, {}, {{32, 1}}, {{3, 1}}}, false, true},
      {"beyond the tile", {1, 32}, {{{2, 32}}, {}, {{32, 1}}, {}}, false, true},
      {"gap and overlap", {1, 99}, {{}, {}, {{32, 3}}, {{2, 3}}}, false, false},
      {"interleaved, one-to-one",
       {1, 96},
       {{}, {}, {{2, 3}}, {{3, 2}}},
       true,
       false},
      {"huge", {1, 32}, {{}, {}, {{32, 1}}, {{huge, huge}}}, false, true},
      {"negative", {1, 32}, {{}, {}, {{32, 1}}, {{2, -1}}}, false, false},
  };
  for (const Row &row : table) {
    EXPECT_EQ(row.layout.isOneToOne(row.tile), row.isOneToOne) << row.name;
    EXPECT_EQ(row.layout.covers(row.tile), row.covers) << row.name;
  }
}

/// Compares the verdicts on `layout` with an enumeration of its owners.
static void expectVerdictsHold(const TVLayout &layout, TileShape tile) {
  int64_t copies = 1, nearestSlice = huge, farthestOther = 0;
  bool followsOtherRules = layout.size(Level::Lane) == warpSize;
  for (Level level : allLevels)
    for (Mode mode : layout.modes(level)) {
      if (mode.stride == 0) {
        copies *= mode.size;
        followsOtherRules &= level != Level::Value;
        continue;
      }
      followsOtherRules &= mode.stride % tile.columns == 0 ||
                           mode.size * mode.stride <= tile.columns;
      if (level == Level::Lane)
        followsOtherRules &= (mode.size & (mode.size - 1)) == 0;
      if (mode.size == 1 || mode.stride % tile.columns == 0)
        continue;
      if (level == Level::Slice)
        nearestSlice = std::min(nearestSlice, mode.stride);
      else
        farthestOther = std::max(farthestOther, mode.stride);
    }
  followsOtherRules &= farthestOther < nearestSlice;
  std::vector<int64_t> owners(tile.elements());
  bool inside = true;
  forEachOwner(layout, [&](Owner owner) {
    int64_t linear = layout.evaluate(owner);
    if (linear < tile.elements())
      ++owners[linear];
    else
      inside = false;
  });
  bool covers = true, isOneToOne = inside;
  for (int64_t count : owners) {
    covers &= count > 0;
    isOneToOne &= count <= copies;
  }
  SCOPED_TRACE(layout.str() + " on " + std::to_string(tile.rows) + "x" +
               std::to_string(tile.columns));
  EXPECT_EQ(layout.covers(tile), covers);
  EXPECT_EQ(layout.isOneToOne(tile), isOneToOne);
  EXPECT_EQ(!layout.check(tile), followsOtherRules && covers && isOneToOne);
}

TEST(TVLayoutRulesTest, verdictsOnDamagedLayoutsAreThoseOfEnumeration) {
  std::mt19937 rng(1);
  for (unsigned seed = 0; seed < 1500; ++seed) {
    LayoutSample sample = randomSample(seed);
    Modes levels[allLevels.size()];
    std::vector<Mode *> modes;
    for (Level level : allLevels) {
      Modes &copy = levels[static_cast<size_t>(level)];
      copy = sample.layout.modes(level);
      for (Mode &mode : copy)
        modes.push_back(&mode);
    }
    Mode &victim = *modes[rng() % modes.size()];
    const Mode other = *modes[rng() % modes.size()];
    switch (rng() % 5) {
    case 0:
      victim.stride = other.stride;
      break;
    case 1:
      victim.stride = victim.stride * 2;
      break;
    case 2:
      victim.size = 1 + rng() % 6;
      break;
    case 3:
      victim.stride = rng() % (sample.tile.elements() + 1);
      break;
    case 4:
      std::swap(sample.tile.rows, sample.tile.columns);
      break;
    }
    expectVerdictsHold({levels[3], levels[2], levels[1], levels[0], levels[4]},
                       sample.tile);
  }
}

TEST(TVLayoutRulesTest, checkDoesNotWalkTheTile) {
  // 2^60 elements: a walk would not end.
  TVLayout layout({{16, int64_t(1) << 56}}, {{32, int64_t(1) << 51}},
                  {{32, int64_t(1) << 46}}, {{int64_t(1) << 46, 1}});
  TileShape tile = {1, int64_t(1) << 60};
  EXPECT_FALSE(layout.check(tile));
  EXPECT_TRUE(layout.isOneToOne(tile));
  EXPECT_TRUE(layout.covers(tile));
  EXPECT_TRUE(layout.check({2, int64_t(1) << 60}));
}
