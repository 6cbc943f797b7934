//===- BulkCopies.cpp - cp.async.bulk, cp.reduce.async.bulk ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Bulk copy": runs of bytes between global memory, this CTA's shared
// memory and that of peers, in the async proxy. Sizes and addresses are
// multiples of 16. What arrives in shared memory completes at an mbarrier of
// the same CTA, what goes to global memory by bulk async-groups.
//
//===----------------------------------------------------------------------===//
#include "Async.h"
#include "Checks.h"
#include "Decoder.h"
#include "Lanes.h"
#include "MBarriers.h"
#include "Memory.h"
#include "Races.h"

using namespace quack::sim;

namespace {
/// Op::mode holds the source in its low bit, then 1 + a Reduction.
enum BulkMode : uint8_t { fromShared = 1, multicasts = 2, reduces = 4 };

/// What the lanes' operands are; Op::list has size and mask.
struct BulkOperands {
  uint64_t to[warpLanes], from[warpLanes], barrier[warpLanes];
  const uint32_t *sizes;
  const uint16_t *masks;
};
} // namespace

static uint32_t readOperands(Warp &warp, const Op &op, uint32_t lanes,
                             BulkOperands &operands) {
  const Slot *list = warp.cluster->program.lists.data() + op.list;
  for (Slot slot : {op.a, op.b, op.c})
    lanes = requireDefined(warp, op, slot, lanes, "an address");
  lanes = requireDefined(warp, op, list[0], lanes, "a size");
  lanes = requireDefined(warp, op, list[1], lanes, "a mask");
  computeAddresses(warp, op.a, op.from, op.offset, operands.to);
  computeAddresses(warp, op.b, op.fromB, op.offsetB, operands.from);
  computeAddresses(warp, op.c, op.fromC, op.offsetC, operands.barrier);
  operands.sizes = warp.reg<uint32_t>(list[0]);
  operands.masks = warp.reg<uint16_t>(list[1]);
  return lanes;
}

/// Returns host memory for a run of global memory; null after a fault.
static uint8_t *findGlobal(Warp &warp, const Op &op, unsigned lane,
                           uint64_t address, uint32_t bytes) {
  uint8_t *memory = resolveGlobal(warp.cluster->launch, address, bytes);
  if (!memory)
    report(warp, op, lane, "out-of-bounds",
           std::to_string(bytes) + " bytes at " + hex(address) + ": " +
               describeMiss(warp.cluster->launch, address));
  return memory;
}

/// Fills in the source. Returns false after a fault.
static bool nameSource(Warp &warp, const Op &op, unsigned lane,
                       uint64_t address, uint32_t bytes, AsyncOp &async) {
  async.isBulk = true;
  async.bytes = async.sourceBytes = bytes;
  if (bytes % 16 || address % 16) {
    report(warp, op, lane, "misaligned",
           "a bulk copy of " + std::to_string(bytes) + " bytes from " +
               hex(address) + ": both must be multiples of 16");
    return false;
  }
  if (!(op.mode & fromShared)) {
    async.source = findGlobal(warp, op, lane, address, bytes);
    async.sourceAddress = address;
    async.sourceWritten = findWritten(warp.cluster->launch, address, bytes);
    if (async.source)
      countGlobalRun(warp, op, address, bytes, AccessKind::read);
    return async.source;
  }
  SharedPlace place = resolveShared(warp, address, Space::shared);
  if (!place.cta || place.offset + bytes > place.cta->shared.size()) {
    report(warp, op, lane, "out-of-bounds",
           std::to_string(bytes) + " bytes at shared address " + hex(address) +
               " are not this CTA's");
    return false;
  }
  async.from = place.cta;
  async.fromOffset = uint32_t(place.offset);
  async.source = place.cta->shared.data() + place.offset;
  return true;
}

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

/// .multicast::cluster: data and signal go to the same offsets of every CTA
/// that the mask names.
static void multicast(Warp &warp, const Op &op, unsigned lane, uint32_t mask,
                      const AsyncOp &async) {
  std::vector<Cta> &ctas = warp.cluster->ctas;
  if (mask >> ctas.size())
    return report(warp, op, lane, "bad-rank",
                  "the mask " + std::to_string(mask) +
                      " names a CTA that a cluster of " +
                      std::to_string(ctas.size()) + " has not");
  for (Cta &cta : ctas) {
    if (!(mask >> cta.rank & 1) || !checkPeer(warp, op, lane, cta))
      continue;
    AsyncOp copy = async;
    copy.to = &cta;
    copy.target = cta.shared.data() + copy.offset;
    MBarrier *barrier = cta.findMBarrier(copy.mbarrier);
    if (!barrier) {
      report(warp, op, lane, "mbarrier-misuse",
             "no mbarrier is initialised at that offset of CTA " +
                 std::to_string(cta.number));
      continue;
    }
    checkInitVisible(warp, op, lane, *barrier);
    checkInitProxied(warp, op, lane, *barrier);
    issue(warp, op, lane, std::move(copy));
  }
}

