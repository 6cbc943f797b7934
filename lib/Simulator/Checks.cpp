//===- Checks.cpp - faults -------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports are kept once for each kind and line. Deadlocks tell who waits for
// what.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace quack::sim;

std::string quack::sim::hex(uint64_t address) {
  return "0x" + utohexstr(address, /*LowerCase=*/true);
}

static void note(Warp &warp, const Op &op, uint32_t lane, StringRef kind,
                 const Twine &text, bool isWarning) {
  Cluster &cluster = *warp.cluster;
  std::string key = (isWarning ? "warning: " : "") + kind.str();
  if (!cluster.grid.reported.insert({key, op.line}).second)
    return;
  Fault fault;
  fault.kind = kind.str();
  fault.line = op.line;
  fault.cta = uint32_t(warp.cta->number);
  fault.warp = warp.number;
  fault.lane = lane;
  fault.isWarning = isWarning;
  fault.text = text.str() + " [" + cluster.program.texts[op.index] + "]";
  cluster.grid.faults.push_back(std::move(fault));
  if (cluster.grid.faults.size() >= cluster.launch.options->maxFaults)
    cluster.machine.isStopped = true;
}

void quack::sim::report(Warp &warp, const Op &op, uint32_t lane, StringRef kind,
                        const Twine &text) {
  note(warp, op, lane, kind, text, /*isWarning=*/false);
}

void quack::sim::warn(Warp &warp, const Op &op, uint32_t lane, StringRef kind,
                      const Twine &text) {
  note(warp, op, lane, kind, text, /*isWarning=*/true);
}

uint32_t quack::sim::requireDefined(Warp &warp, const Op &op, Slot slot,
                                    uint32_t lanes, StringRef use) {
  uint32_t undefined = lanes & ~warp.defined[slot];
  if (__builtin_expect(undefined == 0, 1) || !warp.cluster->checksUndefined)
    return lanes;
  uint32_t line = warp.origin[slot];
  // One report of what a line read, however many instructions it reaches.
  if (line &&
      !warp.cluster->grid.reported.insert({"undefined since", line}).second)
    return lanes & ~undefined;
  report(warp, op, firstLane(undefined), "undefined",
         "a value that nobody wrote reaches " + use +
             (line ? "; it was read in line " + Twine(line).str()
                   : std::string()));
  return lanes & ~undefined;
}

//===----------------------------------------------------------------------===//
// Deadlocks
//===----------------------------------------------------------------------===//

static std::string describeMBarrier(const Warp &warp, uint32_t address) {
  std::string text = "an mbarrier";
  uint32_t offset =
      (address & ((1u << clusterShift) - 1)) - uint32_t(sharedBase);
  for (const MBarrier &barrier : warp.cta->mbarriers)
    if (barrier.offset == offset)
      text = "the mbarrier at shared offset " + std::to_string(offset) +
             " (phase " + std::to_string(barrier.phase) + ", " +
             std::to_string(barrier.pending) + " of " +
             std::to_string(barrier.expected) + " arrivals and " +
             std::to_string(barrier.bytes) + " bytes missing)";
  return text;
}

static std::string describeWait(const Cluster &cluster, Warp &warp,
                                const Fragment &fragment) {
  switch (fragment.wait) {
  case Wait::poll:
    return describeMBarrier(warp, fragment.what);
  case Wait::barrier: {
    const Op &at = cluster.program.ops[fragment.at];
    uint32_t id = warp.reg<uint32_t>(at.a)[firstLane(fragment.lanes)];
    const NamedBarrier &barrier = warp.cta->barriers[id];
    return "barrier " + std::to_string(id) + " (" +
           std::to_string(barrier.arrived) + " of " +
           std::to_string(barrier.expected ? barrier.expected
                                           : warp.cta->liveThreads) +
           " threads arrived)";
  }
  case Wait::cluster:
    return "the cluster's barrier (" + std::to_string(cluster.clusterArrivals) +
           " of " + std::to_string(cluster.liveThreads) + " threads arrived)";
  case Wait::lanes:
    return "other lanes of its warp";
  case Wait::grid:
    return "launch " + std::to_string(fragment.what) + " of the stream";
  case Wait::none:
    break;
  }
  return "nothing";
}

/// Returns the CTA that would start next if there were room, in words; nothing
/// if all have started.
static std::string describeUnstarted(Machine &machine) {
  for (Grid &grid : machine.grids) {
    if (grid.started == grid.clusters)
      continue;
    uint64_t next = grid.takeNext(machine.random);
    return "CTA " +
           std::to_string(ctaNumber(grid.launch, ctaId(grid.launch, next, 0))) +
           " never starts, since CTAs that wait for others leave no room";
  }
  return "";
}

void quack::sim::reportDeadlock(Machine &machine, bool spin) {
  // Who spins may wait for a CTA that never starts, if clusters can meet; other
  // waits are for threads of the same cluster.
  std::string unstarted =
      spin && machine.isTogether ? describeUnstarted(machine) : "";
  std::string text = !unstarted.empty() ? unstarted + ":"
                     : spin             ? "nothing changes any more:"
                                        : "nobody can go on:";
  Warp *first = nullptr;
  const Op *at = nullptr;
  uint32_t lane = 0;
  unsigned listed = 0;
  auto list = [&](Warp &warp, const Fragment &fragment) {
    const Cluster &cluster = *warp.cluster;
    const Op &op =
        cluster.program
            .ops[fragment.wait == Wait::none ? fragment.pc : fragment.at];
    if (!first) {
      first = &warp;
      at = &op;
      lane = firstLane(fragment.lanes);
    }
    if (++listed <= 4)
      text += " CTA " + std::to_string(warp.cta->number) + " warp " +
              std::to_string(warp.number) + " in line " +
              std::to_string(op.line) +
              (fragment.wait == Wait::none
                   ? " spins"
                   : " waits for " + describeWait(cluster, warp, fragment)) +
              ";";
  };
  for (Cluster *cluster : machine.liveClusters())
    for (Warp &warp : cluster->warps)
      for (const Fragment &fragment : warp.fragments)
        list(warp, fragment);
  if (listed > 4)
    text += " and " + std::to_string(listed - 4) + " more";
  if (first)
    report(*first, *at, lane, unstarted.empty() ? "deadlock" : "not-resident",
           StringRef(text).rtrim(';'));
  machine.isStopped = true;
}
