//===- CopyAsync.cpp - cp.async --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Non-bulk copy": cp.async with its groups and
// cp.async.mbarrier.arrive. A wait covers what the waiting thread has issued
// and nothing else; the copies are of the generic proxy.
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

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {
enum CopyMode : uint8_t { hasSize = 1, hasIgnore = 2 };
} // namespace

/// The bytes that each lane reads: `list` is the src-size or the ignore-src
/// operand. Lanes with a size beyond the copy's are removed from `lanes`.
static void sourceSizes(Warp &warp, const Op &op, uint32_t &lanes,
                        uint32_t *sizes) {
  std::fill_n(sizes, warpLanes, op.count);
  if (op.mode & hasIgnore) {
    lanes = requireDefined(warp, op, op.list, lanes, "a size");
    for (unsigned i = 0; i < warpLanes; ++i)
      if (warp.mask(op.list) >> i & 1)
        sizes[i] = 0;
  }
  if (!(op.mode & hasSize))
    return;
  lanes = requireDefined(warp, op, op.list, lanes, "a size");
  std::memcpy(sizes, warp.reg<uint32_t>(op.list), sizeof(uint32_t) * warpLanes);
  for (unsigned i = 0; i < warpLanes; ++i)
    if ((lanes >> i & 1) && sizes[i] > op.count) {
      report(warp, op, i, "out-of-bounds",
             "a src-size of " + std::to_string(sizes[i]) + " in a copy of " +
                 std::to_string(op.count) + " bytes is undefined");
      lanes &= ~(1u << i);
    }
}

/// Resolves the sources of `lanes`; returns the lanes whose source is there.
static uint32_t resolveSources(Warp &warp, const Op &op, uint32_t lanes,
                               const uint32_t *sizes, const uint8_t **sources) {
  Op source = op;
  source.a = op.b;
  source.offset = op.offsetB;
  source.from = op.fromB;
  source.space = Space::global;
  uint32_t whole = 0, none = 0;
  for (unsigned i = 0; i < warpLanes; ++i) {
    whole |= uint32_t(sizes[i] == op.count) << i;
    none |= uint32_t(sizes[i] == 0) << i;
  }
  Access access;
  if (lanes & whole)
    resolve(warp, source, lanes & whole, op.count, AccessKind::read, access);
  uint32_t found = access.valid | (lanes & none);
  for (unsigned i = 0; i < warpLanes; ++i)
    sources[i] = access.valid >> i & 1 ? access.pointers[i] : nullptr;
  uint32_t partial = lanes & ~whole & ~none;
  if (!partial)
    return found;
  computeAddresses(warp, op.b, op.fromB, op.offsetB, access.addresses);
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(partial >> i & 1))
      continue;
    uint64_t address = access.addresses[i];
    sources[i] = resolveGlobal(warp.cluster->launch, address, sizes[i]);
    if (!sources[i])
      report(warp, op, i, "out-of-bounds",
             llvm::Twine(sizes[i]) + " bytes at " + hex(address) + ": " +
                 describeMiss(warp.cluster->launch, address));
    else if (address % op.count)
      report(warp, op, i, "misaligned",
             hex(address) + " is no multiple of " + llvm::Twine(op.count));
    else
      found |= 1u << i;
    countGlobalRun(warp, op, address, sizes[i], AccessKind::read);
  }
  return found;
}

/// cp.async [a], [b], cp-size: `count` is cp-size.
static void copyAsync(Warp &warp, const Op &op, uint32_t lanes) {
  trimLog(warp, op);
  for (Slot slot : {op.a, op.b})
    lanes = requireDefined(warp, op, slot, lanes, "an address");
  uint32_t sizes[warpLanes];
  sourceSizes(warp, op, lanes, sizes);
  const uint8_t *sources[warpLanes];
  lanes = resolveSources(warp, op, lanes, sizes, sources);
  uint64_t to[warpLanes], from[warpLanes];
  computeAddresses(warp, op.a, op.from, op.offset, to);
  computeAddresses(warp, op.b, op.fromB, op.offsetB, from);
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    AsyncOp async;
    async.completion = Completion::copyGroup;
    async.bytes = op.count;
    async.sourceBytes = sizes[i];
    async.source = sources[i];
    async.sourceAddress = from[i];
    async.sourceWritten = findWritten(warp.cluster->launch, from[i], sizes[i]);
    if (nameDestination(warp, op, i, to[i], Space::shared, op.count, async))
      issue(warp, op, i, std::move(async));
  }
}

