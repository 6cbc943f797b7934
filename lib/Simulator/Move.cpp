//===- Move.cpp - mov, cvta, mapa ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Data Movement and Conversion Instructions": mov between registers,
// packing and unpacking moves, and the instructions that turn one address into
// another.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Lanes.h"

using namespace quack::sim;

template <typename T>
static void move(Warp &warp, const Op &op, uint32_t lanes) {
  alignas(64) T values[warpLanes];
  std::memcpy(values, warp.reg<T>(op.a), sizeof(values));
  writeLanes(warp, op.d, lanes, values);
}

static void movePredicate(Warp &warp, const Op &op, uint32_t lanes) {
  warp.mask(op.d) = (warp.mask(op.d) & ~lanes) | (warp.mask(op.a) & lanes);
}

/// mov.b32 {lo, hi}, a: parts of `Part`, the lowest first.
template <typename Part, typename Whole>
static void unpack(Warp &warp, const Op &op, uint32_t lanes) {
  Whole whole[warpLanes];
  std::memcpy(whole, warp.reg<Whole>(op.a), sizeof(whole));
  const Slot *list = warp.cluster->program.lists.data() + op.list;
  uint32_t is = warp.defined[op.a], from = warp.origin[op.a];
  for (unsigned part = 0; part < op.count; ++part) {
    alignas(64) Part values[warpLanes];
    for (unsigned i = 0; i < warpLanes; ++i)
      values[i] = Part(whole[i] >> (8 * sizeof(Part) * part));
    writeLanes(warp, list[part], lanes, values);
    warp.define(list[part], lanes, is);
    warp.origin[list[part]] = from;
  }
}

template <typename Part, typename Whole>
static void pack(Warp &warp, const Op &op, uint32_t lanes) {
  alignas(64) Whole whole[warpLanes] = {};
  const Slot *list = warp.cluster->program.lists.data() + op.list;
  uint32_t is = allLanes;
  for (unsigned part = 0; part < op.count; ++part) {
    const Part *values = warp.reg<Part>(list[part]);
    for (unsigned i = 0; i < warpLanes; ++i)
      whole[i] =
          Whole(whole[i] | Whole(values[i]) << (8 * sizeof(Part) * part));
    is &= warp.defined[list[part]];
    if (~warp.defined[list[part]] & lanes)
      warp.origin[op.d] = warp.origin[list[part]];
  }
  writeLanes(warp, op.d, lanes, whole);
  warp.define(op.d, lanes, is);
}

/// mapa d, a, b: the address, in the cluster's window, of a in CTA b (PTX ISA,
/// mapa). A rank that the cluster does not have is a fault.
template <typename T>
static void mapa(Warp &warp, const Op &op, uint32_t lanes) {
  const T *a = warp.reg<T>(op.a);
  const uint32_t *rank = warp.reg<uint32_t>(op.b);
  T result[warpLanes];
  uint32_t size = warp.cluster->launch.clusterSize;
  for (unsigned i = 0; i < warpLanes; ++i) {
    T offset = a[i] & ((T(1) << clusterShift) - 1);
    if ((lanes >> i & 1) && rank[i] >= size) {
      report(warp, op, i, "bad-rank",
             "mapa to CTA " + std::to_string(rank[i]) + " of a cluster of " +
                 std::to_string(size));
    }
    result[i] = T((T(rank[i]) + 1) << clusterShift) | offset;
    if (op.space == Space::generic)
      result[i] |= T(genericShared);
  }
  writeLanes(warp, op.d, lanes, result);
}

/// cvta: between a state space and generic addresses. `mode` 1: to the space.
template <typename T>
static void cvta(Warp &warp, const Op &op, uint32_t lanes) {
  const T *a = warp.reg<T>(op.a);
  T result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i) {
    result[i] = a[i];
    if (op.space == Space::global || op.space == Space::param)
      continue;
    if (op.mode)
      result[i] = a[i] & T(0xffffffff);
    else if (a[i] >> clusterShift)
      result[i] = a[i] | T(genericShared);
    else
      result[i] =
          a[i] | T(genericShared) | (T(warp.cta->rank + 1) << clusterShift);
  }
  writeLanes(warp, op.d, lanes, result);
}

