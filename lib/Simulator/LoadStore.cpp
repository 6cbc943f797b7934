//===- LoadStore.cpp - ld and st -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, ld, ld.global.nc, st. Cache operators, eviction priorities and
// policies are parsed and have no effect. Values that nobody wrote may be
// loaded and stored within shared memory; they are a fault where they leave it.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "Decoder.h"
#include "Fences.h"
#include "Halves.h"
#include "Lanes.h"
#include "Memory.h"

using namespace quack::sim;

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Copies what a lane accesses: 1, 2, 4, 8, 16 or 32 bytes.
static void copyLane(uint8_t *to, const uint8_t *from, unsigned bytes) {
  switch (bytes) {
  case 4:
    std::memcpy(to, from, 4);
    return;
  case 8:
    std::memcpy(to, from, 8);
    return;
  case 16:
    std::memcpy(to, from, 16);
    return;
  default:
    std::memcpy(to, from, bytes);
  }
}

/// One element of a vector to its register, extended to the register's width.
template <typename Held, typename T>
static void scatter(Warp &warp, Slot slot, uint32_t lanes,
                    const uint8_t *staged, unsigned stride) {
  computeLanes<Held>(warp, slot, lanes, [=](unsigned i) {
    T value;
    std::memcpy(&value, staged + i * stride, sizeof(T));
    return Held(value);
  });
}

template <typename Held>
static void scatterAs(Warp &warp, Type type, Slot slot, uint32_t lanes,
                      const uint8_t *staged, unsigned stride) {
  switch (type) {
  case Type::s8:
    return scatter<Held, int8_t>(warp, slot, lanes, staged, stride);
  case Type::s16:
    return scatter<Held, int16_t>(warp, slot, lanes, staged, stride);
  case Type::s32:
    return scatter<Held, int32_t>(warp, slot, lanes, staged, stride);
  default:
    break;
  }
  switch (sizeOf(type)) {
  case 1:
    return scatter<Held, uint8_t>(warp, slot, lanes, staged, stride);
  case 2:
    return scatter<Held, uint16_t>(warp, slot, lanes, staged, stride);
  case 4:
    return scatter<Held, uint32_t>(warp, slot, lanes, staged, stride);
  default:
    return scatter<Held, uint64_t>(warp, slot, lanes, staged, stride);
  }
}

/// `mode` holds the bytes of the registers.
static void scatterElement(Warp &warp, const Op &op, Slot slot, uint32_t lanes,
                           const uint8_t *staged, unsigned stride) {
  switch (op.mode) {
  case 2:
    return scatterAs<uint16_t>(warp, op.type, slot, lanes, staged, stride);
  case 4:
    return scatterAs<uint32_t>(warp, op.type, slot, lanes, staged, stride);
  case 16:
    return scatter<Quad, Quad>(warp, slot, lanes, staged, stride);
  default:
    return scatterAs<uint64_t>(warp, op.type, slot, lanes, staged, stride);
  }
}

/// Says which halves of the registers are defined where not all bytes are. A
/// half beyond the element repeats its sign, or is zero.
static void defineLoaded(Warp &warp, const Op &op, uint32_t lanes,
                         const Access &access) {
  const Slot *list = warp.cluster->program.lists.data() + op.list;
  unsigned size = sizeOf(op.type), step = std::min(size, 2u);
  uint32_t is = access.valid & ~access.undefined;
  for (unsigned element = 0; element < op.count; ++element) {
    uint32_t halves[8], top = 0;
    for (unsigned half = 0; half < op.mode / 2u; ++half) {
      if (2 * half < size)
        top = is | findDefined(warp, access, element * size + 2 * half, step);
      halves[half] = 2 * half < size || isSigned(op.type) ? top : access.valid;
    }
    defineHalves(warp, list[element], lanes,
                 llvm::ArrayRef(halves, op.mode / 2u));
    warp.origin[list[element]] = op.line;
  }
}

static void load(Warp &warp, const Op &op, uint32_t lanes) {
  Access access;
  unsigned size = sizeOf(op.type), bytes = size * op.count;
  resolve(warp, op, lanes, bytes, AccessKind::read, access);
  observeLocations(warp, op, access);
  checkOrder(warp, op, access, bytes, AccessKind::read);
  alignas(64) uint8_t staged[warpLanes * 32];
  const uint8_t *from = access.run;
  if (!from) {
    for (unsigned i = 0; i < warpLanes; ++i)
      if (access.valid >> i & 1)
        copyLane(staged + bytes * i, access.pointers[i], bytes);
    from = staged;
  }
  const Slot *list = warp.cluster->program.lists.data() + op.list;
  uint32_t is = access.valid & ~access.undefined;
  for (unsigned element = 0; element < op.count; ++element) {
    scatterElement(warp, op, list[element], access.valid, from + element * size,
                   bytes);
    warp.define(list[element], lanes, is);
  }
  if (__builtin_expect(lanes & ~is, 0))
    defineLoaded(warp, op, lanes, access);
}

