//===- tools/quack-bench/Contest.cpp - implementations side by side *- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All contenders of a round see the same clocks, temperature and neighbours.
//
//===----------------------------------------------------------------------===//

#include "Contest.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>

using namespace llvm;
using namespace quack;
using namespace quack::bench;

bool StopRule::isEnough(ArrayRef<Samples> samples, double seconds) const {
  constexpr int64_t fewest = 6, mostSamples = 1000, checkEvery = 10;
  constexpr double narrow = 0.01, patience = 10;
  auto count = int64_t(samples.front().size());
  if (count < effort.samples)
    return effort.budgetSeconds > 0 && count >= fewest &&
           seconds > patience * effort.budgetSeconds;
  if (seconds >= effort.budgetSeconds || count >= mostSamples)
    return true;
  return (count - effort.samples) % checkEvery == 0 &&
         all_of(samples, [&](const Samples &list) {
           return estimateMedian(list).width() <= narrow;
         });
}

/// Returns the row of a contender whose works took `samples`.
static Row makeRow(const Contest &contest, const Contender &contender,
                   Samples samples) {
  for (double &sample : samples)
    sample /= double(contest.launches);
  Row row;
  row.cell = contest.cell;
  row.impl = contender.impl;
  row.time = estimateMedian(samples);
  row.terabytesPerSecond = double(contest.bytes) / row.time.median * 1e-6;
  row.more["bytes"] = contest.bytes;
  row.more["samples"] = int64_t(samples.size());
  row.more["kernel"] = contender.name;
  if (contest.launches > 1)
    row.more["launches"] = contest.launches;
  return row;
}

/// Says of this project's row, which is the first, how fast it is beside the
/// others.
static void addShares(std::vector<Row> &rows) {
  Row &ours = rows.front();
  for (const Row &row : ArrayRef(rows).drop_front())
    ours.more["of_" + row.impl] = row.time.median / ours.time.median;
}

Expected<std::vector<Row>> quack::bench::hold(Session &session, const Contest &contest,
                                       ArrayRef<Contender> contenders,
                                       const Effort &effort) {
  std::vector<Work> works;
  for (const Contender &contender : contenders)
    works.push_back(contender.work);
  StopRule rule(effort);
  auto start = std::chrono::steady_clock::now();
  Expected<std::vector<Samples>> samples = sampleInterleaved(
      session, works, effort.warmups,
      [&](ArrayRef<Samples> samples) {
        std::chrono::duration<double> passed =
            std::chrono::steady_clock::now() - start;
        return rule.isEnough(samples, passed.count());
      },
      contest.emptiesCache);
  if (!samples)
    return samples.takeError();
  std::vector<Row> rows;
  for (auto [contender, list] : zip_equal(contenders, *samples)) {
    Row row = makeRow(contest, contender, list);
    auto same =
        find_if(rows, [&](const Row &other) { return other.impl == row.impl; });
    if (same == rows.end())
      rows.push_back(std::move(row));
    else if (row.time.median < same->time.median)
      *same = std::move(row);
  }
  addShares(rows);
  return rows;
}
