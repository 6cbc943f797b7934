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
#include "Halves.h"
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

template <typename T> static uint32_t maskOf(Warp &warp, const Op &op) {
  return compareMask(op.compare, warp.reg<T>(op.a), warp.reg<T>(op.b));
}

/// Compares what `convert` makes of every `stride`-th element from `first` on.
template <typename Held, typename Convert>
static uint32_t floatMaskOf(Warp &warp, const Op &op, Convert convert,
                            unsigned first = 0, unsigned stride = 1) {
  alignas(64) float a[warpLanes], b[warpLanes];
  const Held *x = warp.reg<Held>(op.a), *y = warp.reg<Held>(op.b);
  for (unsigned i = 0; i < warpLanes; ++i) {
    a[i] = convert(x[first + stride * i]);
    b[i] = convert(y[first + stride * i]);
  }
  return compareMask(op.compare, a, b);
}

/// f16 and bf16; of a packed type the half `first`.
static uint32_t halfMaskOf(Warp &warp, const Op &op, unsigned first) {
  unsigned stride = sizeOf(op.from) / 2;
  auto flush = [&op](uint16_t bits) {
    return uint16_t(op.flush && !(bits & 0x7c00) ? bits & 0x8000 : bits);
  };
  if (op.from == Type::bf16 || op.from == Type::bf16x2)
    return floatMaskOf<uint16_t>(
        warp, op, [](uint16_t bits) { return asFloat(bf16ToBits(bits)); },
        first, stride);
  return floatMaskOf<uint16_t>(
      warp, op,
      [flush](uint16_t bits) { return asFloat(halfToBits(flush(bits))); },
      first, stride);
}

