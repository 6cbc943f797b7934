//===- Reduction.h - what atomics do to memory ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, atom, red, red.async, cp.reduce.async.bulk: one meaning for all of
// them. inc and dec wrap within [0..b]; sums round to nearest even and give the
// canonical NaN.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_REDUCTION_H
#define QUACK_LIB_SIMULATOR_REDUCTION_H

#include "Types.h"

#include <cstddef>
#include <cstdint>

namespace quack::sim {

enum class Reduction : uint8_t {
  add,
  minimum,
  maximum,
  bitAnd,
  bitOr,
  bitXor,
  increment,
  decrement,
};

/// Combines the elements in `bytes` bytes of `from` into those at `to`.
using Reducer = void (*)(uint8_t *to, const uint8_t *from, size_t bytes);

/// Returns the name of a reduction in PTX.
llvm::StringRef getName(Reduction reduction);

/// Returns what computes a reduction on a type, or null if PTX has none. With
/// `flush`, f32 sums read and give no subnormal values: so do they in global
/// memory ("current implementation", PTX ISA, red).
Reducer pickReducer(Reduction reduction, Type type, bool flush);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_REDUCTION_H
