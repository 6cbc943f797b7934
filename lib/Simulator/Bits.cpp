//===- Bits.cpp - logic, shifts and bit fields -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Logic and Shift Instructions", the bit-field part of "Integer
// Arithmetic Instructions", and prmt of "Data Movement". shl and shr clamp
// their count at the width; shf says whether it clamps or wraps.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Halves.h"
#include "Lanes.h"

#include <algorithm>
#include <type_traits>

using namespace quack::sim;

namespace {
template <typename T> struct And {
  static T apply(T a, T b) { return T(a & b); }
};
template <typename T> struct Or {
  static T apply(T a, T b) { return T(a | b); }
};
template <typename T> struct Xor {
  static T apply(T a, T b) { return T(a ^ b); }
};
template <typename T> struct Not {
  static T apply(T a) { return T(~a); }
};
template <typename T> struct CNot {
  static T apply(T a) { return a == 0; }
};
template <typename T> struct ShiftLeft {
  static T apply(T a, uint32_t count) {
    return count >= 8 * sizeof(T) ? T(0) : T(uint64_t(a) << count);
  }
};
template <typename T> struct ShiftRight {
  static T apply(T a, uint32_t count) {
    count = std::min<uint32_t>(count, 64);
    if (std::is_signed_v<T>)
      return T(int64_t(a) >> std::min<uint32_t>(count, 63));
    return count >= 8 * sizeof(T) ? T(0) : T(uint64_t(a) >> count);
  }
};
/// shf: the funnel b:a. `mode` bit 0: right, bit 1: wrap.
struct Funnel {
  static uint32_t apply(const Op &op, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t count = op.mode & 2 ? c & 31 : std::min<uint32_t>(c, 32);
    uint64_t both = uint64_t(b) << 32 | a;
    if (op.mode & 1)
      return uint32_t(both >> count);
    return uint32_t((both << count) >> 32);
  }
};
/// bfe: the field past the register's end is the sign, or zero.
template <typename T> struct ExtractField {
  static T apply(T a, uint32_t b, uint32_t c) {
    constexpr unsigned bits = 8 * sizeof(T);
    unsigned position = b & 0xff, length = c & 0xff;
    if (length == 0)
      return 0;
    using U = std::make_unsigned_t<T>;
    unsigned top = std::min(position + length - 1, bits - 1);
    bool sign = std::is_signed_v<T> && (U(a) >> top & 1);
    U fill = sign ? U(-1) : U(0);
    if (position >= bits)
      return T(fill);
    U value = U(U(a) >> position);
    unsigned held = std::min(length, bits - position);
    if (held < bits)
      value = U((value & ((U(1) << held) - 1)) | (fill << held));
    return T(value);
  }
};
template <typename T> struct CountOnes {
  static uint32_t apply(T a) { return uint32_t(__builtin_popcountll(a)); }
};
template <typename T> struct CountLeadingZeros {
  static uint32_t apply(T a) {
    return a == 0 ? 8 * sizeof(T)
                  : uint32_t(__builtin_clzll(a)) - (64 - 8 * sizeof(T));
  }
};
template <typename T> struct Reverse {
  static T apply(T a) {
    T result = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i)
      result = T(result << 1 | (a >> i & 1));
    return result;
  }
};
/// bfind: the highest bit that differs from the sign; -1 if there is none.
template <typename T> struct FindTop {
  static uint32_t apply(const Op &op, T a) {
    using U = std::make_unsigned_t<T>;
    U bits = std::is_signed_v<T> && a < 0 ? U(~a) : U(a);
    if (bits == 0)
      return ~0u;
    uint32_t top = 63 - uint32_t(__builtin_clzll(bits));
    return op.mode ? 8 * sizeof(T) - 1 - top : top;
  }
};
struct Lop3 {
  static uint32_t apply(const Op &op, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t result = 0;
    for (unsigned i = 0; i < 8; ++i)
      if (op.mode >> i & 1)
        result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
  }
};
/// prmt (PTX ISA): `mode` 0 is the general form, then f4e, b4e, rc8, ecl, ecr,
/// rc16.
struct Permute {
  static unsigned select(unsigned mode, uint32_t c, unsigned i) {
    unsigned control = c & 3;
    switch (mode) {
    case 1:
      return control + i;
    case 2:
      return (control - i) & 7;
    case 3:
      return control;
    case 4:
      return std::max(control, i);
    case 5:
      return std::min(control, i);
    case 6:
      return (control & 1) * 2 + (i & 1);
    default:
      return c >> (4 * i) & 15;
    }
  }
  static uint32_t apply(const Op &op, uint32_t a, uint32_t b, uint32_t c) {
    uint64_t bytes = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned which = select(op.mode, c, i);
      uint32_t byte = uint32_t(bytes >> (8 * (which & 7))) & 0xff;
      if (which & 8)
        byte = byte & 0x80 ? 0xff : 0;
      result |= byte << (8 * i);
    }
    return result;
  }
};
} // namespace

