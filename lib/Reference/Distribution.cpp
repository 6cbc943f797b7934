//===- Distribution.cpp - a layout, spelt out ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a layout once and keeps what it says.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace quack;
using namespace quack::reference;

Distribution::Distribution(const TVLayout &layout, TileShape shape)
    : shape(shape), ctas(layout.size(Level::Slice) * layout.size(Level::Cta)),
      ctasPerCluster(layout.size(Level::Cta)), warps(layout.size(Level::Warp)),
      values(layout.size(Level::Value)) {
  std::vector<bool> isSeen(shape.elements());
  for (int64_t cta = 0; cta < ctas; ++cta)
    for (int64_t warp = 0; warp < warps; ++warp)
      for (int64_t lane = 0; lane < warpSize; ++lane)
        for (int64_t value = 0; value < values; ++value) {
          int64_t element = layout.evaluate(cta % ctasPerCluster, warp, lane,
                                            value, cta / ctasPerCluster);
          elements.push_back(element);
          coords.push_back({element / shape.columns, element % shape.columns});
          // Copy digits of 0 come first.
          isCanonical.push_back(!isSeen[element]);
          isSeen[element] = true;
        }
}

int64_t Distribution::holdersIn(Level level) const {
  int64_t holders = values;
  if (level >= Level::Lane)
    holders *= warpSize;
  if (level >= Level::Warp)
    holders *= warps;
  if (level >= Level::Cta)
    holders *= ctasPerCluster;
  if (level >= Level::Slice)
    holders *= ctas / ctasPerCluster;
  return holders;
}

std::vector<int64_t> Distribution::byElement(int64_t first,
                                             int64_t count) const {
  std::vector<int64_t> holders(count);
  std::iota(holders.begin(), holders.end(), first);
  auto isBefore = [&](int64_t a, int64_t b) {
    return elements[a] < elements[b];
  };
  // A thread's values often are in order already.
  if (!llvm::is_sorted(holders, isBefore))
    llvm::stable_sort(holders, isBefore);
  return holders;
}
