//===- WarpOps.cpp - what lanes of a warp do together ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA: shfl.sync, vote.sync, redux.sync, elect.sync, match.sync,
// activemask, bar.warp.sync. An instruction waits until all lanes that its mask
// names are at it. Only bar.warp.sync orders memory.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "Decoder.h"
#include "Lanes.h"
#include "Meetings.h"
#include "Order.h"

#include <algorithm>

using namespace quack::sim;

template <Handler execute>
static void inGroups(Warp &warp, const Op &op, uint32_t lanes) {
  executeInGroups(warp, op, lanes, execute);
}

/// shfl.sync d|p, a, b, c, mask (PTX ISA, shfl.sync). `mode`: up, down, bfly,
/// idx. Reading a lane that takes no part gives an undefined value.
static void shuffle(Warp &warp, const Op &op, uint32_t lanes) {
  ++warp.cluster->grid.shuffleCount;
  alignas(64) uint32_t a[warpLanes], result[warpLanes];
  std::memcpy(a, warp.reg<uint32_t>(op.a), sizeof(a));
  const uint32_t *b = warp.reg<uint32_t>(op.b), *c = warp.reg<uint32_t>(op.c);
  uint32_t inRange = 0, available = warp.defined[op.a] & lanes, is = 0;
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    unsigned distance = b[lane] & 31, clamp = c[lane] & 31,
             mask = c[lane] >> 8 & 31;
    unsigned most = (lane & mask) | (clamp & ~mask), least = lane & mask;
    unsigned from = lane;
    bool fits = false;
    switch (op.mode) {
    case 0:
      from = lane - distance;
      fits = int(from) >= int(most);
      break;
    case 1:
      from = lane + distance;
      fits = from <= most;
      break;
    case 2:
      from = lane ^ distance;
      fits = from <= most;
      break;
    default:
      from = least | (distance & ~mask);
      fits = from <= most;
    }
    from = fits ? from : lane;
    result[lane] = a[from & 31];
    inRange |= uint32_t(fits) << lane;
    is |= (available >> (from & 31) & 1) << lane;
  }
  writeLanes(warp, op.d, lanes, result);
  if (lanes & ~is)
    warp.origin[op.d] =
        lanes & ~warp.defined[op.a] ? warp.origin[op.a] : op.line;
  warp.define(op.d, lanes, is);
  warp.mask(op.d2) = (warp.mask(op.d2) & ~lanes) | (inRange & lanes);
  warp.define(op.d2, lanes, allLanes);
}

/// vote.sync: `mode` all, any, uni, ballot. op.c is the mask.
static void vote(Warp &warp, const Op &op, uint32_t lanes) {
  lanes = requireDefined(warp, op, op.a, lanes, "a vote");
  uint32_t holds = op.isLogicNegated ? ~warp.mask(op.a) : warp.mask(op.a);
  holds &= lanes;
  warp.define(op.d, lanes, allLanes);
  if (op.mode == ballotMode) {
    uint32_t values[warpLanes];
    std::fill_n(values, warpLanes, holds);
    return writeLanes(warp, op.d, lanes, values);
  }
  bool result = op.mode == 0   ? holds == lanes
                : op.mode == 1 ? holds != 0
                               : holds == 0 || holds == lanes;
  warp.mask(op.d) = (warp.mask(op.d) & ~lanes) | (result ? lanes : 0);
}

static uint32_t reduceTwo(const Op &op, uint32_t x, uint32_t y) {
  switch (op.mode) {
  case 0:
    return x + y;
  case 1:
    return isSigned(op.type) ? uint32_t(std::min(int32_t(x), int32_t(y)))
                             : std::min(x, y);
  case 2:
    return isSigned(op.type) ? uint32_t(std::max(int32_t(x), int32_t(y)))
                             : std::max(x, y);
  case 3:
    return x & y;
  case 4:
    return x | y;
  default:
    return x ^ y;
  }
}

