//===- Lanes.h - one operation over the lanes of a warp ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers for operations that each lane does for itself. `F::apply` is the
// operation on one lane; loops run over flat arrays and into a buffer of their
// own, so that the host compiler turns them into vector code although a result
// may be an operand too.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_LANES_H
#define QUACK_LIB_SIMULATOR_LANES_H

#include "Machine.h"

#include <cstring>

namespace quack::sim {

/// Writes `values` to the lanes of `slot`.
template <typename R>
inline void writeLanes(Warp &warp, Slot slot, uint32_t lanes, const R *values) {
  R *to = warp.reg<R>(slot);
  if (lanes == allLanes) {
    std::memcpy(to, values, sizeof(R) * warpLanes);
    return;
  }
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1)
      to[i] = values[i];
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
  alignas(64) R result[warpLanes];
  const A *a = warp.reg<A>(op.a);
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = F::apply(a[i]);
  writeLanes(warp, op.d, lanes, result);
}

template <typename R, typename A, typename F, typename B = A>
void binary(Warp &warp, const Op &op, uint32_t lanes) {
  alignas(64) R result[warpLanes];
  const A *a = warp.reg<A>(op.a);
  const B *b = warp.reg<B>(op.b);
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = F::apply(a[i], b[i]);
  writeLanes(warp, op.d, lanes, result);
}

template <typename R, typename A, typename F, typename B = A, typename C = A>
void ternary(Warp &warp, const Op &op, uint32_t lanes) {
  alignas(64) R result[warpLanes];
  const A *a = warp.reg<A>(op.a);
  const B *b = warp.reg<B>(op.b);
  const C *c = warp.reg<C>(op.c);
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = F::apply(a[i], b[i], c[i]);
  writeLanes(warp, op.d, lanes, result);
}

/// The same with access to the instruction's modifiers.
template <typename R, typename A, typename F>
void unaryWith(Warp &warp, const Op &op, uint32_t lanes) {
  alignas(64) R result[warpLanes];
  const A *a = warp.reg<A>(op.a);
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = F::apply(op, a[i]);
  writeLanes(warp, op.d, lanes, result);
}

template <typename R, typename A, typename F>
void binaryWith(Warp &warp, const Op &op, uint32_t lanes) {
  alignas(64) R result[warpLanes];
  const A *a = warp.reg<A>(op.a), *b = warp.reg<A>(op.b);
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = F::apply(op, a[i], b[i]);
  writeLanes(warp, op.d, lanes, result);
}

template <typename R, typename A, typename F>
void ternaryWith(Warp &warp, const Op &op, uint32_t lanes) {
  alignas(64) R result[warpLanes];
  const A *a = warp.reg<A>(op.a), *b = warp.reg<A>(op.b),
          *c = warp.reg<A>(op.c);
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = F::apply(op, a[i], b[i], c[i]);
  writeLanes(warp, op.d, lanes, result);
}

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_LANES_H
