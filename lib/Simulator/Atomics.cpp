//===- Atomics.cpp - atom and red ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, atom and red, on scalars of 16 to 128 bits, packed types and vectors
// (whose elements are atomic one by one). The lanes of a warp take their turn
// from lane 0 up. Clusters of a kernel that has them in global memory share a
// machine, so that no other access comes between.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "Decoder.h"
#include "Fences.h"
#include "Lanes.h"
#include "Memory.h"
#include "Reduction.h"

using namespace quack::sim;

/// Op::mode: a Reduction, or one of these.
static constexpr uint8_t exchange = uint8_t(Reduction::decrement) + 1,
                         compareAndSwap = exchange + 1;
/// The most bytes of a lane's access.
static constexpr unsigned mostBytes = 16;

namespace {
/// Op::list has the destinations, the operands b, and the operand c of cas.
struct AtomicSlots {
  const Slot *d, *b, *c;
};
} // namespace

static AtomicSlots slotsOf(const Warp &warp, const Op &op) {
  const Slot *list = warp.cluster->program.lists.data() + op.list;
  return {list, list + op.count, list + 2 * op.count};
}

/// One lane's element of a register.
static uint8_t *elementOf(Warp &warp, Slot slot, unsigned lane, unsigned size) {
  return warp.reg<uint8_t>(slot) + lane * size;
}

/// What a lane does to memory, whose `bytes` bytes were `old`.
static void perform(Warp &warp, const Op &op, unsigned lane, uint8_t *memory,
                    const uint8_t *old, unsigned bytes, Reducer reduce) {
  AtomicSlots slots = slotsOf(warp, op);
  unsigned size = sizeOf(op.type);
  uint8_t operand[mostBytes];
  for (unsigned element = 0; element < op.count; ++element)
    std::memcpy(operand + element * size,
                elementOf(warp, slots.b[element], lane, size), size);
  if (reduce)
    return reduce(memory, operand, bytes);
  if (op.mode == exchange)
    std::memcpy(memory, operand, bytes);
  else if (std::memcmp(old, operand, bytes) == 0)
    std::memcpy(memory, elementOf(warp, *slots.c, lane, size), bytes);
}

static void atomic(Warp &warp, const Op &op, uint32_t lanes) {
  AtomicSlots slots = slotsOf(warp, op);
  unsigned size = sizeOf(op.type), bytes = size * op.count;
  for (unsigned element = 0; element < op.count; ++element)
    lanes = requireDefined(warp, op, slots.b[element], lanes, "memory");
  if (op.mode == compareAndSwap)
    lanes = requireDefined(warp, op, *slots.c, lanes, "memory");
  Access access;
  resolve(warp, op, lanes, bytes, AccessKind::atomic, access);
  observeLocations(warp, op, access);
  checkOrder(warp, op, access, bytes, AccessKind::atomic);
  passLocations(warp, op, access);
  notePoll(warp);
  Reducer inGlobal = nullptr, inShared = nullptr;
  if (op.mode < exchange) {
    inGlobal = pickReducer(Reduction(op.mode), op.type, true);
    inShared = pickReducer(Reduction(op.mode), op.type, false);
  }
  alignas(16) uint8_t old[warpLanes * mostBytes];
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(access.valid >> i & 1))
      continue;
    std::memcpy(old + i * bytes, access.pointers[i], bytes);
    perform(warp, op, i, access.pointers[i], old + i * bytes, bytes,
            access.shared >> i & 1 ? inShared : inGlobal);
  }
  if (op.mode == exchange)
    markWritten(warp, access, access.valid, bytes, 0);
  uint32_t is = access.valid & ~access.undefined;
  for (unsigned element = 0; element < op.count; ++element) {
    Slot slot = slots.d[element];
    for (unsigned i = 0; i < warpLanes; ++i)
      if (access.valid >> i & 1)
        std::memcpy(elementOf(warp, slot, i, size),
                    old + i * bytes + element * size, size);
    warp.define(slot, lanes, is);
    if (lanes & ~is)
      warp.origin[slot] = op.line;
  }
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// Takes the operation. Returns false if there is none.
static bool takeKind(Decoder &d, Op &op, bool isAtom) {
  for (unsigned i = 0; i < exchange; ++i)
    if (d.take(getName(Reduction(i)))) {
      op.mode = uint8_t(i);
      return true;
    }
  if (!isAtom)
    return false;
  op.mode = d.take("exch") ? exchange : compareAndSwap;
  return op.mode == exchange || d.take("cas");
}

