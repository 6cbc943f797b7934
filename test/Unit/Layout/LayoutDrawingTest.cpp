//===- LayoutDrawingTest.cpp - pictures of layouts --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A picture without limits shows each element once, with an owner that holds
// it; with limits, what is drawn and what is said to be left out add up.
//
//===----------------------------------------------------------------------===//

#include "quack/Layout/LayoutDrawing.h"

#include "gtest/gtest.h"

#include <set>

using namespace quack;

namespace {
struct Example {
  TVLayout layout;
  TileShape tile;
};
} // namespace

static std::vector<Example> examples() {
  return {
      {TVLayout({}, {}, {{8, 4}, {4, 32}}, {{4, 1}, {2, 128}, {2, 256}}),
       {2, 256}},
      {TVLayout({{4, 1024}}, {{8, 128}}, {{32, 4}}, {{4, 1}}), {1, 4096}},
      {TVLayout({{2, 0}}, {{4, 64}}, {{16, 4}, {2, 0}}, {{4, 1}}), {4, 64}},
      {TVLayout({}, {}, {{32, 1}}, {{3, 32}}), {1, 96}},
  };
}

TEST(LayoutDrawing, ShowsEachElementOnce) {
  for (const Example &example : examples()) {
    DrawingOptions options;
    options.mostLines = options.mostCtas = options.mostRows = 1 << 20;
    options.accessesPerLine = 5;
    std::set<int64_t> seen;
    for (const DrawnLine &line :
         drawLines(example.layout, example.tile, options)) {
      EXPECT_LE(line.accesses.size(), 5u);
      EXPECT_EQ(line.linesLeftOut + line.ctasLeftOut + line.rowsLeftOut, 0);
      for (const DrawnAccess &access : line.accesses)
        for (int64_t i = 0; i < access.count; ++i) {
          Owner owner = access.owner;
          owner.value += i;
          int64_t element = line.row * example.tile.columns + access.column + i;
          EXPECT_EQ(example.layout.evaluate(owner), element);
          EXPECT_EQ(owner.cta, line.cta);
          EXPECT_TRUE(seen.insert(element).second);
        }
    }
    EXPECT_EQ(int64_t(seen.size()), example.tile.elements());
  }
}

TEST(LayoutDrawing, CountsWhatIsLeftOut) {
  TVLayout layout({{8, 512}}, {}, {{32, 4}}, {{4, 1}, {4, 128}, {9, 4096}});
  DrawingOptions options;
  options.mostLines = 3;
  options.mostCtas = 4;
  options.mostRows = 2;
  std::vector<DrawnLine> lines = drawLines(layout, {9, 4096}, options);
  // 2 of 9 rows, 4 of 8 CTAs of each, 3 of 16 lines of each of those.
  EXPECT_EQ(lines.size(), 24u);
  int64_t skippedLines = 0, skippedCtas = 0, skippedRows = 0;
  for (const DrawnLine &line : lines) {
    skippedLines += line.linesLeftOut;
    skippedCtas += line.ctasLeftOut;
    skippedRows += line.rowsLeftOut;
  }
  EXPECT_EQ(skippedLines, 8 * 13);
  EXPECT_EQ(skippedCtas, 2 * 4);
  EXPECT_EQ(skippedRows, 7);
}

TEST(LayoutDrawing, AccessesAreAsWideAsTheyCanBe) {
  TVLayout layout({}, {}, {{32, 16}}, {{16, 1}});
  DrawingOptions options;
  EXPECT_EQ(drawnVector(layout, {1, 512}, options), 16);
  options.elementBytes = 2;
  EXPECT_EQ(drawnVector(layout, {1, 512}, options), 8);
  options.vectorElements = 4;
  EXPECT_EQ(drawnVector(layout, {1, 512}, options), 4);
}