static void decodeCopy(Decoder &d, Op &op) {
  bool bypasses = d.take("cg");
  if (!(bypasses || d.take("ca")) || !d.takeAny({"shared", "shared::cta"}) ||
      !d.take("global"))
    return d.failForm();
  d.takeAny({"L2::64B", "L2::128B", "L2::256B"});
  bool hasPolicy = d.take("L2::cache_hint");
  op.run = copyAsync;
  d.noteAsync();
  if (!d.expectOperands(3 + hasPolicy, 4 + hasPolicy))
    return;
  d.address(0, op.a, op.offset, op.from);
  d.address(1, op.b, op.offsetB, op.fromB);
  uint64_t size = d.operand(2).bits;
  if (d.operand(2).kind != ParsedOperand::integer ||
      !(size == 16 || (!bypasses && (size == 4 || size == 8))))
    return d.fail(d.operand(2).place,
                  "expected a size of 16 bytes, or 4 or 8 with .ca");
  op.count = uint8_t(size);
  if (d.numOperands() - hasPolicy == 4) {
    const ParsedOperand &operand = d.operand(3);
    bool isPredicate =
        operand.kind == ParsedOperand::reg && d.registerBytes(operand) == 0;
    op.mode = isPredicate ? hasIgnore : hasSize;
    op.list = d.source(operand, isPredicate ? Type::pred : Type::u32);
  }
  if (hasPolicy)
    d.source(d.numOperands() - 1, Type::b64);
  d.noteAccess(Space::generic, uint32_t(size));
}

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

static void commit(Warp &warp, const Op &, uint32_t lanes) {
  commitGroups(warp, Completion::copyGroup, lanes);
}

/// wait_group `offset`; wait_all, `mode` 1, commits first.
static void wait(Warp &warp, const Op &op, uint32_t lanes) {
  if (op.mode)
    commitGroups(warp, Completion::copyGroup, lanes);
  waitGroups(warp, Completion::copyGroup, lanes, uint32_t(op.offset), false);
}

/// cp.async.mbarrier.arrive: arrives when all the thread's copies so far are
/// complete. Without .noinc (`mode` 0) an arrival is added to the present
/// phase's before, so that this one does not count.
static void arriveAsync(Warp &warp, const Op &op, uint32_t lanes) {
  trimLog(warp, op);
  lanes = requireDefined(warp, op, op.a, lanes, "an address");
  uint64_t addresses[warpLanes];
  computeAddresses(warp, op.a, op.from, op.offset, addresses);
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    AsyncOp async;
    async.arrives = true;
    async.to = warp.cta;
    if (!nameMBarrier(warp, op, i, addresses[i], op.space, async))
      continue;
    if (!op.mode)
      addPending(warp, op, i, *warp.cta->findMBarrier(async.mbarrier));
    issue(warp, op, i, std::move(async));
  }
}

static void decodeArrive(Decoder &d, Op &op) {
  if (!d.take("arrive"))
    return d.failForm();
  op.mode = d.take("noinc");
  op.space =
      d.takeAny({"shared", "shared::cta"}) ? Space::shared : Space::generic;
  op.run = arriveAsync;
  if (!d.take("b64"))
    d.fail("'" + d.inst().text + "' needs .b64");
  if (d.expectOperands(1))
    d.address(0, op);
}

bool quack::sim::decodeCopyAsync(Decoder &d, Op &op) {
  if (d.root() != "cp" || d.has("bulk") || !d.take("async"))
    return false;
  op.definedness = Definedness::custom;
  if (d.take("commit_group")) {
    op.run = commit;
    d.expectOperands(0);
  } else if (d.take("wait_group")) {
    op.run = wait;
    if (d.expectOperands(1))
      op.offset = d.integer(0);
  } else if (d.take("wait_all")) {
    op.mode = 1;
    op.run = wait;
    d.expectOperands(0);
  } else if (d.take("mbarrier")) {
    decodeArrive(d, op);
  } else {
    decodeCopy(d, op);
  }
  return true;
}
