//===- Lanes.h - one operation over the lanes of a warp ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers for operations that each lane does for itself. `F::apply` is the
// operation on one lane; loops run over flat arrays, so that the host compiler
// turns them into vector code.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_LANES_H
#define QUACK_LIB_SIMULATOR_LANES_H

#include "Warp.h"

#include <cstring>
#include <initializer_list>

namespace quack::sim {

/// A value of 128 bits.
__extension__ typedef unsigned __int128 Quad;

/// Writes `value(i)` to lane i of `slot`, for the lanes in `lanes`. The result
/// may be an operand too: slots are the same or apart, so that a whole warp
/// goes straight to its place.
template <typename R, typename F>
inline void computeLanes(Warp &warp, Slot slot, uint32_t lanes, F value) {
  R *to = warp.reg<R>(slot);
  if (__builtin_expect(lanes == allLanes, 1)) {
#pragma GCC ivdep
    for (unsigned i = 0; i < warpLanes; ++i)
      to[i] = value(i);
    return;
  }
  alignas(64) R values[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    values[i] = value(i);
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1)
      to[i] = values[i];
}

/// Writes `values` to the lanes of `slot`.
template <typename R>
inline void writeLanes(Warp &warp, Slot slot, uint32_t lanes, const R *values) {
  R *to = warp.reg<R>(slot);
  if (lanes == allLanes) {
    for (unsigned i = 0; i < warpLanes; ++i)
      to[i] = values[i];
    return;
  }
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1)
      to[i] = values[i];
}

/// Makes the results as undefined as what `slots` hold, for instructions that
/// read more than a, b and c.
inline void spreadFrom(Warp &warp, const Op &op, uint32_t lanes,
                       std::initializer_list<Slot> slots) {
  uint32_t is = allLanes;
  for (Slot slot : slots) {
    if (~warp.defined[slot] & is & lanes)
      warp.origin[op.d] = warp.origin[op.d2] = warp.origin[slot];
    is &= warp.defined[slot];
  }
  warp.define(op.d, lanes, is);
  warp.define(op.d2, lanes, is);
}

/// Packs 32 truth values into a mask.
inline uint32_t packMask(const uint8_t *flags) {
  uint32_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint64_t eight;
    std::memcpy(&eight, flags + 8 * i, 8);
    mask |= uint32_t((eight * 0x0102040810204080u) >> 56) << (8 * i);
  }
  return mask;
}

template <typename R, typename A, typename F>
void unary(Warp &warp, const Op &op, uint32_t lanes) {
  const A *a = warp.reg<A>(op.a);
  computeLanes<R>(warp, op.d, lanes,
                  [=](unsigned i) { return F::apply(a[i]); });
}

template <typename R, typename A, typename F, typename B = A>
void binary(Warp &warp, const Op &op, uint32_t lanes) {
  const A *a = warp.reg<A>(op.a);
  const B *b = warp.reg<B>(op.b);
  computeLanes<R>(warp, op.d, lanes,
                  [=](unsigned i) { return F::apply(a[i], b[i]); });
}

template <typename R, typename A, typename F, typename B = A, typename C = A>
void ternary(Warp &warp, const Op &op, uint32_t lanes) {
  const A *a = warp.reg<A>(op.a);
  const B *b = warp.reg<B>(op.b);
  const C *c = warp.reg<C>(op.c);
  computeLanes<R>(warp, op.d, lanes,
                  [=](unsigned i) { return F::apply(a[i], b[i], c[i]); });
}

/// The same with access to the instruction's modifiers.
template <typename R, typename A, typename F>
void unaryWith(Warp &warp, const Op &op, uint32_t lanes) {
  const A *a = warp.reg<A>(op.a);
  computeLanes<R>(warp, op.d, lanes,
                  [=, &op](unsigned i) { return F::apply(op, a[i]); });
}

template <typename R, typename A, typename F>
void binaryWith(Warp &warp, const Op &op, uint32_t lanes) {
  const A *a = warp.reg<A>(op.a), *b = warp.reg<A>(op.b);
  computeLanes<R>(warp, op.d, lanes,
                  [=, &op](unsigned i) { return F::apply(op, a[i], b[i]); });
}

template <typename R, typename A, typename F>
void ternaryWith(Warp &warp, const Op &op, uint32_t lanes) {
  const A *a = warp.reg<A>(op.a), *b = warp.reg<A>(op.b),
          *c = warp.reg<A>(op.c);
  computeLanes<R>(warp, op.d, lanes, [=, &op](unsigned i) {
    return F::apply(op, a[i], b[i], c[i]);
  });
}

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_LANES_H
