//===- Memory.h - what a warp's access touches ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From addresses to host memory, with the checks that every access passes:
// bounds, alignment, defined addresses; for shared memory also what state its
// bytes are in, and races.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_MEMORY_H
#define QUACK_LIB_SIMULATOR_MEMORY_H

#include "Machine.h"

namespace quack::sim {

/// Where an address of shared memory leads; null if nowhere.
struct SharedPlace {
  Cta *cta = nullptr;
  uint64_t offset = 0;
};
SharedPlace resolveShared(Warp &warp, uint64_t address, Space space);
/// Returns host memory for `bytes` bytes of global memory, or null.
uint8_t *resolveGlobal(const Launch &launch, uint64_t address, uint64_t bytes);

/// Where an address outside of every buffer lies, in words.
std::string describeMiss(const Launch &launch, uint64_t address);
/// What shared memory there is, for who misses it.
std::string describeShared(const Warp &warp);

/// Returns what says which bytes of global memory hold values; null if all do.
uint8_t *findWritten(const Launch &launch, uint64_t address, uint64_t bytes);

/// Checks that the peer's shared memory may be accessed.
bool checkPeer(Warp &warp, const Op &op, uint32_t lane, const Cta &cta);

/// The access of a warp, lane by lane.
struct Access {
  uint64_t addresses[warpLanes];
  uint8_t *pointers[warpLanes]; ///< host memory, for lanes in `valid`
  uint8_t *run = nullptr; ///< where all lanes lie side by side, in global or
                          ///< the own CTA's shared memory, if so
  uint32_t valid = 0;     ///< lanes that may go on
  uint32_t shared = 0;    ///< lanes whose memory is shared
  uint32_t undefined = 0; ///< lanes that read bytes nobody wrote
  SharedPlace places[warpLanes];   ///< for lanes in `shared`
  uint32_t local = 0;              ///< lanes whose memory is local
  uint8_t *localStates[warpLanes]; ///< for these: whether bytes were written
};

/// Computes the addresses of `lanes` from base register and offset.
void computeAddresses(Warp &warp, Slot base, Type width, int64_t offset,
                      uint64_t *addresses);

/// Resolves and checks an access of `bytes` bytes a lane, and counts it.
void resolve(Warp &warp, const Op &op, uint32_t lanes, uint32_t bytes,
             AccessKind kind, Access &access);

/// Checks that nothing races with the access, and notes it. `values` are what
/// the lanes write, `bytes` each; null for reads and atomics.
void checkOrder(Warp &warp, const Op &op, const Access &access, uint32_t bytes,
                AccessKind kind, const uint8_t *values = nullptr);

/// Returns the lanes of `access` of whose bytes [from, from + count) all hold
/// values.
uint32_t findDefined(Warp &warp, const Access &access, uint32_t from,
                     uint32_t count);

/// Notes that these bytes of `lanes` hold values.
void markDefined(Warp &warp, Access &access, uint32_t lanes, uint32_t from,
                 uint32_t count);

/// Notes that lanes have written: their bytes hold values, or none where
/// `undefined`.
void markWritten(Warp &warp, Access &access, uint32_t lanes, uint32_t bytes,
                 uint32_t undefined);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_MEMORY_H