static void copyToShared(Warp &warp, const Op &op, uint32_t lanes) {
  trimLog(warp, op);
  BulkOperands operands;
  lanes = readOperands(warp, op, lanes, operands);
  for (unsigned i = 0; i < warpLanes; ++i) {
    uint32_t bytes = operands.sizes[i];
    if (!(lanes >> i & 1))
      continue;
    AsyncOp async;
    if (!nameSource(warp, op, i, operands.from[i], bytes, async) ||
        !nameDestination(warp, op, i, operands.to[i], op.space, 16, async))
      continue;
    if (op.mode / reduces)
      async.reduce =
          pickReducer(Reduction(op.mode / reduces - 1), op.type, false);
    // The mbarrier is named in this CTA's window.
    if (!nameMBarrier(warp, op, i, operands.barrier[i], Space::cluster,
                      async) ||
        bytes == 0)
      continue;
    if (op.mode & multicasts) {
      multicast(warp, op, i, operands.masks[i], async);
      continue;
    }
    checkInitProxied(warp, op, i, *async.to->findMBarrier(async.mbarrier));
    if ((op.mode & fromShared) && async.to != warp.cta)
      warp.cluster->memoryCounts[op.index].remoteBytes += bytes;
    issue(warp, op, i, std::move(async));
  }
}

//===----------------------------------------------------------------------===//
// To global memory
//===----------------------------------------------------------------------===//

static void copyToGlobal(Warp &warp, const Op &op, uint32_t lanes) {
  trimLog(warp, op);
  BulkOperands operands;
  lanes = readOperands(warp, op, lanes, operands);
  for (unsigned i = 0; i < warpLanes; ++i) {
    uint32_t bytes = operands.sizes[i];
    if (!(lanes >> i & 1))
      continue;
    AsyncOp async;
    async.completion = Completion::bulkGroup;
    if (!nameSource(warp, op, i, operands.from[i], bytes, async))
      continue;
    if (operands.to[i] % 16) {
      report(warp, op, i, "misaligned",
             hex(operands.to[i]) + " is no multiple of 16");
      continue;
    }
    async.target = findGlobal(warp, op, i, operands.to[i], bytes);
    async.targetAddress = operands.to[i];
    async.targetWritten =
        findWritten(warp.cluster->launch, operands.to[i], bytes);
    if (!async.target || bytes == 0)
      continue;
    if (op.mode / reduces)
      async.reduce =
          pickReducer(Reduction(op.mode / reduces - 1), op.type, true);
    countGlobalRun(warp, op, operands.to[i], bytes, AccessKind::write);
    issue(warp, op, i, std::move(async));
  }
}

static void commit(Warp &warp, const Op &, uint32_t lanes) {
  commitGroups(warp, Completion::bulkGroup, lanes);
}

/// wait_group `offset`; `mode` 1: .read.
static void wait(Warp &warp, const Op &op, uint32_t lanes) {
  waitGroups(warp, Completion::bulkGroup, lanes, uint32_t(op.offset), op.mode);
}

