//===- Warp.h - the state of a warp -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp: its registers, where its lanes are, what they know of others; and how
// it is made to run.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_WARP_H
#define QUACK_LIB_SIMULATOR_WARP_H

#include "Clocks.h"

#include "llvm/ADT/SmallVector.h"

#include <map>
#include <memory>

namespace quack::sim {

struct AsyncGroups;
struct CallState;
struct Cta;
struct Cluster;

enum class Wait : uint8_t {
  none,
  poll,    ///< tried an mbarrier in vain
  barrier, ///< bar.sync `what`
  cluster, ///< barrier.cluster.wait
  lanes,   ///< a .sync instruction whose mask names lanes elsewhere
  grid,    ///< griddepcontrol.wait: for launch `what`
};

/// Lanes of a warp at one program counter.
struct Fragment {
  uint32_t lanes = 0;
  uint32_t pc = 0;
  int join = -1;       ///< where it meets its siblings; an index of Warp::joins
  int activation = -1; ///< the function it is in: of CallState::activations
  Wait wait = Wait::none;
  uint32_t what = 0;
  uint32_t at = 0;     ///< the instruction that waits
  uint64_t seen = 0;   ///< Cluster::events when it began to wait
  uint32_t turns = 0;  ///< backward jumps since it last let others run
  bool hasMet = false; ///< the instruction was done by those it waited for
};

/// A place where the lanes that a branch parted meet again.
struct Join {
  uint32_t pc = 0;
  uint32_t lanes = 0, arrived = 0;
  int parent = -1;
  int activation = -1; ///< that of those who meet
  bool isOpen = false;
};

/// By AgentKind: up to when each lane's own operations are done.
using OwnTimes = std::array<LaneTimes, numAgentKinds>;

/// How far a scope reaches: to the threads of the CTA, of the cluster, to all.
inline constexpr unsigned numReaches = 3;

/// What a fence hands on.
struct ReleasedByFence {
  Clock clock;
  uint32_t time = 0;                   ///< the step before it; 0: no fence
  std::shared_ptr<const OwnTimes> own; ///< Warp::ownTimes then, if any
};

/// What the fences of lanes have made ready, by how far those reach.
struct FenceState {
  std::array<ReleasedByFence, numReaches> released; ///< by the last fence
  std::array<Clock, numReaches> observed; ///< what the next fence acquires
};

/// Lanes of a warp that know the same of others.
struct LaneGroup {
  uint32_t lanes = 0;
  Clock clock;
  std::shared_ptr<FenceState> fences; ///< shared until it changes
};

/// What a location hands on: to threads of a CTA from those of the same CTA,
/// to threads of a cluster from those of the same cluster, and from anyone to
/// all.
struct HandedOn {
  std::map<uint32_t, Clock> inCta, inCluster; ///< by Cta::index, of the first
  Clock toAll;
  void clear() { *this = {}; }
};

/// A location that is accessed strongly.
struct Location {
  HandedOn handedOn; ///< by its present value
  // Who has written that, and how far the write's scope reaches.
  uint32_t cta = 0, cluster = 0;
  unsigned reach = 0;
  /// What a thread has released or observed here, by how far the other side
  /// must reach; for programs that need it.
  struct Own {
    std::array<Clock, numReaches> released, observed;
  };
  std::map<std::pair<uint32_t, uint32_t>, Own> own; ///< by warp and lane
};

/// The number that an instruction of a warp has in the log, for one of the
/// warp's steps.
struct CachedEvent {
  const Op *op = nullptr;
  uint32_t time = 0, event = 0, generation = 0;
};

struct Warp {
  Cluster *cluster = nullptr;
  Cta *cta = nullptr;
  uint32_t number = 0; ///< in its CTA
  uint32_t agent = 0;  ///< in the cluster
  uint32_t serial = 0; ///< over all warps that the machine has started
  uint8_t *file = nullptr;
  uint32_t *defined = nullptr; ///< by slot: the lanes whose value is defined
  uint32_t *origin = nullptr;  ///< by slot: the line of an undefined value
  /// By slot: of the lanes that `defined` lacks, those whose value is defined in
  /// some halves of 16 bits; and the lanes of each half, a slot each (Halves.h).
  uint32_t *partly = nullptr, *halves = nullptr;
  uint32_t lanes = 0, exited = 0;

  llvm::SmallVector<Fragment, 4> fragments;
  llvm::SmallVector<Join, 4> joins;
  unsigned current = 0;   ///< the running fragment
  bool yields = false;    ///< the running fragment lets others run
  bool polls = false;     ///< it has looked at what others may change
  bool isLoose = false;   ///< lanes have left joins without their siblings
  uint32_t asyncTime = 0; ///< of its operations that complete by groups

  uint32_t clusterArrived = 0; ///< lanes that arrived and did not wait
  uint32_t clusterPhase = 0;   ///< of that arrival

  std::unique_ptr<AsyncGroups> copyGroups, bulkGroups; ///< if there are any
  std::unique_ptr<CallState> calls; ///< if there are functions or frames

  llvm::SmallVector<LaneGroup, 1> groups;
  uint32_t time = 1; ///< the present step; ends with each release
  OwnTimes ownTimes;
  bool hasOwnTimes = false;
  std::array<CachedEvent, 32> cachedEvents;

  template <typename T> T *reg(Slot slot) {
    return reinterpret_cast<T *>(file + size_t(slot) * slotBytes);
  }
  uint32_t &mask(Slot slot) { return *reg<uint32_t>(slot); }
  void define(Slot slot, uint32_t which, uint32_t areDefined) {
    defined[slot] = (defined[slot] & ~which) | (areDefined & which);
    if (__builtin_expect(which & ~areDefined, 0))
      partly[slot] &= ~(which & ~areDefined);
  }
  Fragment &fragment() { return fragments[current]; }
};

inline uint32_t firstLane(uint32_t lanes) {
  return uint32_t(__builtin_ctz(lanes));
}

//===----------------------------------------------------------------------===//
// Running (Warp.cpp)
//===----------------------------------------------------------------------===//

/// Runs the warp's current fragment for up to `budget` instructions, until it
/// waits, yields or ends.
void runFragment(Warp &warp, uint64_t budget);
/// Backward jumps after which a fragment lets others run.
inline constexpr uint32_t turnLimit = 256;
/// Notes an access that may wait for another thread: a loop around it is cut
/// short.
inline void notePoll(Warp &warp) {
  warp.polls = true;
  warp.fragment().turns += turnLimit / 4;
}
/// Notes a backward jump: a fragment lets others run after some.
inline void noteBackwardJump(Warp &warp) {
  uint32_t &turns = warp.fragment().turns;
  if (++turns <= turnLimit)
    return;
  turns = 0;
  warp.yields = true;
}
/// Makes the lanes of the current fragment wait; they execute this instruction
/// again after the next event.
void waitHere(Warp &warp, Wait wait, uint32_t what);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_WARP_H
