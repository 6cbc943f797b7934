//===- Local.cpp - the local memory of a warp's threads --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Local.h"

#include "Calls.h"
#include "Checks.h"

#include <cstring>

using namespace llvm;
using namespace quack::sim;

void LocalMemory::grow(uint32_t most) {
  if (most <= stride)
    return;
  uint32_t wide = std::max(64u, stride);
  while (wide < most)
    wide *= 2;
  std::vector<uint8_t> wideValues(size_t(wide) * warpLanes),
      wideStates(size_t(wide) * warpLanes);
  for (unsigned i = 0; i < warpLanes && stride; ++i) {
    std::memcpy(wideValues.data() + i * wide, values.data() + i * stride,
                tops[i]);
    std::memcpy(wideStates.data() + i * wide, states.data() + i * stride,
                tops[i]);
  }
  values = std::move(wideValues);
  states = std::move(wideStates);
  stride = wide;
}

bool LocalMemory::push(uint32_t lanes, uint32_t size) {
  if (!size) // a frame of registers only; there may be no memory at all
    return true;
  uint32_t most = 0;
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1)
      most = std::max(most, tops[i] + size);
  if (most > mostLocalBytes)
    return false;
  grow(most);
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(lanes >> i & 1))
      continue;
    std::memset(written(i, tops[i]), 0, size);
    tops[i] += size;
  }
  return true;
}

void LocalMemory::pop(uint32_t lanes, uint32_t size) {
  for (unsigned i = 0; i < warpLanes; ++i)
    if (lanes >> i & 1)
      tops[i] -= size;
}

static bool checkAlignment(Warp &warp, const Op &op, unsigned lane,
                           uint64_t address, uint32_t bytes,
                           const char *space) {
  if (address % bytes == 0)
    return true;
  report(warp, op, lane, "misaligned",
         Twine(space) + " address " + hex(address) + " is no multiple of " +
             Twine(bytes));
  return false;
}

void quack::sim::resolveLocalLane(Warp &warp, const Op &op, unsigned lane,
                                  uint32_t bytes, AccessKind kind,
                                  Access &access) {
  uint64_t address = access.addresses[lane] & ~genericLocal;
  uint64_t offset = address - localBase;
  uint64_t top = warp.calls ? warp.calls->local.top(lane) : 0;
  if (address < localBase || offset > top || bytes > top - offset) {
    report(warp, op, lane, "out-of-bounds",
           Twine(bytes) + " bytes at local address " + hex(address) +
               ": the thread has " + Twine(top) + " bytes from " +
               hex(localBase) + " on");
    return;
  }
  if (!checkAlignment(warp, op, lane, address, bytes, "local"))
    return;
  LocalMemory &local = warp.calls->local;
  access.pointers[lane] = local.bytes(lane, offset);
  access.valid |= 1u << lane;
  access.local |= 1u << lane;
  access.localStates[lane] = local.written(lane, offset);
  if (kind != AccessKind::write && warp.cluster->checksUndefined &&
      std::memchr(access.localStates[lane], 0, bytes))
    access.undefined |= 1u << lane;
}

void quack::sim::resolveParameterLane(Warp &warp, const Op &op, unsigned lane,
                                      uint32_t bytes, AccessKind kind,
                                      Access &access) {
  uint64_t address = access.addresses[lane] & ~genericParameter;
  const std::vector<uint8_t> &parameters = warp.cluster->launch.parameters;
  uint64_t offset = address - parameterBase;
  if (kind != AccessKind::read || address < parameterBase ||
      offset > parameters.size() || bytes > parameters.size() - offset) {
    report(warp, op, lane, "out-of-bounds",
           kind != AccessKind::read
               ? Twine("writes a parameter of the kernel")
               : Twine(bytes) + " bytes at parameter address " + hex(address) +
                     ": the kernel's take " + Twine(parameters.size()) +
                     " bytes from " + hex(parameterBase) + " on");
    return;
  }
  if (!checkAlignment(warp, op, lane, address, bytes, "parameter"))
    return;
  access.pointers[lane] = const_cast<uint8_t *>(parameters.data()) + offset;
  access.valid |= 1u << lane;
}
