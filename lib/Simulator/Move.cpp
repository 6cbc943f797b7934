//===- Move.cpp - mov ------------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, mov: between registers, and packing and unpacking moves.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"
#include "Halves.h"
#include "Lanes.h"
#include "Machine.h"

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
  uint32_t from = warp.origin[op.a], is[sizeof(Whole) / 2];
  for (unsigned half = 0; half < sizeof(Whole) / 2; ++half)
    is[half] = definedHalf(warp, op.a, half);
  constexpr unsigned halves = sizeof(Part) / 2;
  for (unsigned part = 0; part < op.count; ++part) {
    alignas(64) Part values[warpLanes];
    for (unsigned i = 0; i < warpLanes; ++i)
      values[i] = Part(whole[i] >> (8 * sizeof(Part) * part));
    writeLanes(warp, list[part], lanes, values);
    defineHalves(warp, list[part], lanes,
                 llvm::ArrayRef(is).slice(halves * part, halves));
    warp.origin[list[part]] = from;
  }
}

template <typename Part, typename Whole>
static void pack(Warp &warp, const Op &op, uint32_t lanes) {
  alignas(64) Whole whole[warpLanes] = {};
  const Slot *list = warp.cluster->program.lists.data() + op.list;
  constexpr unsigned halves = sizeof(Part) / 2;
  uint32_t is[sizeof(Whole) / 2];
  for (unsigned part = 0; part < op.count; ++part) {
    const Part *values = warp.reg<Part>(list[part]);
    for (unsigned i = 0; i < warpLanes; ++i)
      whole[i] =
          Whole(whole[i] | Whole(values[i]) << (8 * sizeof(Part) * part));
    for (unsigned half = 0; half < halves; ++half)
      is[halves * part + half] = definedHalf(warp, list[part], half);
    if (~warp.defined[list[part]] & lanes)
      warp.origin[op.d] = warp.origin[list[part]];
  }
  writeLanes(warp, op.d, lanes, whole);
  defineHalves(warp, op.d, lanes, is);
}

static void decodePackedMove(Decoder &d, Op &op, bool isPack) {
  const ParsedOperand &vector = d.operand(isPack ? 1 : 0);
  unsigned bytes = sizeOf(op.type), count = unsigned(vector.elements.size());
  unsigned part = count ? bytes / count : 0;
  if (count < 2 || part < 2 || count * part != bytes ||
      (bytes == 16) != (part == 8))
    return d.fail(vector.place, "cannot divide ." + getName(op.type) + " by " +
                                    llvm::Twine(count));
  Type type = part == 2 ? Type::b16 : part == 4 ? Type::b32 : Type::b64;
  std::vector<Slot> slots;
  for (const ParsedOperand &element : vector.elements)
    slots.push_back(isPack ? d.source(element, type) : d.dest(element, type));
  op.list = d.addList(slots);
  op.count = uint8_t(count);
  op.definedness = Definedness::custom;
  if (isPack) {
    op.d = d.dest(0, op.type);
    op.run = part == 8    ? pack<uint64_t, Quad>
             : part == 4  ? pack<uint32_t, uint64_t>
             : bytes == 4 ? pack<uint16_t, uint32_t>
                          : pack<uint16_t, uint64_t>;
  } else {
    op.a = d.source(1, op.type);
    op.run = part == 8    ? unpack<uint64_t, Quad>
             : part == 4  ? unpack<uint32_t, uint64_t>
             : bytes == 4 ? unpack<uint16_t, uint32_t>
                          : unpack<uint16_t, uint64_t>;
  }
}

/// The address of a variable in the frame.
template <typename T>
static void frameAddress(Warp &warp, const Op &op, uint32_t lanes) {
  const uint64_t *frame = warp.reg<uint64_t>(op.a);
  T values[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    values[i] = T(frame[i] + uint64_t(op.offset));
  writeLanes(warp, op.d, lanes, values);
}

static bool decodeFrameAddress(Decoder &d, Op &op) {
  const ParsedOperand &operand = d.operand(1);
  if (operand.kind != ParsedOperand::symbol)
    return false;
  std::optional<CallValue> place = d.findInFrame(operand.name);
  if (!place)
    return false;
  op.a = d.frame();
  op.offset = int64_t(place->offset + operand.bits);
  op.run =
      sizeOf(op.type) == 8 ? frameAddress<uint64_t> : frameAddress<uint32_t>;
  if (sizeOf(op.type) < 4)
    d.fail("addresses have 32 or 64 bits");
  return true;
}

/// PTX ISA, "Special Registers": %clock, %clock_hi, %clock64, %globaltimer,
/// %globaltimer_lo, %globaltimer_hi. `mode` shifts.
template <typename T>
static void readClock(Warp &warp, const Op &op, uint32_t lanes) {
  T values[warpLanes];
  std::fill_n(values, warpLanes, T(warp.cluster->machine.now() >> op.mode));
  writeLanes(warp, op.d, lanes, values);
}

static bool decodeClock(Decoder &d, Op &op) {
  static constexpr llvm::StringLiteral words[] = {"clock", "globaltimer_lo"},
                                       highs[] = {"clock_hi", "globaltimer_hi"},
                                       wholes[] = {"clock64", "globaltimer"};
  llvm::StringRef name = d.operand(1).name;
  if (d.operand(1).kind != ParsedOperand::special)
    return false;
  bool isWhole = llvm::is_contained(wholes, name),
       isHigh = llvm::is_contained(highs, name);
  if (!isWhole && !isHigh && !llvm::is_contained(words, name))
    return false;
  if (sizeOf(op.type) != (isWhole ? 8u : 4u))
    d.fail("'%" + name + "' has " + llvm::Twine(isWhole ? 64 : 32) + " bits");
  op.mode = isHigh ? 32 : 0;
  op.run = isWhole ? readClock<uint64_t> : readClock<uint32_t>;
  return true;
}

static void decodeMov(Decoder &d, Op &op) {
  op.type = d.takeAnyType();
  if (isFloat(op.type) && op.type != Type::f32 && op.type != Type::f64)
    d.failForm();
  if (d.hasFailed() || !d.expectOperands(2))
    return;
  if (d.operand(0).kind == ParsedOperand::vector ||
      d.operand(1).kind == ParsedOperand::vector)
    return decodePackedMove(d, op, d.operand(1).kind == ParsedOperand::vector);
  op.d = d.dest(0, op.type);
  if (decodeFrameAddress(d, op) || decodeClock(d, op))
    return;
  op.a = d.source(1, op.type);
  op.halves = Halves::apart;
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
  case 16:
    op.run = move<Quad>;
    break;
  default:
    d.failForm();
  }
}

bool quack::sim::decodeMove(Decoder &d, Op &op) {
  if (d.root() != "mov")
    return false;
  decodeMov(d, op);
  return true;
}
