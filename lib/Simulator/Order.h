//===- Order.h - what is ordered before a point -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lanes know of others, and how they come to know it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_ORDER_H
#define QUACK_LIB_SIMULATOR_ORDER_H

#include "Machine.h"

namespace quack::sim {

Agent agentOf(const Warp &warp, AgentKind kind);
LaneGroup &groupOf(Warp &warp, unsigned lane);
/// Parts groups so that each lies within `lanes` or outside. Returns whether
/// any did not.
bool partGroups(Warp &warp, uint32_t lanes);
/// Returns what a lane knows of others.
Clock &clockOf(Warp &warp, unsigned lane);
/// Hands what `lanes` know and have done on to `into`, and ends the warp's
/// step: what they do from now on is not covered.
void release(Warp &warp, uint32_t lanes, Clock &into);
/// Hands on what `lanes` have done themselves up to `time`, with their other
/// operations up to `own`, if not null.
void handOnOwn(Warp &warp, uint32_t lanes, uint32_t time, const OwnTimes *own,
               Clock &into);
/// From now on `lanes` come after what `from` knows.
void acquire(Warp &warp, uint32_t lanes, const Clock &from);
/// From now on `lanes` come after what the agent has done up to `time`.
void learn(Warp &warp, uint32_t lanes, Agent agent, uint32_t time);
/// Notes that each of `lanes` knows its own operations of `kind` up to `time`.
void learnOwn(Warp &warp, uint32_t lanes, AgentKind kind, uint32_t time);
void startOrder(Warp &warp);
/// Lets `lanes` exit.
void endOrder(Warp &warp, uint32_t lanes);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_ORDER_H
