//===- tools/quack-bench/Contest.h - implementations side by side *- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times implementations of one cell in turns, until each has enough samples.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKBENCH_CONTEST_H
#define QUACK_TOOLS_QUACKBENCH_CONTEST_H

#include "quack/Bench/Table.h"
#include "quack/Run/Timing.h"

namespace quack::bench {

/// One of the implementations that are timed.
struct Contender {
  std::string impl; ///< ours, copy or read
  std::string
      name; ///< of the kernel; of several with the same impl the best counts
  Work work;
};

/// How much is measured.
struct Effort {
  int64_t samples = 30;       ///< at least, unless that takes very long
  double budgetSeconds = 0.4; ///< for more, while intervals are wide
  int64_t warmups = 3;        ///< rounds
};

/// What is measured in a cell.
struct Contest {
  Cell cell;
  int64_t bytes = 0;        ///< that a launch has to move
  int64_t launches = 1;     ///< that a contender's work has
  bool emptiesCache = true; ///< before each work
};

/// Decides after each round whether to go on: until there are `effort.samples`,
/// and then while the interval of any contender is wider than 1 % and time is
/// left. What takes ten times the budget ends with fewer, but no fewer than
/// six.
class StopRule {
public:
  explicit StopRule(const Effort &effort) : effort(effort) {}

  /// Returns whether samples suffice that took `seconds` in all.
  bool isEnough(llvm::ArrayRef<Samples> samples, double seconds) const;

private:
  Effort effort;
};

/// Times `contenders` in turns, this project's first. Returns a row for each
/// impl, in order of appearance.
llvm::Expected<std::vector<Row>> hold(Session &session, const Contest &contest,
                                      llvm::ArrayRef<Contender> contenders,
                                      const Effort &effort);

} // namespace quack::bench

#endif // QUACK_TOOLS_QUACKBENCH_CONTEST_H
