//===- lib/Plan/FewRows.cpp - launches that do not fill the GPU -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch after the other: a stage takes as long as its waves of CTAs, or as
// the GPU takes for all bytes.
//
//===----------------------------------------------------------------------===//

#include "FewRows.h"

#include <cmath>

using namespace mlir;
using namespace quack;

/// Bytes of a row that are loaded, or stored.
static double rowBytes(const KernelTraits &traits, bool OperandTraits::*way) {
  double bytes = 0;
  for (const OperandTraits &operand : traits.operands)
    if (operand.role == Role::row && operand.*way)
      bytes += traits.columns * operand.bytes;
  return bytes;
}

bool quack::hasFewRows(const KernelTraits &traits, const Target &target) {
  // What all SMs hold, a few times over.
  double bytes = rowBytes(traits, &OperandTraits::isLoaded) +
                 rowBytes(traits, &OperandTraits::isStored);
  return traits.knowsRows &&
         traits.rows * bytes < 4.0 * target.sms * target.sharedPerSM;
}

/// Microseconds that a warp takes to combine a slot for each lane.
static constexpr double slotTime = 0.05;

double quack::launchTime(const KernelTraits &traits, const Target &target,
                         tv::PlanAttr plan, const CtaCost &cta, bool &isFull) {
  double loaded = rowBytes(traits, &OperandTraits::isLoaded);
  double stored = rowBytes(traits, &OperandTraits::isStored);
  double tiles = std::ceil(double(traits.rows) / plan.getRows());
  double ctasPerTile = plan.getSlices() * plan.getCluster();
  double ctas = tiles * ctasPerTile;
  double waves = std::ceil(ctas / (target.sms * cta.ctasPerSM));
  double busySMs = std::min<double>(target.sms, ctas);
  double resident = std::min<double>(cta.ctasPerSM, std::ceil(ctas / busySMs));
  // The part of a tile's bytes that the CTA with the most columns has.
  double part =
      std::max(1.0 / ctasPerTile, plan.getPaddedColumns(traits.columns) /
                                      double(traits.columns) / ctasPerTile);
  double rate =
      std::min(target.smBandwidth, target.bandwidth / busySMs) / resident;
  // An online pair meets once.
  int64_t rounds = traits.exchanges - traits.onlinePasses;
  bool isSplit = plan.getSlices() > 1 && rounds > 0;
  double reads = 1;
  if (reloadsRows(traits, plan)) {
    double held = plan.getElementsPerThread(traits.columns);
    double kept = std::max<int64_t>(0, plan.getKept());
    reads += countRereads(traits) * std::max(0.0, 1 - kept / held);
  }
  // An SM starts its CTAs one after the other.
  double starting = ctas / busySMs * target.ctaLaunch *
                    (1 + target.clusterLaunch * (plan.getCluster() - 1));
  isFull = true;
  double time = 0;
  auto addStage = [&](double bytes, double computing) {
    double busy = traits.rows * bytes / cta.rate;
    double life = cta.waiting + starting + computing +
                  plan.getRows() * part * bytes / rate;
    double inWaves = waves * life + (waves - 1) * target.ctaTurnover;
    isFull &= busy > inWaves;
    time += target.kernelLaunch + std::max(busy, inWaves);
  };
  if (!isSplit) {
    addStage(loaded * reads + stored, cta.computing);
    return time;
  }
  // Each stage works on what it reads, once, and waits for the partials of
  // those before it: the lanes of a warp read as many slots at a time.
  double computing = cta.computing / (rounds + 1);
  double merging = target.memoryLatency +
                   std::ceil(double(plan.getSlices()) / warpSize) * slotTime;
  for (int64_t round = 0; round < rounds; ++round)
    addStage(loaded, computing + (round > 0 ? merging : 0));
  if (stored > 0)
    addStage(loaded + stored, computing + merging);
  else
    time += target.kernelLaunch + merging;
  return time;
}
