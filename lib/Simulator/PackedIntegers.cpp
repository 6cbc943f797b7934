//===- PackedIntegers.cpp - integers within a word -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Integer Arithmetic Instructions" on parts of a word: add, min and
// max of u16x2 and s16x2, dp4a, dp2a, mul24, mad24; and vabsdiff4, the one of
// the "Video Instructions" that nvcc emits.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Lanes.h"

#include <algorithm>

using namespace quack::sim;

namespace {
/// Two of 16 bits. T is int16_t or uint16_t.
template <typename F, typename T> struct OnHalves {
  static uint32_t apply(uint32_t a, uint32_t b) {
    uint32_t low = uint16_t(F::apply(T(a), T(b)));
    uint32_t high = uint16_t(F::apply(T(a >> 16), T(b >> 16)));
    return high << 16 | low;
  }
};
struct AddHalf {
  static int32_t apply(int32_t a, int32_t b) { return a + b; }
};
struct MinHalf {
  static int32_t apply(int32_t a, int32_t b) { return std::min(a, b); }
};
struct MaxHalf {
  static int32_t apply(int32_t a, int32_t b) { return std::max(a, b); }
};
/// .relu: negative results become 0.
template <typename F> struct Relu {
  static int32_t apply(int32_t a, int32_t b) {
    return std::max(F::apply(a, b), 0);
  }
};

/// Part `i` of `bits` bits, extended.
int32_t part(uint32_t value, unsigned i, unsigned bits, bool isSigned) {
  uint32_t shifted = value << (32 - bits - bits * i);
  return isSigned ? int32_t(shifted) >> (32 - bits)
                  : int32_t(shifted >> (32 - bits));
}

/// `mode` of dp4a and dp2a.
enum : uint8_t { signedA = 1, signedB = 2, upperPairOfB = 4 };

struct DotFour {
  static uint32_t apply(const Op &op, uint32_t a, uint32_t b, uint32_t c) {
    for (unsigned i = 0; i < 4; ++i)
      c += uint32_t(part(a, i, 8, op.mode & signedA) *
                    part(b, i, 8, op.mode & signedB));
    return c;
  }
};
/// dp2a: 16 bits of a times 8 bits of b.
struct DotTwo {
  static uint32_t apply(const Op &op, uint32_t a, uint32_t b, uint32_t c) {
    unsigned first = op.mode & upperPairOfB ? 2 : 0;
    for (unsigned i = 0; i < 2; ++i)
      c += uint32_t(part(a, i, 16, op.mode & signedA) *
                    part(b, first + i, 8, op.mode & signedB));
    return c;
  }
};

/// vabsdiff4: four distances, or c plus their sum.
template <bool isSigned, bool adds> struct Distances {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t bytes = 0, sum = c;
    for (unsigned i = 0; i < 4; ++i) {
      int32_t x = part(a, i, 8, isSigned), y = part(b, i, 8, isSigned);
      uint32_t distance = uint32_t(x < y ? y - x : x - y);
      bytes |= (distance & 0xff) << (8 * i);
      sum += distance;
    }
    return adds ? sum : bytes;
  }
};

/// The product of the lower 24 bits: its bits 0 to 31, or 16 to 47.
template <bool isSigned, bool isHigh> struct Mul24 {
  static uint32_t apply(uint32_t a, uint32_t b) {
    int64_t product =
        int64_t(part(a, 0, 24, isSigned)) * int64_t(part(b, 0, 24, isSigned));
    return uint32_t(isHigh ? product >> 16 : product);
  }
};
template <bool isSigned, bool isHigh> struct Mad24 {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    return Mul24<isSigned, isHigh>::apply(a, b) + c;
  }
};
struct Mad24Saturated {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    int64_t sum =
        int64_t(int32_t(Mul24<true, true>::apply(uint32_t(a), uint32_t(b)))) +
        c;
    return int32_t(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
  }
};
} // namespace