static void redux(Warp &warp, const Op &op, uint32_t lanes) {
  lanes = requireDefined(warp, op, op.a, lanes, "a reduction");
  if (!lanes)
    return;
  const uint32_t *a = warp.reg<uint32_t>(op.a);
  uint32_t total = a[firstLane(lanes)], values[warpLanes];
  for (unsigned i = firstLane(lanes) + 1; i < warpLanes; ++i)
    if (lanes >> i & 1)
      total = reduceTwo(op, total, a[i]);
  std::fill_n(values, warpLanes, total);
  writeLanes(warp, op.d, lanes, values);
  warp.define(op.d, lanes, allLanes);
}

/// elect.sync d|p, mask: the lowest lane is elected.
static void elect(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t leader = firstLane(lanes), values[warpLanes];
  std::fill_n(values, warpLanes, leader);
  writeLanes(warp, op.d, lanes, values);
  warp.define(op.d, lanes, allLanes);
  warp.mask(op.d2) = (warp.mask(op.d2) & ~lanes) | (1u << leader);
  warp.define(op.d2, lanes, allLanes);
}

/// match.any.sync: the lanes with the same value.
template <typename T>
static void matchAny(Warp &warp, const Op &op, uint32_t lanes) {
  lanes = requireDefined(warp, op, op.a, lanes, "a match");
  const T *a = warp.reg<T>(op.a);
  uint32_t values[warpLanes] = {};
  for (unsigned i = 0; i < warpLanes; ++i)
    for (unsigned j = 0; j < warpLanes; ++j)
      values[i] |= uint32_t((lanes >> j & 1) && a[i] == a[j]) << j;
  writeLanes(warp, op.d, lanes, values);
  warp.define(op.d, lanes, allLanes);
}

