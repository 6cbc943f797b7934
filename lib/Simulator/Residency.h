//===- Residency.h - which CTAs run at a time -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cluster starts when one group of multiprocessors (GPC) has room for all of
// its CTAs. What the registers of a CTA leave room for is not known, since PTX
// does not say how many a kernel will have: as many CTAs as the other limits
// allow are resident, which may be more than on a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_RESIDENCY_H
#define QUACK_LIB_SIMULATOR_RESIDENCY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>
#include <vector>

namespace quack::sim {

/// What a multiprocessor (SM) of compute capability 9.0 holds (CUDA C++
/// Programming Guide, "Technical Specifications per Compute Capability"), and
/// how many an H200 has. How its 132 are spread over its GPCs differs from
/// board to board: 16 or 18 in each.
struct DeviceLimits {
  uint32_t ctas = 32, warps = 64, threads = 2048;
  uint32_t sharedBytes = 228 * 1024;
  uint32_t reservedSharedBytes = 1024; ///< of each CTA
  uint32_t sharedBytesOfCta = 227 * 1024;
  uint32_t sms = 132;
  std::array<uint32_t, 8> smsOfGpc = {18, 18, 16, 16, 16, 16, 16, 16};
};
inline constexpr DeviceLimits deviceLimits;

/// What a CTA takes of a multiprocessor.
struct CtaNeeds {
  uint32_t threads = 0, sharedBytes = 0;
};

/// What is left of each multiprocessor.
class Residency {
public:
  Residency();
  /// Finds room for the `count` CTAs of a cluster: the emptiest
  /// multiprocessors of the first GPC that has room. Returns where each is;
  /// nothing if there is no room.
  llvm::SmallVector<uint32_t, 16> place(const CtaNeeds &needs, uint32_t count);
  /// Frees what a CTA took.
  void remove(const CtaNeeds &needs, uint32_t sm);

private:
  struct Sm {
    uint32_t ctas = 0, warps = 0, threads = 0, sharedBytes = 0;
  };
  std::vector<Sm> sms;
  size_t nextGpc = 0; ///< where the search begins

  bool placeIn(uint32_t begin, uint32_t end, const CtaNeeds &needs,
               uint32_t count, llvm::SmallVectorImpl<uint32_t> &places);
};

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_RESIDENCY_H