/// PTX ISA, atom: the types of each operation.
static bool exists(const Op &op, bool isExact) {
  Type type = op.type;
  bool isPacked = type == Type::f16x2 || type == Type::bf16x2,
       isHalf = isPacked || type == Type::f16 || type == Type::bf16;
  if (isExact != isHalf)
    return false;
  if (op.mode >= exchange) {
    bool isWord = type == Type::b32 || type == Type::b64 || type == Type::b128;
    return op.count == 1 &&
           (isWord || (op.mode == compareAndSwap && type == Type::b16));
  }
  if (!pickReducer(Reduction(op.mode), type, true))
    return false;
  bool isAdd = Reduction(op.mode) == Reduction::add;
  if (op.count == 1)
    return !isHalf || isAdd;
  bool mayVector = isHalf || type == Type::f32;
  return mayVector && op.space != Space::shared && op.space != Space::cluster &&
         sizeOf(type) * op.count <= mostBytes;
}

/// The registers of a vector operand, or the one of a scalar.
static bool takeElements(Decoder &d, const Op &op, size_t i, bool isResult,
                         std::vector<Slot> &slots) {
  const ParsedOperand &operand = d.operand(i);
  bool isSink = isResult && operand.kind == ParsedOperand::sink;
  llvm::ArrayRef<ParsedOperand> elements(operand);
  if (operand.kind == ParsedOperand::vector)
    elements = operand.elements;
  if (elements.size() != op.count && !isSink) {
    d.fail(operand.place, "expected a vector of " + llvm::Twine(op.count));
    return false;
  }
  for (unsigned element = 0; element < op.count; ++element) {
    const ParsedOperand &each = elements[isSink ? 0 : element];
    slots.push_back(isResult ? d.dest(each, op.type) : d.source(each, op.type));
  }
  return true;
}

bool quack::sim::decodeAtomic(Decoder &d, Op &op) {
  bool isAtom = d.root() == "atom";
  if (!isAtom && d.root() != "red")
    return false;
  bool hasKind = takeKind(d, op, isAtom);
  static constexpr Order orders[] = {Order::relaxed, Order::release,
                                     Order::acquire, Order::acqRel};
  d.takeOrder(op, Order::relaxed, Scope::gpu,
              llvm::ArrayRef<Order>(orders).take_front(isAtom ? 4 : 2));
  op.space = d.take("global")                       ? Space::global
             : d.take("shared::cluster")            ? Space::cluster
             : d.takeAny({"shared", "shared::cta"}) ? Space::shared
                                                    : Space::generic;
  bool isExact = d.take("noftz");
  bool hasPolicy = d.take("L2::cache_hint");
  op.count = uint8_t(d.takeVector());
  op.type = d.takeAnyType();
  op.run = atomic;
  d.noteMeeting(op.space);
  op.definedness = Definedness::custom;
  if (!hasKind || !exists(op, isExact))
    d.failForm();
  size_t at = isAtom ? 1 : 0;
  size_t operands = at + (op.mode == compareAndSwap ? 3 : 2);
  if (d.hasFailed() || !d.expectOperands(operands + hasPolicy))
    return true;
  std::vector<Slot> slots;
  if (!isAtom)
    slots.assign(op.count, sinkSlot);
  else if (!takeElements(d, op, 0, true, slots))
    return true;
  d.address(at, op);
  if (!takeElements(d, op, at + 1, false, slots))
    return true;
  if (op.mode == compareAndSwap)
    slots.push_back(d.source(at + 2, op.type));
  if (hasPolicy)
    d.source(operands, Type::b64);
  op.list = d.addList(slots);
  d.noteAccess(op.space, sizeOf(op.type) * op.count);
  return true;
}
