//===- Counters.h - what accesses cost --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sectors, lines and wavefronts of each instruction, and which bytes of global
// memory it touched: the difference between what lanes ask for and what there
// is to fetch is what a cache may save.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_COUNTERS_H
#define QUACK_LIB_SIMULATOR_COUNTERS_H

#include "Program.h"

#include <map>
#include <memory>

namespace quack::sim {

struct Warp;

enum class AccessKind : uint8_t { read, write, atomic };

/// What the memory accesses of one instruction cost.
struct MemoryCount {
  uint64_t bytesRead = 0, bytesWritten = 0;          ///< global, of all lanes
  uint64_t sectors = 0, leastSectors = 0, lines = 0; ///< global
  uint64_t wavefronts = 0, leastWavefronts = 0;      ///< shared
  uint64_t requests = 0; ///< warp instructions that reached memory
  uint64_t remoteBytes = 0;
  uint32_t width = 0; ///< bytes a lane accesses, at most
};

/// A set of bytes of global memory: a bit for each byte of a touched page.
class TouchedBytes {
public:
  void touch(uint64_t address, uint64_t bytes);
  void add(const TouchedBytes &other);
  uint64_t count() const;

private:
  static constexpr unsigned pageShift = 16;
  struct Page {
    uint64_t words[(1u << pageShift) / 64] = {};
  };
  std::map<uint64_t, std::unique_ptr<Page>> pages; ///< by address >> pageShift
  Page *last = nullptr;
  uint64_t lastNumber = 0;

  Page &page(uint64_t number);
};

/// Counts an access of global memory by `lanes`, `bytes` each; `contiguous`
/// says that each lane's bytes follow those of the lane before it.
void countGlobal(Warp &warp, const Op &op, const uint64_t *addresses,
                 uint32_t lanes, uint32_t bytes, bool contiguous,
                 AccessKind kind);

/// Counts `bytes` contiguous bytes of global memory that one lane's operation
/// reads or writes.
void countGlobalRun(Warp &warp, const Op &op, uint64_t address, uint64_t bytes,
                    AccessKind kind);

/// Counts an access of shared memory.
void countShared(Warp &warp, const Op &op, const uint64_t *addresses,
                 uint32_t lanes, uint32_t bytes, bool contiguous,
                 AccessKind kind);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_COUNTERS_H
