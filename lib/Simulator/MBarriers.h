//===- MBarriers.h - what the instructions of mbarrier are ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the decoding of mbarrier's instructions and their meaning.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_MBARRIERS_H
#define QUACK_LIB_SIMULATOR_MBARRIERS_H

#include "Machine.h"

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

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_MBARRIERS_H
