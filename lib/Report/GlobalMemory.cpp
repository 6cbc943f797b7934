//===- GlobalMemory.cpp - aligned loads and stores --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A piece goes in accesses of at most 16 bytes. Where the row's end cuts one of
// them, its first bytes go in accesses of 8, 4, 2 and 1 bytes.
//
//===----------------------------------------------------------------------===//

#include "AccessCounter.h"

using namespace mlir;
using namespace quack;

std::array<int64_t, warpSize>
AccessCounter::existingBytes(const Fragment &fragment, const WarpOfTile &warp,
                             int64_t index) const {
  Coord offset = fragment.offset(index);
  std::array<int64_t, warpSize> bytes;
  for (auto [first, result] : llvm::zip(warp.first, bytes)) {
    // A row scalar has one column, whatever N is; else there is one for each
    // group of columns.
    int64_t group = tileColumns / fragment.shape.columns;
    int64_t left = fragment.shape.columns == 1
                       ? 1
                       : int64_t(llvm::divideCeil(columns, group)) -
                             first.column - offset.column;
    result = warp.exists(first.row + offset.row)
                 ? std::clamp<int64_t>(left, 0, fragment.run) *
                       fragment.elementBytes()
                 : 0;
  }
  return bytes;
}

LaneAddresses AccessCounter::pieceAddresses(const Fragment &fragment,
                                            Placement place,
                                            const WarpOfTile &warp,
                                            int64_t index) const {
  Coord offset = fragment.offset(index);
  LaneAddresses addresses;
  for (auto [first, address] : llvm::zip(warp.first, addresses))
    address = place.start +
              (warp.tile.firstRow + first.row + offset.row) * place.rowBytes +
              (first.column + offset.column) * fragment.elementBytes();
  return addresses;
}

void AccessCounter::addTail(Tally::Key key, int64_t runBytes, int64_t at,
                            const LaneAddresses &pieces,
                            const std::array<int64_t, warpSize> &existing,
                            const Fragment &fragment) {
  // The same for every row: what is left of N.
  int64_t tail = columns % fragment.run * fragment.elementBytes() - at;
  if (fragment.shape.columns == 1 || tail <= 0 ||
      tail >= std::min(runBytes - at, tv::maxAccessBytes))
    return;
  int64_t done = 0;
  for (int64_t width : {8, 4, 2, 1}) {
    if (!(tail & width))
      continue;
    LaneAddresses addresses;
    for (int64_t lane = 0; lane < warpSize; ++lane)
      addresses[lane] =
          existing[lane] - at == tail ? pieces[lane] + at + done : inactiveLane;
    key[2] = 1 + done;
    tally.addGlobal(key, width, addresses);
    done += width;
  }
}

void AccessCounter::addPieces(const Fragment &fragment, Placement place,
                              bool isStore, int64_t from) {
  const TVLayout &layout = *fragment.layout;
  int64_t runBytes = fragment.run * fragment.elementBytes();
  forEachWarp(fragment, place.rowBytes, [&](const WarpOfTile &warp) {
    for (int64_t index = from; index < fragment.pieces; ++index) {
      std::array<int64_t, warpSize> existing =
          existingBytes(fragment, warp, index);
      LaneAddresses pieces = pieceAddresses(fragment, place, warp, index);
      // Of the copies of an element one is stored.
      for (int64_t lane = 0; lane < warpSize; ++lane)
        if (isStore && !(isFirstCopy(layout.modes(Level::Lane), lane) &&
                         isFirstCopy(layout.modes(Level::Warp), warp.warp) &&
                         isFirstCopy(layout.modes(Level::Cta), warp.cta) &&
                         isFirstCopy(layout.modes(Level::Slice), warp.slice)))
          existing[lane] = 0;
      for (int64_t at = 0; at < runBytes; at += tv::maxAccessBytes) {
        int64_t width = std::min(runBytes - at, tv::maxAccessBytes);
        LaneAddresses addresses;
        for (int64_t lane = 0; lane < warpSize; ++lane)
          addresses[lane] =
              existing[lane] - at >= width ? pieces[lane] + at : inactiveLane;
        tally.addGlobal({index, at, 0}, width, addresses);
        addTail({index, at, 0}, runBytes, at, pieces, existing, fragment);
      }
    }
  });
}

/// Later loads of a row that is read again find its first pieces in shared
/// memory, where the first one has put them.
void AccessCounter::addLoad(tv::LoadOp load) {
  Fragment fragment = fragmentOf(load.getType());
  Placement place = placeOperand(load.getSource());
  int64_t kept = int64_t(load.getKept().value_or(0)) / fragment.run;
  bool isFirst = load.getFirstRead() == load;
  auto eachTile = kernel.getBody().getOps<tv::EachTileOp>();
  onceACluster = !eachTile.empty() && load->isBeforeInBlock(*eachTile.begin());
  if (!isAccessedByWindows(kernel, fragment))
    addPieces(fragment, place, /*isStore=*/false, isFirst ? 0 : kept);
  else if (mayBeOverwritten(load))
    addOwnWindows(fragment, place, isFirst ? 0 : kept);
  else
    addLoadedWindows(fragment, place, isFirst ? 0 : kept);
  std::string form;
  if (std::optional<int64_t> pass = load.getPass())
    form = "pass " + std::to_string(*pass);
  report(load, "load", load.getSource(), form, MemorySpace::global,
         /*isWrite=*/false);
  onceACluster = false;
  addKept(load, fragment, kept);
  report(load, isFirst ? "keep" : "load", load.getSource(), form,
         MemorySpace::shared, /*isWrite=*/isFirst);
}

void AccessCounter::addGather(tv::GatherOp gather) {
  addPieces(fragmentOf(gather.getType()), placeOperand(gather.getSource()),
            /*isStore=*/false);
  report(gather, "gather", gather.getSource(), "", MemorySpace::global,
         /*isWrite=*/false);
}

void AccessCounter::addStore(tv::StoreOp store) {
  Fragment fragment = fragmentOf(store.getValue().getType());
  Placement place = placeOperand(store.getTarget());
  if (isAccessedByWindows(kernel, fragment))
    addOwnWindows(fragment, place, /*from=*/0);
  else
    addPieces(fragment, place, /*isStore=*/true);
  report(store, "store", store.getTarget(), "", MemorySpace::global,
         /*isWrite=*/true);
}
