//===- AsyncCopies.cpp - st.async, cp.async, cp.async.bulk -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Asynchronous Data Movement": st.async (of the generic proxy; data
// and mbarrier in the same CTA), cp.async with its groups (a wait covers the
// issuing thread only), cp.async.bulk from global to shared memory (sizes and
// addresses are multiples of 16).
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Lanes.h"
#include "Memory.h"

using namespace quack::sim;

/// Fills in the mbarrier of an operation that writes to `async.to`. Returns
/// false after a fault.
static bool nameMBarrier(Warp &warp, const Op &op, unsigned lane,
                         uint64_t address, Space space, AsyncOp &async) {
  SharedPlace place = resolveShared(warp, address, space);
  MBarrier *barrier =
      place.cta ? place.cta->findMBarrier(place.offset) : nullptr;
  if (!barrier) {
    report(warp, op, lane, "mbarrier-misuse",
           "no mbarrier is initialised there");
    return false;
  }
  if (place.cta != async.to) {
    report(warp, op, lane, "mbarrier-misuse",
           "the data goes to CTA " + std::to_string(async.to->number) +
               " and its mbarrier is in CTA " +
               std::to_string(place.cta->number));
    return false;
  }
  checkInitVisible(warp, op, lane, *barrier);
  async.mbarrier = barrier->offset;
  return true;
}

/// Fills in the destination. Returns false after a fault.
static bool nameDestination(Warp &warp, const Op &op, unsigned lane,
                            uint64_t address, uint32_t alignment,
                            AsyncOp &async) {
  SharedPlace place = resolveShared(warp, address, op.space);
  if (!place.cta || place.offset + async.bytes > place.cta->shared.size()) {
    report(warp, op, lane, "out-of-bounds",
           std::to_string(async.bytes) + " bytes at shared address " +
               std::to_string(address) + ": CTAs have " +
               std::to_string(warp.cta->shared.size()) + " bytes from " +
               std::to_string(sharedBase) + " on");
    return false;
  }
  if (address % alignment) {
    report(warp, op, lane, "misaligned",
           "shared address " + std::to_string(address) + " is no multiple of " +
               std::to_string(alignment));
    return false;
  }
  async.to = place.cta;
  async.offset = uint32_t(place.offset);
  async.warp = &warp;
  async.lane = lane;
  async.line = op.line;
  return checkPeer(warp, op, lane, *place.cta);
}

/// st.async [a], value, [c]: `count` elements of the type.
static void storeAsync(Warp &warp, const Op &op, uint32_t lanes) {
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
           "st.async in a cluster of one CTA is undefined");
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    AsyncOp async;
    async.kind = AsyncOp::store;
    async.bytes = async.sourceBytes = size * op.count;
    if (!nameDestination(warp, op, i, to[i], async.bytes, async) ||
        !nameMBarrier(warp, op, i, barrier[i], op.space, async))
      continue;
    for (unsigned element = 0; element < op.count; ++element)
      std::memcpy(async.data + element * size,
                  warp.reg<uint8_t>(list[element]) + i * size, size);
    if (async.to != warp.cta)
      warp.cluster->remoteBytes += async.bytes;
    issue(warp, op, async);
  }
}

/// cp.async [a], [b], cp-size, src-size: `count` is cp-size, `list` src-size's
/// slot or 0.
static void copyAsync(Warp &warp, const Op &op, uint32_t lanes) {
  lanes = requireDefined(warp, op, op.a, lanes, "an address");
  if (op.list)
    lanes = requireDefined(warp, op, op.list, lanes, "a size");
  uint32_t whole = lanes, partial = 0;
  const uint32_t *sizes = op.list ? warp.reg<uint32_t>(op.list) : nullptr;
  for (unsigned i = 0; sizes && i < warpLanes; ++i)
    if ((lanes >> i & 1) && sizes[i] < op.count) {
      whole &= ~(1u << i);
      partial |= uint32_t(sizes[i] > 0) << i;
    }
  Op source = op;
  source.a = op.b;
  source.offset = op.offsetB;
  source.from = op.fromB;
  source.space = Space::global;
  Access access;
  uint32_t failed = 0;
  if (whole) {
    resolve(warp, source, whole, op.count, AccessKind::read, access);
    failed = whole & ~access.valid;
  }
  if (partial)
    computeAddresses(warp, op.b, op.fromB, op.offsetB, access.addresses);
  uint64_t to[warpLanes];
  computeAddresses(warp, op.a, op.from, op.offset, to);
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!((lanes & ~failed) >> i & 1))
      continue;
    AsyncOp async;
    async.kind = AsyncOp::copy;
    async.bytes = async.sourceBytes = op.count;
    if (whole >> i & 1)
      async.source = access.pointers[i];
    else
      async.sourceBytes = sizes[i];
    if (partial >> i & 1) {
      async.source =
          resolveGlobal(warp.cluster->launch, access.addresses[i], sizes[i]);
      if (!async.source) {
        report(warp, op, i, "out-of-bounds", "the source is in no buffer");
        continue;
      }
    }
    async.group = warp.committedGroups;
    if (nameDestination(warp, op, i, to[i], op.count, async))
      issue(warp, op, async);
  }
}

static void commitGroup(Warp &warp, const Op &, uint32_t) {
  ++warp.committedGroups;
}

/// cp.async.wait_group N: all but the last N groups; wait_all (`mode` 1): all.
static void waitGroup(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t keep = op.mode ? 0 : warp.reg<uint32_t>(op.a)[firstLane(lanes)];
  uint32_t end = warp.committedGroups - std::min(keep, warp.committedGroups);
  if (op.mode)
    end = warp.committedGroups + 1;
  finishGroups(warp, end);
}

