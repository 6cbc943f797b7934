//===- TileExchange.cpp - buffers and barriers -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exchange protocol as rules: who writes which slot of which CTA, what must
// have happened before it is read, and what must be over before a CTA leaves.
// That buffers do not overlap is the verifier's.
//
//===----------------------------------------------------------------------===//

#include "TileMachine.h"

#include "quack/Dialect/QuackTV/Exchange.h"

using namespace mlir;
using namespace quack;
using namespace quack::reference;

//===----------------------------------------------------------------------===//
// Publishing
//===----------------------------------------------------------------------===//

LogicalResult TileMachine::visitAlloc(tv::AllocExchangeOp op) {
  ExchangeBuffer &buffer = exchanges[op.getBuffer().getAsOpaquePointer()];
  buffer.isRemote = op.getBarrierOffset().has_value();
  return success();
}

LogicalResult TileMachine::writeSlot(tv::PublishOp op, ExchangeBuffer &buffer,
                                     int64_t cta, int64_t element,
                                     const Partial &partial) {
  Partial &slot = buffer.slots[cta][element];
  if (!slot.empty())
    return op.emitOpError("must write each slot once, got slot ")
           << element << " of CTA " << cta << " twice";
  slot = partial;
  buffer.arrivedBytes[cta] += 4 * tv::exchangeSlotWords(partial.size());
  return success();
}

LogicalResult TileMachine::visitPublish(tv::PublishOp op) {
  ExchangeBuffer &buffer = exchanges[op.getBuffer().getAsOpaquePointer()];
  auto alloc = op.getBuffer().getDefiningOp<tv::AllocExchangeOp>();
  const Distribution &from = distributionOf(op.getValues().front());
  if (buffer.isRemote && !arePeersReady)
    return op.emitOpError("to peers must come after the cluster_wait that "
                          "follows cluster_init");
  int64_t needed = from.shape.elements() * from.ctasPerCluster / from.ctas * 4 *
                   tv::exchangeSlotWords(op.getValues().size());
  if (needed > static_cast<int64_t>(alloc.getBytes()))
    return op.emitOpError("must fit in the buffer's ")
           << alloc.getBytes() << " bytes, got " << needed;
  buffer.published = op;
  buffer.slots.assign(from.ctas, std::vector<Partial>(from.shape.elements()));
  buffer.arrivedBytes.assign(from.ctas, 0);
  int64_t held = from.holdersIn(Level::Warp);
  for (int64_t cta = 0; cta < from.ctas; ++cta) {
    int64_t last = -1;
    for (int64_t holder : from.byElement(cta * held, held)) {
      // The first copy in the CTA writes.
      if (from.elements[holder] == last)
        continue;
      last = from.elements[holder];
      Partial partial;
      for (Value value : op.getValues())
        partial.push_back(laneOf(value).values[holder]);
      int64_t cluster = cta / from.ctasPerCluster;
      for (int64_t target = 0; target < from.ctas; ++target)
        if ((buffer.isRemote ? target / from.ctasPerCluster == cluster
                             : target == cta) &&
            failed(writeSlot(op, buffer, target, last, partial)))
          return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

LogicalResult TileMachine::visitBarrier() {
  isInitVisible = hasInit;
  for (auto &[key, buffer] : exchanges)
    buffer.isReady |= buffer.published && !buffer.isRemote;
  return success();
}

LogicalResult TileMachine::visitExchangeWait(tv::ExchangeWaitOp op) {
  ExchangeBuffer &buffer = exchanges[op.getBuffer().getAsOpaquePointer()];
  auto alloc = op.getBuffer().getDefiningOp<tv::AllocExchangeOp>();
  auto barrier = barriers.find(*alloc.getBarrierOffset());
  if (barrier == barriers.end() || !isInitVisible)
    return op.emitOpError("must come after the mbarrier at ")
           << *alloc.getBarrierOffset()
           << " was initialised and all threads know";
  if (!buffer.published)
    return op.emitOpError("must come after a publish to its buffer: it would "
                          "wait for ever");
  for (auto [cta, bytes] : llvm::enumerate(buffer.arrivedBytes))
    if (bytes != barrier->second)
      return op.emitOpError("must have as many bytes arrive as the mbarrier "
                            "expects, ")
             << barrier->second << ", got " << bytes << " in CTA " << cta;
  buffer.isReady = true;
  return success();
}

LogicalResult TileMachine::visitClusterInit(tv::ClusterInitOp op) {
  for (auto [offset, bytes] :
       llvm::zip(op.getBarrierOffsets(), op.getExpectedBytes()))
    barriers[offset] = bytes;
  hasInit = true;
  return success();
}

LogicalResult TileMachine::visitClusterWait(tv::ClusterWaitOp op) {
  if (!hasArrived)
    return op.emitOpError(
        "must follow a cluster_arrive: it would wait for ever");
  hasArrived = false;
  arePeersReady = isInitVisible = hasInit;
  return success();
}

/// A CTA must not leave while a peer may still write to it.
LogicalResult TileMachine::checkAllArrived() {
  for (auto &[key, buffer] : exchanges)
    if (buffer.isRemote && buffer.published && !buffer.isReady)
      return buffer.published.emitOpError(
          "to peers must be followed by an exchange_wait before the kernel "
          "ends");
  return success();
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

LogicalResult TileMachine::collectInCta(tv::CollectOp op,
                                        ExchangeBuffer &buffer,
                                        const Distribution &partials,
                                        int64_t cta, Combiner &combiner) {
  // What this CTA published itself, or all that its cluster did.
  int64_t held = partials.holdersIn(buffer.isRemote ? Level::Cta : Level::Warp);
  int64_t group = buffer.isRemote ? cta / partials.ctasPerCluster : cta;
  int64_t first = group * held, last = -1;
  RowPartials totals;
  for (int64_t holder : partials.byElement(first, held)) {
    if (partials.elements[holder] == last)
      continue;
    last = partials.elements[holder];
    const Partial &slot = buffer.slots[cta][last];
    if (slot.empty())
      return op.emitOpError("must not read a slot that nobody wrote, got slot ")
             << last << " of CTA " << cta;
    // Lanes without a partial bring the identity along.
    auto total =
        totals.try_emplace(partials.rowOf(holder), combiner.getIdentity());
    combiner.combine(total.first->second, slot);
  }
  int64_t given =
      distributionOf(op.getResults().front()).holdersIn(Level::Warp);
  return deliver(op, cta * given, given, totals);
}

LogicalResult TileMachine::visitCollect(tv::CollectOp op) {
  ExchangeBuffer &buffer = exchanges[op.getBuffer().getAsOpaquePointer()];
  if (!buffer.isReady)
    return op.emitOpError("must come after the ")
           << (buffer.isRemote ? "exchange_wait" : "barrier")
           << " that follows the publish to its buffer";
  Value first = op.getPartials().front();
  if (buffer.published.getValues().getTypes() != op.getPartials().getTypes())
    return op.emitOpError("must read what was published, got ")
           << op.getPartials().getTypes();
  FailureOr<Combiner> combiner = Combiner::build(
      op, op.getKinds(), op.getIdentities(), op.getCombiner(),
      llvm::to_vector(llvm::map_range(op.getPartials(), [](Value tile) {
        return getElementTypeOrSelf(tile.getType());
      })));
  if (failed(combiner))
    return failure();
  const Distribution &partials = distributionOf(first);
  for (int64_t cta = 0; cta < partials.ctas; ++cta)
    if (failed(collectInCta(op, buffer, partials, cta, *combiner)))
      return failure();
  return success();
}
