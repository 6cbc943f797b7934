//===- Races.h - accesses are checked against others ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes accesses of shared and global memory, and checks them against those
// that were noted before.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_RACES_H
#define QUACK_LIB_SIMULATOR_RACES_H

#include "Machine.h"

namespace quack::sim {

/// Checks that `lanes` may access bytes of shared memory, and notes it.
void noteShared(Warp &warp, const Op &op, uint32_t lanes, Cta &cta,
                uint32_t offset, uint32_t bytes, AccessKind kind);

/// The same for the initialisation of an mbarrier, which is done for those who
/// know of it as time 1 of the mbarrier.
void noteInit(Warp &warp, const Op &op, unsigned lane, Agent mbarrier,
              uint32_t offset);

/// Notes that lanes use an mbarrier, which must not be initialised or
/// invalidated meanwhile.
void noteUse(Warp &warp, const Op &op, uint32_t lanes, Cta &cta,
             const MBarrier &barrier, bool isWait);
/// The same of the signal of an asynchronous operation. All those of a phase
/// are over for who knows of its end, so that one stands for them.
void noteSignal(Warp &warp, const Op &op, unsigned lane, Cta &cta,
                MBarrier &barrier);

/// Returns the number of an asynchronous operation that a lane issues. It is
/// done for those who know `agent` up to `time`, which endAsync may set.
uint32_t beginAsync(Warp &warp, const Op &op, unsigned lane, Agent agent,
                    uint32_t time);
/// Checks that the operation `event` may access shared memory from its issue
/// on, and notes it.
void noteAsync(Warp &warp, const Op &op, unsigned lane, Cta &cta,
               uint32_t offset, uint32_t bytes, AccessKind kind,
               uint32_t event);
void noteAsyncGlobal(Warp &warp, const Op &op, unsigned lane, uint64_t address,
                     uint32_t bytes, AccessKind kind, uint32_t event);
/// The operation is complete.
void endAsync(Cluster &cluster, uint32_t event);
void endAsync(Cluster &cluster, uint32_t event, uint32_t time);

/// A weak write displaces what a location's value hands on (Fences.cpp).
void forgetReleases(Machine &machine, uint64_t key);

/// A bulk copy accesses memory through the async proxy: what lanes wrote
/// through the generic one must lie before a fence.proxy.async of theirs.
void checkProxy(Warp &warp, const Op &op, unsigned lane, Cta &cta,
                uint32_t offset, uint32_t bytes, bool overwrites);
void checkGlobalProxy(Warp &warp, const Op &op, unsigned lane, uint64_t address,
                      uint32_t bytes, bool overwrites);
/// fence.proxy.async
void runProxyFence(Warp &warp, const Op &op, uint32_t lanes);

/// Checks what may still happen to the shared memory of a CTA all of whose
/// threads have exited.
void checkExit(Warp &warp, const Op &op, uint32_t lane, Cta &cta);

/// Forgets what no cell names any more, if that is much; what is still too much
/// is a fault. Before an instruction that accesses memory: it changes the
/// numbers of events.
void trimLog(Warp &warp, const Op &op);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_RACES_H
