//===- Simulator.cpp - modules and launches --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a launch against the kernel's directives, runs its clusters on the
// host's threads and adds up what they found, in the order of the clusters.
//
//===----------------------------------------------------------------------===//

#include "quack/Simulator/Simulator.h"

#include "Machine.h"
#include "Schedules.h"

#include "llvm/ADT/Twine.h"

#include <atomic>
#include <cstring>
#include <thread>

using namespace llvm;
using namespace quack::sim;

Module::Module(std::unique_ptr<ModuleImpl> impl) : impl(std::move(impl)) {}
Module::Module(Module &&) = default;
Module &Module::operator=(Module &&) = default;
Module::~Module() = default;

Expected<Module> Module::parse(StringRef text, StringRef name) {
  Expected<ParsedModule> parsed = parseModule(text, name);
  if (!parsed)
    return parsed.takeError();
  auto impl = std::make_unique<ModuleImpl>();
  for (const ParsedKernel &kernel : parsed->kernels) {
    Expected<Program> program = decode(*parsed, kernel);
    if (!program)
      return program.takeError();
    impl->programs.push_back(std::move(*program));
  }
  return Module(std::move(impl));
}

std::vector<std::string> Module::kernels() const {
  std::vector<std::string> names;
  for (const Program &program : impl->programs)
    names.push_back(program.name);
  return names;
}