/// bfi: inserts c bits from a into b at position p.
template <typename T>
static void insertField(Warp &warp, const Op &op, uint32_t lanes) {
  constexpr unsigned bits = 8 * sizeof(T);
  const T *a = warp.reg<T>(op.a), *b = warp.reg<T>(op.b);
  const uint32_t *c = warp.reg<uint32_t>(op.c),
                 *n = warp.reg<uint32_t>(op.list);
  T result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i) {
    unsigned position = c[i] & 0xff, length = n[i] & 0xff;
    result[i] = b[i];
    if (position >= bits || length == 0)
      continue;
    T field = length >= bits ? T(-1) : T((T(1) << length) - 1);
    field = T(field << position);
    result[i] = T((b[i] & ~field) | (T(a[i] << position) & field));
  }
  writeLanes(warp, op.d, lanes, result);
  spreadFrom(warp, op, lanes, {op.a, op.b, op.c, op.list});
}

/// A half is defined if those are of which its bytes are chosen.
static void definePermuted(Warp &warp, const Op &op, uint32_t lanes) {
  const uint32_t *c = warp.reg<uint32_t>(op.c);
  uint32_t halves[2] = {warp.defined[op.c], warp.defined[op.c]};
  for (unsigned i = 0; i < warpLanes; ++i)
    for (unsigned byte = 0; byte < 4; ++byte) {
      unsigned which = Permute::select(op.mode, c[i], byte) & 7;
      Slot source = which & 4 ? op.b : op.a;
      if (~definedHalf(warp, source, (which & 3) / 2) >> i & 1)
        halves[byte / 2] &= ~(1u << i);
    }
  defineHalves(warp, op.d, lanes, halves);
}

/// A register of which no byte is chosen may hold anything.
static void permute(Warp &warp, const Op &op, uint32_t lanes) {
  const uint32_t *a = warp.reg<uint32_t>(op.a), *b = warp.reg<uint32_t>(op.b),
                 *c = warp.reg<uint32_t>(op.c);
  uint32_t result[warpLanes], takesA = 0, takesB = 0;
  for (unsigned i = 0; i < warpLanes; ++i) {
    result[i] = Permute::apply(op, a[i], b[i], c[i]);
    for (unsigned byte = 0; byte < 4; ++byte)
      (Permute::select(op.mode, c[i], byte) & 4 ? takesB : takesA) |= 1u << i;
  }
  // A destination may be a source, too.
  Slot from = ~warp.defined[op.c] & lanes            ? op.c
              : ~warp.defined[op.a] & lanes & takesA ? op.a
                                                     : op.b;
  uint32_t is = warp.defined[op.c] & (warp.defined[op.a] | ~takesA) &
                (warp.defined[op.b] | ~takesB);
  if (__builtin_expect(~is & lanes, 0)) {
    warp.origin[op.d] = warp.origin[from];
    definePermuted(warp, op, lanes);
  } else {
    warp.define(op.d, lanes, allLanes);
  }
  writeLanes(warp, op.d, lanes, result);
}

/// lop3.and, lop3.or: also whether the result is not 0, combined with a
/// predicate.
static void lop3WithPredicate(Warp &warp, const Op &op, uint32_t lanes) {
  const uint32_t *a = warp.reg<uint32_t>(op.a), *b = warp.reg<uint32_t>(op.b),
                 *c = warp.reg<uint32_t>(op.c);
  uint32_t result[warpLanes], isSet = 0;
  for (unsigned i = 0; i < warpLanes; ++i) {
    result[i] = Lop3::apply(op, a[i], b[i], c[i]);
    isSet |= uint32_t(result[i] != 0) << i;
  }
  uint32_t with = warp.mask(op.list);
  with = op.isLogicNegated ? ~with : with;
  isSet = op.logic == Logic::conjunction ? isSet & with : isSet | with;
  writeLanes(warp, op.d, lanes, result);
  warp.mask(op.d2) = (warp.mask(op.d2) & ~lanes) | (isSet & lanes);
  spreadFrom(warp, op, lanes, {op.a, op.b, op.c, op.list});
}

/// Predicates are masks: one word holds all lanes.
template <template <typename> class F>
static void logicOnPredicates(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t value = F<uint32_t>::apply(warp.mask(op.a), warp.mask(op.b));
  warp.mask(op.d) = (warp.mask(op.d) & ~lanes) | (value & lanes);
}

static void notOnPredicates(Warp &warp, const Op &op, uint32_t lanes) {
  warp.mask(op.d) = (warp.mask(op.d) & ~lanes) | (~warp.mask(op.a) & lanes);
}

