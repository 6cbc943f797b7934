//===- Carry.cpp - extended-precision arithmetic ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Extended-Precision Integer Arithmetic Instructions": add.cc, addc,
// sub.cc, subc, mad.cc, madc. The carry is a predicate that has a slot of its
// own, carrySlot; a subtraction leaves its borrow there.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Lanes.h"

#include <type_traits>

using namespace quack::sim;

namespace {
/// `mode` of these instructions.
enum : uint8_t { readsCarry = 1, writesCarry = 2 };
} // namespace

/// d = a + b + carry, or a - b - borrow.
template <typename T, bool subtracts>
static void addWithCarry(Warp &warp, const Op &op, uint32_t lanes, const T *a,
                         const T *b) {
  uint32_t before = op.mode & readsCarry ? warp.mask(carrySlot) : 0;
  uint32_t after = 0;
  T result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i) {
    T carry = before >> i & 1, partial, sum;
    bool first = subtracts ? __builtin_sub_overflow(a[i], b[i], &partial)
                           : __builtin_add_overflow(a[i], b[i], &partial);
    bool second = subtracts ? __builtin_sub_overflow(partial, carry, &sum)
                            : __builtin_add_overflow(partial, carry, &sum);
    result[i] = sum;
    after |= uint32_t(first | second) << i;
  }
  writeLanes(warp, op.d, lanes, result);
  if (op.mode & writesCarry)
    warp.mask(carrySlot) = (warp.mask(carrySlot) & ~lanes) | (after & lanes);
  spreadFrom(warp, op, lanes,
             {op.a, op.b, op.c, op.mode & readsCarry ? carrySlot : zeroSlot});
}

template <typename T, bool subtracts>
static void addOrSubtract(Warp &warp, const Op &op, uint32_t lanes) {
  addWithCarry<T, subtracts>(warp, op, lanes, warp.reg<T>(op.a),
                             warp.reg<T>(op.b));
}

/// d = half of a * b, + c + carry.
template <typename T, bool isHigh>
static void multiplyAdd(Warp &warp, const Op &op, uint32_t lanes) {
  using U = std::make_unsigned_t<T>;
  using Wide =
      std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  const T *a = warp.reg<T>(op.a), *b = warp.reg<T>(op.b);
  U product[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    product[i] = isHigh ? U((Wide(a[i]) * Wide(b[i])) >> (8 * sizeof(T)))
                        : U(U(a[i]) * U(b[i]));
  addWithCarry<U, false>(warp, op, lanes, product, warp.reg<U>(op.c));
}

template <typename T> static Handler pickMultiply(bool isHigh) {
  return isHigh ? multiplyAdd<T, true> : multiplyAdd<T, false>;
}

static Handler pick(const Op &op, bool isMad, bool subtracts, bool isHigh) {
  bool isWide = sizeOf(op.type) == 8;
  if (isMad && isSigned(op.type))
    return isWide ? pickMultiply<int64_t>(isHigh)
                  : pickMultiply<int32_t>(isHigh);
  if (isMad)
    return isWide ? pickMultiply<uint64_t>(isHigh)
                  : pickMultiply<uint32_t>(isHigh);
  if (subtracts)
    return isWide ? addOrSubtract<uint64_t, true>
                  : addOrSubtract<uint32_t, true>;
  return isWide ? addOrSubtract<uint64_t, false>
                : addOrSubtract<uint32_t, false>;
}

bool quack::sim::decodeCarry(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  bool reads = root == "addc" || root == "subc" || root == "madc";
  bool mayWrite = reads || root == "add" || root == "sub" || root == "mad";
  if (!reads && !(mayWrite && d.has("cc")))
    return false;
  bool isMad = root.starts_with("mad"), isHigh = isMad && d.take("hi");
  if (isMad && !isHigh && !d.take("lo"))
    d.fail("'" + root + "' needs .lo or .hi");
  op.mode =
      uint8_t((reads ? readsCarry : 0) | (d.take("cc") ? writesCarry : 0));
  op.type = d.takeType();
  if (!isInteger(op.type) || sizeOf(op.type) < 4 || op.type == Type::b32 ||
      op.type == Type::b64)
    d.failForm();
  op.run = pick(op, isMad, root.starts_with("sub"), isHigh);
  op.definedness = Definedness::custom;
  if (op.mode & writesCarry)
    op.d2 = carrySlot;
  d.operandsOf(op, op.type, isMad ? 3 : 2);
  return true;
}
