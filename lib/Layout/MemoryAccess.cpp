//===- MemoryAccess.cpp - Cost of a warp access ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts sectors and bank conflicts from the addresses of a warp's lanes; a
// layout only supplies the addresses. Invariant: what two lanes share is
// counted once.
//
//===----------------------------------------------------------------------===//

#include "quack/Layout/MemoryAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>
#include <tuple>

using namespace quack;

static constexpr int64_t sectorBytes = 32;
static constexpr int64_t lineBytes = 128;
static constexpr int64_t wordBytes = 4;
static constexpr int64_t numBanks = 32;

using Addresses = llvm::SmallVector<int64_t, 32>;

/// Returns the active addresses, each once, ascending.
static Addresses distinctActive(llvm::ArrayRef<int64_t> addresses) {
  Addresses result;
  for (int64_t address : addresses)
    if (address != inactiveLane)
      result.push_back(address);
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

/// Returns how many blocks of `blockBytes` the accesses at `starts`, ascending
/// and `bytes` long, touch.
static int64_t countBlocks(llvm::ArrayRef<int64_t> starts, int64_t bytes,
                           int64_t blockBytes) {
  int64_t count = 0;
  int64_t nextBlock = 0;
  for (int64_t start : starts) {
    int64_t first = std::max(start / blockBytes, nextBlock);
    int64_t last = (start + bytes - 1) / blockBytes;
    count += std::max<int64_t>(last - first + 1, 0);
    nextBlock = std::max(nextBlock, last + 1);
  }
  return count;
}

GlobalAccessCost quack::countSectors(llvm::ArrayRef<int64_t> addresses,
                                     int64_t bytes) {
  assert(bytes >= 1 && "an access has at least one byte");
  Addresses starts = distinctActive(addresses);
  int64_t distinctBytes = countBlocks(starts, bytes, /*blockBytes=*/1);
  return {countBlocks(starts, bytes, sectorBytes),
          (distinctBytes + sectorBytes - 1) / sectorBytes,
          countBlocks(starts, bytes, lineBytes)};
}

Addresses quack::laneAddresses(const GlobalAccess &access, int64_t base) {
  const TileShape tile = access.tile;
  const int64_t rowStride =
      access.rowStrideElements ? access.rowStrideElements : tile.columns;
  const int64_t value = access.piece * access.vectorElements;
  Addresses addresses;
  for (int64_t lane = 0; lane < access.layout.size(Level::Lane); ++lane) {
    int64_t linear =
        access.layout.evaluate(access.cta, access.warp, lane, value);
    int64_t element = linear / tile.columns * rowStride + linear % tile.columns;
    addresses.push_back(base + element * access.elementBytes);
  }
  return addresses;
}

GlobalAccessCost quack::globalAccessCost(const GlobalAccess &access) {
  assert(!access.layout.check(access.tile) && "the layout must be legal");
  assert(access.layout.contiguousRun(access.tile) % access.vectorElements ==
             0 &&
         "a vector must lie in a contiguous run");
  assert(llvm::isPowerOf2_64(access.baseAlignmentBytes) &&
         "an alignment is a power of two");
  const int64_t bytes = access.vectorElements * access.elementBytes;
  GlobalAccessCost worst = {0, 0, 0};
  for (int64_t base = 0; base < lineBytes; base += access.baseAlignmentBytes) {
    GlobalAccessCost cost = countSectors(laneAddresses(access, base), bytes);
    if (std::tie(cost.sectors, cost.lines) >
        std::tie(worst.sectors, worst.lines))
      worst = cost;
  }
  return worst;
}

/// Returns the passes that the lanes of one phase take over the banks.
static int64_t countWavefronts(llvm::ArrayRef<int64_t> addresses,
                               int64_t width) {
  Addresses words;
  for (int64_t address : addresses)
    for (int64_t byte = 0; byte < width; byte += wordBytes)
      words.push_back((address + byte) / wordBytes);
  int64_t wordsInBank[numBanks] = {};
  for (int64_t word : distinctActive(words))
    ++wordsInBank[word % numBanks];
  return *std::max_element(std::begin(wordsInBank), std::end(wordsInBank));
}

/// Returns whether each lane and the one `apart` lanes from it ask for the
/// same, or one of them for nothing.
static bool isPaired(llvm::ArrayRef<int64_t> addresses, size_t apart) {
  for (size_t lane = 0; lane < addresses.size(); ++lane) {
    size_t other = lane ^ apart;
    if (other < addresses.size() && addresses[lane] != inactiveLane &&
        addresses[other] != inactiveLane && addresses[lane] != addresses[other])
      return false;
  }
  return true;
}

SharedAccessCost quack::sharedAccessCost(llvm::ArrayRef<int64_t> addresses,
                                         int64_t width, bool isLoad) {
  assert((width == 4 || width == 8 || width == 16) &&
         "a lane accesses 4, 8 or 16 bytes");
  assert(addresses.size() <= static_cast<size_t>(warpSize) &&
         "a warp has 32 lanes");
  size_t lanesPerPhase = warpSize * wordBytes / width;
  // As ncu counts on an H200: the pairs of the whole warp decide.
  if (isLoad && width > wordBytes &&
      (isPaired(addresses, 1) || isPaired(addresses, 2)))
    lanesPerPhase *= 2;
  SharedAccessCost cost = {0, 0, 0};
  while (!addresses.empty()) {
    size_t lanes = std::min(lanesPerPhase, addresses.size());
    Addresses active = distinctActive(addresses.take_front(lanes));
    addresses = addresses.drop_front(lanes);
    assert(llvm::all_of(active, [&](int64_t a) { return a % width == 0; }) &&
           "a shared access must be aligned to its width");
    if (active.empty())
      continue;
    ++cost.phases;
    cost.wavefronts += countWavefronts(active, width);
  }
  cost.conflicts = cost.wavefronts - cost.phases;
  return cost;
}
