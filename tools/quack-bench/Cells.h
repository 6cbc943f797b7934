//===- tools/quack-bench/Cells.h - which cells there are --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grid of kernels, types and N that a command line asks for.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKBENCH_CELLS_H
#define QUACK_TOOLS_QUACKBENCH_CELLS_H

#include "Options.h"

#include "quack/Bench/Table.h"
#include "quack/Run/Job.h"

namespace quack::bench {

/// A cell, and how its kernel is compiled and run.
struct CellJob {
  Cell cell; ///< by single launches
  Job job;

  /// Returns whether the cell is also measured by replays: its launches are
  /// short.
  bool isReplayed() const { return cell.columns <= 2048; }
  /// Returns the cell as replays measure it.
  Cell replayed() const;
};

/// Returns the M of a cell that rows of `columns` elements of `elementBytes`
/// have.
int64_t chooseRows(const CommandLine &line, int64_t columns,
                   int64_t elementBytes);

/// Returns the cells of the shard, by type, N and kernel. Refuses kernels that
/// have no file, and cells that are too large for the simulator.
llvm::Expected<std::vector<CellJob>> makeCells(const CommandLine &line);

} // namespace quack::bench

#endif // QUACK_TOOLS_QUACKBENCH_CELLS_H
