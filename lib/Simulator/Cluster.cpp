//===- Cluster.cpp - a cluster runs ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the CTAs of a cluster together and gives their warps turns by the
// schedule, until all have exited or nobody can go on.
//
//===----------------------------------------------------------------------===//

#include "Async.h"

#include <algorithm>

using namespace quack::sim;

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

Cluster::Cluster(const Launch &launch)
    : launch(launch), program(*launch.program) {
  unsigned checks = launch.options->checks;
  checksUndefined = checks & checkUndefined;
  checksAsync = checks & checkAsync;
  checksRaces = checks & checkRaces;
  checksProtocol = checks & checkProtocol;
  counts.resize(program.ops.size());
  memoryCounts.resize(program.ops.size());
  if (launch.options->countsTouched)
    touched.resize(program.ops.size());
  uint32_t threads = uint32_t(launch.config->block.count());
  uint32_t warpsPerCta = (threads + warpLanes - 1) / warpLanes;
  ctas.resize(launch.clusterSize);
  warps.resize(size_t(launch.clusterSize) * warpsPerCta);
  files.resize(warps.size() * program.slots * slotBytes);
  definedness.resize(warps.size() * program.slots);
  origins.resize(warps.size() * program.slots);
  for (uint32_t i = 0; i < warps.size(); ++i) {
    Warp &warp = warps[i];
    warp.cluster = this;
    warp.cta = &ctas[i / warpsPerCta];
    warp.number = i % warpsPerCta;
    warp.agent = i;
    warp.file = files.data() + size_t(i) * program.slots * slotBytes;
    warp.defined = definedness.data() + size_t(i) * program.slots;
    warp.origin = origins.data() + size_t(i) * program.slots;
    uint32_t first = warp.number * warpLanes;
    uint32_t count = std::min(threads - first, warpLanes);
    warp.lanes = count == warpLanes ? allLanes : (1u << count) - 1;
  }
}

Cluster::~Cluster() = default;

static uint32_t specialOf(const Launch &launch, const Cluster &cluster,
                          const Warp &warp, Special which, unsigned lane) {
  const Extent &grid = launch.config->grid, &block = launch.config->block,
               &size = launch.config->cluster;
  const Extent &id = warp.cta->id;
  uint32_t thread = warp.number * warpLanes + lane;
  switch (which) {
  case Special::tidX:
    return thread % block.x;
  case Special::tidY:
    return thread / block.x % block.y;
  case Special::tidZ:
    return thread / block.x / block.y;
  case Special::ntidX:
    return block.x;
  case Special::ntidY:
    return block.y;
  case Special::ntidZ:
    return block.z;
  case Special::laneid:
    return lane;
  case Special::warpid:
    return warp.number;
  case Special::nwarpid:
    return uint32_t(cluster.warps.size() / cluster.ctas.size());
  case Special::ctaidX:
    return id.x;
  case Special::ctaidY:
    return id.y;
  case Special::ctaidZ:
    return id.z;
  case Special::nctaidX:
    return grid.x;
  case Special::nctaidY:
    return grid.y;
  case Special::nctaidZ:
    return grid.z;
  case Special::clusteridX:
    return id.x / size.x;
  case Special::clusteridY:
    return id.y / size.y;
  case Special::clusteridZ:
    return id.z / size.z;
  case Special::nclusteridX:
    return grid.x / size.x;
  case Special::nclusteridY:
    return grid.y / size.y;
  case Special::nclusteridZ:
    return grid.z / size.z;
  case Special::clusterCtaidX:
    return id.x % size.x;
  case Special::clusterCtaidY:
    return id.y % size.y;
  case Special::clusterCtaidZ:
    return id.z % size.z;
  case Special::clusterNctaidX:
    return size.x;
  case Special::clusterNctaidY:
    return size.y;
  case Special::clusterNctaidZ:
    return size.z;
  case Special::clusterCtarank:
    return warp.cta->rank;
  case Special::clusterNctarank:
    return launch.clusterSize;
  case Special::isExplicitCluster:
    return launch.clusterSize > 1;
  case Special::lanemaskEq:
    return 1u << lane;
  case Special::lanemaskLt:
    return (1u << lane) - 1;
  case Special::lanemaskLe:
    return (2u << lane) - 1;
  case Special::lanemaskGt:
    return ~((2u << lane) - 1);
  case Special::lanemaskGe:
    return ~((1u << lane) - 1);
  case Special::nsmid:
    return 132;
  case Special::dynamicSmemSize:
    return launch.config->sharedBytes;
  case Special::totalSmemSize:
    return launch.sharedBytes;
  default:
    return 0;
  }
}

