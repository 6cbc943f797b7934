//===- MBarriers.h - what the instructions of mbarrier are ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the decoding of mbarrier's instructions and their meaning.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_MBARRIERS_H
#define QUACK_LIB_SIMULATOR_MBARRIERS_H

#include "Memory.h"

namespace quack::sim {

/// Op::mode.
enum class MBarrierAction : uint8_t {
  init,
  inval,
  arrive,
  arriveDrop,
  expectTx,
  completeTx,
};

/// Op::count of an arrival: what its number is.
enum class ArriveForm : uint8_t {
  plain,      ///< a count
  noComplete, ///< a count that must not complete the phase
  expectTx,   ///< bytes, expected before one arrival
};

void runMBarrier(Warp &warp, const Op &op, uint32_t lanes);
/// Op::count is whether a parity is tested; else a state is. Op::mode is
/// whether the wait may give up (try_wait).
void runMBarrierWait(Warp &warp, const Op &op, uint32_t lanes);
void runPendingCount(Warp &warp, const Op &op, uint32_t lanes);

/// complete-tx of `bytes` at an mbarrier.
void completeBytes(Warp &warp, const Op &op, uint32_t lane, MBarrier &barrier,
                   uint32_t bytes);
/// arrive-on with `count` at an mbarrier; orders nothing by itself.
void arriveOn(Warp &warp, const Op &op, uint32_t lane, MBarrier &barrier,
              uint32_t count);
/// Adds an arrival to the present phase, for one that is to come.
void addPending(Warp &warp, const Op &op, uint32_t lane, MBarrier &barrier);
/// Returns the mbarrier at an address and its place; null after a fault.
MBarrier *requireMBarrier(Warp &warp, const Op &op, unsigned lane,
                          uint64_t address, const SharedPlace &place);
/// Checks that a lane knows of the mbarrier's initialisation.
bool checkInitVisible(Warp &warp, const Op &op, unsigned lane,
                      const MBarrier &barrier);
/// The async proxy sees an initialisation that a fence follows.
void checkInitProxied(Warp &warp, const Op &op, unsigned lane,
                      const MBarrier &barrier);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_MBARRIERS_H
