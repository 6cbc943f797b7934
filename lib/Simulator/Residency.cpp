//===- Residency.cpp - which CTAs run at a time ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Residency.h"

using namespace llvm;
using namespace quack::sim;

Residency::Residency() : sms(deviceLimits.sms) {}

bool Residency::placeIn(uint32_t begin, uint32_t end, const CtaNeeds &needs,
                        uint32_t count, SmallVectorImpl<uint32_t> &places) {
  uint32_t warps = (needs.threads + 31) / 32;
  uint32_t shared = needs.sharedBytes + deviceLimits.reservedSharedBytes;
  while (places.size() < count) {
    uint32_t best = end;
    for (uint32_t i = begin; i < end; ++i) {
      const Sm &sm = sms[i];
      bool fits = sm.ctas < deviceLimits.ctas &&
                  sm.warps + warps <= deviceLimits.warps &&
                  sm.threads + needs.threads <= deviceLimits.threads &&
                  sm.sharedBytes + shared <= deviceLimits.sharedBytes;
      if (fits && (best == end || sm.ctas < sms[best].ctas))
        best = i;
    }
    if (best == end) {
      for (uint32_t sm : places)
        remove(needs, sm);
      places.clear();
      return false;
    }
    Sm &sm = sms[best];
    ++sm.ctas;
    sm.warps += warps;
    sm.threads += needs.threads;
    sm.sharedBytes += shared;
    places.push_back(best);
  }
  return true;
}

SmallVector<uint32_t, 16> Residency::place(const CtaNeeds &needs,
                                           uint32_t count) {
  SmallVector<uint32_t, 16> places;
  size_t gpcs = deviceLimits.smsOfGpc.size();
  for (size_t tried = 0; tried < gpcs; ++tried) {
    size_t gpc = nextGpc;
    nextGpc = (nextGpc + 1) % gpcs;
    uint32_t begin = 0;
    for (size_t i = 0; i < gpc; ++i)
      begin += deviceLimits.smsOfGpc[i];
    if (placeIn(begin, begin + deviceLimits.smsOfGpc[gpc], needs, count,
                places))
      break;
  }
  return places;
}

void Residency::remove(const CtaNeeds &needs, uint32_t at) {
  Sm &sm = sms[at];
  --sm.ctas;
  sm.warps -= (needs.threads + 31) / 32;
  sm.threads -= needs.threads;
  sm.sharedBytes -= needs.sharedBytes + deviceLimits.reservedSharedBytes;
}
