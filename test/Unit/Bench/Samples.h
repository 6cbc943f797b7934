//===- test/Unit/Bench/Samples.h - tables for tests -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables that were never measured.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_UNIT_BENCH_SAMPLES_H
#define QUACK_TEST_UNIT_BENCH_SAMPLES_H

#include "quack/Bench/Table.h"

namespace quack {

/// Returns a row of softmax that took `microseconds`, 1 more or less, and moved
/// 1 GB.
inline Row makeRow(std::string impl, int64_t columns, double microseconds,
                   std::string dtype = "bf16") {
  Row row;
  row.cell = {"softmax", std::move(dtype), columns, 32768, "launch"};
  row.impl = std::move(impl);
  row.time = {microseconds, microseconds - 1, microseconds + 1};
  row.terabytesPerSecond = 1000 / microseconds;
  return row;
}

inline Table makeTable(std::vector<Row> rows) {
  Table table;
  table.runs.push_back(llvm::json::Object{{"gpu", "NVIDIA H200"}});
  table.rows = std::move(rows);
  return table;
}

inline std::string toText(const Table &table) {
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os);
  return text;
}

} // namespace quack

#endif // QUACK_TEST_UNIT_BENCH_SAMPLES_H
