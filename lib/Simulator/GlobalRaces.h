//===- GlobalRaces.h - races in global memory -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global memory has cells as shared memory has, those of a machine. Clusters
// that run each in a machine of its own cannot order their accesses: what one
// writes no other may touch. That is looked at when a cluster is over, in the
// order of the clusters, whichever thread of the host ran it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_GLOBALRACES_H
#define QUACK_LIB_SIMULATOR_GLOBALRACES_H

#include "Shadow.h"

#include "quack/Simulator/Simulator.h"

#include <condition_variable>
#include <mutex>

namespace quack::sim {

/// The cells of a buffer.
struct GlobalRange {
  uint64_t address = 0, bytes = 0;
  uint64_t firstCell = 0; ///< its address, in granules
  ShadowMap cells;
};

struct GlobalShadow {
  uint32_t granule = 16;
  std::vector<GlobalRange> ranges;

  void addBuffers(llvm::ArrayRef<Buffer> buffers);
  GlobalRange *find(uint64_t address) {
    for (GlobalRange &range : ranges)
      if (address - range.address < range.bytes)
        return &range;
    return nullptr;
  }
  uint64_t hostBytes() const {
    uint64_t bytes = 0;
    for (const GlobalRange &range : ranges)
      bytes += range.cells.hostBytes();
    return bytes;
  }
  void clear() {
    for (GlobalRange &range : ranges)
      range.cells.clear();
  }
};

/// What the clusters of a launch that are over have done to global memory.
class GlobalSummary {
public:
  /// Adds the accesses of cluster `number` when it is its turn. Returns its
  /// faults.
  std::vector<Fault> add(uint64_t number, GlobalShadow &shadow,
                         const AccessLog &log, const Program &program);
  uint64_t hostBytes() const {
    uint64_t bytes = accesses.capacity() * sizeof(Access);
    for (const Cells &cells : all)
      bytes += cells.hostBytes();
    return bytes;
  }

private:
  /// An instruction of a warp; a cell names one and a lane.
  struct Access {
    const Op *op = nullptr;
    uint32_t cta = 0;
    uint16_t warp = 0;
  };
  std::mutex mutex;
  std::condition_variable isOver;
  uint64_t next = 0;
  /// For each range and granule an access and a lane, with `isWrite` if it is a
  /// write: that is all a later cluster is compared with.
  using Cells = PagedCells<AccessSet>;
  static constexpr AccessSet isWrite = 1u << 31;
  std::vector<Cells> all;
  std::vector<Access> accesses{1};

  void merge(GlobalShadow &shadow, const AccessLog &log, const Program &program,
             std::vector<Fault> &faults);
};

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_GLOBALRACES_H
