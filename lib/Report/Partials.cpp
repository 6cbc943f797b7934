//===- Partials.cpp - sums over the rows of many tiles ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clusters do once, after their last tile, and what the kernel after that
// does: as lib/Conversion/QuackTVToGPU/Tiles.cpp and Fold.cpp have it.
//
//===----------------------------------------------------------------------===//

#include "AccessCounter.h"

using namespace mlir;
using namespace quack;

/// Partials lie at multiples of 16 bytes: one of 8 that follow each other
/// begins like any other does, against the 128 bytes of a line.
static constexpr int64_t kindsOfPartials = 8;

void AccessCounter::forEachPartial(int64_t offset,
                                   llvm::function_ref<void(int64_t)> visit) {
  int64_t partials = kernel.getPlan().getPartials();
  for (int64_t kind = 0; kind < std::min(partials, kindsOfPartials); ++kind) {
    tally.setTimes((partials - kind + kindsOfPartials - 1) / kindsOfPartials);
    visit(kind * int64_t(*kernel.getWorkspace()) + offset);
  }
}

void AccessCounter::addAccumulate(tv::AccumulateOp sum) {
  if (sum.getGroups() > 1)
    return addGather(sum);
  Fragment fragment = fragmentOf(sum.getValue().getType());
  const TVLayout &layout = *fragment.layout;
  bool isScalar = fragment.shape.columns == 1;
  int64_t runBytes = fragment.run * 4;
  forEachPartial(*sum.getOffset(), [&](int64_t base) {
    for (int64_t cta = 0; cta < kernel.getPlan().getCluster(); ++cta)
      for (int64_t warp = 0; warp < kernel.getPlan().getThreads() / warpSize;
           ++warp)
        for (int64_t index = 0; index < fragment.pieces; ++index) {
          if (fragment.offset(index).row > 0)
            continue;
          for (int64_t at = 0; at < runBytes; at += tv::maxAccessBytes) {
            LaneAddresses addresses;
            for (int64_t lane = 0; lane < warpSize; ++lane) {
              int64_t first =
                  isScalar ? 0 : layout.evaluate(cta, warp, lane, 0);
              bool stores =
                  !isScalar || (isFirstCopy(layout.modes(Level::Lane), lane) &&
                                isFirstCopy(layout.modes(Level::Warp), warp) &&
                                isFirstCopy(layout.modes(Level::Cta), cta));
              addresses[lane] =
                  stores
                      ? base + 4 * (first + fragment.offset(index).column) + at
                      : inactiveLane;
            }
            tally.addGlobal({index, at, 0},
                            std::min(runBytes - at, tv::maxAccessBytes),
                            addresses);
          }
        }
  });
  report(sum, "partial", sum.getTarget(), "", MemorySpace::global,
         /*isWrite=*/true);
}

