//===- Counters.cpp - what accesses cost -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Counters.h"

#include "Machine.h"

#include "quack/Layout/MemoryAccess.h"

#include <algorithm>

using namespace quack;
using namespace quack::sim;

//===----------------------------------------------------------------------===//
// Touched bytes
//===----------------------------------------------------------------------===//

TouchedBytes::Page &TouchedBytes::page(uint64_t number) {
  if (last && lastNumber == number)
    return *last;
  std::unique_ptr<Page> &found = pages[number];
  if (!found)
    found = std::make_unique<Page>();
  last = found.get();
  lastNumber = number;
  return *last;
}

void TouchedBytes::touch(uint64_t address, uint64_t bytes) {
  while (bytes) {
    Page &where = page(address >> pageShift);
    uint64_t offset = address & ((1u << pageShift) - 1);
    unsigned bit = unsigned(offset % 64);
    uint64_t length = std::min<uint64_t>(bytes, 64 - bit);
    uint64_t mask = length == 64 ? ~0ull : (1ull << length) - 1;
    where.words[offset / 64] |= mask << bit;
    address += length;
    bytes -= length;
  }
}

void TouchedBytes::add(const TouchedBytes &other) {
  for (const auto &[number, from] : other.pages) {
    Page &to = page(number);
    for (size_t i = 0; i < std::size(to.words); ++i)
      to.words[i] |= from->words[i];
  }
}

uint64_t TouchedBytes::count() const {
  uint64_t count = 0;
  for (const auto &entry : pages)
    for (uint64_t word : entry.second->words)
      count += uint64_t(__builtin_popcountll(word));
  return count;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static MemoryCount &request(Warp &warp, const Op &op, uint32_t bytes) {
  MemoryCount &count = warp.cluster->memoryCounts[op.index];
  ++count.requests;
  count.width = std::max(count.width, bytes);
  return count;
}

static void addBytes(MemoryCount &count, uint64_t bytes, AccessKind kind) {
  if (kind != AccessKind::write)
    count.bytesRead += bytes;
  if (kind != AccessKind::read)
    count.bytesWritten += bytes;
}

static void addRun(MemoryCount &count, uint64_t address, uint64_t bytes) {
  uint64_t end = address + bytes - 1;
  count.sectors += end / 32 - address / 32 + 1;
  count.lines += end / 128 - address / 128 + 1;
  count.leastSectors += (bytes + 31) / 32;
}

void quack::sim::countGlobal(Warp &warp, const Op &op,
                             const uint64_t *addresses, uint32_t lanes,
                             uint32_t bytes, bool contiguous, AccessKind kind) {
  Cluster &cluster = *warp.cluster;
  MemoryCount &count = request(warp, op, bytes);
  uint64_t total = uint64_t(bytes) * uint64_t(__builtin_popcount(lanes));
  addBytes(count, total, kind);
  if (contiguous) {
    addRun(count, addresses[0], total);
    if (!cluster.touched.empty())
      cluster.touched[op.index].touch(addresses[0], total);
    return;
  }
  int64_t active[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    active[i] = lanes >> i & 1 ? int64_t(addresses[i]) : inactiveLane;
  GlobalAccessCost cost = countSectors(active, bytes);
  count.sectors += uint64_t(cost.sectors);
  count.leastSectors += uint64_t(cost.leastSectors);
  count.lines += uint64_t(cost.lines);
  if (cluster.touched.empty())
    return;
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1)
      cluster.touched[op.index].touch(addresses[i], bytes);
}

void quack::sim::countGlobalRun(Warp &warp, const Op &op, uint64_t address,
                                uint64_t bytes, AccessKind kind) {
  if (!bytes)
    return;
  Cluster &cluster = *warp.cluster;
  MemoryCount &count = request(warp, op, uint32_t(bytes));
  addBytes(count, bytes, kind);
  addRun(count, address, bytes);
  if (!cluster.touched.empty())
    cluster.touched[op.index].touch(address, bytes);
}

void quack::sim::countShared(Warp &warp, const Op &op,
                             const uint64_t *addresses, uint32_t lanes,
                             uint32_t bytes, bool contiguous, AccessKind kind) {
  MemoryCount &count = request(warp, op, bytes);
  uint32_t width = std::max(4u, bytes);
  if (contiguous && lanes == allLanes) {
    count.leastWavefronts += width / 4;
    count.wavefronts += width / 4;
    return;
  }
  // The same place in several CTAs is one: what ncu counts for loads of peers'.
  constexpr uint64_t inCta = (1ull << clusterShift) - 1;
  int64_t active[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    active[i] = lanes >> i & 1
                    ? int64_t(addresses[i] & inCta & ~uint64_t(width - 1))
                    : inactiveLane;
  SharedAccessCost cost =
      sharedAccessCost(active, width, kind == AccessKind::read);
  count.leastWavefronts += uint64_t(cost.phases);
  count.wavefronts += uint64_t(cost.wavefronts);
}