template <typename F> static Handler onHalves(bool isSigned, bool relu) {
  if (!isSigned)
    return binary<uint32_t, uint32_t, OnHalves<F, uint16_t>>;
  return relu ? binary<uint32_t, uint32_t, OnHalves<Relu<F>, int16_t>>
              : binary<uint32_t, uint32_t, OnHalves<F, int16_t>>;
}

static void decodeHalves(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  bool isSigned = d.take("s16x2");
  if (!isSigned)
    d.take("u16x2");
  bool relu = isSigned && root != "add" && d.take("relu");
  op.run = root == "add"   ? onHalves<AddHalf>(isSigned, false)
           : root == "min" ? onHalves<MinHalf>(isSigned, relu)
                           : onHalves<MaxHalf>(isSigned, relu);
  op.halves = Halves::apart;
  d.operandsOf(op, Type::b32, 2);
}

static void decodeDot(Decoder &d, Op &op) {
  bool isFour = d.root() == "dp4a";
  if (!isFour && d.take("hi"))
    op.mode |= upperPairOfB;
  else if (!isFour && !d.take("lo"))
    d.fail("'dp2a' needs .lo or .hi");
  for (uint8_t bit : {signedA, signedB}) {
    Type type = d.takeType();
    if (type == Type::s32)
      op.mode |= bit;
    else if (type != Type::u32)
      d.failForm();
  }
  op.run = isFour ? ternaryWith<uint32_t, uint32_t, DotFour>
                  : ternaryWith<uint32_t, uint32_t, DotTwo>;
  d.operandsOf(op, Type::b32, 3);
}

template <bool isSigned, bool isHigh> static Handler pick24(bool adds) {
  return adds ? ternary<uint32_t, uint32_t, Mad24<isSigned, isHigh>>
              : binary<uint32_t, uint32_t, Mul24<isSigned, isHigh>>;
}

static void decode24(Decoder &d, Op &op) {
  bool adds = d.root() == "mad24", isHigh = d.take("hi");
  if (!isHigh && !d.take("lo"))
    d.fail("'" + d.root() + "' needs .lo or .hi");
  op.type = d.takeType();
  bool isSigned = op.type == Type::s32;
  if (!isSigned && op.type != Type::u32)
    d.failForm();
  if (isSigned)
    op.run = isHigh ? pick24<true, true>(adds) : pick24<true, false>(adds);
  else
    op.run = isHigh ? pick24<false, true>(adds) : pick24<false, false>(adds);
  if (adds && isHigh && isSigned && d.take("sat"))
    op.run = ternary<int32_t, int32_t, Mad24Saturated>;
  d.operandsOf(op, Type::b32, adds ? 3 : 2);
}

/// vabsdiff4.u32.u32.u32{.add}. Saturation, and the operands' masks and byte
/// selectors, are not simulated.
static void decodeDistances(Decoder &d, Op &op) {
  Type types[] = {d.takeType(), d.takeType(), d.takeType()};
  bool isSigned = types[1] == Type::s32, adds = d.take("add");
  if (types[1] != types[2] || (!isSigned && types[1] != Type::u32) ||
      (types[0] != Type::u32 && types[0] != Type::s32))
    d.fail("'" + d.inst().text + "' is not simulated");
  if (adds)
    op.run = isSigned ? ternary<uint32_t, uint32_t, Distances<true, true>>
                      : ternary<uint32_t, uint32_t, Distances<false, true>>;
  else
    op.run = isSigned ? ternary<uint32_t, uint32_t, Distances<true, false>>
                      : ternary<uint32_t, uint32_t, Distances<false, false>>;
  d.operandsOf(op, Type::b32, 3);
}

bool quack::sim::decodePacked(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  if (root == "add" || root == "min" || root == "max") {
    if (!d.has("u16x2") && !d.has("s16x2"))
      return false;
    decodeHalves(d, op);
  } else if (root == "dp4a" || root == "dp2a") {
    decodeDot(d, op);
  } else if (root == "mul24" || root == "mad24") {
    decode24(d, op);
  } else if (root == "vabsdiff4") {
    decodeDistances(d, op);
  } else {
    return false;
  }
  return true;
}
