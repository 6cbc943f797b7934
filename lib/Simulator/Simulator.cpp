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
#include "Trace.h"

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
  Expected<ModuleVariables> variables = ModuleVariables::make(*parsed);
  if (!variables)
    return variables.takeError();
  impl->variables = std::move(*variables);
  impl->source = text.str();
  for (const ParsedKernel &kernel : parsed->kernels) {
    Expected<Program> program =
        decode(*parsed, impl->variables.addresses(), kernel);
    if (!program)
      return program.takeError();
    impl->programs.push_back(std::move(*program));
    if (impl->warning.empty())
      impl->warning = findFusible(kernel);
  }
  return Module(std::move(impl));
}

const std::string &Module::warning() const { return impl->warning; }

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

Extent Module::requiredBlock(StringRef kernel) const {
  for (const Program &program : impl->programs)
    if (kernel.empty() || program.name == kernel)
      return {program.requiredThreads[0], program.requiredThreads[1],
              program.requiredThreads[2]};
  return {0, 0, 0};
}

Extent Module::requiredCluster(StringRef kernel) const {
  for (const Program &program : impl->programs)
    if (kernel.empty() || program.name == kernel)
      return {program.requiredCluster[0], program.requiredCluster[1],
              program.requiredCluster[2]};
  return {0, 0, 0};
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
  if (shared > deviceLimits.sharedBytesOfCta)
    return createStringError("a CTA must have at most " +
                             Twine(deviceLimits.sharedBytesOfCta) +
                             " bytes of shared memory, got " + Twine(shared));
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

/// Runs clusters that cannot meet, each alone; threads take the next one in
/// turn, results are sorted.
static Report runAlone(const Launch &launch) {
  uint64_t clusters = launch.config->grid.count() / launch.clusterSize;
  std::vector<std::vector<Fault>> faults(clusters);
  unsigned threads =
      unsigned(std::min<uint64_t>(std::max(1u, launch.options->hostThreads),
                                  std::max<uint64_t>(clusters, 1)));
  std::vector<std::unique_ptr<Machine>> machines(threads);
  std::atomic<uint64_t> next{0};
  GlobalSummary summary;
  bool looksForRaces = (launch.options->checks & checkRaces) && clusters > 1;
  auto work = [&](unsigned thread) {
    machines[thread] = std::make_unique<Machine>(&launch);
    Grid &grid = machines[thread]->grids.front();
    for (uint64_t number; (number = next++) < clusters;) {
      machines[thread]->runAlone(number);
      faults[number] = std::move(grid.faults);
      grid.faults.clear();
      if (!looksForRaces)
        continue;
      for (Fault &fault : summary.add(number, machines[thread]->global,
                                      machines[thread]->log, *launch.program))
        faults[number].push_back(std::move(fault));
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
  for (std::vector<Fault> &list : faults)
    for (Fault &fault : list)
      if (report.faults.size() < launch.options->maxFaults)
        report.faults.push_back(std::move(fault));
  return report;
}

/// Runs clusters that may meet, in one machine.
static Report runTogether(const Launch &launch) {
  Machine machine(&launch);
  machine.runTogether();
  Report report = makeReport(launch, &machine.grids.front());
  report.faults = std::move(machine.grids.front().faults);
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
  std::optional<Trace> trace;
  if (options.traceTo && !options.trace.empty()) {
    trace.emplace(**program, impl->source, options);
    launch.trace = &*trace;
    launch.program = trace->program();
  }
  launch.config = &config;
  launch.options = &options;
  launch.sharedBytes = config.sharedBytes + (*program)->staticSharedBytes;
  launch.clusterSize = uint32_t(config.cluster.count());
  launch.parameters.resize((*program)->parameterBytes);
  for (unsigned i = 0; i < config.arguments.size(); ++i) {
    const Parameter &parameter = (*program)->parameters[i];
    uint8_t *to = launch.parameters.data() + parameter.offset;
    auto large = config.largeArguments.find(i);
    if (parameter.bytes <= sizeof(uint64_t) &&
        large == config.largeArguments.end())
      std::memcpy(to, &config.arguments[i], parameter.bytes);
    else if (large != config.largeArguments.end() &&
             large->second.size() == parameter.bytes)
      std::memcpy(to, large->second.data(), parameter.bytes);
    else
      return createStringError("argument " + Twine(i) + " of '" +
                               (*program)->name + "' takes " +
                               Twine(parameter.bytes) + " bytes");
  }
  launch.buffers = config.buffers;
  for (const Buffer &buffer : impl->variables.buffers())
    launch.buffers.push_back(buffer);
  return launch.program->mayMeet ? runTogether(launch) : runAlone(launch);
}
