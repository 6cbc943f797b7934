//===- Tally.cpp - adds up the requests of one operation --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tally.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace quack;

static constexpr int64_t sectorBytes = 32;

llvm::SmallVector<TileClass>
quack::classifyTiles(int64_t rows, int64_t rowsPerTile, int64_t rowBytes) {
  llvm::SmallVector<TileClass> classes;
  int64_t full = rows / rowsPerTile;
  // A tile's start moves by as much from each to the next.
  int64_t step = rowBytes % sectorBytes * rowsPerTile % sectorBytes;
  int64_t period = sectorBytes / std::gcd(step, sectorBytes);
  for (int64_t tile = 0; tile < std::min(period, full); ++tile)
    classes.push_back(
        {tile * rowsPerTile, rowsPerTile, (full - tile + period - 1) / period});
  if (rows % rowsPerTile)
    classes.push_back({full * rowsPerTile, rows % rowsPerTile, 1});
  return classes;
}

void Tally::add(Key key, int64_t laneBytes, const AccessCounts &counts) {
  auto [at, isNew] =
      instructions.try_emplace(key, InstructionReport{laneBytes, {}});
  // Of copies of runs, the longest counts.
  at->second.laneBytes = std::max(at->second.laneBytes, laneBytes);
  AccessCounts &sum = at->second.counts;
  sum.requests += times * counts.requests;
  sum.bytes += times * counts.bytes;
  sum.sectors += times * counts.sectors;
  sum.leastSectors += times * counts.leastSectors;
  sum.wavefronts += times * counts.wavefronts;
  sum.leastWavefronts += times * counts.leastWavefronts;
  sum.remoteBytes += times * counts.remoteBytes;
}

/// Returns how many lanes access memory.
static int64_t countActive(const LaneAddresses &addresses) {
  return llvm::count_if(
      addresses, [](int64_t address) { return address != inactiveLane; });
}

void Tally::addGlobal(Key key, int64_t laneBytes,
                      const LaneAddresses &addresses) {
  int64_t active = countActive(addresses);
  if (!active)
    return;
  GlobalAccessCost cost = countSectors(addresses, laneBytes);
  AccessCounts counts;
  counts.requests = 1;
  counts.bytes = active * laneBytes;
  counts.sectors = cost.sectors;
  counts.leastSectors = cost.leastSectors;
  add(key, laneBytes, counts);
}

void Tally::addRun(Key key, int64_t laneBytes, int64_t address, int64_t bytes) {
  if (!bytes)
    return;
  AccessCounts counts;
  counts.requests = 1;
  counts.bytes = bytes;
  counts.sectors =
      (address + bytes - 1) / sectorBytes - address / sectorBytes + 1;
  counts.leastSectors = (bytes + sectorBytes - 1) / sectorBytes;
  add(key, laneBytes, counts);
}

void Tally::addShared(Key key, int64_t laneBytes,
                      const LaneAddresses &addresses, bool isLoad) {
  int64_t active = countActive(addresses);
  if (!active)
    return;
  // A bank's word is what the least access takes.
  constexpr int64_t word = 4;
  int64_t width = std::max(laneBytes, word);
  LaneAddresses words = addresses;
  for (int64_t &address : words)
    if (address != inactiveLane)
      address -= address % width;
  SharedAccessCost cost = sharedAccessCost(words, width, isLoad);
  AccessCounts counts;
  counts.requests = 1;
  counts.bytes = active * laneBytes;
  counts.wavefronts = cost.wavefronts;
  counts.leastWavefronts = cost.phases;
  add(key, laneBytes, counts);
}

void Tally::addRemote(Key key, int64_t laneBytes, int64_t lanes,
                      int64_t remote) {
  AccessCounts counts;
  counts.requests = 1;
  counts.bytes = lanes * laneBytes;
  counts.remoteBytes = remote * laneBytes;
  add(key, laneBytes, counts);
}

std::vector<InstructionReport> Tally::take() {
  std::vector<InstructionReport> list;
  for (const auto &entry : instructions)
    list.push_back(entry.second);
  instructions.clear();
  return list;
}
