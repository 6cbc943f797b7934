//===- Warp.cpp - a warp runs -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One instruction at a time for all lanes that are at it. Lanes that a branch
// parts become fragments of the warp, each with its program counter; they meet
// again at the branch's post-dominator. Fragments take turns, so that lanes
// that spin let the others of their warp run.
//
//===----------------------------------------------------------------------===//
#include "Warp.h"

#include "Calls.h"
#include "Checks.h"
#include "Divergence.h"
#include "Halves.h"

using namespace quack::sim;

void quack::sim::waitHere(Warp &warp, Wait wait, uint32_t what) {
  Fragment &fragment = warp.fragment();
  fragment.wait = wait;
  fragment.what = what;
  fragment.at = fragment.pc;
  fragment.seen = warp.cluster->events;
}

/// Fragments that wait for each other's lanes at one instruction become one.
static void mergeWaiting(Warp &warp) {
  Fragment &fragment = warp.fragment();
  for (unsigned i = 0; i < warp.fragments.size(); ++i) {
    Fragment &other = warp.fragments[i];
    if (i == warp.current || other.wait != Wait::lanes ||
        other.pc != fragment.pc || other.join != fragment.join ||
        other.activation != fragment.activation)
      continue;
    fragment.lanes |= other.lanes;
    fragment.wait = Wait::none;
    warp.fragments.erase(warp.fragments.begin() + i);
    if (i < warp.current)
      --warp.current;
    return;
  }
}

/// Lanes that a guard leaves out of an instruction that waits go on: they may
/// be who is waited for. All meet at the next instruction that needs the warp.
static void leaveWaiting(Warp &warp, uint32_t lanes) {
  uint32_t rest = warp.fragment().lanes & ~lanes;
  if (!rest)
    return;
  Fragment &other = splitOff(warp, rest, warp.fragment().pc + 1);
  other.wait = Wait::none;
  other.hasMet = false;
  warp.isLoose = true;
  arriveAtJoin(warp, warp.fragments.size() - 1);
}

/// Moves the program counter. Returns whether the fragment may go on.
static bool moveOn(Warp &warp, const Op &op, uint32_t lanes) {
  Fragment &fragment = warp.fragment();
  switch (op.flow) {
  case Flow::next:
    ++fragment.pc;
    break;
  case Flow::branch: {
    uint32_t next = fragment.pc + 1;
    if (lanes && op.target <= fragment.pc)
      noteBackwardJump(warp);
    if (lanes && lanes != fragment.lanes)
      return part(warp, op, lanes, op.target, next) && !warp.yields;
    fragment.pc = lanes ? op.target : next;
    break;
  }
  case Flow::table:
    return branchByTable(warp, op, lanes) && !warp.yields;
  case Flow::call:
    return callFunction(warp, op, lanes);
  case Flow::ret:
    return returnFromFunction(warp, op, lanes);
  case Flow::exit:
    ++fragment.pc;
    if (!lanes)
      break;
    exitLanes(warp, op, lanes);
    return false;
  case Flow::wait:
    if (fragment.wait != Wait::none && fragment.wait != Wait::poll &&
        op.hasGuard && lanes)
      leaveWaiting(warp, lanes);
    if (warp.fragment().wait == Wait::lanes) {
      mergeWaiting(warp);
      return warp.fragment().wait == Wait::none;
    }
    if (warp.fragment().wait != Wait::none &&
        warp.fragment().wait != Wait::poll)
      return false;
    ++warp.fragment().pc;
    break;
  }
  return !arriveAtJoin(warp) && !warp.yields;
}

/// The results of an instruction are as undefined as what it read.
static inline void spreadDefinedness(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t *defined = warp.defined;
  uint32_t is = defined[op.a] & defined[op.b] & defined[op.c];
  if (__builtin_expect((is & lanes) == lanes, 1)) {
    defined[op.d] |= lanes;
    defined[op.d2] |= lanes;
    return;
  }
  Slot from = ~defined[op.a] & lanes   ? op.a
              : ~defined[op.b] & lanes ? op.b
                                       : op.c;
  warp.origin[op.d] = warp.origin[op.d2] = warp.origin[from];
  if (op.halves != Halves::whole)
    return spreadHalves(warp, op, lanes);
  warp.define(op.d, lanes, is);
  warp.define(op.d2, lanes, is);
}

/// Runs instructions that neither part lanes nor wait nor name a guard, up to
/// the fragment's join. Returns how many.
template <bool tracksDefined>
static uint64_t runStraight(Warp &warp, Fragment &fragment, uint64_t budget) {
  const Op *ops = warp.cluster->program.ops.data();
  OpCount *counts = warp.cluster->counts.data();
  const Op *op = ops + fragment.pc, *begin = op;
  const Op *join = nullptr;
  if (fragment.join >= 0 &&
      warp.joins[fragment.join].activation == fragment.activation)
    join = ops + warp.joins[fragment.join].pc;
  const Op *end = budget < UINT32_MAX ? op + budget : nullptr;
  uint32_t lanes = fragment.lanes;
  unsigned laneCount = unsigned(__builtin_popcount(lanes));
  while (op->isPlain && op != join && op != end) {
    counts[op->index].warps += 1;
    counts[op->index].lanes += laneCount;
    op->run(warp, *op, lanes);
    if (tracksDefined && op->definedness == Definedness::spreads)
      spreadDefinedness(warp, *op, lanes);
    ++op;
  }
  fragment.pc = uint32_t(op - ops);
  return uint64_t(op - begin);
}

void quack::sim::runFragment(Warp &warp, uint64_t budget) {
  Cluster &cluster = *warp.cluster;
  const Op *ops = cluster.program.ops.data();
  OpCount *counts = cluster.counts.data();
  bool tracksDefined = cluster.checksUndefined;
  Fragment &begin = warp.fragment();
  if (begin.wait == Wait::poll || begin.wait == Wait::lanes)
    begin.wait = Wait::none;
  warp.yields = warp.polls = false;
  uint64_t done = 0;
  while (done < budget) {
    Fragment &fragment = warp.fragment();
    if (ops[fragment.pc].isPlain) {
      done += tracksDefined ? runStraight<true>(warp, fragment, budget - done)
                            : runStraight<false>(warp, fragment, budget - done);
      if (arriveAtJoin(warp))
        break;
      continue;
    }
    const Op &op = ops[fragment.pc];
    uint32_t lanes = fragment.lanes;
    if (op.hasGuard) {
      lanes = requireDefined(warp, op, op.guard, lanes, "a predicate");
      uint32_t holds = warp.mask(op.guard);
      lanes &= op.isGuardNegated ? ~holds : holds;
    }
    ++done;
    if (lanes) {
      bool isRetry = fragment.wait != Wait::none;
      counts[op.index].warps += !isRetry;
      counts[op.index].lanes +=
          isRetry ? 0 : unsigned(__builtin_popcount(lanes));
      if (op.flow == Flow::wait && fragment.wait != Wait::none) {
        // The handler sees that it waited, and says so again if it still does.
        uint64_t seen = fragment.seen;
        fragment.seen = UINT64_MAX;
        op.run(warp, op, lanes);
        if (fragment.seen == UINT64_MAX) {
          fragment.wait = Wait::none;
          fragment.seen = seen;
        }
      } else {
        op.run(warp, op, lanes);
      }
      if (tracksDefined && op.definedness == Definedness::spreads)
        spreadDefinedness(warp, op, lanes);
    }
    if (!moveOn(warp, op, lanes))
      break;
  }
  cluster.machine.steps += done;
}
