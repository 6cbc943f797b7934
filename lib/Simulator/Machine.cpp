//===- Machine.cpp - clusters run together ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts clusters where there is room and gives their warps turns by the
// schedule, until all have exited or nobody can go on. Clusters start in
// ascending order (eager), in descending order (lazy) or in an order that the
// seed fixes (random): PTX ISA, "Cooperative thread arrays", promises none.
//
//===----------------------------------------------------------------------===//
#include "Machine.h"

#include "Async.h"
#include "Checks.h"
#include "Divergence.h"

#include <algorithm>

using namespace quack::sim;

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

Grid::Grid(const Launch &launch)
    : launch(launch),
      clusters(launch.config->grid.count() / launch.clusterSize),
      counts(launch.program->ops.size()),
      memoryCounts(launch.program->ops.size()) {
  if (launch.options->countsTouched)
    touched.resize(launch.program->ops.size());
}

uint64_t Grid::takeNext(Random &random) {
  // The random order is drawn from a window: clusters far apart in the grid
  // start far apart in time, as they do on a GPU.
  constexpr size_t windowSize = 256;
  uint64_t next = started++;
  switch (launch.options->schedule) {
  case Schedule::eager:
    break;
  case Schedule::lazy:
    return clusters - 1 - next;
  case Schedule::random:
    while (window.size() < windowSize && next + window.size() < clusters)
      window.push_back(next + window.size());
    std::swap(window[random.below(uint32_t(window.size()))], window.back());
    next = window.back();
    window.pop_back();
    break;
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Start and exit of clusters
//===----------------------------------------------------------------------===//

Machine::Machine(llvm::ArrayRef<const Launch *> launches)
    : options(*launches.front()->options) {
  for (const Launch *launch : launches) {
    grids.emplace_back(*launch);
    grids.back().number = uint32_t(grids.size() - 1);
    grids.back().isProgrammatic = grids.size() > 1;
  }
  if (!(options.checks & checkRaces))
    return;
  log.setCapacity(options.accessLimit);
  for (const Launch *launch : launches)
    global.granule = std::min(global.granule, launch->program->globalGranule);
  for (const Launch *launch : launches)
    global.addBuffers(launch->buffers);
}

uint64_t Machine::shadowBytes() const {
  uint64_t bytes = log.hostBytes() + global.hostBytes();
  for (const std::unique_ptr<Cluster> &cluster : clusters)
    for (const Cta &cta : cluster->ctas)
      bytes += cta.shadow.hostBytes();
  return bytes;
}

void Machine::reset(uint64_t number) {
  random.begin(options.seed, number);
  steps = quietSince = 0;
  slept = clockReads = 0;
  warpsStarted = ctasStarted = 0;
  log.clear();
  global.clear();
  locations.clear();
  isStopped = false;
  fromCluster = fromWarp = 0;
  passesOn = false;
  watch.reset();
}

/// Returns a cluster that does not run.
Cluster &Machine::makeCluster(Grid &grid) {
  for (size_t i = idle.size(); i-- > 0;)
    if (&idle[i]->grid == &grid) {
      Cluster &cluster = *idle[i];
      idle.erase(idle.begin() + i);
      return cluster;
    }
  clusters.push_back(std::make_unique<Cluster>(*this, grid));
  return *clusters.back();
}

static CtaNeeds needsOf(const Launch &launch) {
  return {uint32_t(launch.config->block.count()), launch.sharedBytes};
}

void Machine::noteGone(Cta &cta, Grid &grid) {
  if (!cta.isGone)
    ++grid.goneCtas;
  cta.isGone = true;
}

/// Whether a launch's turn has come: the launch before it has started and each
/// of its CTAs is gone.
bool Machine::mayStart(size_t grid) const {
  for (size_t i = grid; i > 0; --i)
    if (grids[i - 1].goneCtas !=
        grids[i - 1].clusters * grids[i - 1].launch.clusterSize)
      return false;
  return true;
}

/// Starts the next cluster if there is one and room for it.
bool Machine::startNext() {
  for (Grid &grid : grids) {
    if (grid.started == grid.clusters)
      continue;
    if (!mayStart(grid.number))
      return false;
    auto places =
        residency.place(needsOf(grid.launch), grid.launch.clusterSize);
    if (places.empty())
      return false;
    Cluster &cluster = makeCluster(grid);
    cluster.start(grid.takeNext(random), places);
    // Lazily, a dependent launch runs before what it depends on is done.
    if (options.schedule == Schedule::lazy && grid.isProgrammatic) {
      live.insert(live.begin(), &cluster);
      fromCluster = 0;
      fromWarp = cluster.firstWarp();
    } else {
      live.push_back(&cluster);
    }
    watch.interrupt();
    return true;
  }
  return false;
}

/// Starts a cluster of a launch whose turn has come while those before it run.
bool Machine::startDependent() {
  for (const Grid &grid : grids)
    if (grid.started < grid.clusters)
      return grid.isProgrammatic && startNext();
  return false;
}

void Machine::retire(Cluster &cluster) {
  for (const Cta &cta : cluster.ctas)
    if (isTogether)
      residency.remove(needsOf(cluster.launch), cta.sm);
  live.erase(std::find(live.begin(), live.end(), &cluster));
  idle.push_back(&cluster);
  for (Cta &cta : cluster.ctas) {
    noteGone(cta, cluster.grid);
    if (grids.size() > 1)
      cluster.grid.exitClock.join(cta.exitClock);
  }
  if (++cluster.grid.exited == cluster.grid.clusters)
    for (Cluster *waiting : live)
      ++waiting->events;
  watch.interrupt();
  fromCluster = 0;
  fromWarp = live.empty() ? 0 : live.front()->firstWarp();
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// Returns the next warp that can go on, if any: of the cluster whose turn it
/// is, then of those after it, then of those before.
Warp *Machine::pick() {
  if (options.schedule == Schedule::random && !watch.isSearching()) {
    fromCluster = random.below(uint32_t(live.size()));
    Cluster &cluster = *live[fromCluster];
    fromWarp = random.below(uint32_t(cluster.warps.size()));
    if (!cluster.pending.empty() && random.below(4) == 0)
      progress(cluster, random.below(uint32_t(cluster.pending.size())));
  }
  size_t at = fromCluster;
  if (Warp *warp = live[at]->pickWarp(fromWarp))
    return warp;
  // Clusters that have not started come after the last that has.
  for (size_t i = passesOn; i <= live.size(); ++i) {
    at = (fromCluster + i) % live.size();
    if (i && at == 0 && passesOn && isTogether && startNext())
      at = live.size() - 1;
    if (Warp *warp = live[at]->pickWarp(live[at]->firstWarp())) {
      fromCluster = at;
      return warp;
    }
  }
  return nullptr;
}

/// Instructions after which a loop that polls nothing is taken for one that
/// does.
static constexpr uint64_t patience = 1 << 20;

/// Says whose turn is next after `warp`'s. A cluster runs as far as it gets;
/// but who polls lets all others run, clusters that have not started too: they
/// may be who is waited for.
void Machine::moveTurn(const Warp &warp) {
  const Cluster &cluster = *warp.cluster;
  passesOn = warp.yields && (warp.polls || steps - quietSince > patience);
  fromWarp = warp.yields ? cluster.nextWarp(warp.agent) : cluster.firstWarp();
}

void Machine::giveTurn(Warp &warp) {
  Cluster &cluster = *warp.cluster;
  uint64_t events = cluster.events;
  cluster.stuckAt = UINT64_MAX;
  bool isShort = options.schedule == Schedule::random && !watch.isSearching();
  runFragment(warp, isShort ? 1 + random.below(64) : UINT32_MAX);
  if (cluster.events != events || !warp.yields)
    quietSince = steps;
  if (warp.isLoose && warp.yields && warp.polls && releaseWaiting(warp))
    cluster.stuckAt = UINT64_MAX;
  moveTurn(warp);
  if (steps > options.stepLimit && !warp.fragments.empty()) {
    warp.current = 0;
    report(warp, cluster.program.ops[warp.fragment().pc], 0, "step-limit",
           std::to_string(steps) + " instructions have run");
    isStopped = true;
  }
}

/// Lanes that poll may do so forever.
void Machine::checkProgress(const Warp &warp) {
  if (!watch.isSearching()) {
    if (passesOn)
      watch.begin(*this);
    return;
  }
  uint64_t place = uint64_t(fromCluster) << 32 | fromWarp << 1 | passesOn;
  if (!watch.note(*this, warp, place))
    return;
  watch.interrupt();
  // What they poll may be what an asynchronous operation is about to write.
  for (Cluster *cluster : live)
    if (progressAny(*cluster))
      return;
  // So may lanes that wait for those who poll to meet them.
  bool isReleased = false;
  for (Cluster *cluster : live)
    for (Warp &each : cluster->warps)
      if (releaseWaiting(each)) {
        isReleased = true;
        cluster->stuckAt = UINT64_MAX;
      }
  if (!isReleased)
    reportDeadlock(*this, /*spin=*/true);
}

void Machine::run() {
  bool isRandom = options.schedule == Schedule::random;
  while (!isStopped) {
    while (options.schedule == Schedule::lazy && startDependent())
      ;
    if (isTogether && (live.empty() || (isRandom && !watch.isSearching() &&
                                        random.below(4) == 0)))
      startNext();
    if (live.empty())
      return;
    if (Warp *warp = pick()) {
      giveTurn(*warp);
      if (!warp->cluster->liveThreads)
        retire(*warp->cluster);
      else
        checkProgress(*warp);
    } else if (!isTogether || !startNext()) {
      reportDeadlock(*this);
    }
  }
  while (!live.empty())
    retire(*live.back());
}

void Machine::runAlone(uint64_t number) {
  reset(number);
  Grid &grid = grids.front();
  grid.reported.clear();
  Cluster &cluster = makeCluster(grid);
  llvm::SmallVector<uint32_t, 16> sms;
  for (uint64_t rank = 0; rank < grid.launch.clusterSize; ++rank)
    sms.push_back(
        uint32_t((number * grid.launch.clusterSize + rank) % deviceLimits.sms));
  cluster.start(number, sms);
  live.assign(1, &cluster);
  fromWarp = cluster.firstWarp();
  run();
}

void Machine::runTogether() {
  isTogether = true;
  reset(0);
  run();
}
