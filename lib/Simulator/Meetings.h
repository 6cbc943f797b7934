//===- Meetings.h - lanes that do an instruction together -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that wait until the lanes which their mask names are at them.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_MEETINGS_H
#define QUACK_LIB_SIMULATOR_MEETINGS_H

#include "Machine.h"

namespace quack::sim {

/// Op::mode of vote.sync.ballot, whose result is no predicate.
inline constexpr uint8_t ballotMode = 3;

/// Executes an instruction for each group of lanes that name the same mask, in
/// op.list, once all of them are at it, or at others of its kind. Makes the
/// fragment wait otherwise. op.type is that of the source.
void executeInGroups(Warp &warp, const Op &op, uint32_t lanes, Handler execute);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_MEETINGS_H
