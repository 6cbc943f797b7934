//===- Schedules.cpp - a kernel under several schedules --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedules.h"

#include "Snapshot.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace quack::sim;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string quack::sim::str(const Options &options) {
  switch (options.schedule) {
  case Schedule::eager:
    return "eager";
  case Schedule::lazy:
    return "lazy";
  case Schedule::random:
    return "random:" + std::to_string(options.seed);
  }
  return "";
}

/// random, random:SEED, random:FIRST-LAST
static bool addRandom(StringRef seeds, Options options,
                      std::vector<Options> &list) {
  uint64_t first = 0, last = 0;
  if (!seeds.empty()) {
    auto [from, to] = seeds.split('-');
    if (!to_integer(from, first) ||
        !to_integer(seeds.contains('-') ? to : from, last))
      return false;
  }
  if (last < first || last - first > 100000)
    return false;
  options.schedule = Schedule::random;
  for (uint64_t i = 0; i <= last - first; ++i) {
    options.seed = first + i;
    list.push_back(options);
  }
  return true;
}

Expected<std::vector<Options>>
quack::sim::parseSchedules(StringRef text, const Options &options) {
  std::vector<Options> list;
  SmallVector<StringRef, 4> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [name, seeds] = part.split(':');
    bool isSeeded = name == "random" && (part == name || !seeds.empty());
    if (part == "eager" || part == "lazy") {
      list.push_back(options);
      list.back().schedule = part == "eager" ? Schedule::eager : Schedule::lazy;
    } else if (!isSeeded || !addRandom(seeds, options, list)) {
      return createStringError("expected eager, lazy, random, random:SEED or "
                               "random:FIRST-LAST, got '" +
                               part + "'");
    }
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Several runs
//===----------------------------------------------------------------------===//

Expected<Report> Module::launchEach(const LaunchConfig &config,
                                    ArrayRef<Options> options) const {
  if (options.size() == 1)
    return launch(config, options.front());
  Expected<const Program *> program =
      findProgram(impl->programs, config.kernel);
  if (!program)
    return program.takeError();
  // What the module's variables hold belongs to the state too.
  std::vector<Buffer> buffers = config.buffers;
  llvm::append_range(buffers, impl->variables.buffers());
  Snapshot before(buffers);
  std::optional<Snapshot> after;
  std::string firstSchedule;
  Report last;
  for (const Options &run : options) {
    if (after)
      before.restore(buffers);
    Expected<Report> report = launch(config, run);
    if (!report)
      return report;
    last = std::move(*report);
    if (!last.isClean())
      return last;
    if (!after) {
      after.emplace(buffers);
      firstSchedule = last.schedule;
      continue;
    }
    uint64_t address = after->findChange(buffers);
    if (address == 0 || (*program)->mayMeet)
      continue;
    Fault fault;
    fault.kind = "schedule-dependent";
    fault.text = "the byte at 0x" + utohexstr(address, /*LowerCase=*/true) +
                 " is not what the schedule " + firstSchedule + " left there";
    last.faults.push_back(std::move(fault));
    return last;
  }
  return last;
}