static bool isPacked(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2;
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
  case Type::f32:
    if (!op.flush)
      return maskOf<float>(warp, op);
    return floatMaskOf<uint32_t>(
        warp, op, [](uint32_t bits) { return asFloat(flushed(bits)); });
  default:
    return halfMaskOf(warp, op, 0);
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

static uint32_t otherPredicate(Warp &warp, const Op &op) {
  return op.isLogicNegated ? ~warp.mask(op.c) : warp.mask(op.c);
}

static void writePredicates(Warp &warp, const Op &op, uint32_t lanes,
                            uint32_t p, uint32_t q) {
  uint32_t &d = warp.mask(op.d), &d2 = warp.mask(op.d2);
  d = (d & ~lanes) | (p & lanes);
  d2 = (d2 & ~lanes) | (q & lanes);
}

/// setp p|q, a, b, c: p = (a cmp b) op c, q = !(a cmp b) op c.
static void setPredicate(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t result = compareLanes(warp, op), with = otherPredicate(warp, op);
  writePredicates(warp, op, lanes, combine(op, result, with),
                  combine(op, ~result, with));
}

/// setp p|q of a packed type: p for the lower halves, q for the upper ones.
static void setPackedPredicates(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t with = otherPredicate(warp, op);
  writePredicates(warp, op, lanes, combine(op, halfMaskOf(warp, op, 0), with),
                  combine(op, halfMaskOf(warp, op, 1), with));
}

/// What set gives where the comparison holds: 1.0, or all ones.
static uint32_t trueValue(Type type) {
  switch (type) {
  case Type::f32:
    return 0x3f800000;
  case Type::f16:
  case Type::f16x2:
    return 0x3c00;
  case Type::bf16:
  case Type::bf16x2:
    return 0x3f80;
  default:
    return ~0u;
  }
}

/// set.
template <typename T>
static void setValue(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t result =
      combine(op, compareLanes(warp, op), otherPredicate(warp, op));
  T one = T(trueValue(op.type)), values[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    values[i] = result >> i & 1 ? one : T(0);
  writeLanes(warp, op.d, lanes, values);
}

/// set of a packed type: 1.0 or, into an integer, all ones in each half.
static void setPackedValues(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t with = otherPredicate(warp, op);
  uint32_t low = combine(op, halfMaskOf(warp, op, 0), with);
  uint32_t high = combine(op, halfMaskOf(warp, op, 1), with);
  uint32_t one = trueValue(op.type) & 0xffff, values[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    values[i] = (low >> i & 1 ? one : 0) | (high >> i & 1 ? one << 16 : 0);
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
  if (__builtin_expect((~is & lanes) == 0, 1))
    return warp.define(op.d, lanes, is);
  warp.origin[op.d] =
      warp.origin[~warp.defined[op.c] & lanes            ? op.c
                  : ~warp.defined[op.a] & chosen & lanes ? op.a
                                                         : op.b];
  uint32_t halves[sizeof(T) / 2];
  for (unsigned half = 0; half < sizeof(T) / 2; ++half)
    halves[half] = warp.defined[op.c] &
                   ((chosen & definedHalf(warp, op.a, half)) |
                    (~chosen & definedHalf(warp, op.b, half)));
  defineHalves(warp, op.d, lanes, halves);
}

/// slct d, a, b, c: a where c >= 0.
template <typename T, typename C>
static void selectBySign(Warp &warp, const Op &op, uint32_t lanes) {
  const T *a = warp.reg<T>(op.a), *b = warp.reg<T>(op.b);
  const uint32_t *c = warp.reg<uint32_t>(op.c);
  T result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i) {
    C value;
    uint32_t bits = op.flush ? flushed(c[i]) : c[i];
    std::memcpy(&value, &bits, 4);
    result[i] = value >= 0 ? a[i] : b[i];
  }
  writeLanes(warp, op.d, lanes, result);
}

/// Takes the comparison. Returns whether it is one of .lo, .ls, .hi and .hs,
/// which unsigned integers have only.
static bool takeCompare(Decoder &d, Op &op) {
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
      return true;
    }
  for (unsigned i = 0; i < std::size(names); ++i)
    if (d.take(names[i])) {
      op.compare = Compare(i);
      return false;
    }
  d.fail("'" + d.root() + "' needs a comparison");
  return false;
}

static void takeLogic(Decoder &d, Op &op) {
  op.logic = d.take("and")   ? Logic::conjunction
             : d.take("or")  ? Logic::disjunction
             : d.take("xor") ? Logic::exclusive
                             : Logic::none;
}

static bool canFlush(Type type) {
  return type == Type::f32 || type == Type::f16 || type == Type::f16x2;
}

/// The sources of setp and set: a, b and what they are combined with.
static void takeCompared(Decoder &d, Op &op, bool isUnsigned) {
  bool combines = op.logic != Logic::none;
  if (sizeOf(op.from) < 2 ||
      (isUnsigned && (op.from < Type::u8 || op.from > Type::u64)))
    d.failForm();
  // Bits have no order, numbers no unordered comparisons but those of floats.
  bool isBits = op.from <= Type::b64;
  if (!isFloat(op.from) && op.compare >= (isBits ? Compare::lt : Compare::equ))
    d.failForm();
  if (d.hasFailed() || !d.expectOperands(combines ? 4 : 3))
    return;
  op.a = d.source(1, op.from);
  op.b = d.source(2, op.from);
  if (combines) {
    op.c = d.source(3, Type::pred);
    op.isLogicNegated = d.takeNegation(3);
  }
}

static void decodeSetp(Decoder &d, Op &op) {
  bool isUnsigned = takeCompare(d, op);
  takeLogic(d, op);
  op.from = d.takeType();
  op.flush = canFlush(op.from) && d.take("ftz");
  op.run = isPacked(op.from) ? setPackedPredicates : setPredicate;
  op.halves = isPacked(op.from) ? Halves::split : Halves::whole;
  takeCompared(d, op, isUnsigned);
  if (d.hasFailed())
    return;
  op.d = d.dest(0, Type::pred);
  op.d2 = d.secondDest(0);
}

static void decodeSet(Decoder &d, Op &op) {
  bool isUnsigned = takeCompare(d, op);
  takeLogic(d, op);
  op.type = d.takeType();
  op.from = d.takeType();
  op.flush = canFlush(op.from) && d.take("ftz");
  unsigned bytes = sizeOf(op.type);
  bool ofPacked = isPacked(op.from);
  bool isShort = op.type == Type::u16 || op.type == Type::s16;
  bool isHalf = op.from == Type::f16 || op.from == Type::bf16;
  bool takesPacked =
      op.type == op.from || op.type == Type::u32 || op.type == Type::s32;
  if ((ofPacked ? !takesPacked : isPacked(op.type)) || op.type <= Type::b64 ||
      (isShort && !isHalf) || (bytes != 2 && bytes != 4))
    d.failForm();
  op.halves = ofPacked ? Halves::apart : Halves::whole;
  op.run = ofPacked     ? setPackedValues
           : bytes == 2 ? setValue<uint16_t>
                        : setValue<uint32_t>;
  takeCompared(d, op, isUnsigned);
  if (!d.hasFailed())
    op.d = d.dest(0, op.type);
}

/// PTX ISA, selp and slct: types of 16, 32 and 64 bits, but for f16's.
static Type takeSelected(Decoder &d) {
  Type type = d.takeType();
  if (sizeOf(type) < 2 ||
      (isFloat(type) && type != Type::f32 && type != Type::f64))
    d.failForm();
  return type;
}

static void decodeSelect(Decoder &d, Op &op) {
  op.type = takeSelected(d);
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

template <typename C> static Handler pickSelectBySign(Type type) {
  return sizeOf(type) == 2   ? selectBySign<uint16_t, C>
         : sizeOf(type) == 4 ? selectBySign<uint32_t, C>
                             : selectBySign<uint64_t, C>;
}

static void decodeSelectBySign(Decoder &d, Op &op) {
  op.type = takeSelected(d);
  op.from = d.takeType();
  op.flush = op.from == Type::f32 && d.take("ftz");
  if (op.from != Type::f32 && op.from != Type::s32)
    d.failForm();
  op.run = op.from == Type::f32 ? pickSelectBySign<float>(op.type)
                                : pickSelectBySign<int32_t>(op.type);
  if (!d.expectOperands(4))
    return;
  op.d = d.dest(0, op.type);
  op.a = d.source(1, op.type);
  op.b = d.source(2, op.type);
  op.c = d.source(3, op.from);
}

bool quack::sim::decodeCompare(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  if (root == "setp") {
    decodeSetp(d, op);
  } else if (root == "selp") {
    decodeSelect(d, op);
  } else if (root == "set") {
    decodeSet(d, op);
  } else if (root == "slct") {
    decodeSelectBySign(d, op);
  } else {
    return false;
  }
  return true;
}
