//===- Cluster.cpp - a cluster runs ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the CTAs of a cluster together, and says which of its warps can go on.
//
//===----------------------------------------------------------------------===//
#include "Async.h"
#include "Calls.h"
#include "Order.h"

#include <algorithm>
#include <optional>

using namespace quack::sim;

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

Cluster::Cluster(Machine &machine, Grid &grid)
    : machine(machine), grid(grid), launch(grid.launch),
      program(*launch.program), counts(grid.counts),
      memoryCounts(grid.memoryCounts), touched(grid.touched) {
  unsigned checks = launch.options->checks;
  checksUndefined = checks & checkUndefined;
  checksAsync = checks & checkAsync;
  checksProtocol = checks & checkProtocol;
  tracksOrder = checks & (checkRaces | checkProtocol);
  uint32_t threads = uint32_t(launch.config->block.count());
  uint32_t warpsPerCta = (threads + warpLanes - 1) / warpLanes;
  ctas = std::vector<Cta>(launch.clusterSize);
  warps.resize(size_t(launch.clusterSize) * warpsPerCta);
  files.resize(warps.size() * program.slots * slotBytes);
  definedness.resize(warps.size() * program.slots);
  origins.resize(warps.size() * program.slots);
  parts.resize(warps.size() * program.slots);
  // Halves of a place at the end may be asked for that it does not have.
  halves.resize(warps.size() * program.slots + slotsOf(Type::b128));
  for (uint32_t i = 0; i < warps.size(); ++i) {
    Warp &warp = warps[i];
    warp.cluster = this;
    warp.cta = &ctas[i / warpsPerCta];
    warp.number = i % warpsPerCta;
    warp.agent = i;
    warp.file = files.data() + size_t(i) * program.slots * slotBytes;
    warp.defined = definedness.data() + size_t(i) * program.slots;
    warp.origin = origins.data() + size_t(i) * program.slots;
    warp.partly = parts.data() + size_t(i) * program.slots;
    warp.halves = halves.data() + size_t(i) * program.slots;
    uint32_t first = warp.number * warpLanes;
    uint32_t count = std::min(threads - first, warpLanes);
    warp.lanes = count == warpLanes ? allLanes : (1u << count) - 1;
  }
  for (Cta &cta : ctas)
    if (checks & checkRaces)
      cta.shadow.resize(launch.sharedBytes / program.sharedGranule + 1);
}

Cluster::~Cluster() = default;

/// PTX ISA, "Special Registers": those with .x, .y and .z, by their first.
static std::optional<uint32_t> extentOf(const Launch &launch, const Warp &warp,
                                        Special which, uint32_t thread) {
  const Extent &grid = launch.config->grid, &block = launch.config->block,
               &size = launch.config->cluster, &id = warp.cta->id;
  const std::pair<Special, Extent> all[] = {
      {Special::tidX,
       {thread % block.x, thread / block.x % block.y,
        thread / block.x / block.y}},
      {Special::ntidX, block},
      {Special::ctaidX, id},
      {Special::nctaidX, grid},
      {Special::clusteridX, {id.x / size.x, id.y / size.y, id.z / size.z}},
      {Special::nclusteridX,
       {grid.x / size.x, grid.y / size.y, grid.z / size.z}},
      {Special::clusterCtaidX, {id.x % size.x, id.y % size.y, id.z % size.z}},
      {Special::clusterNctaidX, size}};
  for (const auto &[first, extent] : all) {
    unsigned axis = unsigned(which) - unsigned(first);
    if (axis < 3)
      return axis == 0 ? extent.x : axis == 1 ? extent.y : extent.z;
  }
  return std::nullopt;
}

static uint32_t specialOf(const Launch &launch, const Cluster &cluster,
                          const Warp &warp, Special which, unsigned lane) {
  uint32_t thread = warp.number * warpLanes + lane;
  if (std::optional<uint32_t> value = extentOf(launch, warp, which, thread))
    return *value;
  switch (which) {
  case Special::laneid:
    return lane;
  case Special::warpid:
    return warp.number;
  case Special::nwarpid:
    return uint32_t(cluster.warps.size() / cluster.ctas.size());
  case Special::clusterCtarank:
    return warp.cta->rank;
  case Special::clusterNctarank:
    return launch.clusterSize;
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
  case Special::smid:
    return warp.cta->sm;
  case Special::gridid:
    return uint32_t(launch.gridId);
  case Special::nsmid:
    return deviceLimits.sms;
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
  std::fill_n(warp.partly, program.slots, 0);
  std::fill_n(warp.defined, carrySlot, allLanes);
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
    if (special.special == Special::isExplicitCluster) {
      bool isExplicit = launch.clusterSize > 1 || program.requiredCluster[0];
      warp.mask(special.slot) = isExplicit ? allLanes : 0;
      continue;
    }
    for (unsigned i = 0; i < warpLanes; ++i) {
      uint32_t value = specialOf(launch, *this, warp, special.special, i);
      if (special.isWide)
        warp.reg<uint64_t>(special.slot)[i] = value;
      else
        warp.reg<uint32_t>(special.slot)[i] = value;
    }
  }
  warp.serial = machine.warpsStarted++;
  warp.exited = 0;
  warp.isLoose = false;
  warp.fragments.clear();
  warp.joins.clear();
  warp.fragments.emplace_back();
  warp.fragments.back().lanes = warp.lanes;
  warp.clusterArrived = warp.clusterPhase = 0;
  warp.asyncTime = 0;
  warp.copyGroups.reset();
  warp.bulkGroups.reset();
  if (program.functions.size() > 1 || program.functions.front().frameBytes)
    warp.calls = std::make_unique<CallState>(program);
  startOrder(warp);
}

