//===- CacheHints.cpp - instructions that speak to caches ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, prefetch, prefetchu, applypriority, discard, createpolicy. There are
// no caches here: these are checked and counted, and change nothing.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "Decoder.h"
#include "Lanes.h"
#include "Memory.h"

using namespace quack::sim;

/// A prefetch of an address where nothing is does nothing.
static void prefetch(Warp &warp, const Op &op, uint32_t lanes) {
  requireDefined(warp, op, op.a, lanes, "an address");
}

/// applypriority, discard: 128 aligned bytes of global memory. What discard
/// leaves there is not defined; the bytes stay, as if it came too late.
static void touchLine(Warp &warp, const Op &op, uint32_t lanes) {
  constexpr uint32_t lineBytes = 128;
  lanes = requireDefined(warp, op, op.a, lanes, "an address");
  uint64_t addresses[warpLanes];
  computeAddresses(warp, op.a, op.from, op.offset, addresses);
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    if (addresses[i] % lineBytes)
      report(warp, op, i, "misaligned",
             hex(addresses[i]) + " is no multiple of 128");
    else if (!resolveGlobal(warp.cluster->launch, addresses[i], lineBytes))
      report(warp, op, i, "out-of-bounds",
             "128 bytes at " + hex(addresses[i]) + ": " +
                 describeMiss(warp.cluster->launch, addresses[i]));
  }
}

/// createpolicy: an opaque value.
static void createPolicy(Warp &warp, const Op &op, uint32_t lanes) {
  uint64_t values[warpLanes];
  std::fill_n(values, warpLanes, 0x12f0000000000000u);
  writeLanes(warp, op.d, lanes, values);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool decodePrefetch(Decoder &d, Op &op) {
  op.run = prefetch;
  op.definedness = Definedness::custom;
  bool exists = true;
  if (d.root() == "prefetchu") {
    exists = d.take("L1");
  } else {
    bool isGlobal = d.take("global"), isLocal = !isGlobal && d.take("local");
    op.space = isGlobal ? Space::global : Space::generic;
    exists = d.takeAny({"L1", "L2"}) ||
             (!isLocal && d.takeAny({"L2::evict_last", "L2::evict_normal"}));
  }
  if (exists && d.expectOperands(1))
    d.address(0, op);
  return exists;
}

static bool decodeTouchLine(Decoder &d, Op &op) {
  op.run = touchLine;
  op.definedness = Definedness::custom;
  d.take("global");
  op.space = Space::global;
  if (!d.take(d.root() == "discard" ? "L2" : "L2::evict_normal"))
    return false;
  if (!d.expectOperands(2))
    return true;
  d.address(0, op);
  if (d.integer(1) != 128)
    d.fail(d.operand(1).place, "expected a size of 128");
  return true;
}

static bool decodeCreatePolicy(Decoder &d, Op &op) {
  bool isRange = d.take("range"), isFraction = !isRange && d.take("fractional");
  op.run = createPolicy;
  if (isRange)
    d.take("global");
  if (isRange || isFraction) {
    unsigned priorities = 0;
    for (llvm::StringRef priority : {"L2::evict_last", "L2::evict_normal",
                                     "L2::evict_first", "L2::evict_unchanged"})
      priorities += d.take(priority);
    if (priorities < 1 || priorities > 2)
      return false;
  } else if (!d.take("cvt") || !d.take("L2")) {
    return false;
  }
  if (!d.take("b64"))
    return false;
  op.type = Type::b64;
  if (!d.expectOperands(isFraction ? 1
                        : isRange  ? 4
                                   : 2,
                        isFraction ? 2
                        : isRange  ? 4
                                   : 2))
    return true;
  op.d = d.dest(0, Type::b64);
  if (isFraction && d.numOperands() == 2)
    d.source(1, Type::f32);
  if (isRange) {
    d.address(1, op);
    op.b = d.source(2, Type::u32);
    op.c = d.source(3, Type::u32);
  } else if (!isFraction) {
    op.a = d.source(1, Type::b64);
  }
  return true;
}

bool quack::sim::decodeCacheHint(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  bool exists = true;
  if (root == "prefetch" || root == "prefetchu")
    exists = decodePrefetch(d, op);
  else if (root == "applypriority" || root == "discard")
    exists = decodeTouchLine(d, op);
  else if (root == "createpolicy")
    exists = decodeCreatePolicy(d, op);
  else
    return false;
  if (!exists)
    d.failForm();
  return true;
}