/// match.all.sync d|p: all lanes and true if all have the same value; none and
/// false otherwise.
template <typename T>
static void matchAll(Warp &warp, const Op &op, uint32_t lanes) {
  lanes = requireDefined(warp, op, op.a, lanes, "a match");
  if (!lanes)
    return;
  const T *a = warp.reg<T>(op.a);
  uint32_t same = 0, values[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    same |= uint32_t(a[i] == a[firstLane(lanes)]) << i;
  uint32_t result = (same & lanes) == lanes ? lanes : 0;
  std::fill_n(values, warpLanes, result);
  writeLanes(warp, op.d, lanes, values);
  warp.define(op.d, lanes, allLanes);
  warp.mask(op.d2) = (warp.mask(op.d2) & ~lanes) | result;
  warp.define(op.d2, lanes, allLanes);
}

static void activeMask(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t values[warpLanes];
  std::fill_n(values, warpLanes, lanes);
  writeLanes(warp, op.d, lanes, values);
  warp.define(op.d, lanes, allLanes);
}

/// bar.warp.sync: each lane comes after what the others did before.
static void warpBarrier(Warp &warp, const Op &op, uint32_t lanes) {
  lanes &= warp.reg<uint32_t>(op.list)[firstLane(lanes)];
  Clock clock;
  release(warp, lanes, clock);
  acquire(warp, lanes, clock);
}

static void decodeShuffle(Decoder &d, Op &op) {
  op.mode = uint8_t(d.take("up")     ? 0
                    : d.take("down") ? 1
                    : d.take("bfly") ? 2
                    : d.take("idx")  ? 3
                                     : 4);
  op.type = d.takeType();
  if (op.mode == 4 || op.type != Type::b32)
    d.failForm();
  if (d.hasFailed() || !d.expectOperands(5))
    return;
  op.d = d.dest(0, Type::b32);
  op.d2 = d.secondDest(0);
  op.a = d.source(1, Type::b32);
  op.b = d.source(2, Type::b32);
  op.c = d.source(3, Type::b32);
  op.list = d.source(4, Type::b32);
  op.run = inGroups<shuffle>;
}

static void decodeVote(Decoder &d, Op &op) {
  op.mode = uint8_t(d.take("all")      ? 0
                    : d.take("any")    ? 1
                    : d.take("uni")    ? 2
                    : d.take("ballot") ? ballotMode
                                       : 4);
  Type type = d.takeType();
  op.type = Type::pred;
  if (op.mode == 4 ||
      (op.mode == ballotMode ? type != Type::b32 : type != Type::pred))
    d.failForm();
  if (d.hasFailed() || !d.expectOperands(3))
    return;
  op.d = d.dest(0, type);
  op.a = d.source(1, Type::pred);
  op.isLogicNegated = d.takeNegation(1);
  op.list = d.source(2, Type::b32);
  op.run = inGroups<vote>;
}

static void decodeRedux(Decoder &d, Op &op) {
  static constexpr llvm::StringLiteral kinds[] = {"add", "min", "max",
                                                  "and", "or",  "xor"};
  bool hasKind = false;
  for (unsigned i = 0; i < std::size(kinds); ++i)
    if (d.take(kinds[i])) {
      op.mode = uint8_t(i);
      hasKind = true;
    }
  op.type = d.takeType();
  bool isArithmetic = op.type == Type::u32 || op.type == Type::s32;
  if (!hasKind || (op.mode < 3 ? !isArithmetic : op.type != Type::b32))
    d.failForm();
  if (d.hasFailed() || !d.expectOperands(3))
    return;
  op.d = d.dest(0, op.type);
  op.a = d.source(1, op.type);
  op.list = d.source(2, Type::b32);
  op.run = inGroups<redux>;
}

static void decodeMatch(Decoder &d, Op &op) {
  bool isAny = d.take("any");
  if (!isAny && !d.take("all"))
    d.fail("'match' needs .any or .all");
  op.type = d.takeType();
  bool isWide = op.type == Type::b64;
  if (!isWide && op.type != Type::b32)
    d.failForm();
  if (isAny)
    op.run =
        isWide ? inGroups<matchAny<uint64_t>> : inGroups<matchAny<uint32_t>>;
  else
    op.run =
        isWide ? inGroups<matchAll<uint64_t>> : inGroups<matchAll<uint32_t>>;
  if (d.hasFailed() || !d.expectOperands(3))
    return;
  op.d = d.dest(0, Type::b32);
  if (!isAny)
    op.d2 = d.secondDest(0);
  op.a = d.source(1, op.type);
  op.list = d.source(2, Type::b32);
}

bool quack::sim::decodeWarpOps(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  bool isWarpBarrier = root == "bar" && d.has("warp");
  static constexpr llvm::StringLiteral roots[] = {"shfl", "vote", "redux",
                                                  "elect", "match"};
  if (root == "activemask") {
    if (d.takeType() != Type::b32)
      d.failForm();
    op.definedness = Definedness::custom;
    op.run = activeMask;
    if (d.expectOperands(1))
      op.d = d.dest(0, Type::b32);
    return true;
  }
  if (!isWarpBarrier && !llvm::is_contained(roots, root))
    return false;
  op.definedness = Definedness::custom;
  op.flow = Flow::wait;
  if (!d.take("sync"))
    d.fail("'" + root + "' needs .sync");
  if (isWarpBarrier) {
    d.take("warp");
    op.run = inGroups<warpBarrier>;
    if (d.expectOperands(1))
      op.list = d.source(0, Type::b32);
  } else if (root == "shfl") {
    decodeShuffle(d, op);
  } else if (root == "vote") {
    decodeVote(d, op);
  } else if (root == "redux") {
    decodeRedux(d, op);
  } else if (root == "elect") {
    op.run = inGroups<elect>;
    if (!d.expectOperands(2))
      return true;
    op.d = d.dest(0, Type::b32);
    op.d2 = d.secondDest(0);
    op.list = d.source(1, Type::b32);
  } else {
    decodeMatch(d, op);
  }
  return true;
}
