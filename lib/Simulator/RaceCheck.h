//===- RaceCheck.h - an access is checked against cells ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between what accesses memory and what is known of the accesses before it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_RACECHECK_H
#define QUACK_LIB_SIMULATOR_RACECHECK_H

#include "Machine.h"
#include "Races.h"

namespace quack::sim {

/// An instruction's accesses, while they are checked.
struct Checker {
  Warp &warp;
  const Op &op;
  AccessKind kind;
  uint32_t event;
  AccessLog &log;
  bool isStrong;
  uint32_t ordered = 0; ///< an event all of whose lanes are known
  /// What the last access to a cell has made of it; of no lanes: unknown.
  uint32_t lanesBefore = 0;
  ShadowCell before, after;

  Checker(Warp &warp, const Op &op, AccessKind kind, uint32_t event)
      : warp(warp), op(op), kind(kind), event(event),
        log(warp.cluster->machine.log), isStrong(log[event].isStrong) {}
};

/// Where a cell is.
struct Spot {
  const Cta *cta; ///< of shared memory, else null
  uint64_t at;    ///< offset or address

  /// Names the place among those of the machine.
  uint64_t key() const {
    return cta ? 1ull << 63 | uint64_t(cta->index) << 32 | at : at;
  }
  std::string str() const;
};

/// Checks the access of `mine` to a cell, and notes it.
void accessCell(Checker &check, ShadowCell &cell, uint32_t mine,
                const Spot &spot);

/// The usual case: nobody has accessed the cell before.
inline void accessCellFast(Checker &check, ShadowCell &cell, unsigned lane,
                           const Cta *cta, uint64_t at) {
  AccessSet one = AccessLog::one(check.event, lane);
  bool isRead = check.kind == AccessKind::read;
  if ((cell.write | cell.read) == 0 && !check.op.isNonCoherent)
    (isRead ? cell.read : cell.write) = one;
  else
    accessCell(check, cell, 1u << lane, {cta, at});
}

/// Returns which of an earlier access' lanes are not ordered before the access
/// of each of `mine`.
uint32_t unordered(Checker &check, const AccessLog::Item &earlier,
                   uint32_t mine);

/// Returns "the write of line 7 (CTA 0, warp 1, lane 2)".
std::string describeEvent(const Event &event, uint32_t lanes, bool isWrite);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_RACECHECK_H
