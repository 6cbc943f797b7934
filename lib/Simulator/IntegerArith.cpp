//===- IntegerArith.cpp - integer arithmetic -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Integer Arithmetic Instructions": add, sub, mul, mad, div, rem,
// abs, neg, min, max, sad. Results wrap; add and sub of s32 may saturate.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Lanes.h"

#include <algorithm>
#include <limits>
#include <type_traits>

using namespace quack::sim;

namespace {
template <typename T> using Unsigned = std::make_unsigned_t<T>;

// Arithmetic is done in unsigned types, at least of 32 bits, where wrapping is
// defined.
template <typename T> struct Add {
  static T apply(T a, T b) { return T(uint64_t(a) + uint64_t(b)); }
};
template <> struct Add<uint32_t> {
  static uint32_t apply(uint32_t a, uint32_t b) { return a + b; }
};
template <typename T> struct Sub {
  static T apply(T a, T b) { return T(uint64_t(a) - uint64_t(b)); }
};
template <> struct Sub<uint32_t> {
  static uint32_t apply(uint32_t a, uint32_t b) { return a - b; }
};
template <typename T> struct AddSaturated {
  static T apply(T a, T b) {
    return T(std::clamp<int64_t>(int64_t(a) + b, std::numeric_limits<T>::min(),
                                 std::numeric_limits<T>::max()));
  }
};
template <typename T> struct SubSaturated {
  static T apply(T a, T b) {
    return T(std::clamp<int64_t>(int64_t(a) - b, std::numeric_limits<T>::min(),
                                 std::numeric_limits<T>::max()));
  }
};
template <typename T> struct MulLow {
  static T apply(T a, T b) { return T(uint64_t(a) * uint64_t(b)); }
};
template <typename T> struct MulHigh {
  static T apply(T a, T b) {
    using Wide =
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return T((Wide(a) * Wide(b)) >> (8 * sizeof(T)));
  }
};
template <typename W, typename T> struct MulWide {
  static W apply(T a, T b) { return W(W(a) * W(b)); }
};
template <typename T> struct MadLow {
  static T apply(T a, T b, T c) {
    return T(uint64_t(a) * uint64_t(b) + uint64_t(c));
  }
};
template <typename T> struct MadHigh {
  static T apply(T a, T b, T c) {
    return Add<T>::apply(MulHigh<T>::apply(a, b), c);
  }
};
struct MadHighSaturated {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return AddSaturated<int32_t>::apply(MulHigh<int32_t>::apply(a, b), c);
  }
};
template <typename W, typename T> struct MadWide {
  static W apply(T a, T b, W c) {
    return W(uint64_t(W(W(a) * W(b))) + uint64_t(c));
  }
};
// Division by zero gives an unspecified, machine-specific value: an H200 gives
// all ones for the quotient and for the remainder.
template <typename T> struct Div {
  static T apply(T a, T b) {
    if (b == 0)
      return T(-1);
    if (std::is_signed_v<T> && b == T(-1))
      return T(0 - uint64_t(a));
    return T(a / b);
  }
};
template <typename T> struct Rem {
  static T apply(T a, T b) {
    if (b == 0)
      return T(-1);
    return std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b);
  }
};
template <typename T> struct Abs {
  static T apply(T a) { return a < 0 ? T(0 - uint64_t(a)) : a; }
};
template <typename T> struct Neg {
  static T apply(T a) { return T(0 - uint64_t(a)); }
};
template <typename T> struct Min {
  static T apply(T a, T b) { return a < b ? a : b; }
};
template <typename T> struct Max {
  static T apply(T a, T b) { return a > b ? a : b; }
};
/// .relu: a negative result becomes 0.
template <template <typename> class F> struct Relu {
  static int32_t apply(int32_t a, int32_t b) {
    return std::max(F<int32_t>::apply(a, b), 0);
  }
};
template <typename T> struct Sad {
  static T apply(T a, T b, T c) {
    uint64_t distance =
        a < b ? uint64_t(b) - uint64_t(a) : uint64_t(a) - uint64_t(b);
    return T(uint64_t(c) + distance);
  }
};
} // namespace

template <template <typename> class F> static Handler pickBinary(Type type) {
  switch (type) {
  case Type::u16:
    return binary<uint16_t, uint16_t, F<uint16_t>>;
  case Type::u32:
    return binary<uint32_t, uint32_t, F<uint32_t>>;
  case Type::u64:
    return binary<uint64_t, uint64_t, F<uint64_t>>;
  case Type::s16:
    return binary<int16_t, int16_t, F<int16_t>>;
  case Type::s32:
    return binary<int32_t, int32_t, F<int32_t>>;
  case Type::s64:
    return binary<int64_t, int64_t, F<int64_t>>;
  default:
    return nullptr;
  }
}