/// Fills what is known before the first instruction. Registers start undefined,
/// their bits zero.
void Cluster::startWarp(Warp &warp) {
  std::fill_n(warp.file, size_t(program.slots) * slotBytes, 0);
  std::fill_n(warp.defined, program.slots, checksUndefined ? 0 : allLanes);
  std::fill_n(warp.origin, program.slots, 0);
  std::fill_n(warp.defined, firstFreeSlot, allLanes);
  for (const SlotConstant &constant : program.constants) {
    warp.defined[constant.slot] = allLanes;
    for (unsigned i = 0; i < warpLanes; ++i)
      if (constant.type == Type::b16)
        warp.reg<uint16_t>(constant.slot)[i] = uint16_t(constant.bits);
      else if (constant.type == Type::b32)
        warp.reg<uint32_t>(constant.slot)[i] = uint32_t(constant.bits);
      else
        warp.reg<uint64_t>(constant.slot)[i] = constant.bits;
  }
  for (const SlotSpecial &special : program.specials) {
    warp.defined[special.slot] = allLanes;
    for (unsigned i = 0; i < warpLanes; ++i) {
      uint32_t value = specialOf(launch, *this, warp, special.special, i);
      if (special.isWide)
        warp.reg<uint64_t>(special.slot)[i] = value;
      else
        warp.reg<uint32_t>(special.slot)[i] = value;
    }
  }
  warp.exited = 0;
  warp.fragments.clear();
  warp.joins.clear();
  warp.fragments.emplace_back();
  warp.fragments.back().lanes = warp.lanes;
  warp.clusterArrived = warp.clusterPhase = warp.clusterWaits = 0;
  warp.asyncTime = 0;
  warp.copyGroups.reset();
  warp.bulkGroups.reset();
  warp.hasFencedInit = false;
  warp.proxyFenced = 0;
  if (!checksRaces)
    return;
  warp.clock.assign(2 * warps.size(), 0);
  warp.known.assign(2 * warps.size(), 0);
  warp.clock[warp.agent] = 1;
}

