//===- Atomics.cpp - atom and red ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, atom and red, on 32 and 64 bits. The lanes of a warp take their turn
// from lane 0 up. Clusters of a kernel that has them in global memory share a
// machine, so that no other access comes between.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Lanes.h"
#include "Memory.h"

using namespace quack::sim;

namespace {
enum AtomicKind : uint8_t {
  add,
  minimum,
  maximum,
  bitAnd,
  bitOr,
  bitXor,
  exchange,
  swap,
  increment,
  decrement
};
} // namespace

template <typename T> static T perform(AtomicKind kind, T old, T b, T c) {
  switch (kind) {
  case add:
    return T(old + b);
  case minimum:
    return std::min(old, b);
  case maximum:
    return std::max(old, b);
  case bitAnd:
    return T(uint64_t(old) & uint64_t(b));
  case bitOr:
    return T(uint64_t(old) | uint64_t(b));
  case bitXor:
    return T(uint64_t(old) ^ uint64_t(b));
  case exchange:
    return b;
  case swap:
    return old == b ? c : old;
  case increment:
    return old >= b ? T(0) : T(old + 1);
  case decrement:
    return old == 0 || old > b ? b : T(old - 1);
  }
  return old;
}

template <typename T>
static void atomic(Warp &warp, const Op &op, uint32_t lanes) {
  lanes = requireDefined(warp, op, op.b, lanes, "memory");
  Access access;
  resolve(warp, op, lanes, sizeof(T), AccessKind::atomic, access);
  notePoll(warp);
  const T *b = warp.reg<T>(op.b), *c = warp.reg<T>(op.c);
  T result[warpLanes] = {};
  for (unsigned i = 0; i < warpLanes; ++i) {
    if (!(access.valid >> i & 1))
      continue;
    T old;
    std::memcpy(&old, access.pointers[i], sizeof(T));
    result[i] = old;
    T next = perform<T>(AtomicKind(op.mode), old, b[i], c[i]);
    std::memcpy(access.pointers[i], &next, sizeof(T));
  }
  writeLanes(warp, op.d, access.valid, result);
  warp.define(op.d, lanes, access.valid & ~access.undefined);
  if (lanes & access.undefined)
    warp.origin[op.d] = op.line;
}

static Handler pick(Type type) {
  switch (type) {
  case Type::b32:
  case Type::u32:
    return atomic<uint32_t>;
  case Type::b64:
  case Type::u64:
    return atomic<uint64_t>;
  case Type::s32:
    return atomic<int32_t>;
  case Type::s64:
    return atomic<int64_t>;
  case Type::f32:
    return atomic<float>;
  case Type::f64:
    return atomic<double>;
  default:
    return nullptr;
  }
}

bool quack::sim::decodeAtomic(Decoder &d, Op &op) {
  bool isAtom = d.root() == "atom";
  if (!isAtom && d.root() != "red")
    return false;
  static constexpr llvm::StringLiteral kinds[] = {
      "add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"};
  bool hasKind = false;
  for (unsigned i = 0; i < std::size(kinds) && !hasKind; ++i)
    if (d.take(kinds[i])) {
      op.mode = uint8_t(i);
      hasKind = true;
    }
  d.takeAny({"relaxed", "acquire", "release", "acq_rel"});
  d.takeAny({"cta", "cluster", "gpu", "sys"});
  op.space = d.take("global")                       ? Space::global
             : d.take("shared::cluster")            ? Space::cluster
             : d.takeAny({"shared", "shared::cta"}) ? Space::shared
                                                    : Space::generic;
  op.type = d.takeType();
  op.run = pick(op.type);
  d.noteMeeting(op.space);
  op.definedness = Definedness::custom;
  if (!hasKind || !op.run || (isFloat(op.type) && op.mode != add))
    d.fail("'" + d.inst().text + "' is not simulated");
  unsigned at = isAtom ? 1 : 0;
  if (d.hasFailed() || !d.expectOperands(at + (op.mode == swap ? 3 : 2)))
    return true;
  if (isAtom)
    op.d = d.dest(0, op.type);
  d.address(at, op);
  op.b = d.source(at + 1, op.type);
  if (op.mode == swap)
    op.c = d.source(at + 2, op.type);
  if (op.space != Space::global)
    d.noteSharedAccess(sizeOf(op.type));
  return true;
}
