//===- Simulator.cpp - modules and launches --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses modules, and checks launches against the kernels' directives.
//
//===----------------------------------------------------------------------===//

#include "quack/Simulator/Simulator.h"

#include "Launches.h"
#include "Schedules.h"
#include "Trace.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

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
static Error checkShape(const Program &program, const LaunchConfig &config,
                        const Options &options) {
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
  if (block.x > 1024 || block.y > 1024 || block.z > 64)
    return createStringError("a block must have at most 1024x1024x64 threads, "
                             "got " +
                             shapeText(block));
  if (grid.count() == 0 || grid.x > INT32_MAX || grid.y > 65535 ||
      grid.z > 65535)
    return createStringError(
        "a grid must have 1x1x1 to 2147483647x65535x65535 CTAs, got " +
        shapeText(grid));
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
  for (const TraceChoice &choice : options.trace)
    if (choice.cta >= grid.count() ||
        choice.warp >= divideCeil(block.count(), uint64_t(warpLanes)))
      return createStringError("no warp " + Twine(choice.warp) + " of CTA " +
                               Twine(choice.cta) + " to trace: the grid is " +
                               shapeText(grid) + ", the block " +
                               shapeText(block));
  if (config.arguments.size() != program.parameters.size())
    return createStringError(
        "'" + program.name + "' takes " + Twine(program.parameters.size()) +
        " arguments, got " + Twine(config.arguments.size()));
  return Error::success();
}

Expected<const Program *>
quack::sim::findProgram(const std::vector<Program> &programs, StringRef name) {
  if (programs.empty())
    return createStringError("the module has no kernel");
  if (name.empty()) {
    if (programs.size() == 1)
      return &programs.front();
    return createStringError("the module has " + Twine(programs.size()) +
                             " kernels: name one");
  }
  for (const Program &program : programs)
    if (program.name == name)
      return &program;
  std::string names;
  for (const Program &program : programs)
    names += (names.empty() ? "" : ", ") + program.name;
  return createStringError("the module has no kernel '" + name +
                           "'; it has: " + names);
}

/// A launch that is ready to run, and what it refers to.
struct PreparedLaunch {
  Launch launch;
  std::optional<Trace> trace;
};

static Expected<std::unique_ptr<PreparedLaunch>>
prepare(ModuleImpl &impl, const LaunchConfig &config, const Options &options) {
  Expected<const Program *> found = findProgram(impl.programs, config.kernel);
  if (!found)
    return found.takeError();
  const Program &program = **found;
  if (Error error = checkShape(program, config, options))
    return error;
  auto prepared = std::make_unique<PreparedLaunch>();
  Launch &launch = prepared->launch;
  launch.program = &program;
  if (options.traceTo && !options.trace.empty()) {
    prepared->trace.emplace(program, impl.source, options);
    launch.trace = &*prepared->trace;
    launch.program = prepared->trace->program();
  }
  launch.config = &config;
  launch.options = &options;
  launch.sharedBytes = config.sharedBytes + program.staticSharedBytes;
  launch.clusterSize = uint32_t(config.cluster.count());
  launch.gridId = config.gridId;
  launch.parameters.resize(program.parameterBytes);
  for (unsigned i = 0; i < config.arguments.size(); ++i) {
    const Parameter &parameter = program.parameters[i];
    uint8_t *to = launch.parameters.data() + parameter.offset;
    auto large = config.largeArguments.find(i);
    if (parameter.bytes <= sizeof(uint64_t) &&
        large == config.largeArguments.end())
      std::memcpy(to, &config.arguments[i], parameter.bytes);
    else if (large != config.largeArguments.end() &&
             large->second.size() == parameter.bytes)
      std::memcpy(to, large->second.data(), parameter.bytes);
    else
      return createStringError("argument " + Twine(i) + " of '" + program.name +
                               "' takes " + Twine(parameter.bytes) + " bytes");
  }
  launch.buffers = config.buffers;
  for (const Buffer &buffer : impl.variables.buffers())
    launch.buffers.push_back(buffer);
  for (const Buffer &buffer : launch.buffers)
    launch.hasUnwritten |= (options.checks & checkUndefined) && buffer.written;
  return prepared;
}

Expected<Report> Module::launch(const LaunchConfig &config,
                                const Options &options) const {
  auto prepared = prepare(*impl, config, options);
  if (!prepared)
    return prepared.takeError();
  return runLaunch((*prepared)->launch);
}

Expected<std::vector<Report>>
quack::sim::launchAll(ArrayRef<StreamLaunch> stream, const Options &options) {
  std::vector<std::unique_ptr<PreparedLaunch>> all;
  for (const StreamLaunch &each : stream) {
    auto prepared = prepare(*each.module->impl, each.config, options);
    if (!prepared)
      return prepared.takeError();
    (*prepared)->launch.gridId += all.size();
    all.push_back(std::move(*prepared));
  }
  std::vector<Report> reports;
  for (size_t begin = 0, end; begin < all.size(); begin = end) {
    // A launch that is not programmatic waits for all before it.
    SmallVector<const Launch *, 4> together{&all[begin]->launch};
    for (end = begin + 1; end < all.size() && stream[end].programmatic; ++end)
      together.push_back(&all[end]->launch);
    if (together.size() == 1)
      reports.push_back(runLaunch(*together.front()));
    else
      for (Report &report : runDependent(together))
        reports.push_back(std::move(report));
  }
  return reports;
}
