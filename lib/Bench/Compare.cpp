//===- lib/Bench/Compare.cpp - what became slower ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two medians differ for sure where their intervals have no part in common.
//
//===----------------------------------------------------------------------===//

#include "quack/Bench/Compare.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace llvm;
using namespace quack;

/// The summaries of one implementation.
using ByCell = std::map<Cell, Summary>;

static ByCell summariesOf(const Table &table, StringRef impl) {
  ByCell cells;
  for (Summary &summary : summarise(table))
    if (summary.impl == impl)
      cells.emplace(summary.cell, std::move(summary));
  return cells;
}

/// Returns the good summary of a cell, if there is one.
static const Summary *lookup(const ByCell &cells, const Cell &cell) {
  auto found = cells.find(cell);
  return found != cells.end() && found->second.isGood() ? &found->second
                                                        : nullptr;
}

static Verdict judge(const Summary *before, const Summary &after) {
  if (!before)
    return Verdict::added;
  if (!after.isGood())
    return Verdict::broken;
  if (after.time.low > before->time.high)
    return Verdict::slower;
  return after.time.high < before->time.low ? Verdict::faster : Verdict::same;
}

Expected<std::vector<Change>> quack::compare(const Table &before,
                                             const Table &after) {
  for (const Table *table : {&before, &after})
    if (table->isSimulated())
      return createStringError(
          StringRef(table == &before ? "the old" : "the new") +
          " table has times of the simulator, which say nothing of a GPU");
  ByCell ours = summariesOf(after, "ours"), copies = summariesOf(after, "copy");
  ByCell oldOurs = summariesOf(before, "ours");
  ByCell oldCopies = summariesOf(before, "copy");
  std::vector<Change> changes;
  for (const auto &[cell, summary] : ours) {
    const Summary *old = lookup(oldOurs, cell);
    if (!old && !summary.isGood())
      continue;
    Change &change = changes.emplace_back();
    change.cell = cell;
    change.after = summary;
    change.verdict = judge(old, summary);
    if (old) {
      change.before = *old;
      if (summary.isGood())
        change.speedup = old->time.median / summary.time.median;
    }
    const Summary *oldCopy = lookup(oldCopies, cell);
    const Summary *copy = lookup(copies, cell);
    if (oldCopy && copy)
      change.copySpeedup = oldCopy->time.median / copy->time.median;
  }
  return changes;
}

static StringRef describe(Verdict verdict) {
  switch (verdict) {
  case Verdict::same:
    return "";
  case Verdict::faster:
    return "faster";
  case Verdict::slower:
    return "SLOWER";
  case Verdict::broken:
    return "BROKEN";
  case Verdict::added:
    return "new";
  }
  llvm_unreachable("unknown verdict");
}

static std::string timeText(const std::optional<Summary> &summary) {
  if (!summary || !summary->isGood())
    return "-";
  return formatv("{0:F2} [{1:F2}, {2:F2}]", summary->time.median,
                 summary->time.low, summary->time.high);
}

void quack::printChanges(raw_ostream &os, ArrayRef<Change> changes) {
  std::map<Verdict, int64_t> counts;
  os << formatv("{0,-40} {1,28} {2,28} {3,8} {4,8}\n", "cell", "old us [95 %]",
                "new us [95 %]", "times", "copy's");
  for (const Change &change : changes) {
    ++counts[change.verdict];
    os << formatv(
        "{0,-40} {1,28} {2,28} {3,8} {4,8}  {5}\n", change.cell.str(),
        timeText(change.before), timeText(change.after),
        change.speedup > 0 ? formatv("{0:F3}", change.speedup).str() : "-",
        change.copySpeedup ? formatv("{0:F3}", *change.copySpeedup).str() : "-",
        describe(change.verdict));
  }
  os << formatv(
      "{0} cells: {1} within their intervals, {2} faster, {3} slower, "
      "{4} broken, {5} new\n",
      changes.size(), counts[Verdict::same], counts[Verdict::faster],
      counts[Verdict::slower], counts[Verdict::broken], counts[Verdict::added]);
}
