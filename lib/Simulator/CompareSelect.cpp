//===- CompareSelect.cpp - comparisons and selection -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Comparison and Selection Instructions": setp, set, selp, slct. A
// comparison that is unordered is false, but for .ne's unordered forms and
// .nan.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "FloatBits.h"
#include "Lanes.h"

using namespace quack::sim;

template <typename T, typename F>
static uint32_t compareAll(const T *a, const T *b, F compare) {
  alignas(64) uint8_t flags[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    flags[i] = compare(a[i], b[i]);
  return packMask(flags);
}

template <typename T>
static uint32_t compareMask(Compare how, const T *a, const T *b) {
  switch (how) {
  case Compare::eq:
    return compareAll(a, b, [](T x, T y) { return x == y; });
  case Compare::ne:
    return compareAll(a, b, [](T x, T y) { return (x < y) | (x > y); });
  case Compare::lt:
    return compareAll(a, b, [](T x, T y) { return x < y; });
  case Compare::le:
    return compareAll(a, b, [](T x, T y) { return x <= y; });
  case Compare::gt:
    return compareAll(a, b, [](T x, T y) { return x > y; });
  case Compare::ge:
    return compareAll(a, b, [](T x, T y) { return x >= y; });
  case Compare::equ:
    return ~compareMask(Compare::ne, a, b);
  case Compare::neu:
    return ~compareMask(Compare::eq, a, b);
  case Compare::ltu:
    return ~compareMask(Compare::ge, a, b);
  case Compare::leu:
    return ~compareMask(Compare::gt, a, b);
  case Compare::gtu:
    return ~compareMask(Compare::le, a, b);
  case Compare::geu:
    return ~compareMask(Compare::lt, a, b);
  case Compare::num:
    return ~compareMask(Compare::nan, a, b);
  case Compare::nan:
    return compareAll(a, b, [](T x, T y) { return (x != x) | (y != y); });
  }
  return 0;
}

/// The values to compare: as they are, or widened to float.
template <typename T, typename Held, typename Convert>
static void gather(Warp &warp, Slot slot, T *to, Convert convert) {
  const Held *from = warp.reg<Held>(slot);
  for (unsigned i = 0; i < warpLanes; ++i)
    to[i] = convert(from[i]);
}

template <typename T> static uint32_t maskOf(Warp &warp, const Op &op) {
  return compareMask(op.compare, warp.reg<T>(op.a), warp.reg<T>(op.b));
}

template <typename Held, typename Convert>
static uint32_t floatMaskOf(Warp &warp, const Op &op, Convert convert) {
  alignas(64) float a[warpLanes], b[warpLanes];
  gather<float, Held>(warp, op.a, a, convert);
  gather<float, Held>(warp, op.b, b, convert);
  return compareMask(op.compare, a, b);
}

static uint32_t compareLanes(Warp &warp, const Op &op) {
  switch (op.from) {
  case Type::b16:
  case Type::u16:
    return maskOf<uint16_t>(warp, op);
  case Type::b32:
  case Type::u32:
    return maskOf<uint32_t>(warp, op);
  case Type::b64:
  case Type::u64:
    return maskOf<uint64_t>(warp, op);
  case Type::s16:
    return maskOf<int16_t>(warp, op);
  case Type::s32:
    return maskOf<int32_t>(warp, op);
  case Type::s64:
    return maskOf<int64_t>(warp, op);
  case Type::f64:
    return maskOf<double>(warp, op);
  case Type::f16:
    return floatMaskOf<uint16_t>(
        warp, op, [](uint16_t bits) { return asFloat(halfToBits(bits)); });
  case Type::bf16:
    return floatMaskOf<uint16_t>(
        warp, op, [](uint16_t bits) { return asFloat(bf16ToBits(bits)); });
  default:
    if (!op.flush)
      return maskOf<float>(warp, op);
    return floatMaskOf<uint32_t>(
        warp, op, [](uint32_t bits) { return asFloat(flushed(bits)); });
  }
}

static uint32_t combine(const Op &op, uint32_t result, uint32_t with) {
  switch (op.logic) {
  case Logic::none:
    return result;
  case Logic::conjunction:
    return result & with;
  case Logic::disjunction:
    return result | with;
  case Logic::exclusive:
    return result ^ with;
  }
  return result;
}

/// setp p|q, a, b, c: p = (a cmp b) op c, q = !(a cmp b) op c.
static void setPredicate(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t result = compareLanes(warp, op);
  uint32_t with = op.isLogicNegated ? ~warp.mask(op.c) : warp.mask(op.c);
  uint32_t p = combine(op, result, with), q = combine(op, ~result, with);
  uint32_t &d = warp.mask(op.d), &d2 = warp.mask(op.d2);
  d = (d & ~lanes) | (p & lanes);
  d2 = (d2 & ~lanes) | (q & lanes);
}

/// set: all ones or 1.0f where the comparison holds.
static void setValue(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t result = compareLanes(warp, op);
  uint32_t one = op.type == Type::f32 ? 0x3f800000 : ~0u, values[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    values[i] = result >> i & 1 ? one : 0;
  writeLanes(warp, op.d, lanes, values);
}

/// selp d, a, b, p: only the chosen operand needs to be defined.
template <typename T>
static void select(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t chosen = warp.mask(op.c);
  const T *a = warp.reg<T>(op.a), *b = warp.reg<T>(op.b);
  alignas(64) T result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i) {
    T mask = T(0) - T(chosen >> i & 1);
    result[i] = T((a[i] & mask) | (b[i] & ~mask));
  }
  writeLanes(warp, op.d, lanes, result);
  uint32_t is = warp.defined[op.c] & ((chosen & warp.defined[op.a]) |
                                      (~chosen & warp.defined[op.b]));
  if (~is & lanes)
    warp.origin[op.d] =
        warp.origin[~warp.defined[op.a] & chosen & lanes ? op.a : op.b];
  warp.define(op.d, lanes, is);
}

/// slct d, a, b, c: a where c >= 0.
template <typename T, typename C>
static void selectBySign(Warp &warp, const Op &op, uint32_t lanes) {
  const T *a = warp.reg<T>(op.a), *b = warp.reg<T>(op.b);
  const C *c = warp.reg<C>(op.c);
  T result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = c[i] >= 0 ? a[i] : b[i];
  writeLanes(warp, op.d, lanes, result);
}

static void takeCompare(Decoder &d, Op &op) {
  static constexpr llvm::StringLiteral names[] = {
      "eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
      "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  static constexpr std::pair<llvm::StringLiteral, Compare> unsignedNames[] = {
      {"lo", Compare::lt},
      {"ls", Compare::le},
      {"hi", Compare::gt},
      {"hs", Compare::ge}};
  for (auto [name, compare] : unsignedNames)
    if (d.take(name)) {
      op.compare = compare;
      return;
    }
  for (unsigned i = 0; i < std::size(names); ++i)
    if (d.take(names[i])) {
      op.compare = Compare(i);
      return;
    }
  d.fail("'" + d.root() + "' needs a comparison");
}

static void takeLogic(Decoder &d, Op &op) {
  op.logic = d.take("and")   ? Logic::conjunction
             : d.take("or")  ? Logic::disjunction
             : d.take("xor") ? Logic::exclusive
                             : Logic::none;
}

static void decodeSetp(Decoder &d, Op &op) {
  takeCompare(d, op);
  takeLogic(d, op);
  op.from = d.takeType();
  op.flush = op.from == Type::f32 && d.take("ftz");
  op.run = setPredicate;
  if (op.from == Type::f16x2 || op.from == Type::bf16x2 ||
      op.from == Type::pred || sizeOf(op.from) == 1)
    d.fail("'" + d.inst().text + "' is not simulated");
  bool combines = op.logic != Logic::none;
  if (d.hasFailed() || !d.expectOperands(combines ? 4 : 3))
    return;
  op.d = d.dest(0, Type::pred);
  if (d.operand(0).second >= 0)
    op.d2 = d.predicate(unsigned(d.operand(0).second));
  op.a = d.source(1, op.from);
  op.b = d.source(2, op.from);
  if (combines) {
    op.c = d.source(3, Type::pred);
    op.isLogicNegated = d.operand(3).isNegated;
  }
}

static void decodeSelect(Decoder &d, Op &op) {
  op.type = d.takeType();
  op.definedness = Definedness::custom;
  op.run = sizeOf(op.type) == 2   ? select<uint16_t>
           : sizeOf(op.type) == 4 ? select<uint32_t>
                                  : select<uint64_t>;
  if (!d.expectOperands(4))
    return;
  op.d = d.dest(0, op.type);
  op.a = d.source(1, op.type);
  op.b = d.source(2, op.type);
  op.c = d.source(3, Type::pred);
}

bool quack::sim::decodeCompare(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  if (root == "setp") {
    decodeSetp(d, op);
  } else if (root == "selp") {
    decodeSelect(d, op);
  } else if (root == "set") {
    takeCompare(d, op);
    op.type = d.takeType();
    op.from = d.takeType();
    op.flush = op.from == Type::f32 && d.take("ftz");
    op.run = setValue;
    if (sizeOf(op.type) != 4 || !d.expectOperands(3))
      return true;
    op.d = d.dest(0, op.type);
    op.a = d.source(1, op.from);
    op.b = d.source(2, op.from);
  } else if (root == "slct") {
    op.type = d.takeType();
    op.from = d.takeType();
    bool isWide = sizeOf(op.type) == 8, byFloat = op.from == Type::f32;
    op.run = isWide ? (byFloat ? selectBySign<uint64_t, float>
                               : selectBySign<uint64_t, int32_t>)
                    : (byFloat ? selectBySign<uint32_t, float>
                               : selectBySign<uint32_t, int32_t>);
    if (sizeOf(op.type) < 4 || !d.expectOperands(4))
      return true;
    op.d = d.dest(0, op.type);
    op.a = d.source(1, op.type);
    op.b = d.source(2, op.type);
    op.c = d.source(3, op.from);
  } else {
    return false;
  }
  return true;
}