std::vector<unsigned> Module::parameterBytes(StringRef kernel) const {
  std::vector<unsigned> bytes;
  for (const Program &program : impl->programs)
    if (program.name == kernel)
      for (const Parameter &parameter : program.parameters)
        bytes.push_back(parameter.bytes);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

static std::string shapeText(const Extent &extent) {
  return std::to_string(extent.x) + "x" + std::to_string(extent.y) + "x" +
         std::to_string(extent.z);
}

static bool matches(const uint32_t (&required)[3], const Extent &given) {
  return !required[0] || (required[0] == given.x && required[1] == given.y &&
                          required[2] == given.z);
}

/// PTX ISA, .reqntid, .maxntid, .reqnctapercluster; CUDA's limits.
static Error checkShape(const Program &program, const LaunchConfig &config) {
  const Extent &block = config.block, &cluster = config.cluster,
               &grid = config.grid;
  if (!matches(program.requiredThreads, block))
    return createStringError("'" + program.name + "' requires blocks of " +
                             Twine(program.requiredThreads[0]) + "x" +
                             Twine(program.requiredThreads[1]) + "x" +
                             Twine(program.requiredThreads[2]) + ", got " +
                             shapeText(block));
  if (!matches(program.requiredCluster, cluster))
    return createStringError("'" + program.name + "' requires clusters of " +
                             Twine(program.requiredCluster[0]) + ", got " +
                             shapeText(cluster));
  uint64_t most = program.maxThreads[0]
                      ? uint64_t(program.maxThreads[0]) *
                            program.maxThreads[1] * program.maxThreads[2]
                      : 1024;
  if (block.count() == 0 || block.count() > most)
    return createStringError("a block must have 1 to " + Twine(most) +
                             " threads, got " + shapeText(block));
  if (cluster.count() == 0 || cluster.count() > 16)
    return createStringError("a cluster must have 1 to 16 CTAs, got " +
                             shapeText(cluster));
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return createStringError("the grid " + shapeText(grid) +
                             " is no multiple of the cluster " +
                             shapeText(cluster));
  uint64_t shared = uint64_t(config.sharedBytes) + program.staticSharedBytes;
  if (shared > 227 * 1024)
    return createStringError("a CTA must have at most 232448 bytes of shared "
                             "memory, got " +
                             Twine(shared));
  if (config.arguments.size() != program.parameters.size())
    return createStringError(
        "'" + program.name + "' takes " + Twine(program.parameters.size()) +
        " arguments, got " + Twine(config.arguments.size()));
  return Error::success();
}

Expected<const Program *>
quack::sim::findProgram(const std::vector<Program> &programs, StringRef name) {
  if (name.empty()) {
    if (programs.size() == 1)
      return &programs.front();
    return createStringError("the module has " + Twine(programs.size()) +
                             " kernels: name one");
  }
  for (const Program &program : programs)
    if (program.name == name)
      return &program;
  return createStringError("the module has no kernel '" + name + "'");
}

static void addCounts(const Cluster &cluster, Report &report) {
  for (size_t i = 0; i < cluster.counts.size(); ++i) {
    InstructionCount &to = report.instructions[i];
    to.warps += cluster.counts[i].warps;
    to.lanes += cluster.counts[i].lanes;
    const MemoryCount &from = cluster.memoryCounts[i];
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
  report.barriers += cluster.barrierCount;
  report.shuffles += cluster.shuffleCount;
}

/// Joins what the machines touched: which of them ran a cluster must not show.
static void addTouched(ArrayRef<std::unique_ptr<Cluster>> machines,
                       Report &report) {
  TouchedBytes read, written;
  for (size_t i = 0; i < report.instructions.size(); ++i) {
    InstructionCount &count = report.instructions[i];
    TouchedBytes all;
    for (const std::unique_ptr<Cluster> &machine : machines)
      all.add(machine->touched[i]);
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

/// Runs all clusters; threads take the next one in turn, results are sorted.
static Report runClusters(const Launch &launch) {
  const LaunchConfig &config = *launch.config;
  uint64_t clusters = config.grid.count() / launch.clusterSize;
  Report report;
  report.schedule = str(*launch.options);
  for (const Op &op : launch.program->ops) {
    InstructionCount count;
    count.line = op.line;
    count.text = launch.program->texts[op.index];
    report.instructions.push_back(std::move(count));
  }
  std::vector<std::vector<Fault>> faults(clusters);
  unsigned threads = std::max(1u, launch.options->hostThreads);
  if (launch.program->hasAtomics)
    threads = 1;
  threads =
      unsigned(std::min<uint64_t>(threads, std::max<uint64_t>(clusters, 1)));
  std::vector<std::unique_ptr<Cluster>> machines(threads);
  std::atomic<uint64_t> next{0};
  auto work = [&](unsigned thread) {
    machines[thread] = std::make_unique<Cluster>(launch);
    Cluster &cluster = *machines[thread];
    for (uint64_t number; (number = next++) < clusters;) {
      cluster.run(number);
      faults[number] = std::move(cluster.faults);
      cluster.faults.clear();
    }
  };
  std::vector<std::thread> pool;
  for (unsigned thread = 1; thread < threads; ++thread)
    pool.emplace_back(work, thread);
  work(0);
  for (std::thread &thread : pool)
    thread.join();
  for (const std::unique_ptr<Cluster> &machine : machines)
    addCounts(*machine, report);
  if (launch.options->countsTouched)
    addTouched(machines, report);
  for (std::vector<Fault> &list : faults)
    for (Fault &fault : list)
      if (report.faults.size() < launch.options->maxFaults)
        report.faults.push_back(std::move(fault));
  addTotals(report);
  return report;
}

Expected<Report> Module::launch(const LaunchConfig &config,
                                const Options &options) const {
  Expected<const Program *> program =
      findProgram(impl->programs, config.kernel);
  if (!program)
    return program.takeError();
  if (Error error = checkShape(**program, config))
    return error;
  Launch launch;
  launch.program = *program;
  launch.config = &config;
  launch.options = &options;
  launch.sharedBytes = config.sharedBytes + (*program)->staticSharedBytes;
  launch.clusterSize = uint32_t(config.cluster.count());
  launch.parameters.resize((*program)->parameterBytes);
  for (size_t i = 0; i < config.arguments.size(); ++i) {
    const Parameter &parameter = (*program)->parameters[i];
    std::memcpy(launch.parameters.data() + parameter.offset,
                &config.arguments[i], parameter.bytes);
  }
  return runClusters(launch);
}
