//===- include/quack/Bench/Table.h - measured cells as data -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of measurements, and the file that keeps it:
//
//   {"machine": {...}, "runs": [{...}, ...], "rows": [{...}, ...]}
//
// A row is one implementation in one cell, measured once; its keys are below. A
// run is a process that measured, with what machine it found; a row's `run` is
// its number in `runs`, and `machine` is the first run's. Rows are only ever
// added.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_BENCH_TABLE_H
#define QUACK_BENCH_TABLE_H

#include "quack/Bench/Statistics.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace quack {

/// What is measured: a kernel on M rows of N columns, by one method.
struct Cell {
  std::string op;                ///< such as softmax
  std::string dtype;             ///< of the rows in memory: bf16, f32, ...
  int64_t columns = 0, rows = 0; ///< "N" and "M"
  /// "launch": single launches, L2 emptied; "replay": a graph of many, on
  /// rotating buffers.
  std::string method = "launch";

  auto key() const { return std::tie(op, dtype, columns, rows, method); }
  bool operator==(const Cell &other) const { return key() == other.key(); }
  bool operator<(const Cell &other) const { return key() < other.key(); }
  /// Returns "softmax bf16 N=256 M=32768", and the method unless it is
  /// "launch".
  std::string str() const;
};

/// What was measured of one implementation.
struct Row {
  Cell cell;
  std::string impl; ///< ours, copy, read, or a peer's name
  int64_t run = 0;
  /// Why there is no time; empty if there is one.
  std::string error;
  /// Microseconds of a launch: "us", "lo" and "hi".
  Estimate time;
  double terabytesPerSecond = 0; ///< "tbs"
  /// Whatever else there is to say, by key; kept as it is.
  llvm::json::Object more;

  bool isGood() const { return error.empty(); }
  /// Returns the row as one line of JSON.
  std::string str() const;
};

/// Runs and their rows.
struct Table {
  std::vector<llvm::json::Object> runs;
  std::vector<Row> rows;

  /// Reads what `write` writes, and tables without `runs`. What rows lack or
  /// have wrong is an error that names it.
  static llvm::Expected<Table> parse(llvm::StringRef text,
                                     llvm::StringRef name);
  static llvm::Expected<Table> read(llvm::StringRef path);
  /// Replaces the file at once: who reads it finds all of the old table or all
  /// of the new one.
  llvm::Error write(llvm::StringRef path) const;
  void print(llvm::raw_ostream &os) const;

  /// Adds the runs and rows of `other` that are not here yet.
  void merge(const Table &other);

  /// Returns whether a good row of `impl` is there for the cell.
  bool has(const Cell &cell, llvm::StringRef impl) const;
  /// Returns the GPUs that rows were measured on, each once.
  std::vector<std::string> gpus() const;
  /// Returns whether any row's times are those of the simulator.
  bool isSimulated() const;
};

/// All runs of one implementation in one cell, as one.
struct Summary {
  Cell cell;
  std::string impl;
  /// The median of the runs' medians (of two in the middle, the slower),
  /// between the least and the greatest bound of any.
  Estimate time;
  double megabytes = 0; ///< that a launch has to move
  int64_t goodRuns = 0;
  std::string error; ///< of the last run, if none was good

  bool isGood() const { return goodRuns > 0; }
  double terabytesPerSecond() const { return megabytes / time.median; }
};

/// Returns a summary for each cell and implementation, by cell, in the order in
/// which implementations appear.
std::vector<Summary> summarise(const Table &table);

} // namespace quack

#endif // QUACK_BENCH_TABLE_H
