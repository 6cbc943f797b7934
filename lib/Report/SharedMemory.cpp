//===- SharedMemory.cpp - staged rows and exchanges -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies into shared memory count as reads of global memory: what they write in
// shared memory passes no lane, and has no counter. Addresses in shared memory
// are offsets from a multiple of 128 bytes, where its array lies.
//
//===----------------------------------------------------------------------===//

#include "AccessCounter.h"

#include "quack/Dialect/QuackTV/Exchange.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Staged rows
//===----------------------------------------------------------------------===//

/// Columns that one CTA stages of each row.
static int64_t columnsPerCta(const Fragment &fragment) {
  return fragment.sliceColumns() / fragment.layout->size(Level::Cta);
}

/// cp.async: the lanes that copy 16 bytes are one request; one that copies
/// less, to fill with zeros, is a request of its own.
void AccessCounter::addAsyncCopies(const Fragment &fragment, Placement place) {
  int64_t runBytes = fragment.run * fragment.elementBytes();
  constexpr int64_t width = tv::maxAccessBytes;
  forEachWarp(fragment, place.rowBytes, [&](const WarpOfTile &warp) {
    for (int64_t index = 0; index < fragment.pieces; ++index) {
      std::array<int64_t, warpSize> existing =
          existingBytes(fragment, warp, index);
      LaneAddresses pieces = pieceAddresses(fragment, place, warp, index);
      for (int64_t at = 0; at < runBytes; at += width) {
        Tally::Key key{index, at, 0};
        LaneAddresses whole;
        whole.fill(inactiveLane);
        for (int64_t lane = 0; lane < warpSize; ++lane) {
          int64_t left = std::clamp<int64_t>(existing[lane] - at, 0, width);
          if (left == width)
            whole[lane] = pieces[lane] + at;
          else
            tally.addRun(key, width, pieces[lane] + at, left);
        }
        tally.addGlobal(key, width, whole);
      }
    }
  });
}

/// cp.async.bulk: the first thread of a CTA copies its columns of each row, but
/// for the last bytes below a multiple of 16.
void AccessCounter::addBulkCopies(const Fragment &fragment, Placement place) {
  int64_t bytes = fragment.elementBytes(), width = columnsPerCta(fragment);
  forEachWarp(fragment, place.rowBytes, [&](const WarpOfTile &warp) {
    if (warp.warp != 0)
      return;
    const TVLayout &layout = *fragment.layout;
    int64_t ctas = layout.size(Level::Cta);
    int64_t part = (ctas > 1 ? warp.cta : 0) +
                   (layout.size(Level::Slice) > 1 ? warp.slice * ctas : 0);
    int64_t start = part * width;
    int64_t copied =
        std::clamp<int64_t>(columns - start, 0, width) * bytes / 16 * 16;
    for (int64_t row = 0; row < warp.tile.rows; ++row)
      tally.addRun({row, 0, 0}, copied,
                   place.start + (warp.tile.firstRow + row) * place.rowBytes +
                       start * bytes,
                   copied);
  });
}

void AccessCounter::addStage(tv::StageOp stage) {
  Fragment fragment = fragmentOf(stage.getStaged().getType().getTile());
  Placement place = placeOperand(stage.getSource());
  if (stage.getForm() == tv::Hold::async)
    addAsyncCopies(fragment, place);
  else
    addBulkCopies(fragment, place);
  report(stage, "stage", stage.getSource(), tv::stringifyHold(stage.getForm()),
         MemorySpace::global, /*isWrite=*/false);
}