static void decodePackedMove(Decoder &d, Op &op, bool isPack) {
  const ParsedOperand &vector = d.operand(isPack ? 1 : 0);
  unsigned bytes = sizeOf(op.type), count = unsigned(vector.elements.size());
  unsigned part = count ? bytes / count : 0;
  if (count < 2 || part < 2 || count * part != bytes)
    return d.fail(vector.place, "cannot divide ." + getName(op.type) + " by " +
                                    llvm::Twine(count));
  Type type = part == 2 ? Type::b16 : Type::b32;
  std::vector<Slot> slots;
  for (const ParsedOperand &element : vector.elements)
    slots.push_back(isPack ? d.source(element, type) : d.dest(element, type));
  op.list = d.addList(slots);
  op.count = uint8_t(count);
  op.definedness = Definedness::custom;
  if (isPack) {
    op.d = d.dest(0, op.type);
    op.run = part == 4    ? pack<uint32_t, uint64_t>
             : bytes == 4 ? pack<uint16_t, uint32_t>
                          : pack<uint16_t, uint64_t>;
  } else {
    op.a = d.source(1, op.type);
    op.run = part == 4    ? unpack<uint32_t, uint64_t>
             : bytes == 4 ? unpack<uint16_t, uint32_t>
                          : unpack<uint16_t, uint64_t>;
  }
}

static void decodeMov(Decoder &d, Op &op) {
  op.type = d.takeType();
  if (d.hasFailed() || !d.expectOperands(2))
    return;
  if (d.operand(0).kind == ParsedOperand::vector ||
      d.operand(1).kind == ParsedOperand::vector)
    return decodePackedMove(d, op, d.operand(1).kind == ParsedOperand::vector);
  op.d = d.dest(0, op.type);
  op.a = d.source(1, op.type);
  switch (sizeOf(op.type)) {
  case 0:
    op.run = movePredicate;
    break;
  case 2:
    op.run = move<uint16_t>;
    break;
  case 4:
    op.run = move<uint32_t>;
    break;
  case 8:
    op.run = move<uint64_t>;
    break;
  default:
    d.fail("'" + d.inst().text + "' does not exist");
  }
}

bool quack::sim::decodeMove(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  if (root == "mov") {
    decodeMov(d, op);
  } else if (root == "mapa") {
    op.space = d.take("shared::cluster") ? Space::cluster : Space::generic;
    op.type = d.takeType();
    bool isWide = sizeOf(op.type) == 8;
    if (!isWide && op.space == Space::generic)
      d.fail("generic addresses have 64 bits");
    if (d.hasFailed() || !d.expectOperands(3))
      return true;
    op.run = isWide ? mapa<uint64_t> : mapa<uint32_t>;
    op.d = d.dest(0, op.type);
    op.a = d.source(1, op.type);
    op.b = d.source(2, Type::u32);
  } else if (root == "cvta") {
    op.mode = d.take("to");
    op.space = d.take("global")                       ? Space::global
               : d.take("param")                      ? Space::param
               : d.take("shared::cluster")            ? Space::cluster
               : d.takeAny({"shared", "shared::cta"}) ? Space::shared
                                                      : Space::generic;
    op.type = d.takeType();
    if (op.space == Space::generic || sizeOf(op.type) != 8)
      d.fail("'" + d.inst().text + "' is not simulated");
    if (d.hasFailed() || !d.expectOperands(2))
      return true;
    op.run = cvta<uint64_t>;
    op.d = d.dest(0, op.type);
    op.a = d.source(1, op.type);
  } else {
    return false;
  }
  return true;
}
