//===- Halves.h - values that are undefined in part -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two numbers of 16 bits share a register: where a row has an odd number of
// columns, the last pair has half a value. What is undefined is therefore known
// by halves of 16 bits, but only of values that are not defined as a whole, so
// that nobody pays for it who computes with values.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_HALVES_H
#define QUACK_LIB_SIMULATOR_HALVES_H

#include "Warp.h"

#include "llvm/ADT/ArrayRef.h"

namespace quack::sim {

/// Returns the lanes in which half `half` of what `slot` holds is defined.
inline uint32_t definedHalf(const Warp &warp, Slot slot, unsigned half) {
  return warp.defined[slot] | (warp.partly[slot] & warp.halves[slot + half]);
}

/// Says for `lanes` where the halves of `slot` are defined, the lowest first.
void defineHalves(Warp &warp, Slot slot, uint32_t lanes,
                  llvm::ArrayRef<uint32_t> halves);

/// Gives the results of `op`, which has run and whose operands are not all
/// defined, the halves that Op::halves says.
void spreadHalves(Warp &warp, const Op &op, uint32_t lanes);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_HALVES_H