/// cp.async has filled with zeros what does not exist, so that all lanes read.
/// After a bulk copy those read whose access exists; what the copy has left out
/// at the row's end they load from global memory.
void AccessCounter::addRead(tv::ReadOp read) {
  auto stage = read.getStaged().getDefiningOp<tv::StageOp>();
  Fragment fragment = fragmentOf(read.getType());
  Placement place = placeOperand(stage.getSource());
  bool isBulk = stage.getForm() == tv::Hold::bulk;
  int64_t bytes = fragment.elementBytes(), runBytes = fragment.run * bytes;
  int64_t ctaColumns = columnsPerCta(fragment);
  // Where each lane's run is staged depends on no row of the launch, only on
  // which of the tile's exist.
  forEachWarp(fragment, /*rowBytes=*/0, [&](const WarpOfTile &warp) {
    for (int64_t index = 0; index < fragment.pieces; ++index) {
      Coord offset = fragment.offset(index);
      std::array<int64_t, warpSize> existing;
      existing.fill(runBytes);
      if (isBulk)
        existing = existingBytes(fragment, warp, index);
      for (int64_t at = 0; at < runBytes; at += tv::maxAccessBytes) {
        int64_t width = std::min(runBytes - at, tv::maxAccessBytes);
        LaneAddresses addresses;
        for (int64_t lane = 0; lane < warpSize; ++lane) {
          Coord first = warp.first[lane];
          int64_t element = (first.row + offset.row) * ctaColumns +
                            (first.column + offset.column) % ctaColumns;
          addresses[lane] = existing[lane] - at >= width
                                ? *stage.getOffset() + element * bytes + at
                                : inactiveLane;
        }
        tally.addShared({index, at, 0}, width, addresses, /*isLoad=*/true);
      }
    }
  });
  std::string form = "pass " + std::to_string(read.getPass());
  report(read, "read", stage.getSource(), form, MemorySpace::shared,
         /*isWrite=*/false);
  if (!isBulk)
    return;
  forEachWarp(fragment, place.rowBytes, [&](const WarpOfTile &warp) {
    for (int64_t index = 0; index < fragment.pieces; ++index)
      for (int64_t at = 0; at < runBytes; at += tv::maxAccessBytes)
        addTail({index, at, 0}, runBytes, at,
                pieceAddresses(fragment, place, warp, index),
                existingBytes(fragment, warp, index), fragment);
  });
  report(read, "read", stage.getSource(), form, MemorySpace::global,
         /*isWrite=*/false);
}

