//===- Fences.h - what strong accesses hand on ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_FENCES_H
#define QUACK_LIB_SIMULATOR_FENCES_H

#include "Memory.h"

namespace quack::sim {

/// fence and membar, but for proxies and mbarrier_init.
void runFence(Warp &warp, const Op &op, uint32_t lanes);

/// What a relaxed arrival at an mbarrier of CTA `of` hands on: what fences have released.
void releaseByFences(Warp &warp, unsigned lane, const Cta &of, Clock &to);
/// What lanes that have seen the end of an mbarrier's phase, relaxed, come after once
/// they fence; `isOfPeers`: some of it is other CTAs'.
void observePhase(Warp &warp, uint32_t lanes, const Clock &completed, bool isOfPeers);

/// A strong read: before its access is checked.
void observeLocations(Warp &warp, const Op &op, const Access &access);
/// A strong write: after its access has been checked.
void publishLocations(Warp &warp, const Op &op, const Access &access);
/// A read-modify-write: both, before its access is checked.
void passLocations(Warp &warp, const Op &op, const Access &access);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_FENCES_H