/// A load that may wait for a store elsewhere.
static void loadStrong(Warp &warp, const Op &op, uint32_t lanes) {
  notePoll(warp);
  load(warp, op, lanes);
}

static void loadParameter(Warp &warp, const Op &op, uint32_t lanes) {
  const uint8_t *from = warp.cluster->launch.parameters.data() + op.offset;
  const Slot *list = warp.cluster->program.lists.data() + op.list;
  for (unsigned element = 0; element < op.count; ++element) {
    scatterElement(warp, op, list[element], lanes,
                   from + element * sizeOf(op.type), 0);
    warp.define(list[element], lanes, allLanes);
  }
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

template <typename Held>
static void gatherElement(Warp &warp, Slot slot, uint8_t *staged,
                          unsigned stride, unsigned size) {
  const Held *values = warp.reg<Held>(slot);
  if (size == sizeof(Held)) {
    for (unsigned i = 0; i < warpLanes; ++i)
      std::memcpy(staged + i * stride, values + i, sizeof(Held));
    return;
  }
  for (unsigned i = 0; i < warpLanes; ++i)
    std::memcpy(staged + i * stride, values + i, size);
}

/// Halves that are defined, of values that are not, are so in memory, too.
static void markHalves(Warp &warp, const Op &op, uint32_t undefined,
                       Access &access) {
  const Slot *list = warp.cluster->program.lists.data() + op.list;
  unsigned size = sizeOf(op.type), step = std::min(size, 2u);
  for (unsigned element = 0; element < op.count; ++element)
    for (unsigned byte = 0; byte < size; byte += step)
      markDefined(warp, access,
                  undefined & definedHalf(warp, list[element], byte / 2),
                  element * size + byte, step);
}

static void store(Warp &warp, const Op &op, uint32_t lanes) {
  Access access;
  unsigned size = sizeOf(op.type), bytes = size * op.count;
  const Slot *list = warp.cluster->program.lists.data() + op.list;
  bool leaves = op.space == Space::global;
  uint32_t defined = allLanes;
  for (unsigned element = 0; element < op.count; ++element) {
    if (leaves)
      lanes = requireDefined(warp, op, list[element], lanes, "global memory");
    defined &= warp.defined[list[element]];
  }
  resolve(warp, op, lanes, bytes, AccessKind::write, access);
  alignas(64) uint8_t staged[warpLanes * 32];
  for (unsigned element = 0; element < op.count; ++element) {
    uint8_t *to = (access.run ? access.run : staged) + element * size;
    if (op.mode == 2)
      gatherElement<uint16_t>(warp, list[element], to, bytes, size);
    else if (op.mode == 4)
      gatherElement<uint32_t>(warp, list[element], to, bytes, size);
    else if (op.mode == 16)
      gatherElement<Quad>(warp, list[element], to, bytes, size);
    else
      gatherElement<uint64_t>(warp, list[element], to, bytes, size);
  }
  checkOrder(warp, op, access, bytes, AccessKind::write,
             access.run ? access.run : staged);
  publishLocations(warp, op, access);
  for (unsigned i = 0; !access.run && i < warpLanes; ++i)
    if (access.valid >> i & 1)
      copyLane(access.pointers[i], staged + bytes * i, bytes);
  if (access.shared || access.local || warp.cluster->launch.hasUnwritten)
    markWritten(warp, access, access.valid, bytes, ~defined);
  if (__builtin_expect(~defined & access.valid, 0))
    markHalves(warp, op, ~defined, access);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// PTX ISA, "Cache Operators", "Cache Eviction Priority Hints", and the rest
/// that has no effect here. Returns whether a policy operand follows.
static bool takeCacheModifiers(Decoder &d, bool isLoad) {
  if (isLoad)
    d.takeAny({"ca", "cg", "cs", "lu", "cv"});
  else
    d.takeAny({"wb", "cg", "cs", "wt"});
  d.takeAny({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
             "L1::evict_last", "L1::no_allocate"});
  d.takeAny({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  d.takeAny({"L2::64B", "L2::128B", "L2::256B"});
  return d.take("L2::cache_hint");
}

static Space takeSpace(Decoder &d) {
  if (d.takeAny({"global", "const"}))
    return Space::global;
  if (d.take("local"))
    return Space::local;
  if (d.takeAny({"shared", "shared::cta"}))
    return Space::shared;
  if (d.take("shared::cluster"))
    return Space::cluster;
  if (d.takeAny({"param", "param::entry", "param::func"}))
    return Space::param;
  return Space::generic;
}

static void decodeParameterLoad(Decoder &d, Op &op) {
  const ParsedOperand &parsed = d.operand(1);
  if (parsed.kind != ParsedOperand::address ||
      parsed.elements.front().kind != ParsedOperand::symbol)
    return d.fail(parsed.place, "expected the address of a parameter");
  uint32_t offset = 0;
  const ParsedVariable *parameter =
      d.findParameter(parsed.elements.front().name, offset);
  if (!parameter)
    return d.fail(parsed.place,
                  "unknown parameter '" + parsed.elements.front().name + "'");
  if (parsed.bits + sizeOf(op.type) * op.count > parameter->bytes())
    return d.fail(parsed.place, "reads past the parameter");
  op.offset = int64_t(offset + parsed.bits);
  op.run = loadParameter;
}

/// An access of .param: of the kernel's parameters, or of a function's or a
/// call's, which are in the frame. Returns whether it is like one of memory.
static bool decodeParameterAccess(Decoder &d, Op &op, bool isLoad) {
  const ParsedOperand &parsed = d.operand(isLoad ? 1 : 0);
  bool isNamed = parsed.kind == ParsedOperand::address &&
                 parsed.elements.front().kind == ParsedOperand::symbol;
  if (isNamed)
    if (auto place = d.findInFrame(parsed.elements.front().name)) {
      op.space = Space::local;
      if (parsed.bits + sizeOf(op.type) * op.count > place->bytes)
        d.fail(parsed.place, "reaches past the parameter");
      return true;
    }
  if (!isLoad)
    d.fail(parsed.place, "a kernel's parameters cannot be written");
  else if (isNamed)
    decodeParameterLoad(d, op);
  return !isNamed;
}

static void decodeAccess(Decoder &d, Op &op) {
  bool isLoad = d.root() == "ld";
  op.definedness = Definedness::custom;
  bool isVolatile = d.take("volatile");
  bool hasScope = d.takeOrder(
      op, isVolatile ? Order::relaxed : Order::weak, Scope::sys,
      {Order::weak, Order::relaxed, isLoad ? Order::acquire : Order::release});
  bool isStrong = op.order != Order::weak;
  if (hasScope != (isStrong && !isVolatile))
    d.fail("'" + d.inst().text +
           (hasScope ? "' has no scope" : "' needs a scope"));
  op.space = takeSpace(d);
  if (isStrong)
    d.noteMeeting(op.space);
  if (isLoad && op.space == Space::global)
    op.isNonCoherent = d.take("nc");
  bool hasPolicy = takeCacheModifiers(d, isLoad);
  op.count = uint8_t(d.takeVector());
  op.type = d.takeAnyType();
  if (sizeOf(op.type) == 0 || sizeOf(op.type) * op.count > 32 ||
      (op.type == Type::b128 && op.count > 1))
    d.failForm();
  size_t operands = hasPolicy ? 3 : 2;
  if (d.hasFailed() || !d.expectOperands(operands))
    return;
  const ParsedOperand &value = d.operand(isLoad ? 0 : 1);
  llvm::ArrayRef<ParsedOperand> elements(value);
  if (value.kind == ParsedOperand::vector)
    elements = value.elements;
  if (elements.size() != op.count)
    return d.fail(value.place, "expected a vector of " + llvm::Twine(op.count));
  unsigned held = std::max(2u, sizeOf(op.type));
  for (const ParsedOperand &element : elements)
    held = std::max(held, d.registerBytes(element));
  op.mode = uint8_t(held);
  Type type = held == sizeOf(op.type) ? op.type
              : held == 2             ? Type::b16
              : held == 4             ? Type::b32
                                      : Type::b64;
  std::vector<Slot> slots;
  for (const ParsedOperand &element : elements)
    slots.push_back(isLoad ? d.dest(element, type) : d.source(element, type));
  op.list = d.addList(slots);
  if (op.space == Space::param && !decodeParameterAccess(d, op, isLoad))
    return;
  d.address(isLoad ? 1 : 0, op);
  if (hasPolicy)
    d.source(2, Type::b64);
  op.run = !isLoad ? store : isStrong ? loadStrong : load;
  d.noteAccess(op.space, sizeOf(op.type) * op.count);
}

bool quack::sim::decodeMemory(Decoder &d, Op &op) {
  if (d.root() != "ld" && d.root() != "st")
    return false;
  decodeAccess(d, op);
  return true;
}
