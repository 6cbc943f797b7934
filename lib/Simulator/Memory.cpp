//===- Memory.cpp - what a warp's access touches ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Memory.h"

#include "Checks.h"
#include "Local.h"
#include "Order.h"
#include "RaceCheck.h"

#include <cstring>

using namespace llvm;
using namespace quack;
using namespace quack::sim;

SharedPlace quack::sim::resolveShared(Warp &warp, uint64_t address,
                                      Space space) {
  if (space == Space::generic)
    address &= ~genericShared;
  uint64_t window = address >> clusterShift;
  uint64_t offset = address & ((1ull << clusterShift) - 1);
  if (offset < sharedBase ||
      (window && space == Space::shared && window != warp.cta->rank + 1))
    return {};
  if (window > warp.cluster->ctas.size())
    return {};
  Cta *cta = window ? &warp.cluster->ctas[window - 1] : warp.cta;
  return {cta, offset - sharedBase};
}

uint8_t *quack::sim::resolveGlobal(const Launch &launch, uint64_t address,
                                   uint64_t bytes) {
  for (const Buffer &buffer : launch.buffers)
    if (address >= buffer.address && bytes <= buffer.bytes &&
        address - buffer.address <= buffer.bytes - bytes)
      return static_cast<uint8_t *>(buffer.data) + (address - buffer.address);
  return nullptr;
}

uint8_t *quack::sim::findWritten(const Launch &launch, uint64_t address,
                                 uint64_t bytes) {
  if (!launch.hasUnwritten)
    return nullptr;
  for (const Buffer &buffer : launch.buffers)
    if (address - buffer.address < buffer.bytes)
      return buffer.written &&
                     bytes <= buffer.bytes - (address - buffer.address)
                 ? buffer.written + (address - buffer.address)
                 : nullptr;
  return nullptr;
}

bool quack::sim::checkPeer(Warp &warp, const Op &op, uint32_t lane,
                           const Cta &cta) {
  if (&cta == warp.cta || !warp.cluster->checksProtocol)
    return true;
  if (cta.hasExited) {
    report(warp, op, lane, "exited-peer",
           "touches the shared memory of CTA " + Twine(cta.number) +
               ", which has exited");
    return false;
  }
  if (!clockOf(warp, lane).knowsCta(cta.index)) {
    report(warp, op, lane, "unstarted-peer",
           "touches the shared memory of CTA " + Twine(cta.number) +
               " before any barrier.cluster.wait: it may not have started");
    return false;
  }
  return true;
}

void quack::sim::computeAddresses(Warp &warp, Slot base, Type width,
                                  int64_t offset, uint64_t *addresses) {
  if (width == Type::b32) {
    const uint32_t *from = warp.reg<uint32_t>(base);
    for (unsigned i = 0; i < warpLanes; ++i)
      addresses[i] = uint32_t(from[i] + uint32_t(offset));
    return;
  }
  const uint64_t *from = warp.reg<uint64_t>(base);
  for (unsigned i = 0; i < warpLanes; ++i)
    addresses[i] = from[i] + uint64_t(offset);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

static bool isContiguous(const Access &access, uint32_t lanes, uint32_t bytes) {
  uint64_t wrong = lanes != allLanes;
  for (unsigned i = 0; i < warpLanes; ++i)
    wrong |= access.addresses[i] ^ (access.addresses[0] + i * bytes);
  return wrong == 0;
}

std::string quack::sim::describeMiss(const Launch &launch, uint64_t address) {
  const Buffer *nearest = nullptr;
  uint64_t best = UINT64_MAX;
  for (const Buffer &buffer : launch.buffers) {
    uint64_t distance = address < buffer.address ? buffer.address - address
                                                 : address - buffer.address;
    if (distance < best) {
      best = distance;
      nearest = &buffer;
    }
  }
  if (!nearest)
    return "no buffer is there";
  const std::vector<uint64_t> &arguments = launch.config->arguments;
  auto argument = llvm::find(arguments, nearest->address);
  std::string name =
      argument == arguments.end()
          ? ""
          : ", argument " + std::to_string(argument - arguments.begin()) + ",";
  return "the nearest buffer" + name + " has " +
         std::to_string(nearest->bytes) + " bytes from " +
         hex(nearest->address) + " on";
}

std::string quack::sim::describeShared(const Warp &warp) {
  return "CTAs have " + std::to_string(warp.cta->shared.size()) +
         " bytes from " + hex(sharedBase) + " on, " +
         std::to_string(warp.cluster->launch.config->sharedBytes) +
         " of them dynamic";
}

static void resolveGlobalLanes(Warp &warp, const Op &op, uint32_t lanes,
                               uint32_t bytes, AccessKind kind,
                               Access &access) {
  const Launch &launch = warp.cluster->launch;
  bool contiguous = isContiguous(access, lanes, bytes);
  if (contiguous && access.addresses[0] % bytes == 0)
    if (uint8_t *base =
            resolveGlobal(launch, access.addresses[0], 32 * bytes)) {
      for (unsigned i = 0; i < warpLanes; ++i)
        access.pointers[i] = base + i * bytes;
      access.run = base;
      access.valid = lanes;
      return countGlobal(warp, op, access.addresses, lanes, bytes, true, kind);
    }
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    uint64_t address = access.addresses[i];
    if (address % bytes) {
      report(warp, op, i, "misaligned",
             hex(address) + " is no multiple of " + Twine(bytes));
      continue;
    }
    access.pointers[i] = resolveGlobal(launch, address, bytes);
    if (access.pointers[i])
      access.valid |= 1u << i;
    else
      report(warp, op, i, "out-of-bounds",
             Twine(bytes) + " bytes at " + hex(address) + ": " +
                 describeMiss(launch, address));
  }
  if (access.valid)
    countGlobal(warp, op, access.addresses, access.valid, bytes, false, kind);
}

