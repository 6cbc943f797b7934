//===- Races.cpp - accesses that nothing orders ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before on shared memory by vector clocks, after FastTrack (Flanagan
// and Freund, PLDI 2009): each granule keeps the epoch of its last write and of
// its last reads. Asynchronous operations of a warp are an agent of their own,
// whose time others learn from the mbarrier or the group they wait for. The
// lanes of a warp count as one agent.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "llvm/ADT/Twine.h"

using namespace quack::sim;

/// An epoch packs an agent, plus one, above a time. The highest agent marks an
/// index of Cluster::readSets instead.
static constexpr unsigned timeBits = 21;
static constexpr uint32_t timeMask = (1u << timeBits) - 1;
static constexpr uint32_t setMark = 0x7ffu << timeBits;

static uint32_t pack(uint32_t agent, uint32_t time) {
  return (agent + 1) << timeBits | (time & timeMask);
}
static uint32_t agentOf(uint32_t epoch) { return (epoch >> timeBits) - 1; }
static bool isOrdered(const Warp &warp, uint32_t epoch) {
  return (epoch & timeMask) <= warp.clock[agentOf(epoch)];
}

void quack::sim::joinClock(Clock &into, const Clock &from) {
  uint32_t *to = into.data();
  const uint32_t *other = from.data();
  for (size_t i = 0, size = into.size(); i < size; ++i)
    to[i] = std::max(to[i], other[i]);
}

static void reportRace(Warp &warp, const Op &op, uint32_t lane, const Cta &cta,
                       uint32_t offset, const char *mine, const char *theirs,
                       uint32_t agent) {
  Cluster &cluster = *warp.cluster;
  bool isAsync = agent >= cluster.warps.size();
  const Warp &other =
      cluster.warps[isAsync ? agent - cluster.warps.size() : agent];
  report(warp, op, lane, "race",
         llvm::Twine(mine) + " at shared offset " + llvm::Twine(offset) +
             " of CTA " + llvm::Twine(cta.number) +
             " is not ordered after the " + (isAsync ? "asynchronous " : "") +
             theirs + " by CTA " + llvm::Twine(other.cta->number) + " warp " +
             llvm::Twine(other.number));
}

static void noteRead(Warp &warp, AccessHistory &history, uint32_t agent,
                     uint32_t me) {
  Cluster &cluster = *warp.cluster;
  if (history.read == 0 ||
      (history.read < setMark &&
       (agentOf(history.read) == agent || isOrdered(warp, history.read)))) {
    history.read = me;
    return;
  }
  if (history.read < setMark) {
    cluster.readSets.emplace_back(2 * cluster.warps.size(), 0);
    cluster.readSets.back()[agentOf(history.read)] = history.read & timeMask;
    history.read = setMark | uint32_t(cluster.readSets.size() - 1);
  }
  cluster.readSets[history.read & timeMask][agent] = me & timeMask;
}

void quack::sim::checkRead(Warp &warp, const Op &op, uint32_t lane, Cta &cta,
                           uint32_t offset, uint32_t bytes, uint32_t agent,
                           uint32_t time) {
  uint32_t granule = warp.cluster->program.sharedGranule;
  uint32_t me = pack(agent, time);
  for (uint32_t at = offset / granule; at <= (offset + bytes - 1) / granule;
       ++at) {
    AccessHistory &history = cta.history[at];
    if (history.write && !isOrdered(warp, history.write))
      reportRace(warp, op, lane, cta, at * granule, "the read", "write",
                 agentOf(history.write));
    if (history.read != me)
      noteRead(warp, history, agent, me);
  }
}

static void checkReadsBefore(Warp &warp, const Op &op, uint32_t lane, Cta &cta,
                             uint32_t offset, uint32_t read) {
  if (read == 0)
    return;
  if (read < setMark) {
    if (!isOrdered(warp, read))
      reportRace(warp, op, lane, cta, offset, "the write", "read",
                 agentOf(read));
    return;
  }
  const std::vector<uint32_t> &set = warp.cluster->readSets[read & timeMask];
  for (uint32_t agent = 0; agent < set.size(); ++agent)
    if (set[agent] > warp.clock[agent])
      return reportRace(warp, op, lane, cta, offset, "the write", "read",
                        agent);
}

void quack::sim::checkWrite(Warp &warp, const Op &op, uint32_t lane, Cta &cta,
                            uint32_t offset, uint32_t bytes, uint32_t agent,
                            uint32_t time) {
  if (bytes == 0)
    return;
  uint32_t granule = warp.cluster->program.sharedGranule;
  for (uint32_t at = offset / granule; at <= (offset + bytes - 1) / granule;
       ++at) {
    AccessHistory &history = cta.history[at];
    if (history.write && !isOrdered(warp, history.write))
      reportRace(warp, op, lane, cta, at * granule, "the write", "write",
                 agentOf(history.write));
    checkReadsBefore(warp, op, lane, cta, at * granule, history.read);
    history.write = pack(agent, time);
    history.read = 0;
  }
}

/// PTX ISA, "Async proxy" and "cp.async.bulk".
void quack::sim::checkProxy(Warp &warp, const Op &op, uint32_t lane, Cta &cta,
                            uint32_t offset, uint32_t bytes) {
  Cluster &cluster = *warp.cluster;
  uint32_t granule = cluster.program.sharedGranule;
  for (uint32_t at = offset / granule; at <= (offset + bytes - 1) / granule;
       ++at) {
    uint32_t write = cta.history[at].write;
    if (!write || agentOf(write) >= cluster.warps.size())
      continue;
    const Warp &writer = cluster.warps[agentOf(write)];
    if ((write & timeMask) <= writer.proxyFenced)
      continue;
    return report(warp, op, lane, "proxy-fence",
                  "a bulk copy touches shared offset " +
                      llvm::Twine(at * granule) + " of CTA " +
                      llvm::Twine(cta.number) + ", which warp " +
                      llvm::Twine(writer.number) +
                      " wrote without a fence.proxy.async since");
  }
}
