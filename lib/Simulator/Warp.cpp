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

#include "Machine.h"

using namespace quack::sim;

void quack::sim::waitHere(Warp &warp, Wait wait, uint32_t what) {
  Fragment &fragment = warp.fragment();
  fragment.wait = wait;
  fragment.what = what;
  fragment.at = fragment.pc;
  fragment.seen = warp.cluster->events;
}

static int openJoin(Warp &warp, uint32_t pc, uint32_t lanes, int parent) {
  Join join;
  join.pc = pc;
  join.lanes = lanes;
  join.parent = parent;
  join.isOpen = true;
  for (size_t i = 0; i < warp.joins.size(); ++i)
    if (!warp.joins[i].isOpen) {
      warp.joins[i] = join;
      return int(i);
    }
  warp.joins.push_back(join);
  return int(warp.joins.size() - 1);
}

/// Parts the current fragment: `taken` go to `target`, the others to `next`.
static void part(Warp &warp, const Op &op, uint32_t taken, uint32_t next) {
  Fragment &fragment = warp.fragment();
  int join = fragment.join;
  bool hasJoin = op.join < warp.cluster->program.ops.size();
  if (hasJoin && (join < 0 || warp.joins[unsigned(join)].pc != op.join))
    join = openJoin(warp, op.join, fragment.lanes, join);
  Fragment other = fragment;
  other.lanes = taken;
  other.pc = op.target;
  other.join = join;
  fragment.lanes &= ~taken;
  fragment.pc = next;
  fragment.join = join;
  warp.fragments.push_back(other);
}

/// Lets complete joins go on.
static void settleJoins(Warp &warp) {
  for (size_t i = 0; i < warp.joins.size(); ++i) {
    Join &join = warp.joins[i];
    if (!join.isOpen ||
        (join.lanes & ~warp.exited) != (join.arrived & ~warp.exited))
      continue;
    join.isOpen = false;
    if (!(join.arrived & ~warp.exited))
      continue;
    Fragment merged;
    merged.lanes = join.arrived & ~warp.exited;
    merged.pc = join.pc;
    merged.join = join.parent;
    warp.fragments.push_back(merged);
    i = size_t(-1); // the merged fragment may complete an outer join
    Fragment &last = warp.fragments.back();
    if (last.join >= 0 && warp.joins[unsigned(last.join)].pc == last.pc) {
      warp.joins[unsigned(last.join)].arrived |= last.lanes;
      warp.fragments.pop_back();
    }
  }
}

/// If the current fragment stands at its join, it waits there for its siblings.
/// Returns whether it did.
static bool arriveAtJoin(Warp &warp) {
  Fragment &fragment = warp.fragment();
  if (fragment.join < 0 ||
      warp.joins[unsigned(fragment.join)].pc != fragment.pc)
    return false;
  warp.joins[unsigned(fragment.join)].arrived |= fragment.lanes;
  warp.fragments.erase(warp.fragments.begin() + warp.current);
  settleJoins(warp);
  return true;
}

static void exitLanes(Warp &warp, const Op &op, uint32_t lanes) {
  warp.exited |= lanes;
  warp.fragment().lanes &= ~lanes;
  if (!warp.fragment().lanes)
    warp.fragments.erase(warp.fragments.begin() + warp.current);
  threadsExited(warp, lanes, op);
  settleJoins(warp);
}

/// Fragments that wait for each other's lanes at one instruction become one.
static void mergeWaiting(Warp &warp) {
  Fragment &fragment = warp.fragment();
  for (unsigned i = 0; i < warp.fragments.size(); ++i) {
    Fragment &other = warp.fragments[i];
    if (i == warp.current || other.wait != Wait::lanes ||
        other.pc != fragment.pc || other.join != fragment.join)
      continue;
    fragment.lanes |= other.lanes;
    fragment.wait = Wait::none;
    warp.fragments.erase(warp.fragments.begin() + i);
    if (i < warp.current)
      --warp.current;
    return;
  }
}

/// Moves the program counter. Returns whether the fragment may go on.
static bool moveOn(Warp &warp, const Op &op, uint32_t lanes) {
  Fragment &fragment = warp.fragment();
  switch (op.flow) {
  case Flow::next:
    ++fragment.pc;
    break;
  case Flow::branch: {
    bool isBackward = op.target <= fragment.pc && lanes;
    uint32_t next = fragment.pc + 1;
    if (isBackward && ++fragment.turns > turnLimit) {
      fragment.turns = 0;
      warp.yields = true;
    }
    if (lanes && lanes != fragment.lanes) {
      part(warp, op, lanes, next);
      if (arriveAtJoin(warp))
        return false;
      // The other fragment may stand at the join already.
      unsigned mine = warp.current;
      warp.current = unsigned(warp.fragments.size() - 1);
      bool gone = warp.current != mine && arriveAtJoin(warp);
      if (gone)
        return false;
      warp.current = mine;
      return !warp.yields;
    }
    fragment.pc = lanes ? op.target : next;
    break;
  }
  case Flow::exit:
    ++fragment.pc;
    if (!lanes)
      break;
    exitLanes(warp, op, lanes);
    return false;
  case Flow::wait:
    if (fragment.wait == Wait::lanes) {
      mergeWaiting(warp);
      return warp.fragment().wait == Wait::none;
    }
    if (fragment.wait != Wait::none && fragment.wait != Wait::poll)
      return false;
    ++fragment.pc;
    break;
  }
  return !arriveAtJoin(warp) && !warp.yields;
}

/// The results of an instruction are as undefined as what it read.
static inline void spreadDefinedness(Warp &warp, const Op &op, uint32_t lanes) {
  uint32_t *defined = warp.defined;
  uint32_t is = defined[op.a] & defined[op.b] & defined[op.c];
  if (__builtin_expect((is & lanes) != lanes, 0)) {
    Slot from = ~defined[op.a] & lanes   ? op.a
                : ~defined[op.b] & lanes ? op.b
                                         : op.c;
    warp.origin[op.d] = warp.origin[op.d2] = warp.origin[from];
  }
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
  const Op *join =
      fragment.join < 0 ? nullptr : ops + warp.joins[fragment.join].pc;
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