void AccessCounter::addGather(tv::AccumulateOp sum) {
  Fragment fragment = fragmentOf(sum.getValue().getType());
  const TVLayout &layout = *fragment.layout;
  tv::PlanAttr plan = kernel.getPlan();
  bool isScalar = fragment.shape.columns == 1;
  int64_t columns = sum.getCtaColumns(), runBytes = fragment.run * 4;
  int64_t warps = plan.getThreads() / warpSize;
  int64_t gather = sum.getGatherBytes() > 0 ? int64_t(*sum.getGatherAt()) : 0;
  tally.setTimes(plan.getPartials());
  for (int64_t cta = 0; cta < plan.getCluster(); ++cta)
    for (int64_t warp = 0; warp < warps; ++warp)
      for (int64_t index = 0; index < fragment.pieces; ++index)
        for (int64_t at = 0; at < runBytes && fragment.offset(index).row == 0;
             at += tv::maxAccessBytes) {
          LaneAddresses addresses;
          for (int64_t lane = 0; lane < warpSize; ++lane) {
            int64_t first = layout.evaluate(
                layout.size(Level::Cta) == 1 ? 0 : cta, warp, lane, 0);
            int64_t row = first / fragment.shape.columns;
            int64_t column = first % fragment.shape.columns % columns;
            bool stores =
                !isScalar || (isFirstCopy(layout.modes(Level::Lane), lane) &&
                              isFirstCopy(layout.modes(Level::Warp), warp));
            addresses[lane] = stores ? gather +
                                           4 * (row * columns + column +
                                                fragment.offset(index).column) +
                                           at
                                     : inactiveLane;
          }
          tally.addShared({index, at, 0},
                          std::min(runBytes - at, tv::maxAccessBytes),
                          addresses, /*isLoad=*/false);
        }
  report(sum, "gather", sum.getTarget(), "", MemorySpace::shared,
         /*isWrite=*/true);
  // Of the copies of a row scalar those of one CTA count.
  int64_t ctas = isScalar ? 1 : plan.getCluster();
  auto forEachColumn =
      [&](llvm::function_ref<int64_t(int64_t)> place,
          llvm::function_ref<void(const LaneAddresses &)> visit) {
        for (int64_t start = 0; start < columns; start += warpSize) {
          LaneAddresses addresses;
          for (int64_t lane = 0; lane < warpSize; ++lane)
            addresses[lane] =
                start + lane < columns ? place(start + lane) : inactiveLane;
          visit(addresses);
        }
      };
  tally.setTimes(plan.getPartials() * ctas);
  for (int64_t group = 0; group < sum.getGroups(); ++group)
    forEachColumn(
        [&](int64_t column) { return gather + 4 * (group * columns + column); },
        [&](const LaneAddresses &addresses) {
          tally.addShared({group > 0, 0, 0}, 4, addresses, /*isLoad=*/true);
        });
  report(sum, "gather", sum.getTarget(), "", MemorySpace::shared,
         /*isWrite=*/false);
  forEachPartial(*sum.getOffset(), [&](int64_t base) {
    for (int64_t cta = 0; cta < ctas; ++cta)
      forEachColumn(
          [&](int64_t column) { return base + 4 * (cta * columns + column); },
          [&](const LaneAddresses &addresses) {
            tally.addGlobal({}, 4, addresses);
          });
  });
  report(sum, "partial", sum.getTarget(), "", MemorySpace::global,
         /*isWrite=*/true);
}

/// All CTAs but the last have 32 columns.
void AccessCounter::addFold(tv::FoldOp fold) {
  int64_t columns = fold.getColumns(), partials = fold.getPartials();
  int64_t warps = kernel.getPlan().getThreads() / warpSize;
  int64_t ctas = llvm::divideCeil(columns, tv::foldColumns);
  int64_t last = columns - (ctas - 1) * tv::foldColumns;
  int64_t bytes =
      getElementTypeOrSelf(fold.getTarget().getType()).getIntOrFloatBitWidth() /
      8;
  Placement place = placeOperand(fold.getTarget());
  auto forEachCta = [&](llvm::function_ref<void(int64_t, int64_t)> visit) {
    tally.setTimes(ctas - 1);
    if (ctas > 1)
      visit(/*first=*/0, tv::foldColumns);
    tally.setTimes(1);
    visit((ctas - 1) * tv::foldColumns, last);
  };
  forEachCta([&](int64_t first, int64_t count) {
    // A lane without a column reads the first one; so does one without a
    // partial.
    for (int64_t start = 0; start < partials; start += warps)
      for (int64_t warp = 0; warp < warps; ++warp) {
        int64_t partial = start + warp < partials ? start + warp : 0;
        LaneAddresses addresses;
        for (int64_t lane = 0; lane < warpSize; ++lane)
          addresses[lane] = partial * int64_t(*kernel.getWorkspace()) +
                            int64_t(fold.getOffset()) +
                            4 * (lane < count ? first + lane : 0);
        tally.addGlobal({}, 4, addresses);
      }
  });
  report(fold, "fold", fold.getTarget(), "", MemorySpace::global,
         /*isWrite=*/false);
  tally.setTimes(ctas);
  for (bool isLoad : {false, true}) {
    // Each warp reads what all have written.
    for (int64_t i = 0; warps > 1 && i < warps * (isLoad ? warps : 1); ++i) {
      LaneAddresses addresses;
      for (int64_t lane = 0; lane < warpSize; ++lane)
        addresses[lane] = 4 * (i % warps * warpSize + lane);
      tally.addShared({}, 4, addresses, isLoad);
    }
    report(fold, "fold", fold.getTarget(), "", MemorySpace::shared, !isLoad);
  }
  forEachCta([&](int64_t first, int64_t count) {
    LaneAddresses addresses;
    for (int64_t lane = 0; lane < warpSize; ++lane)
      addresses[lane] =
          lane < count ? place.start + bytes * (first + lane) : inactiveLane;
    tally.addGlobal({}, bytes, addresses);
  });
  report(fold, "store", fold.getTarget(), "", MemorySpace::global,
         /*isWrite=*/true);
}