template <template <typename> class F> static Handler pickTernary(Type type) {
  switch (type) {
  case Type::u16:
    return ternary<uint16_t, uint16_t, F<uint16_t>>;
  case Type::u32:
    return ternary<uint32_t, uint32_t, F<uint32_t>>;
  case Type::u64:
    return ternary<uint64_t, uint64_t, F<uint64_t>>;
  case Type::s16:
    return ternary<int16_t, int16_t, F<int16_t>>;
  case Type::s32:
    return ternary<int32_t, int32_t, F<int32_t>>;
  case Type::s64:
    return ternary<int64_t, int64_t, F<int64_t>>;
  default:
    return nullptr;
  }
}

template <template <typename> class F> static Handler pickSigned(Type type) {
  switch (type) {
  case Type::s16:
    return unary<int16_t, int16_t, F<int16_t>>;
  case Type::s32:
    return unary<int32_t, int32_t, F<int32_t>>;
  case Type::s64:
    return unary<int64_t, int64_t, F<int64_t>>;
  default:
    return nullptr;
  }
}

template <template <typename, typename> class F>
static Handler pickWide(Type type) {
  switch (type) {
  case Type::u16:
    return binary<uint32_t, uint16_t, F<uint32_t, uint16_t>>;
  case Type::u32:
    return binary<uint64_t, uint32_t, F<uint64_t, uint32_t>>;
  case Type::s16:
    return binary<int32_t, int16_t, F<int32_t, int16_t>>;
  case Type::s32:
    return binary<int64_t, int32_t, F<int64_t, int32_t>>;
  default:
    return nullptr;
  }
}

template <typename W, typename T> static Handler madWide() {
  return ternary<W, T, MadWide<W, T>, T, W>;
}

static Handler pickMadWide(Type type) {
  switch (type) {
  case Type::u16:
    return madWide<uint32_t, uint16_t>();
  case Type::u32:
    return madWide<uint64_t, uint32_t>();
  case Type::s16:
    return madWide<int32_t, int16_t>();
  case Type::s32:
    return madWide<int64_t, int32_t>();
  default:
    return nullptr;
  }
}

/// mul and mad: .lo, .hi or .wide must be said.
static void decodeMultiply(Decoder &d, Op &op, bool adds) {
  bool isWide = d.take("wide"), isHigh = !isWide && d.take("hi");
  if (!isWide && !isHigh && !d.take("lo"))
    return d.fail("'" + d.root() + "' needs .lo, .hi or .wide");
  if (adds)
    op.run = isWide   ? pickMadWide(op.type)
             : isHigh ? pickTernary<MadHigh>(op.type)
                      : pickTernary<MadLow>(op.type);
  if (adds && isHigh && op.type == Type::s32 && d.take("sat"))
    op.run = ternary<int32_t, int32_t, MadHighSaturated>;
  if (!adds)
    op.run = isWide   ? pickWide<MulWide>(op.type)
             : isHigh ? pickBinary<MulHigh>(op.type)
                      : pickBinary<MulLow>(op.type);
  if (!op.run)
    d.failForm();
  if (d.hasFailed() || !d.expectOperands(adds ? 4 : 3))
    return;
  Type result = op.type;
  if (isWide)
    result = sizeOf(op.type) == 2 ? Type::b32 : Type::b64;
  op.d = d.dest(0, result);
  op.a = d.source(1, op.type);
  op.b = d.source(2, op.type);
  if (adds)
    op.c = d.source(3, result);
}

bool quack::sim::decodeInteger(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  static constexpr llvm::StringLiteral roots[] = {"add", "sub", "mul", "mad",
                                                  "div", "rem", "abs", "neg",
                                                  "min", "max", "sad"};
  if (!llvm::is_contained(roots, root))
    return false;
  op.type = d.takeType();
  bool saturates =
      op.type == Type::s32 && (root == "add" || root == "sub") && d.take("sat");
  bool relu = op.type == Type::s32 && (root == "min" || root == "max") &&
              d.take("relu");
  if (root == "mul" || root == "mad") {
    decodeMultiply(d, op, root == "mad");
    return true;
  }
  if (root == "add")
    op.run = saturates ? binary<int32_t, int32_t, AddSaturated<int32_t>>
                       : pickBinary<Add>(op.type);
  else if (root == "sub")
    op.run = saturates ? binary<int32_t, int32_t, SubSaturated<int32_t>>
                       : pickBinary<Sub>(op.type);
  else if (root == "div")
    op.run = pickBinary<Div>(op.type);
  else if (root == "rem")
    op.run = pickBinary<Rem>(op.type);
  else if (root == "min")
    op.run =
        relu ? binary<int32_t, int32_t, Relu<Min>> : pickBinary<Min>(op.type);
  else if (root == "max")
    op.run =
        relu ? binary<int32_t, int32_t, Relu<Max>> : pickBinary<Max>(op.type);
  else if (root == "sad")
    op.run = pickTernary<Sad>(op.type);
  else
    op.run =
        root == "abs" ? pickSigned<Abs>(op.type) : pickSigned<Neg>(op.type);
  if (!op.run)
    d.failForm();
  d.operandsOf(op, op.type,
               root == "sad"                    ? 3
               : root == "abs" || root == "neg" ? 1
                                                : 2);
  return true;
}
