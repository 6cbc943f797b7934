//===- tools/quack-bench/Ledger.h - a table and its file --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table that a process adds to. It is on disk after each cell, so that
// whatever ends the process, what was measured is kept.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKBENCH_LEDGER_H
#define QUACK_TOOLS_QUACKBENCH_LEDGER_H

#include "quack/Bench/Table.h"

#include "llvm/Support/LockFileManager.h"

#include <memory>

namespace quack::bench {

/// A table with the file that holds it, which no other process writes
/// meanwhile.
class Ledger {
public:
  /// Opens the table of `path`, which is empty if there is no such file.
  /// Without a path the table is in memory only.
  static llvm::Expected<Ledger> open(llvm::StringRef path);

  const Table &all() const { return table; }
  /// Returns what was added since it was opened.
  const Table &added() const { return fresh; }

  /// Adds rows of `run` and writes the file.
  llvm::Error add(const llvm::json::Object &run, std::vector<Row> rows);
  /// Adds what is new in `other` and writes the file.
  llvm::Error merge(const Table &other);

private:
  llvm::Error write() const;

  std::string path;
  std::unique_ptr<llvm::LockFileManager> lock;
  Table table, fresh;
};

} // namespace quack::bench

#endif // QUACK_TOOLS_QUACKBENCH_LEDGER_H
