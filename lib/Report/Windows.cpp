//===- Windows.cpp - rows that start at any element -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Such rows are accessed in aligned windows; a row's skew is how far it starts
// after one. A window that is meant as a whole is one access, one that is cut
// goes element by element, each element's access for all lanes whose window has
// it.
//
//===----------------------------------------------------------------------===//

#include "AccessCounter.h"

using namespace mlir;
using namespace quack;

void AccessCounter::addWindow(
    const Fragment &fragment, Placement place, const WarpOfTile &warp,
    const Window &window,
    function_ref<std::pair<int64_t, int64_t>(int64_t, int64_t)> range) {
  int64_t bytes = fragment.elementBytes(), windowBytes = fragment.windowBytes();
  int64_t count = windowBytes / bytes, neighbours = fragment.neighbours();
  LaneAddresses starts, whole, edge;
  whole.fill(inactiveLane);
  edge.fill(inactiveLane);
  std::array<std::pair<int64_t, int64_t>, warpSize> cut{};
  bool isAnyCut = false;
  for (int64_t lane = 0; lane < warpSize; ++lane) {
    Coord first = warp.first[lane];
    int64_t row = first.row + window.row;
    int64_t rowStart =
        place.start + (warp.tile.firstRow + row) * place.rowBytes;
    int64_t skew = rowStart % windowBytes / bytes;
    int64_t column = first.column + window.begin - skew;
    starts[lane] = rowStart + column * bytes;
    if (!warp.exists(row) || (window.onlyFirstLane && lane % neighbours != 0))
      continue;
    auto [from, to] = range(lane, skew);
    to = std::min(to, std::clamp<int64_t>(columns - column, 0, count));
    if (window.isEdge && lane == 0)
      for (int64_t at = from; at < to; ++at)
        edge[at] = starts[lane] + at * bytes;
    else if (to - from == count)
      whole[lane] = starts[lane];
    else if (from < to) {
      cut[lane] = {from, to};
      isAnyCut = true;
    }
  }
  tally.addGlobal(window.key, windowBytes, whole);
  Tally::Key key = window.key;
  key[2] = windowBytes + 1;
  tally.addGlobal(key, bytes, edge);
  for (int64_t at = 0; isAnyCut && at < count; ++at) {
    LaneAddresses addresses;
    for (int64_t lane = 0; lane < warpSize; ++lane) {
      auto [from, to] = cut[lane];
      addresses[lane] =
          from <= at && at < to ? starts[lane] + at * bytes : inactiveLane;
    }
    key[2] = 1 + at * bytes;
    tally.addGlobal(key, bytes, addresses);
  }
}

/// The instructions of the window after piece `index`, the last of a chain,
/// come after those of the piece.
static Tally::Key keyBeyond(const Fragment &fragment, int64_t index) {
  return {index, fragment.run * fragment.elementBytes(), 0};
}

void AccessCounter::addWindows(
    const Fragment &fragment, Placement place, int64_t from, bool areOwn,
    function_ref<bool(int64_t, int64_t, const Window &)> isCutBefore,
    function_ref<int64_t(int64_t)> beyondEnd) {
  int64_t count = fragment.windowBytes() / fragment.elementBytes();
  forEachWarp(fragment, place.rowBytes, [&](const WarpOfTile &warp) {
    for (int64_t index = from; index < fragment.pieces; ++index) {
      Coord offset = fragment.offset(index);
      for (int64_t at = 0; at < fragment.run; at += count) {
        Window window{{index, at * fragment.elementBytes(), 0},
                      offset.row,
                      offset.column + at};
        window.isEdge = areOwn && at == 0 && !fragment.continuesChain(index) &&
                        sharesEdges(fragment);
        addWindow(
            fragment, place, warp, window, [&](int64_t lane, int64_t skew) {
              bool isCut = isCutBefore(lane, warp.first[lane].column, window);
              return std::pair(isCut ? skew : 0, count);
            });
      }
      if (fragment.continuesChain(index + 1))
        continue;
      Window beyond{keyBeyond(fragment, index), offset.row,
                    offset.column + fragment.neighbours() * fragment.run,
                    /*onlyFirstLane=*/true, areOwn && sharesEdges(fragment)};
      addWindow(fragment, place, warp, beyond, [&](int64_t, int64_t skew) {
        return std::pair<int64_t, int64_t>(0, beyondEnd(skew));
      });
    }
  });
}

/// A window of a load has what is needed before and after the run as well; only
/// at the row's start there is nothing before. After the last piece of a chain
/// the first lane loads one window more, unless the row is aligned.
void AccessCounter::addLoadedWindows(const Fragment &fragment, Placement place,
                                     int64_t from) {
  int64_t count = fragment.windowBytes() / fragment.elementBytes();
  addWindows(
      fragment, place, from, /*areOwn=*/false,
      [](int64_t, int64_t column, const Window &window) {
        return column + window.begin == 0;
      },
      [&](int64_t skew) { return skew ? count : 0; });
}

/// Each chain accesses its own elements alone: its first lane leaves what lies
/// before its run to the chain before, whose first lane has it in a window
/// more. So an element is stored once, and none is loaded that another warp may
/// have stored.
void AccessCounter::addOwnWindows(const Fragment &fragment, Placement place,
                                  int64_t from) {
  addWindows(
      fragment, place, from, /*areOwn=*/true,
      [&](int64_t lane, int64_t, const Window &window) {
        auto [index, at, _] = window.key;
        return at == 0 && !fragment.continuesChain(index) &&
               lane % fragment.neighbours() == 0;
      },
      [](int64_t skew) { return skew; });
}
