//===- Launches.cpp - launches run -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs clusters that cannot meet on the host's threads, all others in one
// machine, and adds up what they found, in the order of the clusters.
//
//===----------------------------------------------------------------------===//

#include "Launches.h"

#include "Schedules.h"
#include "Snapshot.h"
#include "Trace.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

using namespace llvm;
using namespace quack::sim;

static void addCounts(const Grid &grid, Report &report) {
  for (size_t i = 0; i < grid.counts.size(); ++i) {
    InstructionCount &to = report.instructions[i];
    to.warps += grid.counts[i].warps;
    to.lanes += grid.counts[i].lanes;
    const MemoryCount &from = grid.memoryCounts[i];
    to.requests += from.requests;
    to.width = std::max(to.width, from.width);
    to.bytesRead += from.bytesRead;
    to.bytesWritten += from.bytesWritten;
    to.sectors += from.sectors;
    to.leastSectors += from.leastSectors;
    to.lines += from.lines;
    to.wavefronts += from.wavefronts;
    to.leastWavefronts += from.leastWavefronts;
    to.remoteBytes += from.remoteBytes;
  }
  report.barriers += grid.barrierCount;
  report.shuffles += grid.shuffleCount;
}

/// Joins what the machines touched: which of them ran a cluster must not show.
static void addTouched(ArrayRef<const Grid *> grids, Report &report) {
  TouchedBytes read, written;
  for (size_t i = 0; i < report.instructions.size(); ++i) {
    InstructionCount &count = report.instructions[i];
    TouchedBytes all;
    for (const Grid *grid : grids)
      all.add(grid->touched[i]);
    count.touchedBytes = all.count();
    if (count.bytesRead)
      read.add(all);
    if (count.bytesWritten)
      written.add(all);
  }
  report.touchedBytesRead = read.count();
  report.touchedBytesWritten = written.count();
}

static void addTotals(Report &report) {
  for (const InstructionCount &count : report.instructions) {
    report.warpInstructions += count.warps;
    report.laneInstructions += count.lanes;
    report.globalBytesRead += count.bytesRead;
    report.globalBytesWritten += count.bytesWritten;
    report.globalRequests += count.sectors ? count.requests : 0;
    report.sectors += count.sectors;
    report.leastSectors += count.leastSectors;
    report.lines += count.lines;
    report.wavefronts += count.wavefronts;
    report.leastWavefronts += count.leastWavefronts;
    report.remoteBytes += count.remoteBytes;
  }
}

/// Adds up what the machines counted that ran parts of a launch.
static Report makeReport(const Launch &launch, ArrayRef<const Grid *> grids) {
  Report report;
  report.schedule = str(*launch.options);
  for (const Op &op : launch.program->ops) {
    InstructionCount count;
    count.line = op.line;
    count.text = launch.program->texts[op.index];
    report.instructions.push_back(std::move(count));
  }
  for (const Grid *grid : grids)
    addCounts(*grid, report);
  if (launch.options->countsTouched)
    addTouched(grids, report);
  addTotals(report);
  return report;
}

static uint64_t clustersOf(const Launch &launch) {
  return launch.config->grid.count() / launch.clusterSize;
}

/// Runs clusters that cannot meet, each alone; threads take the next one in
/// turn, results are sorted. Sets `isRacy` if two of them race.
static Report runApart(const Launch &launch, unsigned threads, bool &isRacy) {
  uint64_t clusters = clustersOf(launch);
  std::map<uint64_t, std::vector<Fault>> faults; // by cluster, if it has any
  std::mutex mutex;
  std::vector<std::unique_ptr<Machine>> machines(threads);
  std::atomic<uint64_t> next{0};
  GlobalSummary summary;
  bool looksForRaces = (launch.options->checks & checkRaces) && clusters > 1;
  auto work = [&](unsigned thread) {
    machines[thread] = std::make_unique<Machine>(&launch);
    Grid &grid = machines[thread]->grids.front();
    for (uint64_t number; (number = next++) < clusters;) {
      machines[thread]->runAlone(number);
      std::vector<Fault> found = std::move(grid.faults);
      grid.faults.clear();
      std::vector<Fault> races;
      if (looksForRaces)
        races = summary.add(number, machines[thread]->global,
                            machines[thread]->log, *launch.program);
      llvm::append_range(found, races);
      if (found.empty())
        continue;
      std::lock_guard<std::mutex> lock(mutex);
      isRacy |= !races.empty();
      faults[number] = std::move(found);
    }
  };
  std::vector<std::thread> pool;
  for (unsigned thread = 1; thread < threads; ++thread)
    pool.emplace_back(work, thread);
  work(0);
  for (std::thread &thread : pool)
    thread.join();
  std::vector<const Grid *> grids;
  for (const std::unique_ptr<Machine> &machine : machines)
    grids.push_back(&machine->grids.front());
  Report report = makeReport(launch, grids);
  report.shadowBytes = summary.hostBytes();
  for (const std::unique_ptr<Machine> &machine : machines)
    report.shadowBytes += machine->shadowBytes();
  for (auto &entry : faults)
    for (Fault &fault : entry.second)
      if (report.faults.size() < launch.options->maxFaults)
        report.faults.push_back(std::move(fault));
  return report;
}

/// Runs clusters that cannot meet, on the host's threads. What clusters that
/// race leave and read would depend on which of them is faster, and it is by
/// running that races are found: such a launch begins again, one cluster after
/// another.
static Report runAlone(const Launch &launch) {
  unsigned threads = unsigned(
      std::min<uint64_t>(launch.options->hostThreads, clustersOf(launch)));
  bool isRacy = false;
  if (threads <= 1 || launch.trace) // a trace's lines have an order
    return runApart(launch, 1, isRacy);
  if (!(launch.options->checks & checkRaces))
    return runApart(launch, threads, isRacy);
  Snapshot before(launch.buffers);
  Report report = runApart(launch, threads, isRacy);
  if (!isRacy)
    return report;
  before.restore(launch.buffers);
  return runApart(launch, 1, isRacy);
}

std::vector<Report>
quack::sim::runDependent(ArrayRef<const Launch *> launches) {
  Machine machine(launches);
  machine.runTogether();
  std::vector<Report> reports;
  for (Grid &grid : machine.grids) {
    reports.push_back(makeReport(grid.launch, &grid));
    reports.back().faults = std::move(grid.faults);
    reports.back().shadowBytes = machine.shadowBytes();
  }
  return reports;
}

Report quack::sim::runLaunch(const Launch &launch) {
  if (!launch.program->mayMeet)
    return runAlone(launch);
  return std::move(runDependent(&launch).front());
}
