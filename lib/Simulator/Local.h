//===- Local.h - the local memory of a warp's threads -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, ".local": each thread has memory of its own, here a stack of frames.
// Its addresses start at localBase; above the newest frame there is nothing.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_LOCAL_H
#define QUACK_LIB_SIMULATOR_LOCAL_H

#include "Memory.h"

namespace quack::sim {

class LocalMemory {
public:
  /// Bytes of a lane from `offset` on: values, and whether each was written.
  uint8_t *bytes(unsigned lane, uint64_t offset) {
    return values.data() + lane * stride + offset;
  }
  uint8_t *written(unsigned lane, uint64_t offset) {
    return states.data() + lane * stride + offset;
  }
  /// How much of a lane's memory is in use.
  uint32_t top(unsigned lane) const { return tops[lane]; }
  /// Adds `bytes` unwritten bytes for `lanes`. Returns false if a thread would
  /// have more than it may.
  bool push(uint32_t lanes, uint32_t bytes);
  void pop(uint32_t lanes, uint32_t bytes);

private:
  uint32_t stride = 0; ///< bytes of each lane that there are
  uint32_t tops[warpLanes] = {};
  std::vector<uint8_t> values, states;

  void grow(uint32_t most);
};

/// Resolves accesses of local memory and of the kernel's parameters.
void resolveLocalLane(Warp &warp, const Op &op, unsigned lane, uint32_t bytes,
                      AccessKind kind, Access &access);
void resolveParameterLane(Warp &warp, const Op &op, unsigned lane,
                          uint32_t bytes, AccessKind kind, Access &access);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_LOCAL_H