/// cp.async.bulk.prefetch: no effect but its checks.
static void prefetch(Warp &warp, const Op &op, uint32_t lanes) {
  BulkOperands operands;
  lanes = readOperands(warp, op, lanes, operands);
  for (unsigned i = 0; i < warpLanes; ++i) {
    AsyncOp async;
    if (lanes >> i & 1)
      nameSource(warp, op, i, operands.from[i], operands.sizes[i], async);
  }
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// PTX ISA, cp.reduce.async.bulk: the types of each operation.
static bool hasReduction(Reduction reduction, Type type, bool toGlobal) {
  using llvm::is_contained;
  bool isBits = reduction == Reduction::bitAnd ||
                reduction == Reduction::bitOr || reduction == Reduction::bitXor;
  if (!toGlobal)
    return isBits
               ? type == Type::b32
               : type == Type::u32 ||
                     (type == Type::s32 && reduction != Reduction::increment &&
                      reduction != Reduction::decrement) ||
                     (type == Type::u64 && reduction == Reduction::add);
  if (type == Type::f16x2 || type == Type::bf16x2)
    return false;
  return pickReducer(reduction, type, true) != nullptr;
}

/// Takes operation and type of cp.reduce.async.bulk. Returns false if there is
/// no such.
static bool takeReduction(Decoder &d, Op &op, bool toGlobal) {
  for (unsigned i = 0; i <= unsigned(Reduction::decrement); ++i) {
    if (!d.take(getName(Reduction(i))))
      continue;
    op.mode += uint8_t((i + 1) * reduces);
    op.order = Order::relaxed;
    op.scope = Scope::gpu;
    bool isExact = d.take("noftz");
    op.type = d.takeType();
    bool isHalf = op.type == Type::f16 || op.type == Type::bf16;
    return isExact == (isHalf && Reduction(i) == Reduction::add) &&
           hasReduction(Reduction(i), op.type, toGlobal);
  }
  return false;
}

static void decodeToShared(Decoder &d, Op &op, bool toCluster, bool isReduce) {
  bool isShared = d.take("shared::cta");
  op.space = toCluster ? Space::cluster : Space::shared;
  op.run = copyToShared;
  d.noteAsync();
  op.mode = isShared ? fromShared : 0;
  if ((!isShared && !d.take("global")) || (isShared && !toCluster) ||
      (isReduce && !isShared) || !d.take("mbarrier::complete_tx::bytes"))
    return d.failForm();
  if (isReduce && !takeReduction(d, op, false))
    return d.failForm();
  bool isMulticast = !isShared && toCluster && d.take("multicast::cluster");
  bool hasPolicy = !isShared && d.take("L2::cache_hint");
  if (isMulticast)
    op.mode |= multicasts;
  if (d.hasFailed() || !d.expectOperands(4 + isMulticast + hasPolicy))
    return;
  d.address(0, op.a, op.offset, op.from);
  d.address(1, op.b, op.offsetB, op.fromB);
  d.address(3, op.c, op.offsetC, op.fromC);
  op.list = d.addList({d.source(2, Type::u32),
                       isMulticast ? d.source(4, Type::u16) : zeroSlot});
  if (hasPolicy)
    d.source(d.numOperands() - 1, Type::b64);
}

static void decodeToGlobal(Decoder &d, Op &op, bool isReduce) {
  op.run = copyToGlobal;
  d.noteAsync();
  op.mode = fromShared;
  if (!d.take("shared::cta") || !d.take("bulk_group") ||
      (isReduce && !takeReduction(d, op, true)))
    return d.failForm();
  if (isReduce)
    d.noteMeeting(Space::global);
  bool hasPolicy = d.take("L2::cache_hint");
  if (d.hasFailed() || !d.expectOperands(3 + hasPolicy))
    return;
  d.address(0, op.a, op.offset, op.from);
  d.address(1, op.b, op.offsetB, op.fromB);
  op.list = d.addList({d.source(2, Type::u32), zeroSlot});
  if (hasPolicy)
    d.source(3, Type::b64);
}

static void decodePrefetch(Decoder &d, Op &op) {
  op.run = prefetch;
  if (!d.take("L2") || !d.take("global"))
    return d.failForm();
  bool hasPolicy = d.take("L2::cache_hint");
  if (!d.expectOperands(2 + hasPolicy))
    return;
  d.address(0, op.b, op.offsetB, op.fromB);
  op.list = d.addList({d.source(1, Type::u32), zeroSlot});
  if (hasPolicy)
    d.source(2, Type::b64);
}

static void decodeGroup(Decoder &d, Op &op, Handler run) {
  op.run = run;
  bool isWait = run == wait;
  op.mode = isWait && d.take("read");
  if (d.expectOperands(isWait) && isWait)
    op.offset = d.integer(0);
}

/// Returns the modifier after .bulk.
static llvm::StringRef wordAfterBulk(const Decoder &d) {
  const std::vector<Modifier> &modifiers = d.inst().modifiers;
  for (size_t i = 0; i + 1 < modifiers.size(); ++i)
    if (modifiers[i].text == "bulk")
      return modifiers[i + 1].text;
  return "";
}

bool quack::sim::decodeBulk(Decoder &d, Op &op) {
  if (d.root() != "cp" || !d.has("bulk"))
    return false;
  llvm::StringRef word = wordAfterBulk(d);
  bool isReduce = d.take("reduce");
  op.definedness = Definedness::custom;
  d.take("async");
  d.take("bulk");
  d.take(word);
  if (word == "tensor")
    d.fail("'" + d.inst().text + "' is not simulated");
  else if (word == "shared::cluster" || word == "shared::cta")
    decodeToShared(d, op, word == "shared::cluster", isReduce);
  else if (word == "global")
    decodeToGlobal(d, op, isReduce);
  else if (word == "prefetch" && !isReduce)
    decodePrefetch(d, op);
  else if (word == "commit_group" && !isReduce)
    decodeGroup(d, op, commit);
  else if (word == "wait_group" && !isReduce)
    decodeGroup(d, op, wait);
  else
    d.failForm();
  return true;
}
