//===- Workspace.cpp - how the stages of a launch meet ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row's part of the workspace has a slot for each slice, which the clusters
// that share the row save and a later stage merges. Slots go in accesses of at
// most 16 bytes. Elements that slices have picked lie one after the other.
//
//===----------------------------------------------------------------------===//

#include "AccessCounter.h"

#include "quack/Dialect/QuackTV/Exchange.h"

using namespace mlir;
using namespace quack;

Placement AccessCounter::placeWorkspace() {
  return {/*start=*/0, int64_t(kernel.getWorkspace().value_or(0))};
}

/// Of a cluster's threads one saves, the first of all copies.
void AccessCounter::addSave(tv::SaveOp save) {
  Fragment fragment = fragmentOf(save.getValues().front().getType());
  const TVLayout &layout = *fragment.layout;
  int64_t slotWords = tv::exchangeSlotWords(save.getValues().size());
  Placement place = placeWorkspace();
  forEachWarp(fragment, place.rowBytes, [&](const WarpOfTile &warp) {
    if (!isFirstCopy(layout.modes(Level::Warp), warp.warp) ||
        !isFirstCopy(layout.modes(Level::Cta), warp.cta))
      return;
    for (int64_t index = 0; index < fragment.pieces; ++index)
      for (int64_t at = 0; at < slotWords; at += accessWords) {
        LaneAddresses addresses;
        for (int64_t lane = 0; lane < warpSize; ++lane) {
          int64_t row = warp.first[lane].row + fragment.offset(index).row;
          bool saves =
              warp.exists(row) && isFirstCopy(layout.modes(Level::Lane), lane);
          addresses[lane] = saves
                                ? (warp.tile.firstRow + row) * place.rowBytes +
                                      int64_t(save.getOffset()) +
                                      (warp.slice * slotWords + at) * 4
                                : inactiveLane;
        }
        tally.addGlobal({index, at, 0},
                        std::min(slotWords - at, accessWords) * 4, addresses);
      }
  });
  report(save, "save", Value(), "", MemorySpace::global, /*isWrite=*/true);
}

/// The lanes of a warp share the reads of a row's slots: lane i takes those
/// from i on, 32 apart. One that there is none for reads slot 0; those of a row
/// that does not exist read the launch's first.
void AccessCounter::addMerge(tv::MergeOp merge) {
  Fragment fragment = fragmentOf(merge.getResults().front().getType());
  int64_t values = merge.getNumResults();
  int64_t slotWords = tv::exchangeSlotWords(values);
  int64_t count = merge.getSlices();
  int64_t group = std::min<int64_t>(warpSize, llvm::PowerOf2Ceil(count));
  Placement place = placeWorkspace();
  forEachWarp(fragment, place.rowBytes, [&](const WarpOfTile &warp) {
    for (int64_t index = 0; index < fragment.pieces; ++index)
      for (int64_t start = 0; start < count; start += warpSize)
        for (int64_t at = 0; at < slotWords; at += accessWords) {
          LaneAddresses addresses;
          for (int64_t lane = 0; lane < warpSize; ++lane) {
            int64_t row = warp.first[lane].row + fragment.offset(index).row;
            row = warp.exists(row) ? warp.tile.firstRow + row : 0;
            int64_t slot = start + lane % group;
            if (slot >= count)
              slot = 0;
            addresses[lane] = row * place.rowBytes +
                              int64_t(merge.getOffset()) +
                              (slot * slotWords + at) * 4;
          }
          tally.addGlobal({index, start, at},
                          tv::exchangeReadWords(values, at) * 4, addresses);
        }
  });
  report(merge, "merge", Value(), "", MemorySpace::global, /*isWrite=*/false);
}

void AccessCounter::addRecall(tv::RecallOp recall) {
  Fragment fragment = fragmentOf(recall.getValues().getType());
  Placement place = placeWorkspace();
  forEachWarp(fragment, place.rowBytes, [&](const WarpOfTile &warp) {
    for (int64_t index = 0; index < fragment.pieces; ++index) {
      Coord offset = fragment.offset(index);
      LaneAddresses addresses;
      for (int64_t lane = 0; lane < warpSize; ++lane) {
        int64_t row = warp.first[lane].row + offset.row;
        int64_t at = warp.first[lane].column + offset.column;
        addresses[lane] = warp.exists(row) && at < recall.getTotal()
                              ? (warp.tile.firstRow + row) * place.rowBytes +
                                    int64_t(recall.getPlace()) + 4 * at
                              : inactiveLane;
      }
      tally.addGlobal({index, 0, 0}, 4 * fragment.run, addresses);
    }
  });
  std::string form = "pass " + std::to_string(recall.getPass().value_or(0));
  report(recall, "recall", Value(), form, MemorySpace::global,
         /*isWrite=*/false);
}
