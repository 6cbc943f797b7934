//===- StoreAsync.cpp - st.async and red.async -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, st.async and red.async: registers go to a peer's shared memory, in
// the generic proxy, and the bytes complete at an mbarrier of the same CTA.
// Nothing else orders them. Both are undefined in a cluster of one CTA.
//
//===----------------------------------------------------------------------===//
#include "Async.h"
#include "Checks.h"
#include "Decoder.h"
#include "Lanes.h"
#include "Memory.h"
#include "Races.h"

using namespace quack::sim;

/// `count` elements of the type; `mode` is 1 + the Reduction of red.async.
static void storeAsync(Warp &warp, const Op &op, uint32_t lanes) {
  trimLog(warp, op);
  const Slot *list = warp.cluster->program.lists.data() + op.list;
  unsigned size = sizeOf(op.type);
  lanes = requireDefined(warp, op, op.a, lanes, "an address");
  lanes = requireDefined(warp, op, op.c, lanes, "an address");
  for (unsigned element = 0; element < op.count; ++element)
    lanes = requireDefined(warp, op, list[element], lanes, "a peer");
  uint64_t to[warpLanes], barrier[warpLanes];
  computeAddresses(warp, op.a, op.from, op.offset, to);
  computeAddresses(warp, op.c, op.fromC, op.offsetC, barrier);
  if (lanes && warp.cluster->launch.clusterSize == 1)
    report(warp, op, firstLane(lanes), "st-async-alone",
           "in a cluster of one CTA this is undefined");
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    AsyncOp async;
    async.bytes = async.sourceBytes = size * op.count;
    if (op.mode)
      async.reduce = pickReducer(Reduction(op.mode - 1), op.type, false);
    if (!nameDestination(warp, op, i, to[i], op.space, async.bytes, async) ||
        !nameMBarrier(warp, op, i, barrier[i], op.space, async))
      continue;
    async.data.resize(async.bytes);
    for (unsigned element = 0; element < op.count; ++element)
      std::memcpy(async.data.data() + element * size,
                  warp.reg<uint8_t>(list[element]) + i * size, size);
    if (async.to != warp.cta)
      warp.cluster->memoryCounts[op.index].remoteBytes += async.bytes;
    issue(warp, op, i, std::move(async));
  }
}

/// PTX ISA, red.async: the operations and the types they take.
static bool hasReduction(Reduction reduction, Type type) {
  switch (reduction) {
  case Reduction::increment:
  case Reduction::decrement:
    return type == Type::u32;
  case Reduction::minimum:
  case Reduction::maximum:
    return type == Type::u32 || type == Type::s32;
  case Reduction::add:
    return type == Type::u32 || type == Type::s32 || type == Type::u64;
  default:
    return type == Type::b32;
  }
}

/// Takes the operation of red.async. Returns false if there is none.
static bool takeReduction(Decoder &d, Op &op) {
  if (!d.take("relaxed") || !d.take("cluster"))
    return false;
  for (unsigned i = 0; i <= unsigned(Reduction::decrement); ++i)
    if (d.take(getName(Reduction(i)))) {
      op.mode = uint8_t(i + 1);
      op.order = Order::relaxed;
      op.scope = Scope::cluster;
      return true;
    }
  return false;
}

bool quack::sim::decodeStoreAsync(Decoder &d, Op &op) {
  bool isStore = d.root() == "st";
  if ((!isStore && d.root() != "red") || !d.take("async"))
    return false;
  op.definedness = Definedness::custom;
  op.space = Space::cluster;
  op.run = storeAsync;
  if (isStore)
    d.take("weak");
  else if (!takeReduction(d, op))
    return d.failForm(), true;
  if (!d.take("shared::cluster") || !d.take("mbarrier::complete_tx::bytes"))
    return d.failForm(), true;
  if (isStore)
    op.count = uint8_t(d.takeVector());
  op.type = d.takeType();
  unsigned bytes = sizeOf(op.type) * op.count;
  if (isStore ? sizeOf(op.type) < 4 || bytes > 16 || op.count > 4
              : !hasReduction(Reduction(op.mode - 1), op.type))
    d.failForm();
  if (d.hasFailed() || !d.expectOperands(3))
    return true;
  d.address(0, op.a, op.offset, op.from);
  llvm::ArrayRef<ParsedOperand> elements(d.operand(1));
  if (d.operand(1).kind == ParsedOperand::vector)
    elements = d.operand(1).elements;
  if (elements.size() != op.count) {
    d.fail(d.operand(1).place, "expected a vector of " + llvm::Twine(op.count));
    return true;
  }
  std::vector<Slot> slots;
  for (const ParsedOperand &element : elements)
    slots.push_back(d.source(element, op.type));
  op.list = d.addList(slots);
  d.address(2, op.c, op.offsetC, op.fromC);
  d.noteSharedAccess(bytes);
  return true;
}
