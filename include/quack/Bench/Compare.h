//===- include/quack/Bench/Compare.h - what became slower -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares this project's times in two tables.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_BENCH_COMPARE_H
#define QUACK_BENCH_COMPARE_H

#include "quack/Bench/Table.h"

namespace quack {

/// What became of a cell.
enum class Verdict {
  same,   ///< the intervals have a part in common
  faster, ///< the new interval lies below the old one
  slower, ///< above it
  broken, ///< there was a time, and now there is an error
  added,  ///< there was no time
};

/// A cell of the new table that this project's kernel was measured in, or the
/// old one.
struct Change {
  Cell cell;
  std::optional<Summary> before, after;
  Verdict verdict = Verdict::same;
  /// How many times as fast it is now, and a copy is, where both tables have
  /// one.
  double speedup = 0;
  std::optional<double> copySpeedup;

  bool isWorse() const {
    return verdict == Verdict::slower || verdict == Verdict::broken;
  }
};

/// Compares the cells of `after` with those of `before`, by cell. Tables with
/// times of the simulator are refused: these say nothing of a GPU.
llvm::Expected<std::vector<Change>> compare(const Table &before,
                                            const Table &after);

/// Prints a line for each change, and how many there are of each kind.
void printChanges(llvm::raw_ostream &os, llvm::ArrayRef<Change> changes);

} // namespace quack

#endif // QUACK_BENCH_COMPARE_H