Extent quack::sim::ctaId(const Launch &launch, uint64_t cluster,
                         uint32_t rank) {
  const Extent &grid = launch.config->grid, &size = launch.config->cluster;
  uint64_t clustersX = grid.x / size.x, clustersY = grid.y / size.y;
  uint64_t x = cluster % clustersX, y = cluster / clustersX % clustersY,
           z = cluster / clustersX / clustersY;
  return {uint32_t(x * size.x + rank % size.x),
          uint32_t(y * size.y + rank / size.x % size.y),
          uint32_t(z * size.z + rank / size.x / size.y)};
}

uint64_t quack::sim::ctaNumber(const Launch &launch, const Extent &id) {
  const Extent &grid = launch.config->grid;
  return id.x + uint64_t(grid.x) * (id.y + uint64_t(grid.y) * id.z);
}

void Cluster::startCta(Cta &cta, uint32_t rank) {
  cta.rank = rank;
  cta.id = ctaId(launch, index, rank);
  cta.number = ctaNumber(launch, cta.id);
  cta.shared.assign(launch.sharedBytes, 0);
  cta.state.assign(launch.sharedBytes,
                   checksUndefined ? byteUnwritten : byteWritten);
  cta.index = machine.ctasStarted++;
  cta.firstWarp = uint32_t(rank * (warps.size() / ctas.size()));
  cta.numWarps = uint32_t(warps.size() / ctas.size());
  cta.shadow.clear();
  cta.exitClock.clear();
  cta.mbarriers.clear();
  cta.mbarrierCount = 0;
  for (NamedBarrier &barrier : cta.barriers)
    barrier = NamedBarrier();
  cta.liveThreads = uint32_t(launch.config->block.count());
  cta.hasExited = cta.isGone = false;
}

void Cluster::start(uint64_t number, llvm::ArrayRef<uint32_t> sms) {
  index = number;
  checksRaces = launch.options->checks & checkRaces;
  liveThreads = 0;
  for (uint32_t rank = 0; rank < ctas.size(); ++rank) {
    ctas[rank].sm = sms[rank];
    startCta(ctas[rank], rank);
    liveThreads += ctas[rank].liveThreads;
  }
  pending.clear();
  clusterPhase = clusterArrivals = 0;
  clusterClock.clear();
  clusterReleased.clear();
  events = idleAt = 0;
  idle = 0;
  stuckAt = UINT64_MAX;
  for (Warp &warp : warps)
    startWarp(warp);
}

//===----------------------------------------------------------------------===//
// Whose turn it is
//===----------------------------------------------------------------------===//

uint32_t Cluster::firstWarp() const {
  return machine.options.schedule == Schedule::lazy ? uint32_t(warps.size() - 1)
                                                    : 0;
}

uint32_t Cluster::nextWarp(uint32_t warp) const {
  if (machine.options.schedule != Schedule::lazy)
    return warp + 1;
  return warp ? warp - 1 : uint32_t(warps.size());
}

/// Sets `warp.current` to a fragment that can run, from the one after the
/// current on.
static bool pickFragment(const Cluster &cluster, Warp &warp) {
  unsigned count = unsigned(warp.fragments.size());
  for (unsigned i = 1; i <= count; ++i) {
    unsigned at = (warp.current + i) % count;
    const Fragment &fragment = warp.fragments[at];
    if (fragment.wait == Wait::none || fragment.seen != cluster.events) {
      warp.current = at;
      return true;
    }
  }
  return false;
}

Warp *Cluster::scan(uint32_t from) {
  for (; from < warps.size(); from = nextWarp(from))
    if (pickFragment(*this, warps[from]))
      return &warps[from];
  return nullptr;
}

/// Rounds in which waiting lanes may try again although nothing has happened:
/// a program may do something else after a wait that failed.
static constexpr unsigned idleRounds = 4;

/// Nobody can go on. Performs an asynchronous operation, or lets polling lanes
/// try again. Returns whether anybody may go on now.
bool Cluster::stir() {
  if (progressAny(*this))
    return true;
  idle = idleAt == events ? idle + 1 : 1;
  idleAt = events;
  if (idle > idleRounds)
    return false;
  bool polls = false;
  for (Warp &warp : warps)
    for (Fragment &fragment : warp.fragments)
      if (fragment.wait == Wait::poll) {
        fragment.seen = UINT64_MAX;
        polls = true;
      }
  return polls;
}

Warp *Cluster::pickWarp(uint32_t from) {
  if (stuckAt == events)
    return nullptr;
  if (from != firstWarp())
    return scan(from);
  do {
    if (Warp *warp = scan(from))
      return warp;
  } while (stir());
  stuckAt = events;
  return nullptr;
}
