//===- CircleWatch.cpp - clusters that run in circles ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CircleWatch.h"

#include "Machine.h"

#include "llvm/Support/xxhash.h"

using namespace quack::sim;

static constexpr uint64_t firstSearch = 1 << 14;

static uint64_t mix(uint64_t hash, uint64_t value) {
  return (hash ^ value) * 0x9e3779b97f4a7c15u ^ hash >> 29;
}

static uint64_t hashBytes(const void *data, size_t size) {
  return llvm::xxh3_64bits(
      llvm::ArrayRef(static_cast<const uint8_t *>(data), size));
}

static uint64_t hashWarp(const Warp &warp) {
  uint64_t hash = mix(
      warp.serial,
      hashBytes(warp.file, size_t(warp.cluster->program.slots) * slotBytes));
  for (const Fragment &fragment : warp.fragments)
    hash = mix(mix(hash, fragment.lanes),
               uint64_t(fragment.pc) << 8 | uint64_t(fragment.wait));
  return mix(hash, warp.exited);
}

static uint64_t hashMemory(const Machine &machine) {
  uint64_t hash = 0;
  for (const Cluster *cluster : machine.liveClusters())
    for (const Cta &cta : cluster->ctas) {
      hash = mix(hash, hashBytes(cta.shared.data(), cta.shared.size()));
      for (const MBarrier &barrier : cta.mbarriers)
        hash =
            mix(mix(hash, uint64_t(barrier.pending) << 1 | (barrier.phase & 1)),
                uint64_t(barrier.bytes));
    }
  for (const Grid &grid : machine.grids)
    for (const Buffer &buffer : grid.launch.buffers)
      hash = mix(hash, hashBytes(buffer.data, buffer.bytes));
  return hash;
}

void CircleWatch::reset() {
  nextSearch = firstSearch;
  turnsLeft = 0;
}

void CircleWatch::begin(const Machine &machine) {
  if (machine.steps < nextSearch)
    return;
  nextSearch = 2 * machine.steps;
  turns = nextMark = all = mark = 0;
  hasMemory = false;
  hashes.resize(machine.warpsStarted);
  size_t warps = 0;
  for (const Cluster *cluster : machine.liveClusters()) {
    warps += cluster->warps.size();
    for (const Warp &warp : cluster->warps)
      all += hashes[warp.serial] = hashWarp(warp);
  }
  turnsLeft = 64 + 8 * warps;
}

bool CircleWatch::note(const Machine &machine, const Warp &warp,
                       uint64_t place) {
  --turnsLeft;
  all -= hashes[warp.serial];
  all += hashes[warp.serial] = hashWarp(warp);
  uint64_t now = mix(all, place);
  if (turns++ == nextMark) {
    nextMark = 2 * nextMark + 1;
    mark = now;
    hasMemory = false;
    return false;
  }
  if (now != mark)
    return false;
  uint64_t before = memory;
  memory = hashMemory(machine);
  if (hasMemory && memory == before)
    return true;
  hasMemory = true;
  return false;
}
