//===- Text.cpp - a report for people ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Report/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace quack;
using llvm::formatv;

static double ratio(int64_t part, int64_t whole) {
  return whole ? double(part) / double(whole) : 0;
}

/// Returns "1 row" or "3 rows".
static std::string count(int64_t number, llvm::StringRef what) {
  return (llvm::Twine(number) + " " + what + (number == 1 ? "" : "s")).str();
}

/// Returns "812 B", "8.40 KB", "1.72 GB".
static std::string bytesText(double bytes) {
  llvm::StringRef unit = "B";
  for (llvm::StringRef next : {"KB", "MB", "GB", "TB"})
    if (bytes >= 1000) {
      bytes /= 1000;
      unit = next;
    }
  return unit == "B" ? formatv("{0:F0} B", bytes).str()
                     : formatv("{0:F2} {1}", bytes, unit).str();
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static void printCost(llvm::raw_ostream &os, const PredictedCost &cost) {
  os << formatv("  registers   {0} a thread, as the model estimates\n",
                cost.registers);
  os << formatv("  occupancy   {0} an SM, {1:P0} of its threads\n",
                count(cost.ctasPerSM, "CTA"), cost.occupancy);
  os << formatv("  in flight   {0} an SM\n", bytesText(cost.bytesInFlight));
  os << formatv("  predicted   {0:F1} us, {1:F2} TB/s, {2:P0} of the roofline "
                "({3:F2} TB/s); decided by {4}\n",
                cost.microseconds, cost.bandwidth / 1e6,
                cost.bandwidth / cost.roofline, cost.roofline / 1e6,
                cost.decisive);
}

static void printLaunch(llvm::raw_ostream &os, const KernelReport &report) {
  os << formatv("@{0}: N = {1}, M = {2}", report.name, report.columns,
                report.rows);
  if (report.cost)
    os << " on " << report.target;
  os << (report.isTaken ? ", taken by this launch\n" : "\n");
  std::string cluster =
      report.cluster == 1
          ? "a CTA"
          : formatv("a cluster of {0} CTAs", report.cluster).str();
  if (report.split > 1)
    cluster = formatv("split over {0} times {1}", report.split, cluster);
  if (report.ctas == 0)
    os << formatv("  launch      {0} of {1}, each {2} of {3} threads\n",
                  count(report.tiles, "tile"), count(report.rowsPerTile, "row"),
                  cluster, report.threads);
  else if (report.ctas == report.partials * report.cluster)
    os << formatv(
        "  launch      {0} of {1} by turns, each {2} of {3} threads; {4}\n",
        count(report.partials, "partial"), count(report.tiles, "tile"), cluster,
        report.threads, count(report.rowsPerTile, "row") + " a tile");
  else
    os << formatv("  launch      {0} of {1} threads, for {2}\n",
                  count(report.ctas, "CTA"), report.threads,
                  count(report.partials, "partial"));
  if (report.workspaceBytes)
    os << formatv("  workspace   {0} bytes a row\n", report.workspaceBytes);
  if (report.fixedWorkspaceBytes)
    os << formatv("  workspace   {0} bytes\n", report.fixedWorkspaceBytes);
  os << formatv("  shared      {0} bytes a CTA\n", report.sharedBytes);
  if (report.cost)
    printCost(os, *report.cost);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The columns of a table that follow those that all have.
static constexpr llvm::StringLiteral
    globalColumns = "     sectors  a request   least  efficiency",
    sharedColumns = "  wavefronts  a request   least   "
                    "conflicts",
    clusterColumns = "       bytes   to peers";

static llvm::StringRef columnsOf(MemorySpace space) {
  switch (space) {
  case MemorySpace::global:
    return globalColumns;
  case MemorySpace::shared:
    return sharedColumns;
  case MemorySpace::cluster:
    return clusterColumns;
  }
  llvm_unreachable("unknown space");
}

static void printCounts(llvm::raw_ostream &os, MemorySpace space,
                        const AccessCounts &counts) {
  switch (space) {
  case MemorySpace::global:
    os << formatv("{0,12} {1,12} {2,10:F2} {3,7:F2} {4,11:P1}\n",
                  counts.requests, counts.sectors,
                  ratio(counts.sectors, counts.requests),
                  ratio(counts.leastSectors, counts.requests),
                  ratio(counts.leastSectors, counts.sectors));
    return;
  case MemorySpace::shared:
    os << formatv("{0,12} {1,12} {2,10:F2} {3,7:F2} {4,11}\n", counts.requests,
                  counts.wavefronts, ratio(counts.wavefronts, counts.requests),
                  ratio(counts.leastWavefronts, counts.requests),
                  counts.wavefronts - counts.leastWavefronts);
    return;
  case MemorySpace::cluster:
    os << formatv("{0,12} {1,12} {2,10}\n", counts.requests, counts.bytes,
                  counts.remoteBytes);
    return;
  }
}

/// An access has a line for each width of its instructions.
static void printAccess(llvm::raw_ostream &os, const AccessReport &access) {
  std::string line = access.line ? std::to_string(access.line) : "";
  std::string name = access.name();
  for (int64_t width : access.widths()) {
    os << formatv("  {0,5}  {1,-24} {2,5} ", line, name, width);
    printCounts(os, access.space, access.sum(width));
    line = name = "";
  }
}

static void printSpace(llvm::raw_ostream &os, const KernelReport &report,
                       MemorySpace space, llvm::StringRef title) {
  AccessCounts total = report.sum(space);
  if (!total.requests)
    return;
  os << formatv("\n  {0}\n   line  access                   bytes     requests"
                "{1}\n",
                title, columnsOf(space));
  int64_t lines = 0;
  for (const AccessReport &access : report.accesses)
    if (access.space == space) {
      printAccess(os, access);
      lines += int64_t(access.widths().size());
    }
  if (lines > 1) {
    os << formatv("         {0,-24}       ", "all");
    printCounts(os, space, total);
  }
  if (space == MemorySpace::global)
    os << formatv("         sectors hold {0}, lanes ask for {1}\n",
                  bytesText(32.0 * double(total.sectors)),
                  bytesText(double(total.bytes)));
}

void KernelReport::print(llvm::raw_ostream &os) const {
  printLaunch(os, *this);
  if (!guard.empty()) {
    os << "  This launch cannot take it: " << guard << ".\n";
    return;
  }
  printSpace(os, *this, MemorySpace::global, "global memory");
  printSpace(os, *this, MemorySpace::shared, "shared memory");
  printSpace(os, *this, MemorySpace::cluster,
             "shared memory of the cluster, by st.async");
}
