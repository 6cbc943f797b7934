//===- CircleWatch.h - clusters that run in circles -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that poll global memory never wait in the machine's sense: they run on
// and on. When the whole state comes back, nothing will ever change: registers
// and program counters are compared after every turn (Brent's search for
// cycles, "An improved Monte Carlo factorization algorithm", 1980), memory when
// these agree. Such searches are short and far between.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_CIRCLEWATCH_H
#define QUACK_LIB_SIMULATOR_CIRCLEWATCH_H

#include <cstdint>
#include <vector>

namespace quack::sim {

struct Machine;
struct Warp;

class CircleWatch {
public:
  /// Forgets everything; the first search is a while away.
  void reset();
  /// Ends the search, if there is one: something has happened.
  void interrupt() { turnsLeft = 0; }
  bool isSearching() const { return turnsLeft != 0; }
  /// Begins a search if it is time.
  void begin(const Machine &machine);
  /// Notes a turn of `warp`; `place` says whose turn is next. Returns whether
  /// the machine runs in a circle.
  bool note(const Machine &machine, const Warp &warp, uint64_t place);

private:
  uint64_t nextSearch = 0; ///< in Machine::steps
  uint64_t turnsLeft = 0, turns = 0, nextMark = 0;
  std::vector<uint64_t> hashes; ///< of warps, by Warp::serial
  uint64_t all = 0;             ///< those of the live warps together
  uint64_t mark = 0, memory = 0;
  bool hasMemory = false;
};

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_CIRCLEWATCH_H