/// cp.async.bulk.shared::cluster.global [a], [b], size, [c]: `list` is size.
static void copyBulk(Warp &warp, const Op &op, uint32_t lanes) {
  for (Slot slot : {op.a, op.b, op.c})
    lanes = requireDefined(warp, op, slot, lanes, "an address");
  lanes = requireDefined(warp, op, op.list, lanes, "a size");
  uint64_t to[warpLanes], from[warpLanes], barrier[warpLanes];
  computeAddresses(warp, op.a, op.from, op.offset, to);
  computeAddresses(warp, op.b, op.fromB, op.offsetB, from);
  computeAddresses(warp, op.c, op.fromC, op.offsetC, barrier);
  const uint32_t *sizes = warp.reg<uint32_t>(op.list);
  Cluster &cluster = *warp.cluster;
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    AsyncOp async;
    async.kind = AsyncOp::bulk;
    async.bytes = async.sourceBytes = sizes[i];
    if (sizes[i] % 16 || from[i] % 16) {
      report(warp, op, i, "misaligned",
             "a bulk copy of " + std::to_string(sizes[i]) + " bytes from " +
                 std::to_string(from[i]) + ": both must be multiples of 16");
      continue;
    }
    async.source = resolveGlobal(cluster.launch, from[i], sizes[i]);
    if (!async.source) {
      report(warp, op, i, "out-of-bounds",
             std::to_string(sizes[i]) + " bytes at " + std::to_string(from[i]) +
                 " are in no buffer");
      continue;
    }
    cluster.globalRead += sizes[i];
    cluster.counts[op.index].sectors += (from[i] % 32 + sizes[i] + 31) / 32;
    cluster.counts[op.index].leastSectors += (sizes[i] + 31) / 32;
    // The mbarrier is named in this CTA's window.
    if (sizes[i] && nameDestination(warp, op, i, to[i], 16, async) &&
        nameMBarrier(warp, op, i, barrier[i], Space::cluster, async))
      issue(warp, op, async);
  }
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static void decodeStoreAsync(Decoder &d, Op &op) {
  d.take("async");
  d.take("weak");
  if (!d.take("shared::cluster") || !d.take("mbarrier::complete_tx::bytes"))
    return d.fail("'" + d.inst().text + "' does not exist");
  op.space = Space::cluster;
  op.count = uint8_t(d.takeVector());
  op.type = d.takeType();
  op.run = storeAsync;
  unsigned bytes = sizeOf(op.type) * op.count;
  if (sizeOf(op.type) < 4 || bytes > 16)
    d.fail("'" + d.inst().text + "' does not exist");
  if (d.hasFailed() || !d.expectOperands(3))
    return;
  d.address(0, op.a, op.offset, op.from);
  llvm::ArrayRef<ParsedOperand> elements(d.operand(1));
  if (d.operand(1).kind == ParsedOperand::vector)
    elements = d.operand(1).elements;
  if (elements.size() != op.count)
    return d.fail(d.operand(1).place,
                  "expected a vector of " + llvm::Twine(op.count));
  std::vector<Slot> slots;
  for (const ParsedOperand &element : elements)
    slots.push_back(d.source(element, op.type));
  op.list = d.addList(slots);
  d.address(2, op.c, op.offsetC, op.fromC);
  d.noteSharedAccess(bytes);
}

static void decodeBulk(Decoder &d, Op &op) {
  bool toCluster = d.take("shared::cluster");
  if (!(toCluster || d.take("shared::cta")) || !d.take("global") ||
      !d.take("mbarrier::complete_tx::bytes"))
    return d.fail("'" + d.inst().text + "' is not simulated");
  op.space = toCluster ? Space::cluster : Space::shared;
  bool hasPolicy = d.take("L2::cache_hint");
  op.run = copyBulk;
  if (!d.expectOperands(hasPolicy ? 5 : 4))
    return;
  d.address(0, op.a, op.offset, op.from);
  d.address(1, op.b, op.offsetB, op.fromB);
  op.list = d.source(2, Type::u32);
  d.address(3, op.c, op.offsetC, op.fromC);
}

static void decodeCopy(Decoder &d, Op &op) {
  bool bypasses = d.take("cg");
  if (!(bypasses || d.take("ca")) || !d.takeAny({"shared", "shared::cta"}) ||
      !d.take("global"))
    return d.fail("'" + d.inst().text + "' is not simulated");
  d.takeAny({"L2::64B", "L2::128B", "L2::256B"});
  bool hasPolicy = d.take("L2::cache_hint");
  op.space = Space::shared;
  op.run = copyAsync;
  if (!d.expectOperands(3, hasPolicy ? 5 : 4))
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
    op.list = d.source(3, Type::u32);
    // Slot 0 means that there is no such operand.
    if (op.list == zeroSlot)
      op.list = zeroSlot + 2;
  }
  d.noteSharedAccess(uint32_t(size));
}

bool quack::sim::decodeAsync(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  bool isStore = root == "st" && d.has("async");
  if (!isStore && !(root == "cp" && d.has("async")))
    return false;
  op.definedness = Definedness::custom;
  if (isStore) {
    decodeStoreAsync(d, op);
    return true;
  }
  d.take("async");
  if (d.take("commit_group")) {
    op.run = commitGroup;
    d.expectOperands(0);
  } else if (d.take("wait_group")) {
    op.run = waitGroup;
    if (d.expectOperands(1))
      op.a = d.source(0, Type::u32);
  } else if (d.take("wait_all")) {
    op.mode = 1;
    op.run = waitGroup;
    d.expectOperands(0);
  } else if (d.take("bulk")) {
    decodeBulk(d, op);
  } else {
    decodeCopy(d, op);
  }
  return true;
}
