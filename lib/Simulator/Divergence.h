//===- Divergence.h - lanes part and meet -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that a branch parts become fragments of their warp; they meet again at
// the branch's join. Lanes that a call takes meet where it returns.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_DIVERGENCE_H
#define QUACK_LIB_SIMULATOR_DIVERGENCE_H

#include "Warp.h"

namespace quack::sim {

/// Returns the join at `pc` for the current fragment's lanes: the innermost one
/// if it is there already.
int joinAt(Warp &warp, uint32_t pc);
/// Takes `lanes` out of the current fragment and makes them a fragment of their
/// own at `pc`, which becomes the last.
Fragment &splitOff(Warp &warp, uint32_t lanes, uint32_t pc);
/// Lets fragment `index` wait at its join if it stands there. Returns whether
/// it did; it is no more then.
bool arriveAtJoin(Warp &warp, size_t index);
inline bool arriveAtJoin(Warp &warp) {
  return arriveAtJoin(warp, warp.current);
}
/// Parts the current fragment: `taken` go to `target`, the others to `next`.
/// Returns whether the current fragment goes on.
bool part(Warp &warp, const Op &op, uint32_t taken, uint32_t target,
          uint32_t next);
/// Lets lanes that wait at joins for lanes that spin go on without them: these
/// may spin until the former have done something. They meet again where an
/// instruction needs the whole warp. Returns whether there were any.
bool releaseWaiting(Warp &warp);
void exitLanes(Warp &warp, const Op &op, uint32_t lanes);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_DIVERGENCE_H
