//===- Clocks.h - what is ordered before a point ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector clocks over the lanes of every warp of a machine. A warp counts its
// steps; a clock holds a time for the whole warp and, rarely, one for each of
// its lanes. Clocks are kept by CTA, and those of a CTA are shared until
// somebody changes them: what a barrier hands to its threads is one object.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_CLOCKS_H
#define QUACK_LIB_SIMULATOR_CLOCKS_H

#include "Program.h"

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <vector>

namespace quack::sim {

/// Who acts: an index among the agents of a CTA. A warp is one agent of each
/// kind; an mbarrier is one, whose times are its phases.
struct Agent {
  uint32_t cta = 0, index = 0;
  bool operator==(const Agent &other) const {
    return cta == other.cta && index == other.index;
  }
};

/// The kinds of agents that a warp is: kind times mostWarps, plus its number.
enum class AgentKind : uint8_t {
  lanes,        ///< what its lanes do themselves
  sharedFenced, ///< of that, what lies before a fence.proxy.async of its lane:
  globalFenced, ///< for shared memory, and for global memory
  copy,         ///< cp.async, in the order of issue
  copyFenced,   ///< of that, what lies before a fence.proxy.async
  bulkRead,     ///< what bulk copies of groups read, in the order of issue,
  bulkWrite,    ///< and what they write
  count
};

inline constexpr unsigned numAgentKinds = unsigned(AgentKind::count);

/// A CTA has at most 32 warps. The agents of mbarriers are numbered apart.
inline constexpr uint32_t mostWarps = 32;
inline constexpr uint32_t firstMBarrierAgent = 1u << 31;

/// The time of an asynchronous operation that has not completed.
inline constexpr uint32_t neverTime = UINT32_MAX;

using LaneTimes = std::array<uint32_t, warpLanes>;

/// What of one CTA's past is known.
struct CtaTimes : llvm::RefCountedBase<CtaTimes> {
  /// By agent, for all its lanes: of warps and of mbarriers.
  std::array<std::vector<uint32_t>, 2> times;
  /// Agents of whose lanes some are known further; lanes that do not exist
  /// have neverTime.
  llvm::SmallVector<std::pair<uint32_t, LaneTimes>, 0> lanes;

  uint32_t time(uint32_t agent) const {
    const std::vector<uint32_t> &list = times[agent / firstMBarrierAgent];
    uint32_t at = agent % firstMBarrierAgent;
    return at < list.size() ? list[at] : 0;
  }
  uint32_t &change(uint32_t agent) {
    std::vector<uint32_t> &list = times[agent / firstMBarrierAgent];
    uint32_t at = agent % firstMBarrierAgent;
    if (at >= list.size())
      list.resize(at + 1);
    return list[at];
  }
  const LaneTimes *findLanes(uint32_t agent) const {
    for (const auto &entry : lanes)
      if (entry.first == agent)
        return &entry.second;
    return nullptr;
  }
};

class Clock {
public:
  /// Returns which of `lanes` of the agent are known up to `time`.
  uint32_t known(Agent agent, uint32_t lanes, uint32_t time) const;
  bool knows(Agent agent, uint32_t time) const {
    const CtaTimes *of = find(agent.cta);
    return of && of->time(agent.index) >= time;
  }
  /// Returns up to when the agent is known as a whole.
  uint32_t time(Agent agent) const {
    const CtaTimes *of = find(agent.cta);
    return of ? of->time(agent.index) : 0;
  }
  /// Returns whether anything of a CTA is known: then it has started.
  bool knowsCta(uint32_t cta) const { return find(cta) != nullptr; }

  /// Notes that `lanes` of the agent, of its `all` lanes, are known up to
  /// `time`.
  void learn(Agent agent, uint32_t lanes, uint32_t all, uint32_t time);
  void learn(Agent agent, uint32_t time) {
    learn(agent, allLanes, allLanes, time);
  }
  /// Notes that a CTA has started.
  void learnCta(uint32_t cta) {
    if (!knowsCta(cta))
      change(cta);
  }
  /// Returns whether the other knows more.
  bool join(const Clock &other);
  void clear() { entries.clear(); }
  bool isEmpty() const { return entries.empty(); }
  /// Returns whether both are the same objects.
  bool isSame(const Clock &other) const;

private:
  struct Entry {
    uint32_t cta;
    llvm::IntrusiveRefCntPtr<CtaTimes> times;
  };
  llvm::SmallVector<Entry, 1> entries; ///< by CTA, ascending

  const CtaTimes *find(uint32_t cta) const;
  /// Returns the times of a CTA for changes: nobody shares them.
  CtaTimes &change(uint32_t cta);
};

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_CLOCKS_H
