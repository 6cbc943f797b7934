//===- Machine.h - the state of running clusters ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters, and the machine in which they are resident. Clusters meet in global
// memory only: a cluster of a kernel in which they cannot meet has a machine of
// its own while it runs.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_MACHINE_H
#define QUACK_LIB_SIMULATOR_MACHINE_H

#include "CircleWatch.h"
#include "Cta.h"
#include "GlobalRaces.h"
#include "Grid.h"
#include "Residency.h"
#include "Warp.h"

#include <deque>
#include <unordered_map>

namespace quack::sim {

struct AsyncOp;
struct Machine;

struct Cluster {
  Machine &machine;
  Grid &grid;
  const Launch &launch;
  const Program &program;
  uint64_t index = 0; ///< in the grid
  std::vector<Cta> ctas;
  std::vector<Warp> warps;
  std::deque<std::unique_ptr<AsyncOp>> pending; ///< oldest first

  // barrier.cluster
  uint32_t clusterPhase = 0, clusterArrivals = 0, liveThreads = 0;
  Clock clusterClock, clusterReleased;

  uint64_t events = 0; ///< grows whenever something that may be waited for ends
  uint64_t stuckAt = UINT64_MAX; ///< `events` when nobody could go on
  uint64_t idleAt = 0;           ///< `events` when waiting lanes tried again
  unsigned idle = 0;             ///< and how often they have since
  bool checksUndefined, checksAsync, checksProtocol;
  bool checksRaces = false;
  bool tracksOrder; ///< for the checks of races and of the protocol
  // The grid's.
  std::vector<OpCount> &counts;
  std::vector<MemoryCount> &memoryCounts;
  std::vector<TouchedBytes> &touched;

  Cluster(Machine &machine, Grid &grid);
  ~Cluster();
  /// Starts cluster `number` of the grid; its CTAs run on `sms`.
  void start(uint64_t number, llvm::ArrayRef<uint32_t> sms);
  /// Returns the first warp from `from` on, in the order of the schedule, that
  /// can go on.
  Warp *pickWarp(uint32_t from);
  /// Where the schedule's order of warps begins, and what comes after `warp`:
  /// warps.size() after the last.
  uint32_t firstWarp() const;
  uint32_t nextWarp(uint32_t warp) const;

private:
  std::vector<uint8_t> files;
  std::vector<uint32_t> definedness, origins, parts, halves;
  void startCta(Cta &cta, uint32_t rank);
  void startWarp(Warp &warp);
  Warp *scan(uint32_t from);
  bool stir();
};

/// Runs clusters and gives their warps turns by the schedule (Machine.cpp).
struct Machine {
  const Options &options;
  std::deque<Grid> grids; ///< in the order of the stream
  Random random;
  uint64_t steps = 0; ///< warp instructions
  bool isStopped = false;
  bool isTogether = false; ///< in runTogether
  CircleWatch watch;
  uint64_t slept = 0;      ///< simulated time that passed in nanosleep
  uint64_t clockReads = 0; ///< so that no two reads are the same
  uint32_t warpsStarted = 0, ctasStarted = 0;
  AccessLog log;
  GlobalShadow global; ///< cells, if races are checked
  std::unordered_map<uint64_t, Location> locations; ///< by Spot::key

  /// Simulated time, in nanoseconds and in cycles of the clock alike: one for
  /// each warp instruction.
  uint64_t now() { return steps + slept + ++clockReads; }
  /// Launches after the first are programmatic.
  explicit Machine(llvm::ArrayRef<const Launch *> launches);
  /// Runs cluster `number` of the only grid, alone.
  void runAlone(uint64_t number);
  /// Runs all grids. Resident clusters take turns; one that exits makes room
  /// for the next.
  void runTogether();
  /// Notes that a CTA lets dependent launches start.
  void noteGone(Cta &cta, Grid &grid);
  /// Returns the host's memory that the check of races takes.
  uint64_t shadowBytes() const;
  /// The clusters that have started and not exited, in the order of their
  /// turns.
  llvm::ArrayRef<Cluster *> liveClusters() const { return live; }

private:
  std::vector<std::unique_ptr<Cluster>> clusters; ///< of all times
  std::vector<Cluster *> live, idle;
  Residency residency;
  size_t fromCluster = 0;  ///< whose turn is next,
  uint32_t fromWarp = 0;   ///< and which of its warps'
  bool passesOn = false;   ///< the warp that had its turn polls
  uint64_t quietSince = 0; ///< `steps` when something has last happened

  void reset(uint64_t number);
  Cluster &makeCluster(Grid &grid);
  bool mayStart(size_t grid) const;
  bool startNext();
  bool startDependent();
  void retire(Cluster &cluster);
  Warp *pick();
  void giveTurn(Warp &warp);
  void moveTurn(const Warp &warp);
  void checkProgress(const Warp &warp);
  void run();
};

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_MACHINE_H
