//===- Halves.cpp - values that are undefined in part -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Halves.h"

#include <array>

using namespace quack::sim;

void quack::sim::defineHalves(Warp &warp, Slot slot, uint32_t lanes,
                              llvm::ArrayRef<uint32_t> halves) {
  uint32_t all = allLanes, any = 0;
  for (uint32_t half : halves) {
    all &= half;
    any |= half;
  }
  warp.define(slot, lanes, all);
  uint32_t part = lanes & any & ~all;
  if (!part)
    return;
  warp.partly[slot] |= part;
  for (auto [half, is] : llvm::enumerate(halves)) {
    uint32_t &known = warp.halves[slot + half];
    known = (known & ~part) | (is & part);
  }
}

namespace {
/// By half of a value of up to 128 bits: the lanes where it is defined.
using HalfMasks = std::array<uint32_t, 8>;
} // namespace

static HalfMasks halvesOf(const Warp &warp, Slot slot, unsigned count) {
  HalfMasks masks = {};
  for (unsigned half = 0; half < count; ++half)
    masks[half] = definedHalf(warp, slot, half);
  return masks;
}

static uint32_t halfAt(Warp &warp, Slot slot, unsigned count, unsigned lane,
                       unsigned half) {
  return warp.reg<uint16_t>(slot)[lane * count + half];
}

/// and, or: a half that the other operand decides need not be defined. An
/// operand that decides all halves picks none: its result is as undefined as
/// what it is made of.
static void spreadMasked(Warp &warp, const Op &op, unsigned count,
                         HalfMasks &result) {
  uint32_t deciding = op.halves == Halves::masked ? 0 : 0xffff;
  for (auto [mask, value] : {std::pair(op.a, op.b), std::pair(op.b, op.a)}) {
    // Operands that the result has overwritten cannot be looked at.
    if (mask == op.d)
      continue;
    HalfMasks decides = {};
    uint32_t decidesAll = warp.defined[mask];
    for (unsigned half = 0; half < count; ++half) {
      for (unsigned lane = 0; lane < warpLanes; ++lane)
        if (halfAt(warp, mask, count, lane, half) == deciding)
          decides[half] |= 1u << lane;
      decides[half] &= warp.defined[mask];
      decidesAll &= decides[half];
    }
    for (unsigned half = 0; half < count; ++half)
      result[half] |= decides[half] & ~decidesAll;
  }
}

/// shl, shr: what comes in is defined, as is the sign if its half is.
static void spreadShifted(Warp &warp, const Op &op, unsigned count,
                          uint32_t lanes, HalfMasks &result) {
  HalfMasks from = halvesOf(warp, op.a, count);
  result = {};
  if (op.b == op.d)
    return; // The result has overwritten the distance.
  bool isRight = op.halves == Halves::shiftedRight;
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    uint32_t bit = 1u << lane, distance = warp.reg<uint32_t>(op.b)[lane];
    // Of a distance that leaves nothing the result is as undefined as the
    // value.
    if (!(lanes & warp.defined[op.b] & bit) || distance >= 16 * count)
      continue;
    for (int half = 0; half < int(count); ++half) {
      int low = 16 * half + (isRight ? int(distance) : -int(distance));
      bool is = true;
      for (int end : {low, low + 15}) {
        int source = end < 0 ? -1 : end / 16;
        if (source >= int(count))
          source = isSigned(op.type) ? int(count) - 1 : -1;
        is &= source < 0 || (from[source] & bit);
      }
      if (is)
        result[half] |= bit;
    }
  }
}

/// cvt between integers: op.list bytes of op.count bytes.
static void spreadResized(Warp &warp, const Op &op, HalfMasks &result) {
  unsigned to = op.list / 2, from = op.count / 2,
           used = std::min(sizeOf(op.type), sizeOf(op.from));
  unsigned kept = std::max(1u, used / 2);
  HalfMasks has = halvesOf(warp, op.a, from);
  // An extension repeats the sign, or is zero.
  bool extendsSign = isSigned(op.type) && isSigned(op.from);
  for (unsigned half = 0; half < to; ++half)
    result[half] = half < kept   ? has[half]
                   : extendsSign ? has[kept - 1]
                                 : allLanes;
}

void quack::sim::spreadHalves(Warp &warp, const Op &op, uint32_t lanes) {
  unsigned count = slotsOf(op.type);
  HalfMasks result = {};
  switch (op.halves) {
  case Halves::whole:
    break;
  case Halves::apart:
  case Halves::masked:
  case Halves::maskedByOnes:
    for (unsigned half = 0; half < count; ++half)
      result[half] = definedHalf(warp, op.a, half) &
                     definedHalf(warp, op.b, half) &
                     definedHalf(warp, op.c, half);
    if (op.halves != Halves::apart)
      spreadMasked(warp, op, count, result);
    break;
  case Halves::shiftedLeft:
  case Halves::shiftedRight:
    spreadShifted(warp, op, count, lanes, result);
    break;
  case Halves::paired:
    result = {warp.defined[op.b], warp.defined[op.a]};
    break;
  case Halves::resized:
    count = op.list / 2;
    spreadResized(warp, op, result);
    break;
  case Halves::split: {
    uint32_t p = definedHalf(warp, op.a, 0) & definedHalf(warp, op.b, 0),
             q = definedHalf(warp, op.a, 1) & definedHalf(warp, op.b, 1),
             with = warp.defined[op.c];
    warp.define(op.d, lanes, p & with);
    warp.define(op.d2, lanes, q & with);
    return;
  }
  }
  defineHalves(warp, op.d, lanes, llvm::ArrayRef(result).take_front(count));
  warp.define(op.d2, lanes, 0);
}