void Cluster::reset(uint64_t number) {
  index = number;
  const Extent &grid = launch.config->grid, &size = launch.config->cluster;
  uint64_t clustersX = grid.x / size.x, clustersY = grid.y / size.y;
  uint64_t x = number % clustersX, y = number / clustersX % clustersY,
           z = number / clustersX / clustersY;
  size_t agents = checksRaces ? 2 * warps.size() : 0;
  uint32_t threads = uint32_t(launch.config->block.count());
  for (uint32_t rank = 0; rank < ctas.size(); ++rank) {
    Cta &cta = ctas[rank];
    cta.rank = rank;
    cta.id.x = uint32_t(x * size.x + rank % size.x);
    cta.id.y = uint32_t(y * size.y + rank / size.x % size.y);
    cta.id.z = uint32_t(z * size.z + rank / size.x / size.y);
    cta.number =
        cta.id.x + uint64_t(grid.x) * (cta.id.y + uint64_t(grid.y) * cta.id.z);
    cta.shared.assign(launch.sharedBytes, 0);
    cta.state.assign(launch.sharedBytes,
                     checksUndefined ? byteUnwritten : byteWritten);
    if (checksRaces)
      cta.history.assign(launch.sharedBytes / program.sharedGranule + 1, {});
    cta.mbarriers.clear();
    cta.mbarrierCount = 0;
    for (NamedBarrier &barrier : cta.barriers) {
      barrier = NamedBarrier();
      barrier.clock.assign(agents, 0);
      barrier.released.assign(agents, 0);
    }
    cta.liveThreads = threads;
    cta.hasExited = false;
  }
  pending.clear();
  readSets.clear();
  random.begin(launch.options->seed, number);
  clusterPhase = clusterArrivals = 0;
  liveThreads = threads * uint32_t(ctas.size());
  for (Clock *clock :
       {&clusterClock, &clusterReleased, &clusterKnown, &clusterKnownReleased})
    clock->assign(agents, 0);
  events = steps = 0;
  isStopped = false;
  reported.clear();
  for (Warp &warp : warps)
    startWarp(warp);
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

static bool canRun(const Cluster &cluster, const Fragment &fragment) {
  return fragment.wait == Wait::none || fragment.seen != cluster.events;
}

/// Sets `warp.current` to a fragment that can run, from the one after the
/// current on.
static bool pickFragment(Cluster &cluster, Warp &warp) {
  unsigned count = unsigned(warp.fragments.size());
  for (unsigned i = 1; i <= count; ++i) {
    unsigned at = (warp.current + i) % count;
    if (canRun(cluster, warp.fragments[at])) {
      warp.current = at;
      return true;
    }
  }
  return false;
}

/// Returns the next warp to run: the first from `from` on, up or down.
static Warp *pickWarp(Cluster &cluster, size_t from, bool down) {
  size_t count = cluster.warps.size();
  for (size_t i = 0; i < count; ++i) {
    size_t at = down ? (from + count - i) % count : (from + i) % count;
    if (pickFragment(cluster, cluster.warps[at]))
      return &cluster.warps[at];
  }
  return nullptr;
}

/// Rounds in which waiting lanes may try again although nothing has happened:
/// a program may do something else after a wait that failed.
static constexpr unsigned idleRounds = 4;

void Cluster::run(uint64_t number) {
  reset(number);
  Schedule schedule = launch.options->schedule;
  bool isRandom = schedule == Schedule::random,
       down = schedule == Schedule::lazy;
  size_t home = down ? warps.size() - 1 : 0, from = home;
  unsigned idle = 0;
  uint64_t idleSince = 0;
  while (!isStopped && liveThreads) {
    if (isRandom) {
      from = random.below(uint32_t(warps.size()));
      if (!pending.empty() && random.below(4) == 0)
        progress(*this, random.below(uint32_t(pending.size())));
    }
    Warp *warp = pickWarp(*this, from, down);
    if (warp) {
      runFragment(*warp, isRandom ? 1 + random.below(64) : UINT32_MAX);
      from = warp->yields
                 ? (warp->agent + (down ? warps.size() - 1 : 1)) % warps.size()
                 : home;
      if (steps > launch.options->stepLimit && !warp->fragments.empty()) {
        warp->current = 0;
        report(*warp, program.ops[warp->fragment().pc], 0, "step-limit",
               "the cluster has run " + std::to_string(steps) +
                   " instructions");
        isStopped = true;
      }
      continue;
    }
    if (progressAny(*this))
      continue;
    idle = idleSince == events ? idle + 1 : 1;
    if (idle > idleRounds) {
      reportDeadlock(*this);
      break;
    }
    bool polls = false;
    for (Warp &each : warps)
      for (Fragment &fragment : each.fragments)
        if (fragment.wait == Wait::poll) {
          fragment.seen = UINT64_MAX;
          polls = true;
        }
    idleSince = events;
    if (!polls)
      idle = idleRounds;
  }
}
