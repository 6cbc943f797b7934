//===- Divergence.cpp - lanes part and meet --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Divergence.h"

#include "Calls.h"
#include "Machine.h"

using namespace quack::sim;

int quack::sim::joinAt(Warp &warp, uint32_t pc) {
  const Fragment &fragment = warp.fragment();
  if (fragment.join >= 0) {
    const Join &innermost = warp.joins[unsigned(fragment.join)];
    if (innermost.pc == pc && innermost.activation == fragment.activation)
      return fragment.join;
  }
  Join join;
  join.pc = pc;
  join.lanes = fragment.lanes;
  join.parent = fragment.join;
  join.activation = fragment.activation;
  join.isOpen = true;
  for (size_t i = 0; i < warp.joins.size(); ++i)
    if (!warp.joins[i].isOpen) {
      warp.joins[i] = join;
      return int(i);
    }
  warp.joins.push_back(join);
  return int(warp.joins.size() - 1);
}

Fragment &quack::sim::splitOff(Warp &warp, uint32_t lanes, uint32_t pc) {
  Fragment other = warp.fragment();
  other.lanes = lanes;
  other.pc = pc;
  warp.fragment().lanes &= ~lanes;
  warp.fragments.push_back(other);
  return warp.fragments.back();
}

/// Returns whether lanes stand where they meet their siblings. Recursion may
/// bring them to that instruction before, in another activation.
static bool isAtJoin(const Warp &warp, const Fragment &fragment) {
  if (fragment.join < 0)
    return false;
  const Join &join = warp.joins[unsigned(fragment.join)];
  return join.pc == fragment.pc && join.activation == fragment.activation;
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
    merged.activation = join.activation;
    warp.fragments.push_back(merged);
    i = size_t(-1); // the merged fragment may complete an outer join
    Fragment &last = warp.fragments.back();
    if (isAtJoin(warp, last)) {
      warp.joins[unsigned(last.join)].arrived |= last.lanes;
      warp.fragments.pop_back();
    }
  }
}

bool quack::sim::arriveAtJoin(Warp &warp, size_t index) {
  const Fragment &fragment = warp.fragments[index];
  if (!isAtJoin(warp, fragment))
    return false;
  warp.joins[unsigned(fragment.join)].arrived |= fragment.lanes;
  warp.fragments.erase(warp.fragments.begin() + ptrdiff_t(index));
  settleJoins(warp);
  return true;
}

bool quack::sim::part(Warp &warp, const Op &op, uint32_t taken, uint32_t target,
                      uint32_t next) {
  if (op.join < warp.cluster->program.ops.size())
    warp.fragment().join = joinAt(warp, op.join);
  splitOff(warp, taken, target);
  warp.fragment().pc = next;
  // Both may stand at the join already.
  arriveAtJoin(warp, warp.fragments.size() - 1);
  return !arriveAtJoin(warp);
}

bool quack::sim::releaseWaiting(Warp &warp) {
  bool found = false;
  for (Join &join : warp.joins) {
    uint32_t lanes = join.arrived & ~warp.exited;
    if (!join.isOpen || !lanes)
      continue;
    join.lanes &= ~lanes;
    join.arrived = 0;
    Fragment released;
    released.lanes = lanes;
    released.pc = join.pc;
    released.join = join.parent;
    released.activation = join.activation;
    warp.fragments.push_back(released);
    arriveAtJoin(warp, warp.fragments.size() - 1);
    found = warp.isLoose = true;
    break;
  }
  return found;
}

void quack::sim::exitLanes(Warp &warp, const Op &op, uint32_t lanes) {
  warp.exited |= lanes;
  warp.fragment().lanes &= ~lanes;
  if (!warp.fragment().lanes)
    warp.fragments.erase(warp.fragments.begin() + warp.current);
  if (warp.calls)
    warp.calls->exit(lanes);
  threadsExited(warp, lanes, op);
  settleJoins(warp);
}
