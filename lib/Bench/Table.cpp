//===- lib/Bench/Table.cpp - measured cells as data -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row is a line of the file, so that two tables can be compared by any tool.
//
//===----------------------------------------------------------------------===//

#include "quack/Bench/Table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

using namespace llvm;
using namespace quack;

std::string Cell::str() const {
  std::string text = formatv("{0} {1} N={2} M={3}", op, dtype, columns, rows);
  return method == "launch" ? text : text + " " + method;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string Row::str() const {
  std::string text;
  raw_string_ostream os(text);
  json::OStream out(os);
  out.objectBegin();
  out.attribute("op", cell.op);
  out.attribute("dtype", cell.dtype);
  out.attribute("N", cell.columns);
  out.attribute("M", cell.rows);
  out.attribute("impl", impl);
  out.attribute("method", cell.method);
  if (isGood()) {
    out.attribute("tbs", terabytesPerSecond);
    out.attribute("us", time.median);
    out.attribute("lo", time.low);
    out.attribute("hi", time.high);
  } else {
    out.attribute("error", error);
  }
  out.attribute("run", run);
  std::map<StringRef, const json::Value *> sorted;
  for (const auto &entry : more)
    sorted[entry.first] = &entry.second;
  for (const auto &[key, value] : sorted)
    out.attribute(key, *value);
  out.objectEnd();
  return text;
}

static std::string runText(const json::Object &run) {
  return formatv("{0}", json::Value(json::Object(run)));
}

void Table::print(raw_ostream &os) const {
  os << "{\"machine\": " << (runs.empty() ? "null" : runText(runs.front()))
     << ",\n\"runs\": [";
  for (const auto &[i, run] : enumerate(runs))
    os << (i ? ",\n" : "\n") << runText(run);
  os << "],\n\"rows\": [";
  for (const auto &[i, row] : enumerate(rows))
    os << (i ? ",\n" : "\n") << row.str();
  os << "]}\n";
}

Error Table::write(StringRef path) const {
  Error error = writeToOutput(path, [&](raw_ostream &os) {
    print(os);
    return Error::success();
  });
  if (error)
    return createStringError("'" + path + "': " + toString(std::move(error)));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads the times of a row that has no error.
static bool readTimes(const json::Value &json, Row &row, json::Path path) {
  json::ObjectMapper mapper(json, path);
  if (!mapper || !mapper.map("tbs", row.terabytesPerSecond) ||
      !mapper.map("us", row.time.median) || !mapper.map("lo", row.time.low) ||
      !mapper.map("hi", row.time.high))
    return false;
  bool ascends = 0 < row.time.low && row.time.low <= row.time.median &&
                 row.time.median <= row.time.high;
  if (!ascends)
    path.report("expected 0 < lo <= us <= hi");
  else if (row.terabytesPerSecond <= 0)
    path.field("tbs").report("expected more than 0");
  return ascends && row.terabytesPerSecond > 0;
}

static bool readRow(const json::Value &json, Row &row, json::Path path) {
  json::ObjectMapper mapper(json, path);
  Cell &cell = row.cell;
  if (!mapper || !mapper.map("op", cell.op) ||
      !mapper.map("dtype", cell.dtype) || !mapper.map("N", cell.columns) ||
      !mapper.map("M", cell.rows) || !mapper.map("impl", row.impl) ||
      !mapper.mapOptional("method", cell.method) ||
      !mapper.mapOptional("run", row.run) ||
      !mapper.mapOptional("error", row.error))
    return false;
  if (row.error.empty() && !readTimes(json, row, path))
    return false;
  static const StringSet<> known = {"op",  "dtype", "N",     "M",
                                    "run", "impl",  "error", "method",
                                    "tbs", "us",    "lo",    "hi"};
  for (const auto &entry : *json.getAsObject())
    if (!known.contains(entry.first))
      row.more[entry.first] = entry.second;
  return true;
}

static bool readRun(const json::Value &json, json::Object &run,
                    json::Path path) {
  if (const json::Object *found = json.getAsObject()) {
    run = *found;
    return true;
  }
  path.report("expected object");
  return false;
}

/// Reads the elements of an array, each with `read`.
template <typename T, typename Fn>
static bool readArray(const json::Value &json, std::vector<T> &list,
                      json::Path path, Fn read) {
  const json::Array *array = json.getAsArray();
  if (!array) {
    path.report("expected array");
    return false;
  }
  for (const auto &[i, element] : enumerate(*array))
    if (!read(element, list.emplace_back(), path.index(i)))
      return false;
  return true;
}

static bool readTable(const json::Value &json, Table &table, json::Path path) {
  const json::Object *object = json.getAsObject();
  const json::Value *rows = object ? object->get("rows") : nullptr;
  if (!rows) {
    path.report("expected an object with rows");
    return false;
  }
  const json::Value *runs = object->get("runs");
  if (runs && !readArray(*runs, table.runs, path.field("runs"), readRun))
    return false;
  if (!readArray(*rows, table.rows, path.field("rows"), readRow))
    return false;
  const json::Object *machine = object->getObject("machine");
  if (table.runs.empty() && !table.rows.empty())
    table.runs.push_back(machine ? *machine : json::Object());
  for (const auto &[i, row] : enumerate(table.rows))
    if (row.run < 0 || row.run >= int64_t(table.runs.size())) {
      path.field("rows").index(i).field("run").report(
          "expected the number of a run");
      return false;
    }
  return true;
}

Expected<Table> Table::parse(StringRef text, StringRef name) {
  auto fail = [&](Error error) {
    return createStringError("'" + name + "': " + toString(std::move(error)));
  };
  Expected<json::Value> json = json::parse(text);
  if (!json)
    return fail(json.takeError());
  Table table;
  json::Path::Root root("table");
  if (!readTable(*json, table, root))
    return fail(root.getError());
  return table;
}

Expected<Table> Table::read(StringRef path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return createStringError("'" + path + "': " + file.getError().message());
  return parse((*file)->getBuffer(), path);
}

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

void Table::merge(const Table &other) {
  StringSet<> known;
  for (const Row &row : rows)
    known.insert(row.str());
  std::vector<int64_t> numbers;
  for (const json::Object &run : other.runs) {
    auto found = llvm::find(runs, run);
    numbers.push_back(found - runs.begin());
    if (found == runs.end())
      runs.push_back(run);
  }
  for (Row row : other.rows) {
    row.run = numbers[row.run];
    if (known.insert(row.str()).second)
      rows.push_back(std::move(row));
  }
}

bool Table::has(const Cell &cell, StringRef impl) const {
  return any_of(rows, [&](const Row &row) {
    return row.isGood() && row.cell == cell && row.impl == impl;
  });
}

std::vector<std::string> Table::gpus() const {
  std::vector<std::string> gpus;
  for (const Row &row : rows) {
    std::string gpu =
        runs[row.run].getString("gpu").value_or("unknown GPU").str();
    if (!is_contained(gpus, gpu))
      gpus.push_back(std::move(gpu));
  }
  return gpus;
}

bool Table::isSimulated() const {
  return any_of(rows, [&](const Row &row) {
    return runs[row.run].getBoolean("simulated").value_or(false);
  });
}

//===----------------------------------------------------------------------===//
// Summaries
//===----------------------------------------------------------------------===//

/// Adds up the good rows of one implementation in one cell.
static void addGood(Summary &summary, std::vector<const Row *> good) {
  llvm::sort(good, [](const Row *a, const Row *b) {
    return a->time.median < b->time.median;
  });
  const Row &middle = *good[good.size() / 2];
  summary.goodRuns = int64_t(good.size());
  summary.time = middle.time;
  summary.megabytes = middle.terabytesPerSecond * middle.time.median;
  for (const Row *row : good) {
    summary.time.low = std::min(summary.time.low, row->time.low);
    summary.time.high = std::max(summary.time.high, row->time.high);
  }
}

std::vector<Summary> quack::summarise(const Table &table) {
  // Implementations in order of appearance, whatever cell that was in.
  std::vector<std::string> impls;
  std::map<std::pair<Cell, size_t>, std::vector<const Row *>> groups;
  for (const Row &row : table.rows) {
    auto found = llvm::find(impls, row.impl);
    size_t number = found - impls.begin();
    if (found == impls.end())
      impls.push_back(row.impl);
    groups[{row.cell, number}].push_back(&row);
  }
  std::vector<Summary> summaries;
  for (const auto &[key, rows] : groups) {
    Summary &summary = summaries.emplace_back();
    summary.cell = key.first;
    summary.impl = impls[key.second];
    std::vector<const Row *> good;
    copy_if(rows, std::back_inserter(good),
            [](const Row *row) { return row->isGood(); });
    if (good.empty())
      summary.error = rows.back()->error;
    else
      addGood(summary, std::move(good));
  }
  return summaries;
}
