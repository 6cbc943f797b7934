//===- Grid.h - a launch and how far it is ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch is given; and of its grid, which clusters are left to start and
// what those that ran did.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_GRID_H
#define QUACK_LIB_SIMULATOR_GRID_H

#include "Clocks.h"
#include "Counters.h"

#include "quack/Simulator/Simulator.h"

#include <set>

namespace quack::sim {

class Trace;

/// splitmix64.
struct Random {
  uint64_t state = 0;
  /// Begins a stream of its own for each seed and number.
  void begin(uint64_t seed, uint64_t number) {
    state = seed;
    state = next() + number;
    state = next();
  }
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t bound) {
    return uint32_t((next() >> 32) * bound >> 32);
  }
};

struct OpCount {
  uint64_t warps = 0, lanes = 0;
};

/// What every cluster of a launch shares; nothing of it changes.
struct Launch {
  const Program *program = nullptr;
  const Trace *trace = nullptr; ///< if the program is a trace's
  const LaunchConfig *config = nullptr;
  const Options *options = nullptr;
  std::vector<uint8_t> parameters;
  std::vector<Buffer> buffers; ///< the launch's and the module's
  bool hasUnwritten = false;   ///< some buffer may have bytes without values
  uint32_t sharedBytes = 0;    ///< static and dynamic
  uint32_t clusterSize = 1;
  uint64_t gridId = 0;
};

/// A launch in a machine: what is left to start, and what it did.
struct Grid {
  const Launch &launch;
  uint32_t number = 0; ///< in the machine's stream
  bool isProgrammatic = false;
  uint64_t clusters;     ///< in all
  uint64_t started = 0;  ///< clusters that run or have run
  uint64_t exited = 0;   ///< clusters that have run
  uint64_t goneCtas = 0; ///< CTAs that let dependent launches start
  Clock exitClock;       ///< what its threads knew when they exited
  /// Of the random schedule: clusters of which the next one is drawn.
  std::vector<uint64_t> window;

  std::vector<OpCount> counts;           ///< by Op::index
  std::vector<MemoryCount> memoryCounts; ///< by Op::index
  std::vector<TouchedBytes> touched;     ///< by Op::index, if asked for
  uint64_t barrierCount = 0, shuffleCount = 0;
  std::vector<Fault> faults;
  std::set<std::pair<std::string, uint32_t>> reported;

  explicit Grid(const Launch &launch);
  bool isComplete() const { return exited == clusters; }
  /// Returns the cluster to start next; there is one.
  uint64_t takeNext(Random &random);
};

/// Where in the grid a CTA of a cluster is.
Extent ctaId(const Launch &launch, uint64_t cluster, uint32_t rank);
uint64_t ctaNumber(const Launch &launch, const Extent &id);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_GRID_H