/// Notes which lanes read bytes that nobody wrote.
static void findUndefined(Warp &warp, uint32_t lanes, uint32_t bytes,
                          Access &access) {
  const Launch &launch = warp.cluster->launch;
  for (uint32_t rest = lanes & access.valid; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    const uint8_t *written = findWritten(launch, access.addresses[lane], bytes);
    if (written && std::memchr(written, 0, bytes))
      access.undefined |= 1u << lane;
  }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Looks at the states of the bytes a lane touches.
static void checkStates(Warp &warp, const Op &op, unsigned lane, Cta &cta,
                        uint32_t offset, uint32_t bytes, AccessKind kind,
                        Access &access) {
  const uint8_t *state = cta.state.data() + offset;
  uint8_t all = byteWritten, worst = byteUnwritten;
  for (uint32_t i = 0; i < bytes; ++i) {
    all &= state[i] == byteWritten;
    worst = std::max(worst, state[i]);
  }
  if (all)
    return;
  std::string where = Spot{&cta, offset}.str();
  if (worst == byteMBarrier) {
    report(warp, op, lane, "mbarrier-access", "touches an mbarrier" + where);
  } else if (worst == byteInFlight) {
    report(warp, op, lane, "async-in-flight",
           Twine(kind == AccessKind::read ? "reads" : "overwrites") +
               " the destination of an unfinished asynchronous operation" +
               where);
  } else if (kind != AccessKind::write) {
    access.undefined |= 1u << lane;
  }
}

static void resolveSharedLane(Warp &warp, const Op &op, unsigned lane,
                              uint32_t bytes, AccessKind kind, Access &access) {
  uint64_t address = access.addresses[lane];
  SharedPlace place = resolveShared(warp, address, op.space);
  if (!place.cta || place.offset + bytes > place.cta->shared.size()) {
    report(warp, op, lane, "out-of-bounds",
           Twine(bytes) + " bytes at shared address " + hex(address) + ": " +
               describeShared(warp));
    return;
  }
  if (address % bytes) {
    report(warp, op, lane, "misaligned",
           "shared address " + hex(address) + " is no multiple of " +
               Twine(bytes));
    return;
  }
  if (!checkPeer(warp, op, lane, *place.cta))
    return;
  Cluster &cluster = *warp.cluster;
  Cta &cta = *place.cta;
  uint32_t offset = uint32_t(place.offset);
  if (&cta != warp.cta)
    cluster.memoryCounts[op.index].remoteBytes += bytes;
  access.pointers[lane] = cta.shared.data() + offset;
  access.places[lane] = place;
  access.valid |= 1u << lane;
  access.shared |= 1u << lane;
  checkStates(warp, op, lane, cta, offset, bytes, kind, access);
}

/// Resolves an access of all lanes, side by side, to bytes of their own CTA
/// that all have values; returns whether it is such.
static bool resolveSharedRun(Warp &warp, const Op &op, uint32_t lanes,
                             uint32_t bytes, Access &access) {
  uint64_t address = access.addresses[0], run = uint64_t(bytes) * warpLanes;
  if (op.space != Space::shared || address % bytes ||
      !isContiguous(access, lanes, bytes))
    return false;
  Cta &cta = *warp.cta;
  SharedPlace place = resolveShared(warp, address, op.space);
  if (place.cta != &cta || place.offset + run > cta.shared.size())
    return false;
  const uint8_t *state = cta.state.data() + place.offset;
  uint8_t others = 0;
  for (uint64_t i = 0; i < run; ++i)
    others |= state[i] ^ byteWritten;
  if (others)
    return false;
  access.run = cta.shared.data() + place.offset;
  for (unsigned i = 0; i < warpLanes; ++i) {
    access.pointers[i] = access.run + i * bytes;
    access.places[i] = {&cta, place.offset + i * bytes};
  }
  access.valid |= lanes;
  access.shared |= lanes;
  return true;
}

/// Local memory and the kernel's parameters.
static void resolveOwnLanes(Warp &warp, const Op &op, uint32_t lanes,
                            uint32_t bytes, AccessKind kind, Access &access) {
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    if (op.space == Space::param ||
        (op.space == Space::generic && access.addresses[i] & genericParameter))
      resolveParameterLane(warp, op, i, bytes, kind, access);
    else
      resolveLocalLane(warp, op, i, bytes, kind, access);
  }
}

