//===- Addresses.cpp - mapa, cvta, isspacep, getctarank --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Data Movement and Conversion Instructions": those that turn one
// address into another or say where one leads. How addresses of shared memory
// look is in Program.h.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "Decoder.h"
#include "Lanes.h"

using namespace quack::sim;

/// mapa d, a, b: the address, in the cluster's window, of a in CTA b. A rank
/// that the cluster does not have is a fault.
template <typename T>
static void mapa(Warp &warp, const Op &op, uint32_t lanes) {
  const T *a = warp.reg<T>(op.a);
  const uint32_t *rank = warp.reg<uint32_t>(op.b);
  T result[warpLanes];
  uint32_t size = warp.cluster->launch.clusterSize;
  for (unsigned i = 0; i < warpLanes; ++i) {
    T offset = a[i] & ((T(1) << clusterShift) - 1);
    if ((lanes >> i & 1) && rank[i] >= size) {
      report(warp, op, i, "bad-rank",
             "mapa to CTA " + std::to_string(rank[i]) + " of a cluster of " +
                 std::to_string(size));
    }
    result[i] = T((T(rank[i]) + 1) << clusterShift) | offset;
    if (op.space == Space::generic)
      result[i] |= T(genericShared);
  }
  writeLanes(warp, op.d, lanes, result);
}

/// Returns the rank of the CTA whose shared memory an address lies in.
static uint32_t rankOf(const Warp &warp, uint64_t address) {
  uint64_t window = (address & ~genericShared) >> clusterShift;
  return window ? uint32_t(window - 1) : warp.cta->rank;
}

template <typename T>
static void getCtaRank(Warp &warp, const Op &op, uint32_t lanes) {
  const T *a = warp.reg<T>(op.a);
  uint32_t result[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = rankOf(warp, a[i]);
  writeLanes(warp, op.d, lanes, result);
}

/// cvta: between a state space and generic addresses. `mode` 1: to the space.
/// What was an address of the own CTA becomes the same one again; in
/// .shared::cluster it stays one that leads peers to it.
static void cvta(Warp &warp, const Op &op, uint32_t lanes) {
  const uint64_t *a = warp.reg<uint64_t>(op.a);
  uint64_t result[warpLanes];
  uint64_t own = uint64_t(warp.cta->rank + 1) << clusterShift;
  bool isShared = op.space == Space::shared || op.space == Space::cluster;
  uint64_t window = op.space == Space::local   ? genericLocal
                    : op.space == Space::param ? genericParameter
                                               : 0;
  auto leaveWindow = [&](uint64_t address) {
    bool isOwn = address >> clusterShift == warp.cta->rank + 1;
    return isOwn && op.space == Space::shared ? address ^ own : address;
  };
  for (unsigned i = 0; i < warpLanes; ++i)
    result[i] = !isShared && op.mode   ? a[i] & ~window
                : !isShared            ? a[i] | window
                : op.mode              ? leaveWindow(a[i] & 0xffffffff)
                : a[i] >> clusterShift ? a[i] | genericShared
                                       : a[i] | genericShared | own;
  writeLanes(warp, op.d, lanes, result);
}

/// isspacep: whether a generic address lies in the window of a space. `mode` 1:
/// in constant memory, which accesses take for a part of global memory.
static void isSpace(Warp &warp, const Op &op, uint32_t lanes) {
  const uint64_t *a = warp.reg<uint64_t>(op.a);
  uint8_t flags[warpLanes];
  for (unsigned i = 0; i < warpLanes; ++i) {
    bool isShared = (a[i] & genericShared) != 0;
    bool isOwn = (a[i] & (genericLocal | genericParameter)) != 0;
    bool isConstant = a[i] >> constantShift == 1;
    flags[i] = op.mode                      ? isConstant
               : op.space == Space::global  ? !isShared && !isOwn && !isConstant
               : op.space == Space::local   ? (a[i] & genericLocal) != 0
               : op.space == Space::param   ? (a[i] & genericParameter) != 0
               : op.space == Space::cluster ? isShared
               : op.space == Space::shared
                   ? isShared && rankOf(warp, a[i]) == warp.cta->rank
                   : false;
  }
  warp.mask(op.d) = (warp.mask(op.d) & ~lanes) | (packMask(flags) & lanes);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool takeSpace(Decoder &d, Op &op) {
  if (d.takeAny({"global", "const"}))
    op.space = Space::global;
  else if (d.take("local"))
    op.space = Space::local;
  else if (d.take("shared::cluster"))
    op.space = Space::cluster;
  else if (d.takeAny({"shared", "shared::cta"}))
    op.space = Space::shared;
  else if (d.takeAny({"param", "param::entry"}))
    op.space = Space::param;
  else
    return false;
  return true;
}

static void decodeMapa(Decoder &d, Op &op) {
  op.space = d.take("shared::cluster") ? Space::cluster : Space::generic;
  op.type = d.takeType();
  bool isWide = op.type == Type::u64;
  if (!isWide && op.type != Type::u32)
    d.failForm();
  if (!isWide && op.space == Space::generic)
    d.fail("generic addresses have 64 bits");
  bool isMap = d.root() == "mapa";
  if (d.hasFailed() || !d.expectOperands(isMap ? 3 : 2))
    return;
  op.a = d.source(1, op.type);
  if (isMap) {
    op.run = isWide ? mapa<uint64_t> : mapa<uint32_t>;
    op.d = d.dest(0, op.type);
    op.b = d.source(2, Type::u32);
  } else {
    op.run = isWide ? getCtaRank<uint64_t> : getCtaRank<uint32_t>;
    op.d = d.dest(0, Type::u32);
  }
}

bool quack::sim::decodeAddress(Decoder &d, Op &op) {
  llvm::StringRef root = d.root();
  if (root == "mapa" || root == "getctarank") {
    decodeMapa(d, op);
  } else if (root == "cvta") {
    op.mode = d.take("to");
    bool hasSpace = takeSpace(d, op);
    op.type = d.takeType();
    if (!hasSpace || op.type != Type::u64)
      d.fail("'" + d.inst().text + "' is not simulated");
    if (d.hasFailed() || !d.expectOperands(2))
      return true;
    op.run = cvta;
    op.d = d.dest(0, op.type);
    op.a = d.source(1, op.type);
  } else if (root == "isspacep") {
    op.mode = d.has("const");
    if (!takeSpace(d, op))
      d.failForm();
    if (!d.expectOperands(2))
      return true;
    op.run = isSpace;
    op.d = d.dest(0, Type::pred);
    op.a = d.source(1, Type::u64);
  } else {
    return false;
  }
  return true;
}
