//===- Exits.cpp - CTAs that exit too early ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CTA's shared memory is there as long as one of its threads is. So each
// access of a peer, and each asynchronous operation, must be ordered before the
// exit of some thread of the CTA: whatever the schedule, the memory was there.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "RaceCheck.h"

#include "llvm/ADT/Twine.h"

using namespace quack::sim;

namespace {
struct ExitCheck {
  Warp &warp;
  const Op &op;
  uint32_t lane;
  const Cta &cta;
};
} // namespace

static void checkSet(const ExitCheck &check, AccessSet set, uint64_t offset,
                     bool isWrite) {
  AccessLog &log = check.warp.cluster->machine.log;
  const Clock &clock = check.cta.exitClock;
  bool isObserved = false; // the writes that follow, by who is known
  for (set &= ~readByNc; set;) {
    AccessLog::Item item = log.first(set);
    set = item.rest;
    const Event &event = log[item.event];
    uint32_t lanes =
        item.lanes & ~clock.known(event.agent, item.lanes, event.time);
    bool isOwn = event.cta == check.cta.index && !event.isAsync;
    if (isOwn || (event.viewTime && clock.knows(event.view, event.viewTime)))
      lanes = 0;
    bool wasObserved = isObserved;
    isObserved =
        (event.isAtomic || event.isRead) && (isObserved || lanes != item.lanes);
    if (!lanes || (isWrite && (event.isRead || wasObserved)))
      continue;
    bool isRemote = event.cta != check.cta.index && !event.isAsync;
    report(check.warp, check.op, check.lane,
           isRemote ? "exited-peer" : "exit-in-flight",
           "CTA " + llvm::Twine(check.cta.number) + " may exit before " +
               describeEvent(event, lanes, isWrite) +
               Spot{&check.cta, offset}.str() +
               (isRemote ? ": nothing orders it before"
                         : ": nobody there has waited for it"));
  }
}

void quack::sim::checkExit(Warp &warp, const Op &op, uint32_t lane, Cta &cta) {
  const Cluster &cluster = *warp.cluster;
  if (!cluster.checksRaces || !cluster.checksProtocol ||
      (cluster.launch.clusterSize == 1 && !cluster.program.hasAsync))
    return;
  uint32_t granule = cluster.program.sharedGranule;
  ExitCheck check = {warp, op, lane, cta};
  cta.shadow.forEachPage([&](uint64_t first, ShadowCell *cells) {
    for (unsigned i = 0; i < ShadowMap::pageCells; ++i) {
      checkSet(check, cells[i].write, (first + i) * granule, true);
      checkSet(check, cells[i].read, (first + i) * granule, false);
    }
  });
}