template <template <typename> class F> static Handler pickLogic(Type type) {
  switch (type) {
  case Type::b16:
    return binary<uint16_t, uint16_t, F<uint16_t>>;
  case Type::b32:
    return binary<uint32_t, uint32_t, F<uint32_t>>;
  case Type::b64:
    return binary<uint64_t, uint64_t, F<uint64_t>>;
  case Type::pred:
    return logicOnPredicates<F>;
  default:
    return nullptr;
  }
}

template <template <typename> class F> static Handler pickNot(Type type) {
  switch (type) {
  case Type::b16:
    return unary<uint16_t, uint16_t, F<uint16_t>>;
  case Type::b32:
    return unary<uint32_t, uint32_t, F<uint32_t>>;
  case Type::b64:
    return unary<uint64_t, uint64_t, F<uint64_t>>;
  default:
    return nullptr;
  }
}

template <typename T, template <typename> class F> static Handler shift() {
  return binary<T, T, F<T>, uint32_t>;
}

static Handler pickShift(Type type, bool isRight) {
  switch (type) {
  case Type::b16:
    return isRight ? shift<uint16_t, ShiftRight>()
                   : shift<uint16_t, ShiftLeft>();
  case Type::b32:
    return isRight ? shift<uint32_t, ShiftRight>()
                   : shift<uint32_t, ShiftLeft>();
  case Type::b64:
    return isRight ? shift<uint64_t, ShiftRight>()
                   : shift<uint64_t, ShiftLeft>();
  case Type::u16:
    return isRight ? shift<uint16_t, ShiftRight>() : nullptr;
  case Type::u32:
    return isRight ? shift<uint32_t, ShiftRight>() : nullptr;
  case Type::u64:
    return isRight ? shift<uint64_t, ShiftRight>() : nullptr;
  case Type::s16:
    return isRight ? shift<int16_t, ShiftRight>() : nullptr;
  case Type::s32:
    return isRight ? shift<int32_t, ShiftRight>() : nullptr;
  case Type::s64:
    return isRight ? shift<int64_t, ShiftRight>() : nullptr;
  default:
    return nullptr;
  }
}

static Handler pickExtract(Type type) {
  switch (type) {
  case Type::u32:
    return ternary<uint32_t, uint32_t, ExtractField<uint32_t>>;
  case Type::u64:
    return ternary<uint64_t, uint64_t, ExtractField<uint64_t>, uint32_t,
                   uint32_t>;
  case Type::s32:
    return ternary<int32_t, int32_t, ExtractField<int32_t>, uint32_t, uint32_t>;
  case Type::s64:
    return ternary<int64_t, int64_t, ExtractField<int64_t>, uint32_t, uint32_t>;
  default:
    return nullptr;
  }
}

static Handler pickFind(Type type) {
  switch (type) {
  case Type::u32:
    return unaryWith<uint32_t, uint32_t, FindTop<uint32_t>>;
  case Type::u64:
    return unaryWith<uint32_t, uint64_t, FindTop<uint64_t>>;
  case Type::s32:
    return unaryWith<uint32_t, int32_t, FindTop<int32_t>>;
  case Type::s64:
    return unaryWith<uint32_t, int64_t, FindTop<int64_t>>;
  default:
    return nullptr;
  }
}

/// Operands of type op.type, but for those given.
static void operands(Decoder &d, Op &op, Type result, Type b, Type c,
                     unsigned n) {
  if (!op.run)
    d.failForm();
  if (d.hasFailed() || !d.expectOperands(n + 1))
    return;
  op.d = d.dest(0, result);
  op.a = d.source(1, op.type);
  if (n > 1)
    op.b = d.source(2, b);
  if (n > 2)
    op.c = d.source(3, c);
}

static void decodeFields(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  bool isWide = op.type == Type::b64;
  if (root != "bfe" && root != "bfind" && !isWide && op.type != Type::b32)
    return d.failForm();
  if (root == "bfe") {
    op.run = pickExtract(op.type);
    return operands(d, op, op.type, Type::u32, Type::u32, 3);
  }
  if (root == "bfi") {
    op.run = isWide ? insertField<uint64_t> : insertField<uint32_t>;
    if (!d.expectOperands(5))
      return;
    op.d = d.dest(0, op.type);
    op.a = d.source(1, op.type);
    op.b = d.source(2, op.type);
    op.c = d.source(3, Type::u32);
    op.list = d.source(4, Type::u32);
    op.definedness = Definedness::custom;
    return;
  }
  if (root == "bfind") {
    op.mode = d.take("shiftamt");
    op.run = pickFind(op.type);
  } else if (root == "popc") {
    op.run = isWide ? unary<uint32_t, uint64_t, CountOnes<uint64_t>>
                    : unary<uint32_t, uint32_t, CountOnes<uint32_t>>;
  } else if (root == "clz") {
    op.run = isWide ? unary<uint32_t, uint64_t, CountLeadingZeros<uint64_t>>
                    : unary<uint32_t, uint32_t, CountLeadingZeros<uint32_t>>;
  } else {
    op.run = isWide ? unary<uint64_t, uint64_t, Reverse<uint64_t>>
                    : unary<uint32_t, uint32_t, Reverse<uint32_t>>;
  }
  operands(d, op, root == "brev" ? op.type : Type::u32, op.type, op.type, 1);
}