/// Each thread has places of its own; those of a warp lie side by side.
void AccessCounter::addKept(tv::LoadOp load, const Fragment &fragment,
                            int64_t to) {
  int64_t runBytes = fragment.run * fragment.elementBytes();
  int64_t width = std::min(runBytes, tv::maxAccessBytes);
  int64_t threads = kernel.getPlan().getThreads();
  bool isLoad = load.getFirstRead() != load;
  if (to == 0)
    return;
  forEachWarp(fragment, /*rowBytes=*/0, [&](const WarpOfTile &warp) {
    for (int64_t index = 0; index < to; ++index)
      for (int64_t at = 0; at < runBytes; at += width) {
        LaneAddresses addresses;
        for (int64_t lane = 0; lane < warpSize; ++lane)
          addresses[lane] = int64_t(*load.getKeptAt()) +
                            (warp.warp * warpSize + lane) * width +
                            (index * runBytes + at) * threads;
        tally.addShared({index, at, 0}, width, addresses, isLoad);
      }
  });
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

void AccessCounter::addPublish(tv::PublishOp publish) {
  auto alloc = publish.getBuffer().getDefiningOp<tv::AllocExchangeOp>();
  bool isRemote = alloc.getBarrierOffset().has_value();
  Fragment fragment = fragmentOf(publish.getValues().front().getType());
  const TVLayout &layout = *fragment.layout;
  int64_t slotWords = tv::exchangeSlotWords(publish.getValues().size());
  int64_t sliceColumns = fragment.sliceColumns();
  int64_t peers = kernel.getPlan().getCluster();
  forEachWarp(fragment, /*rowBytes=*/0, [&](const WarpOfTile &warp) {
    if (!isFirstCopy(layout.modes(Level::Warp), warp.warp))
      return;
    for (int64_t index = 0; index < fragment.pieces; ++index)
      for (int64_t at = 0; at < slotWords; at += accessWords) {
        int64_t width = std::min(slotWords - at, accessWords) * 4;
        Tally::Key key{index, at, 0};
        // To each CTA of the cluster a lane sends the warp's partials.
        if (isRemote) {
          tally.addRemote(key, width, peers, peers - 1);
          continue;
        }
        LaneAddresses addresses;
        for (int64_t lane = 0; lane < warpSize; ++lane) {
          Coord first = warp.first[lane];
          int64_t slot =
              (first.row + fragment.offset(index).row) * sliceColumns +
              first.column % sliceColumns;
          addresses[lane] =
              isFirstCopy(layout.modes(Level::Lane), lane)
                  ? alloc.getOffset() + (slot * slotWords + at) * 4
                  : inactiveLane;
        }
        tally.addShared(key, width, addresses, /*isLoad=*/false);
      }
  });
  report(publish, "publish", Value(), "",
         isRemote ? MemorySpace::cluster : MemorySpace::shared,
         /*isWrite=*/true);
}

/// Returns the column of partial `index` among those that a collect consumes:
/// of the row's warps and, where peers have sent theirs, CTAs.
static int64_t partialColumn(const Fragment &fragment, bool isRemote,
                             int64_t index) {
  int64_t column = 0;
  for (Level level : {Level::Warp, Level::Cta}) {
    if (level == Level::Cta && !isRemote)
      continue;
    for (Mode mode : fragment.layout->modes(level))
      if (fragment.layout->isColumnMode(mode, fragment.shape)) {
        column += index % mode.size * mode.stride;
        index /= mode.size;
      }
  }
  return column;
}

/// Returns how many partials a collect consumes of each row.
static int64_t countPartials(const Fragment &fragment, bool isRemote) {
  int64_t count = 1;
  for (Level level : {Level::Warp, Level::Cta})
    for (Mode mode : fragment.layout->modes(level))
      if ((level == Level::Warp || isRemote) &&
          fragment.layout->isColumnMode(mode, fragment.shape))
        count *= mode.size;
  return count;
}

/// The lanes of each warp share the reads of a row's partials: lane i takes
/// those from i on, 32 apart. One that there is none for reads the buffer's
/// first slot.
void AccessCounter::addCollect(tv::CollectOp collect) {
  auto alloc = collect.getBuffer().getDefiningOp<tv::AllocExchangeOp>();
  bool isRemote = alloc.getBarrierOffset().has_value();
  Fragment fragment = fragmentOf(collect.getPartials().front().getType());
  int64_t values = collect.getPartials().size();
  int64_t slotWords = tv::exchangeSlotWords(values);
  int64_t count = countPartials(fragment, isRemote);
  int64_t group = std::min<int64_t>(warpSize, llvm::PowerOf2Ceil(count));
  forEachWarp(fragment, /*rowBytes=*/0, [&](const WarpOfTile &warp) {
    // What a CTA has published itself lies in its own columns.
    int64_t ownColumn = 0;
    if (!isRemote && fragment.layout->size(Level::Cta) > 1)
      ownColumn =
          fragment.layout->evaluate(warp.cta, 0, 0, 0) % fragment.shape.columns;
    for (int64_t index = 0; index < fragment.pieces; ++index)
      for (int64_t start = 0; start < count; start += warpSize)
        for (int64_t at = 0; at < slotWords; at += accessWords) {
          LaneAddresses addresses;
          for (int64_t lane = 0; lane < warpSize; ++lane) {
            int64_t partial = start + lane % group, slot = 0;
            if (partial < count)
              slot = (warp.first[lane].row + fragment.offset(index).row) *
                         fragment.sliceColumns() +
                     ownColumn + partialColumn(fragment, isRemote, partial);
            addresses[lane] = alloc.getOffset() + (slot * slotWords + at) * 4;
          }
          tally.addShared({index, start, at},
                          tv::exchangeReadWords(values, at) * 4, addresses,
                          /*isLoad=*/true);
        }
  });
  report(collect, "collect", Value(), "", MemorySpace::shared,
         /*isWrite=*/false);
}
