//===- lib/Plan/FewRows.cpp - launches that do not fill the GPU -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One stage after the other: each takes as long as the busiest SM has to move
// and to compute, or as memory takes for all bytes.
//
//===----------------------------------------------------------------------===//

#include "FewRows.h"

#include "CostModel.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace quack;

bool quack::hasFewRows(const KernelTraits &traits, const Target &target) {
  // What all SMs hold, a few times over.
  double bytes = traits.loadedBytes() + traits.storedBytes();
  return traits.knowsRows &&
         traits.rows * bytes < 4.0 * target.sms * target.sharedPerSM;
}

namespace {
/// The bytes of a row that one stage moves.
struct Traffic {
  double fromMemory = 0, fromL2 = 0, stored = 0;
};

/// What all stages of a launch have in common.
class LaunchModel {
public:
  LaunchModel(const KernelTraits &traits, const Target &target,
              tv::PlanAttr plan, const CtaCost &cta);

  double launchTime();
  /// Microseconds of the kernel in which what the slices of a row have picked meets.
  double pickTime() const;

  bool isFull = true; ///< memory decides each stage's time

private:
  /// Reads of `bytes` for a second time, while `rows` rows are under way.
  Traffic again(double bytes, double rows) const;
  /// Microseconds in which a warp's lanes fold partials, each as many.
  double foldTime(int64_t partials) const;
  /// Microseconds of a stage that moves `traffic` for each row, does `share` of the
  /// computing and has `rounds` meetings, after its first data are there.
  double stageTime(const Traffic &traffic, double share, int64_t rounds);

  const KernelTraits &traits;
  const Target &target;
  tv::PlanAttr plan;
  CtaCost cta;
  double loaded, stored; ///< bytes of a row
  double reach;          ///< SMs that have something to do, at most
  double ctasOfSM;       ///< that the busiest SM runs
  double part;           ///< of a tile, what the CTA with the most columns has
};
} // namespace

LaunchModel::LaunchModel(const KernelTraits &traits, const Target &target,
                         tv::PlanAttr plan, const CtaCost &cta)
    : traits(traits), target(target), plan(plan), cta(cta),
      loaded(traits.loadedBytes()),
      stored(traits.storedBytes()),
      reach(target.smsOfClusters(plan.getCluster())) {
  double ctasOfTile = plan.getCtasPerRow();
  double tiles = std::ceil(double(traits.rows) / plan.getRows());
  ctasOfSM = std::ceil(tiles * ctasOfTile / reach);
  part = plan.getPaddedColumns(traits.columns) / double(traits.columns) /
         ctasOfTile;
}

Traffic LaunchModel::again(double bytes, double rows) const {
  Traffic traffic;
  (target.fitsL2(rows * loaded) ? traffic.fromL2 : traffic.fromMemory) = bytes;
  return traffic;
}

double LaunchModel::foldTime(int64_t partials) const {
  return target.foldTime * double(llvm::divideCeil(partials, warpSize));
}

double LaunchModel::stageTime(const Traffic &traffic, double share,
                              int64_t rounds) {
  double memory =
      traits.rows *
      ((traffic.fromMemory + traffic.stored) / target.shortBandwidth +
       traffic.fromL2 / target.l2Bandwidth) /
      cta.coalescing;
  double bytes = traffic.fromMemory + traffic.fromL2 + traffic.stored;
  double sm = ctasOfSM * (cta.busy * share +
                          plan.getRows() * part * bytes / target.smBandwidth);
  double starts =
      ctasOfSM * target.ctaStart *
      (1 + target.memberStart * double(plan.getCluster() - 1));
  isFull &= memory > std::max(sm, starts);
  // Warps of the row meet in shared memory, whichever CTAs they are of.
  double exchange =
      foldTime(plan.getThreadsPerRow() / warpSize * plan.getCluster()) *
      plan.getRowsPerThread() * double(rounds);
  if (plan.getCluster() > 1)
    exchange += target.clusterStart;
  double waves = std::ceil(ctasOfSM / cta.ctasPerSM);
  // The slowest decides, but is not the slowest throughout.
  double together = std::pow(std::pow(memory, 1.5) + std::pow(sm, 1.5) +
                                 std::pow(starts, 1.5),
                             1 / 1.5);
  return together + exchange + cta.alone * share +
         (waves - 1) * target.ctaTurnover / double(cta.ctasPerSM);
}

/// It reads what each slice has picked, twice, and its threads meet as often as a
/// bound takes to be found.
double LaunchModel::pickTime() const {
  double bytes = 8.0 * double(plan.getSlices() * traits.picks);
  double meetings = 8 * target.blockExchange;
  return target.kernelLaunch + meetings +
         traits.rows * bytes / target.l2Bandwidth +
         std::max(0.0, std::ceil(double(traits.rows) / target.sms) - 1) *
             meetings / double(target.ctasPerSM);
}

double LaunchModel::launchTime() {
  // An online pair meets once.
  int64_t rounds = traits.rounds();
  bool hasPicks = traits.picksMeet && plan.getSlices() > 1;
  if (plan.getSlices() == 1 || rounds == 0) {
    double places = reach * cta.ctasPerSM / plan.getCluster();
    Traffic traffic = again(rereadBytes(traits, plan),
                            std::min<double>(traits.rows, places * plan.getRows()));
    traffic.fromMemory += loaded;
    traffic.stored = stored;
    double time = target.firstData + stageTime(traffic, 1, rounds);
    return hasPicks ? time + pickTime() : time;
  }
  // A stage for each round, which merges the partials of the one before, and one
  // for what comes after them: it reads the row again, if it stores one.
  int64_t passes = rounds + (stored > 0 ? 1 : 0);
  double time = target.firstData + stageTime({loaded, 0, 0}, 1.0 / passes, 1);
  if (hasPicks)
    time += pickTime();
  // Updated scalars are stored by a stage of their own.
  if (traits.updatesScalar && stored > 0)
    time += target.kernelLaunch;
  for (int64_t stage = 1; stage <= rounds; ++stage) {
    time += target.kernelLaunch + foldTime(plan.getSlices());
    Traffic traffic = again(loaded, traits.rows);
    traffic.stored = stage == rounds ? stored : 0;
    if (stage < passes)
      time += stageTime(traffic, 1.0 / passes, 1);
  }
  return time;
}

double quack::launchTime(const KernelTraits &traits, const Target &target,
                         tv::PlanAttr plan, const CtaCost &cta, bool &isFull) {
  LaunchModel model(traits, target, plan, cta);
  double time = model.launchTime();
  isFull = model.isFull;
  return time;
}
