//===- Cta.h - the state of a CTA -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CTA: its shared memory and its barriers.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_CTA_H
#define QUACK_LIB_SIMULATOR_CTA_H

#include "Shadow.h"

#include "quack/Simulator/Simulator.h"

namespace quack::sim {

struct Warp;

/// What a byte of shared memory is.
enum ByteState : uint8_t {
  byteUnwritten = 0,
  byteWritten = 1,
  byteInFlight = 2, ///< an unfinished asynchronous operation's destination
  byteMBarrier = 3,
};

/// What threads of other CTAs have done at an mbarrier.
struct FromPeers {
  bool data = false, arrivals = false;
};

/// PTX ISA, "Contents of the mbarrier object".
struct MBarrier {
  uint32_t offset = 0;
  uint32_t serial = 0;  ///< in its CTA
  int64_t expected = 0; ///< arrivals of each phase
  int64_t pending = 0;  ///< arrivals missing
  int64_t bytes = 0;    ///< tx-count; negative while bytes came before expected
  uint64_t phase = 0;   ///< phases completed
  uint64_t waited = 0;  ///< phases some thread has waited for
  /// Phases up to the last one that an asynchronous operation has signalled.
  uint64_t signalled = 0;
  /// What peers have sent to the present phase, and to the one before.
  FromPeers fromPeers, completedFromPeers;
  Agent agent; ///< its times: 1 the initialisation, 2 + n the end of phase n
  Agent views; ///< its times: phases that somebody has seen the end of
  const Warp *initWarp = nullptr;
  uint32_t initLane = 0, initLine = 0;
  bool isInitFenced = false;  ///< by fence.mbarrier_init
  bool isInitProxied = false; ///< by that or by fence.proxy.async
  Clock arriving, completed;

  uint32_t phaseTime() const { return uint32_t(phase) + 2; }
};

/// Barrier resource of a CTA (PTX ISA, bar).
struct NamedBarrier {
  uint32_t expected = 0; ///< threads, if the instructions say; else 0
  uint32_t arrived = 0;
  uint32_t generation = 0;
  bool reduces = false;                 ///< who has arrived did so by bar.red
  uint32_t ones = 0, zeros = 0;         ///< bar.red's predicates so far,
  uint32_t lastOnes = 0, lastZeros = 0; ///< and those of the last generation
  Clock clock;                          ///< of those that arrived
};

struct Cta {
  uint32_t rank = 0;
  uint32_t index = 0;  ///< in the machine
  uint64_t number = 0; ///< in the grid
  uint32_t sm = 0;
  bool isGone = false; ///< it lets dependent launches start, or has exited
  Extent id;
  std::vector<uint8_t> shared;
  std::vector<uint8_t> state; ///< ByteState by byte
  ShadowMap shadow;           ///< by granule
  Clock exitClock;            ///< what its threads knew when they exited
  std::vector<MBarrier> mbarriers;
  uint32_t mbarrierCount = 0; ///< initialised so far
  NamedBarrier barriers[16];
  uint32_t firstWarp = 0, numWarps = 0;
  uint32_t liveThreads = 0;
  bool hasExited = false;

  MBarrier *findMBarrier(uint64_t offset) {
    for (MBarrier &barrier : mbarriers)
      if (barrier.offset == offset)
        return &barrier;
    return nullptr;
  }
};

/// Lets the barriers know that `lanes` of `warp` have exited.
void threadsExited(Warp &warp, uint32_t lanes, const Op &op);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_CTA_H
