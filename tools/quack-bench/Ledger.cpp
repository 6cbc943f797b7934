//===- tools/quack-bench/Ledger.cpp - a table and its file ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ledger.h"

#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace quack;
using namespace quack::bench;

Expected<Ledger> Ledger::open(StringRef path) {
  Ledger ledger;
  ledger.path = path.str();
  if (path.empty())
    return ledger;
  ledger.lock = std::make_unique<LockFileManager>(path);
  Expected<bool> isOurs = ledger.lock->tryLock();
  if (!isOurs)
    return createStringError("'" + path + "': " + toString(isOurs.takeError()));
  if (!*isOurs)
    return createStringError(
        "'" + path +
        "' is being written by another process: give each shard a " +
        "table of its own and merge them with --from (if there is none, remove "
        "'" +
        path + ".lock')");
  if (!sys::fs::exists(path))
    return ledger;
  Expected<Table> table = Table::read(path);
  if (!table)
    return table.takeError();
  ledger.table = std::move(*table);
  return ledger;
}

Error Ledger::write() const {
  return path.empty() ? Error::success() : table.write(path);
}

Error Ledger::add(const json::Object &run, std::vector<Row> rows) {
  for (Table *to : {&fresh, &table}) {
    auto found = llvm::find(to->runs, run);
    int64_t number = found - to->runs.begin();
    if (found == to->runs.end())
      to->runs.push_back(run);
    for (Row row : rows) {
      row.run = number;
      to->rows.push_back(std::move(row));
    }
  }
  return write();
}

Error Ledger::merge(const Table &other) {
  fresh.merge(other);
  table.merge(other);
  return write();
}
