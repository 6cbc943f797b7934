//===- BitMasks.cpp - fns, bmsk, szext -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Integer Arithmetic Instructions": the n-th set bit, masks of
// consecutive bits, and extension from any width.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Lanes.h"

using namespace quack::sim;

namespace {
/// fns d, mask, base, offset: the offset-th set bit from base on, upwards or
/// downwards; all ones if there is none.
struct FindNth {
  static uint32_t apply(uint32_t mask, uint32_t base, int32_t offset) {
    if (base > 31)
      return ~0u;
    if (offset == 0)
      return mask >> base & 1 ? base : ~0u;
    int step = offset > 0 ? 1 : -1;
    int64_t left = int64_t(offset) * step;
    for (int at = int(base); at >= 0 && at < 32; at += step)
      if (mask >> at & 1 && --left == 0)
        return uint32_t(at);
    return ~0u;
  }
};
/// bmsk d, a, b: b bits from position a on. Without `mode` (.wrap) a and b
/// count modulo 32, with it (.clamp) they stop there.
struct MakeMask {
  static uint32_t apply(const Op &op, uint32_t a, uint32_t b) {
    if (!op.mode) {
      a &= 31;
      b &= 31;
    }
    if (a > 31)
      return 0;
    uint32_t from = ~0u << a;
    uint64_t end = uint64_t(a) + b;
    return end > 31 ? from : from & ~(~0u << end);
  }
};
/// szext d, a, b: a's lower b bits, extended.
template <bool isSigned> struct Extend {
  static uint32_t apply(const Op &op, uint32_t a, uint32_t b) {
    if (op.mode && b > 31)
      return a;
    b &= 31;
    uint32_t above = ~0u << b;
    bool sign = isSigned && b != 0 && (a >> ((b - 1) & 31) & 1);
    return sign ? a | above : a & ~above;
  }
};
} // namespace

bool quack::sim::decodeBitMask(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  if (root != "fns" && root != "bmsk" && root != "szext")
    return false;
  bool isFind = root == "fns";
  if (!isFind) {
    op.mode = d.take("clamp");
    if (!op.mode && !d.take("wrap"))
      d.fail("'" + root + "' needs .clamp or .wrap");
  }
  op.type = d.takeType();
  bool isSigned = op.type == Type::s32;
  if (op.type != Type::b32 && root != "szext")
    d.failForm();
  if (root == "szext" && op.type != Type::u32 && !isSigned)
    d.failForm();
  op.run = isFind ? ternary<uint32_t, uint32_t, FindNth, uint32_t, int32_t>
           : root == "bmsk" ? binaryWith<uint32_t, uint32_t, MakeMask>
           : isSigned       ? binaryWith<uint32_t, uint32_t, Extend<true>>
                            : binaryWith<uint32_t, uint32_t, Extend<false>>;
  d.operandsOf(op, Type::b32, isFind ? 3 : 2);
  return true;
}
