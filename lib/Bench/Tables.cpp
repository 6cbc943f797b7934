//===- lib/Bench/Tables.cpp - measured cells for people ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines are printed one by one, so that columns have fixed widths.
//
//===----------------------------------------------------------------------===//

#include "quack/Bench/Tables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace llvm;
using namespace quack;

//===----------------------------------------------------------------------===//
// A line a cell
//===----------------------------------------------------------------------===//

static void printLine(raw_ostream &os, const Cell *cell,
                      ArrayRef<std::string> fields, StringRef rest) {
  constexpr unsigned widths[] = {7, 7, 6, 6, 10, 10, 10, 10, 6, 9, 5, 6, 8};
  if (cell)
    os << formatv("{0,-16} {1,-5} {2,7} {3,7} {4,-6}", cell->op, cell->dtype,
                  cell->columns, cell->rows, cell->method);
  else
    os << formatv("{0,-16} {1,-5} {2,7} {3,7} {4,-6}", "kernel", "dtype", "N",
                  "M", "method");
  for (auto [width, field] : zip(widths, fields))
    os << ' ' << right_justify(field, width);
  os << "  " << rest << "\n";
}

void quack::printCellHead(raw_ostream &os) {
  printLine(os, nullptr,
            {"TB/s", "copy's", "/copy", "/read", "us", "low us", "high us",
             "model us", "CTA/SM", "clusters", "regs", "local", "shared"},
            "plan");
}

/// Returns a number of `row.more`, or "-".
static std::string moreText(const Row &row, StringRef key, bool isWhole) {
  std::optional<double> number = row.more.getNumber(key);
  if (!number)
    return "-";
  if (isWhole)
    return std::to_string(int64_t(*number));
  return formatv("{0:F2}", *number);
}

static std::string shareText(const Row &ours, const Row *other) {
  if (!other || !other->isGood())
    return "-";
  return formatv("{0:F3}", other->time.median / ours.time.median);
}

void quack::printCell(raw_ostream &os, const Row &ours, const Row *copy,
                      const Row *read) {
  if (!ours.isGood()) {
    auto [line, rest] = StringRef(ours.error).split('\n');
    printLine(os, &ours.cell, {}, "error: " + line.str());
    while (!rest.empty()) {
      std::tie(line, rest) = rest.split('\n');
      os << "  " << line << "\n";
    }
    return;
  }
  StringRef plan = ours.more.getString("plan").value_or("");
  plan.consume_front("#quack_tv.plan");
  printLine(
      os, &ours.cell,
      {formatv("{0:F3}", ours.terabytesPerSecond),
       copy && copy->isGood() ? formatv("{0:F3}", copy->terabytesPerSecond)
                              : std::string("-"),
       shareText(ours, copy), shareText(ours, read),
       formatv("{0:F2}", ours.time.median), formatv("{0:F2}", ours.time.low),
       formatv("{0:F2}", ours.time.high), moreText(ours, "predicted_us", false),
       moreText(ours, "ctas_per_sm", true), moreText(ours, "clusters", true),
       moreText(ours, "registers", true), moreText(ours, "local_bytes", true),
       moreText(ours, "shared_bytes", true)},
      plan);
}

//===----------------------------------------------------------------------===//
// A column an implementation
//===----------------------------------------------------------------------===//

namespace {
/// The summaries of one printed table: by N and M, then by implementation.
struct Block {
  std::vector<std::string> impls;
  std::map<std::pair<int64_t, int64_t>, std::map<std::string, Summary>> lines;
  /// The cells that an implementation is missing in, by the reason.
  std::map<std::pair<std::string, std::string>, std::string> missing;

  void add(Summary summary);
  void print(raw_ostream &os) const;
};
} // namespace

void Block::add(Summary summary) {
  if (!is_contained(impls, summary.impl))
    impls.push_back(summary.impl);
  const Cell &cell = summary.cell;
  if (!summary.isGood()) {
    std::string &columns = missing[{summary.impl, summary.error}];
    columns += (columns.empty() ? "" : ", ") + std::to_string(cell.columns);
  }
  auto key = std::pair(cell.columns, cell.rows);
  std::string impl = summary.impl;
  lines[key].emplace(std::move(impl), std::move(summary));
}

void Block::print(raw_ostream &os) const {
  auto widthOf = [](StringRef impl) {
    return std::max<size_t>(impl.size(), 8);
  };
  os << formatv("{0,8} {1,8}", "N", "M");
  for (const std::string &impl : impls)
    os << "  " << right_justify(impl, widthOf(impl));
  os << "\n";
  for (const auto &[place, summaries] : lines) {
    os << formatv("{0,8} {1,8}", place.first, place.second);
    for (const std::string &impl : impls) {
      auto found = summaries.find(impl);
      bool isThere = found != summaries.end() && found->second.isGood();
      os << "  "
         << right_justify(
                isThere ? formatv("{0:F3}", found->second.terabytesPerSecond())
                              .str()
                        : "-",
                widthOf(impl));
    }
    os << "\n";
  }
  for (const auto &[what, columns] : missing)
    os << what.first << " at N = " << columns << ": " << what.second << "\n";
}

void quack::printTables(raw_ostream &os, const Table &table) {
  std::map<std::tuple<std::string, std::string, std::string>, Block> blocks;
  for (Summary &summary : summarise(table)) {
    const Cell &cell = summary.cell;
    Block &block = blocks[{cell.op, cell.dtype, cell.method}];
    block.add(std::move(summary));
  }
  std::string gpus = join(table.gpus(), ", ");
  bool isFirst = true;
  for (const auto &[what, block] : blocks) {
    const auto &[op, dtype, method] = what;
    os << (isFirst ? "" : "\n") << op << ", " << dtype
       << (method == "launch" ? "" : ", " + method) << ", TB/s on " << gpus
       << "\n";
    block.print(os);
    isFirst = false;
  }
}
