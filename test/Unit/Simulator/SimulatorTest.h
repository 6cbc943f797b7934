//===- SimulatorTest.h - running snippets of PTX ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps the body of a kernel in what PTX wants around it, and runs it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_UNIT_SIMULATOR_SIMULATORTEST_H
#define QUACK_TEST_UNIT_SIMULATOR_SIMULATORTEST_H

#include "quack/Simulator/Simulator.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace quack::sim {

/// A kernel of one buffer, whose address is in %rd0; %r0 is the thread, %r1 the
/// rank in the cluster. Shared memory is `memory`, 1024 bytes.
inline std::string wrap(const std::string &body) {
  return R"(.version 8.3
.target sm_90
.address_size 64
.extern .shared .align 128 .b8 memory[];
.visible .entry test(.param .u64 buffer) {
.reg .pred %p<10>; .reg .b16 %rs<20>; .reg .b32 %r<40>; .reg .b64 %rd<20>;
ld.param.u64 %rd0, [buffer];
mov.u32 %r0, %tid.x;
mov.u32 %r1, %cluster_ctarank;
)" + body +
         "\nret;\n}\n";
}

struct Shape {
  uint32_t threads = 32, cluster = 1, grid = 1;
};

/// The launch of what wrap() makes.
inline LaunchConfig launchOf(std::vector<uint32_t> &buffer,
                             const Shape &shape) {
  LaunchConfig config;
  config.block.x = shape.threads;
  config.cluster.x = shape.cluster;
  config.grid.x = shape.grid * shape.cluster;
  config.sharedBytes = 1024;
  config.arguments = {1ull << 40};
  config.buffers = {{1ull << 40, buffer.data(), buffer.size() * 4}};
  return config;
}

/// Words that tell each other apart: 100, 101, ...
inline std::vector<uint32_t> countingWords() {
  std::vector<uint32_t> words(64);
  for (uint32_t i = 0; i < 64; ++i)
    words[i] = 100 + i;
  return words;
}

/// Runs `body` on `buffer`. A launch that is refused gives a fault "launch".
inline Report runBody(const std::string &body, std::vector<uint32_t> &buffer,
                      const Shape &shape = {}, const Options &options = {}) {
  Report report;
  auto refuse = [&](llvm::Error error) {
    Fault fault;
    fault.kind = "launch";
    fault.text = llvm::toString(std::move(error));
    ADD_FAILURE() << fault.text;
    report.faults.push_back(fault);
    return report;
  };
  std::string text = wrap(body);
  llvm::Expected<Module> module = Module::parse(text);
  if (!module)
    return refuse(module.takeError());
  llvm::Expected<Report> result =
      module->launch(launchOf(buffer, shape), options);
  if (!result)
    return refuse(result.takeError());
  return std::move(*result);
}

inline std::string describe(const Report &report) {
  std::string text;
  for (const Fault &fault : report.faults)
    text += fault.str() + "\n";
  return text;
}

inline bool has(const Report &report, const std::string &kind) {
  for (const Fault &fault : report.faults)
    if (fault.kind == kind)
      return true;
  return false;
}

/// The schedules that every test of synchronisation runs under.
inline std::vector<Options> schedules() {
  std::vector<Options> list(8);
  list[1].schedule = Schedule::lazy;
  for (unsigned i = 2; i < list.size(); ++i) {
    list[i].schedule = Schedule::random;
    list[i].seed = i;
  }
  return list;
}

/// `faulty` shows a fault of this kind under some schedule; `clean`, which
/// differs from it in the fault only, shows none under any.
inline void expectFault(const std::string &kind, const std::string &faulty,
                        const std::string &clean, const Shape &shape = {}) {
  bool found = false;
  std::string others;
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer(64);
    Report good = runBody(clean, buffer, shape, options);
    EXPECT_EQ(describe(good), "") << "the clean twin of " << kind;
    buffer.assign(64, 0);
    Report bad = runBody(faulty, buffer, shape, options);
    found |= has(bad, kind);
    others += describe(bad);
  }
  // Some faults show in few of the random schedules.
  Options random;
  random.schedule = Schedule::random;
  for (random.seed = 100; !found && random.seed < 164; ++random.seed) {
    std::vector<uint32_t> buffer(64);
    found = has(runBody(faulty, buffer, shape, random), kind);
  }
  EXPECT_TRUE(found) << kind << " is not among:\n" << others;
}

/// The same of a race that no order of execution hides.
inline void expectRace(const std::string &faulty, const std::string &clean,
                       const Shape &shape = {}) {
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer(64);
    EXPECT_EQ(describe(runBody(clean, buffer, shape, options)), "");
    buffer.assign(64, 0);
    EXPECT_TRUE(has(runBody(faulty, buffer, shape, options), "race"))
        << "schedule " << unsigned(options.schedule) << " seed " << options.seed
        << "\n"
        << faulty;
  }
}

/// `body` shows no faults under any schedule; it runs after `before`.
inline void expectClean(const std::string &body, const Shape &shape = {},
                        const std::string &before = "") {
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer(64);
    EXPECT_EQ(describe(runBody(before + body, buffer, shape, options)), "")
        << body;
  }
}

/// Runs `body` on zeros under every schedule: no faults, and the buffer begins
/// with `words`.
inline void expectWords(const std::string &body,
                        const std::vector<uint32_t> &words,
                        const Shape &shape = {},
                        std::vector<uint32_t> input = {}) {
  input.resize(64);
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer = input;
    Report report = runBody(body, buffer, shape, options);
    EXPECT_EQ(describe(report), "");
    buffer.resize(words.size());
    EXPECT_EQ(buffer, words) << "schedule " << unsigned(options.schedule)
                             << " seed " << options.seed << "\n"
                             << body;
  }
}

/// `body` is refused with a message that has `part` in it.
inline void expectError(const std::string &body, const std::string &part) {
  std::string text = wrap(body);
  llvm::Expected<Module> module = Module::parse(text);
  std::string message =
      module ? "no error" : llvm::toString(module.takeError());
  EXPECT_NE(message.find(part), std::string::npos) << message << "\n" << body;
}

} // namespace quack::sim

#endif // QUACK_TEST_UNIT_SIMULATOR_SIMULATORTEST_H