/// lop3.or d|p, a, b, c, table, q
static void decodePredicateOfLop3(Decoder &d, Op &op) {
  if (d.operand(0).second < 0)
    return d.fail(d.operand(0).place, "expected a result and a predicate");
  op.d2 = d.secondDest(0);
  op.list = d.source(5, Type::pred);
  op.isLogicNegated = d.takeNegation(5);
  op.definedness = Definedness::custom;
  op.run = lop3WithPredicate;
}

static bool decodeThreeInput(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  if (root == "shf") {
    op.mode = uint8_t((d.take("r")   ? 1
                       : d.take("l") ? 0
                                     : 4) |
                      (d.take("wrap")    ? 2
                       : d.take("clamp") ? 0
                                         : 4));
    op.type = d.takeType();
    op.run = ternaryWith<uint32_t, uint32_t, Funnel>;
    if (op.mode & 4 || op.type != Type::b32)
      d.failForm();
  } else if (root == "prmt") {
    op.type = d.takeType();
    op.run = permute;
    op.definedness = Definedness::custom;
    if (op.type != Type::b32)
      d.failForm();
    static constexpr llvm::StringLiteral modes[] = {"f4e", "b4e", "rc8",
                                                    "ecl", "ecr", "rc16"};
    for (unsigned i = 0; i < std::size(modes); ++i)
      if (d.take(modes[i]))
        op.mode = uint8_t(i + 1);
  } else if (root == "lop3") {
    op.type = d.takeType();
    op.run = ternaryWith<uint32_t, uint32_t, Lop3>;
    op.logic = d.take("and")  ? Logic::conjunction
               : d.take("or") ? Logic::disjunction
                              : Logic::none;
    bool hasPredicate = op.logic != Logic::none;
    if (op.type != Type::b32)
      d.failForm();
    if (!d.expectOperands(hasPredicate ? 6 : 5))
      return true;
    if (d.operand(4).kind != ParsedOperand::integer)
      d.fail(d.operand(4).place, "expected a constant");
    op.mode = uint8_t(d.operand(4).bits);
    op.d = d.dest(0, op.type);
    op.a = d.source(1, op.type);
    op.b = d.source(2, op.type);
    op.c = d.source(3, op.type);
    op.halves = Halves::apart;
    if (hasPredicate)
      decodePredicateOfLop3(d, op);
    return true;
  } else {
    return false;
  }
  operands(d, op, Type::b32, Type::b32, Type::b32, 3);
  return true;
}

bool quack::sim::decodeBits(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  if (decodeThreeInput(d, op))
    return true;
  static constexpr llvm::StringLiteral roots[] = {
      "and", "or",  "xor",   "not",  "cnot", "shl", "shr",
      "bfe", "bfi", "bfind", "popc", "clz",  "brev"};
  if (!llvm::is_contained(roots, root))
    return false;
  op.type = d.takeType();
  if (root == "shl" || root == "shr") {
    op.run = pickShift(op.type, root == "shr");
    op.halves = root == "shr" ? Halves::shiftedRight : Halves::shiftedLeft;
    operands(d, op, op.type, Type::u32, op.type, 2);
  } else if (root == "and" || root == "or" || root == "xor") {
    op.run = root == "and"  ? pickLogic<And>(op.type)
             : root == "or" ? pickLogic<Or>(op.type)
                            : pickLogic<Xor>(op.type);
    op.halves = op.type == Type::pred ? Halves::whole
                : root == "and"       ? Halves::masked
                : root == "or"        ? Halves::maskedByOnes
                                      : Halves::apart;
    operands(d, op, op.type, op.type, op.type, 2);
  } else if (root == "not" || root == "cnot") {
    op.run = root == "cnot"          ? pickNot<CNot>(op.type)
             : op.type == Type::pred ? notOnPredicates
                                     : pickNot<Not>(op.type);
    op.halves = root == "not" ? Halves::apart : Halves::whole;
    operands(d, op, op.type, op.type, op.type, 1);
  } else {
    decodeFields(d, op);
  }
  return true;
}