void quack::sim::resolve(Warp &warp, const Op &op, uint32_t lanes,
                         uint32_t bytes, AccessKind kind, Access &access) {
  trimLog(warp, op);
  lanes = requireDefined(warp, op, op.a, lanes, "an address");
  computeAddresses(warp, op.a, op.from, op.offset, access.addresses);
  uint32_t shared = 0, own = 0;
  if (op.space == Space::shared || op.space == Space::cluster)
    shared = lanes;
  else if (op.space == Space::generic)
    for (unsigned i = 0; i < warpLanes; ++i) {
      shared |= uint32_t((access.addresses[i] & genericShared) != 0) << i;
      own |= uint32_t(
                 (access.addresses[i] & (genericLocal | genericParameter)) != 0)
             << i;
    }
  else if (op.space != Space::global)
    own = lanes;
  shared &= lanes;
  own &= lanes;
  uint32_t global = lanes & ~shared & ~own;
  if (global)
    resolveGlobalLanes(warp, op, global, bytes, kind, access);
  if (warp.cluster->launch.hasUnwritten && kind != AccessKind::write)
    findUndefined(warp, global, bytes, access);
  if (own)
    resolveOwnLanes(warp, op, own, bytes, kind, access);
  if (!shared)
    return;
  bool isRun = resolveSharedRun(warp, op, shared, bytes, access);
  for (unsigned i = 0; !isRun && i < warpLanes; ++i)
    if (shared >> i & 1)
      resolveSharedLane(warp, op, i, bytes, kind, access);
  if (access.shared)
    countShared(warp, op, access.addresses, access.shared, bytes,
                isContiguous(access, access.shared, std::max(4u, bytes)), kind);
}

/// The same in buffers that may have bytes without values.
static void markGlobal(Warp &warp, const Access &access, uint32_t bytes,
                       uint32_t undefined) {
  const Launch &launch = warp.cluster->launch;
  uint64_t run = uint64_t(bytes) * warpLanes;
  if (access.run && !access.shared && undefined == 0) {
    if (uint8_t *written = findWritten(launch, access.addresses[0], run))
      std::memset(written, 1, run);
    return;
  }
  uint32_t lanes = access.valid & ~access.shared & ~access.local;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    if (uint8_t *written = findWritten(launch, access.addresses[lane], bytes))
      std::memset(written, ~undefined >> lane & 1, bytes);
  }
}

void quack::sim::markWritten(Warp &warp, Access &access, uint32_t lanes,
                             uint32_t bytes, uint32_t undefined) {
  if (warp.cluster->launch.hasUnwritten)
    markGlobal(warp, access, bytes, undefined);
  for (unsigned i = 0; access.local && i < warpLanes; ++i)
    if ((lanes & access.local) >> i & 1)
      std::memset(access.localStates[i], ~undefined >> i & 1, bytes);
  lanes &= access.shared;
  // A run has values already.
  if (access.run && undefined == 0)
    return;
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1)
      std::memset(access.places[i].cta->state.data() + access.places[i].offset,
                  undefined >> i & 1 ? byteUnwritten : byteWritten, bytes);
}

/// Returns what says which of the lane's bytes hold values, from byte `from`
/// on, and what it says of one that does; null if all do.
static std::pair<uint8_t *, uint8_t> statesOf(Warp &warp, const Access &access,
                                              unsigned lane, uint32_t from,
                                              uint32_t count) {
  if (access.shared >> lane & 1) {
    const SharedPlace &place = access.places[lane];
    return {place.cta->state.data() + place.offset + from, byteWritten};
  }
  if (access.local >> lane & 1)
    return {access.localStates[lane] + from, 1};
  return {findWritten(warp.cluster->launch, access.addresses[lane] + from,
                      count),
          1};
}

uint32_t quack::sim::findDefined(Warp &warp, const Access &access,
                                 uint32_t from, uint32_t count) {
  uint32_t result = 0;
  for (uint32_t rest = access.valid; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    auto [states, defined] = statesOf(warp, access, lane, from, count);
    bool is = !states || std::all_of(states, states + count,
                                     [defined = defined](uint8_t state) {
                                       return state == defined;
                                     });
    result |= uint32_t(is) << lane;
  }
  return result;
}

void quack::sim::markDefined(Warp &warp, Access &access, uint32_t lanes,
                             uint32_t from, uint32_t count) {
  for (uint32_t rest = lanes & access.valid; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    auto [states, defined] = statesOf(warp, access, lane, from, count);
    if (states)
      std::memset(states, defined, count);
  }
}
