//===- LayoutSamples.h - Layouts that the unit tests share -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legal layouts with their tiles, and enumerations of their owners. The
// property tests hold the algebra against brute force on each of them.
// Invariant: every tile is small enough to walk.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_UNIT_LAYOUT_LAYOUTSAMPLES_H
#define QUACK_TEST_UNIT_LAYOUT_LAYOUTSAMPLES_H

#include "quack/Layout/TVLayout.h"

#include <random>
#include <vector>

namespace quack {

/// A legal layout and its tile.
struct LayoutSample {
  const char *name;
  TileShape tile;
  TVLayout layout;
};

/// Returns one sample for each shape that a plan may take.
inline std::vector<LayoutSample> layoutSamples() {
  return {
      {"one warp, one row", {1, 256}, {{}, {}, {{32, 4}}, {{4, 1}, {2, 128}}}},
      {"all levels",
       {1, 8192},
       {{{4, 2048}}, {{8, 128}}, {{32, 4}}, {{4, 1}, {2, 1024}}}},
      {"multi-row warp",
       {4, 256},
       {{}, {}, {{8, 8}, {4, 256}}, {{8, 1}, {4, 64}}}},
      {"row value mode",
       {2, 256},
       {{}, {}, {{8, 4}, {4, 32}}, {{4, 1}, {2, 128}, {2, 256}}}},
      {"three warps", {1, 384}, {{}, {{3, 128}}, {{32, 4}}, {{4, 1}}}},
      {"five CTAs of three warps",
       {1, 1920},
       {{{5, 384}}, {{3, 128}}, {{32, 4}}, {{4, 1}}}},
      {"one lane a row", {32, 8}, {{}, {}, {{32, 8}}, {{8, 1}}}},
      {"one column", {192, 1}, {{}, {{3, 32}}, {{32, 1}}, {{2, 96}}}},
      {"copies at every level but value",
       {1, 256},
       {{{2, 0}}, {{2, 128}, {3, 0}}, {{16, 8}, {2, 0}}, {{8, 1}}}},
      {"slow copies",
       {1, 64},
       {{}, {{3, 0}, {2, 32}}, {{2, 0}, {16, 2}}, {{2, 1}}}},
      {"modes of size 1",
       {1, 64},
       {{{1, 64}}, {{1, 1}, {1, 0}}, {{32, 2}, {1, 0}}, {{2, 1}, {1, 5}}}},
      {"rows at every level",
       {24, 96},
       {{{3, 768}},
        {{3, 32}, {2, 384}},
        {{16, 2}, {2, 96}},
        {{2, 1}, {2, 192}}}},
      {"modes out of order", {1, 256}, {{}, {}, {{4, 64}, {8, 8}}, {{8, 1}}}},
      {"strided values", {1, 256}, {{}, {}, {{32, 1}}, {{8, 32}}}},
      {"values on both sides",
       {2, 240},
       {{}, {{5, 48}}, {{2, 24}, {8, 3}, {2, 240}}, {{3, 1}}}},
      {"slices of three CTAs",
       {1, 3840},
       {{{3, 256}}, {{2, 128}}, {{32, 4}}, {{4, 1}}, {{5, 768}}}},
      {"slices of two rows",
       {2, 256},
       {{}, {}, {{32, 2}}, {{2, 1}, {2, 256}}, {{4, 64}}}},
      {"copies in slices",
       {1, 64},
       {{{2, 0}}, {}, {{32, 1}}, {}, {{3, 0}, {2, 32}}}},
  };
}

/// Calls `fn` for every owner of `layout`.
template <typename Fn> void forEachOwner(const TVLayout &layout, Fn fn) {
  for (int64_t place = 0, slices = layout.size(Level::Slice),
               ctas = layout.size(Level::Cta);
       place < slices * ctas; ++place)
    for (int64_t warp = 0; warp < layout.size(Level::Warp); ++warp)
      for (int64_t lane = 0; lane < layout.size(Level::Lane); ++lane)
        for (int64_t value = 0; value < layout.size(Level::Value); ++value)
          fn(Owner{place % ctas, warp, lane, value, place / ctas});
}

/// Returns a random legal layout: a chain of modes dealt out to the levels,
/// with copies strewn in. The same seed gives the same layout everywhere.
inline LayoutSample randomSample(unsigned seed) {
  std::mt19937 rng(seed);
  auto below = [&](unsigned n) { return static_cast<int64_t>(rng() % n); };
  struct Step {
    int64_t size;
    Level level;
  };
  int64_t laneSize = int64_t(1) << below(6);
  std::vector<Step> steps = {{laneSize, Level::Lane},
                             {warpSize / laneSize, Level::Lane}};
  const Level others[] = {Level::Value, Level::Warp, Level::Cta};
  for (int64_t i = below(5); i > 0; --i)
    steps.push_back({1 + below(5), others[below(3)]});
  for (size_t i = steps.size() - 1; i > 0; --i)
    std::swap(steps[i], steps[below(i + 1)]);

  Modes levels[allLevels.size()];
  size_t numColumnSteps = below(steps.size() + 1);
  // Slices come last in a row.
  if (below(3) == 0)
    steps.insert(steps.begin() + numColumnSteps++,
                 {1 + below(5), Level::Slice});
  TileShape tile = {1, 1};
  for (size_t i = 0; i < steps.size(); ++i) {
    auto [size, level] = steps[i];
    bool isCopy = level != Level::Value && below(6) == 0;
    int64_t stride = isCopy ? 0 : tile.elements();
    Modes &modes = levels[static_cast<size_t>(level)];
    modes.insert(modes.begin() + below(modes.size() + 1), Mode{size, stride});
    if (!isCopy)
      (i < numColumnSteps ? tile.columns : tile.rows) *= size;
  }
  return {
      "random", tile, {levels[3], levels[2], levels[1], levels[0], levels[4]}};
}

/// Returns the samples and `numRandom` random layouts.
inline std::vector<LayoutSample> manySamples(unsigned numRandom) {
  std::vector<LayoutSample> samples = layoutSamples();
  for (unsigned seed = 0; seed < numRandom; ++seed)
    samples.push_back(randomSample(seed));
  return samples;
}

} // namespace quack

#endif // QUACK_TEST_UNIT_LAYOUT_LAYOUTSAMPLES_H
