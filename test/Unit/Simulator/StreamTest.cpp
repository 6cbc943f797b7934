//===- StreamTest.cpp - launches that overlap in a stream -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

/// Runs bodies as launches of one stream, each after the first programmatic.
static std::vector<Report> runStream(const std::vector<std::string> &bodies,
                                     std::vector<uint32_t> &buffer,
                                     const Options &options,
                                     bool programmatic = true) {
  std::vector<Module> modules;
  std::vector<StreamLaunch> stream;
  for (const std::string &body : bodies) {
    llvm::Expected<Module> module = Module::parse(wrap(body));
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return {};
    }
    modules.push_back(std::move(*module));
  }
  for (const Module &module : modules) {
    StreamLaunch launch;
    launch.module = &module;
    launch.programmatic = programmatic;
    launch.config.block.x = 64;
    launch.config.grid.x = 4;
    launch.config.sharedBytes = 1024;
    launch.config.arguments = {1ull << 40};
    launch.config.buffers = {{1ull << 40, buffer.data(), buffer.size() * 4}};
    stream.push_back(launch);
  }
  llvm::Expected<std::vector<Report>> reports = launchAll(stream, options);
  if (!reports) {
    ADD_FAILURE() << llvm::toString(reports.takeError());
    return {};
  }
  return std::move(*reports);
}

/// The fault is of whichever comes second.
static void expectEarly(const std::vector<Report> &reports) {
  EXPECT_TRUE(has(reports[0], "early-read") || has(reports[1], "early-read"));
  EXPECT_FALSE(has(reports[0], "race") || has(reports[1], "race"));
}

/// %rd1 is the address of the thread's word, %rd2 that of another CTA's.
static const std::string places =
    "mov.u32 %r2, %ctaid.x; shl.b32 %r2, %r2, 6; add.u32 %r2, %r2, %r0;\n"
    "mul.wide.u32 %rd1, %r2, 4; add.s64 %rd1, %rd1, %rd0;\n"
    "xor.b32 %r3, %r2, 64; mul.wide.u32 %rd2, %r3, 4; "
    "add.s64 %rd2, %rd2, %rd0;\n";
static const std::string trigger = "griddepcontrol.launch_dependents;\n";
static const std::string await = "griddepcontrol.wait;\n";
static const std::string writeOwn = places + "st.global.u32 [%rd1], %r2;\n";
/// To the second half of the buffer.
static const std::string copy =
    "ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd1+1024], %r4;\n";

TEST(Stream, DependentsSeeWhatTheyWaitFor) {
  for (const Options &options : schedules()) {
    for (const std::string &primary :
         {trigger + writeOwn, writeOwn + trigger, writeOwn}) {
      std::vector<uint32_t> buffer(512);
      std::vector<Report> reports =
          runStream({primary, places + await + copy}, buffer, options);
      ASSERT_EQ(reports.size(), 2u);
      EXPECT_EQ(describe(reports[0]) + describe(reports[1]), "");
      for (uint32_t i = 0; i < 256; ++i)
        EXPECT_EQ(buffer[256 + i], i ^ 64);
    }
  }
}

TEST(Stream, EarlyReadsAndWrites) {
  // The writes may come before or after what depends on them.
  for (const Options &options : schedules())
    for (const std::string &primary :
         {trigger + writeOwn, writeOwn + trigger}) {
      std::vector<uint32_t> buffer(512);
      std::vector<Report> reports =
          runStream({primary, places + copy + await}, buffer, options);
      ASSERT_EQ(reports.size(), 2u);
      expectEarly(reports);
      reports =
          runStream({primary, places + "st.global.u32 [%rd2], 5;\n" + await},
                    buffer, options);
      expectEarly(reports);
    }
}

TEST(Stream, OneThreadWaitsForItsCta) {
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer(512);
    std::vector<Report> reports = runStream(
        {trigger + writeOwn, places + "setp.eq.u32 %p0, %r0, 0; @%p0 " + await +
                                 "bar.sync 0;\n" + copy},
        buffer, options);
    EXPECT_EQ(describe(reports[1]), "");
    reports =
        runStream({trigger + writeOwn,
                   places + "setp.eq.u32 %p0, %r0, 0; @%p0 " + await + copy},
                  buffer, options);
    expectEarly(reports);
  }
}

TEST(Stream, LaunchesInOrderNeedNoWait) {
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer(512);
    std::vector<Report> reports =
        runStream({trigger + writeOwn, places + copy}, buffer, options,
                  /*programmatic=*/false);
    EXPECT_EQ(describe(reports[0]) + describe(reports[1]), "");
    EXPECT_EQ(buffer[256], 64u);
  }
}

TEST(Stream, DependentsOverlap) {
  // The first launch waits for a word that the second one writes: it ends only
  // if they overlap.
  std::string primary = trigger + "L: ld.acquire.gpu.global.u32 %r4, [%rd0];\n"
                                  "setp.eq.u32 %p0, %r4, 0; @%p0 bra L;\n";
  std::string dependent = "st.release.gpu.global.u32 [%rd0], 1;\n";
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer(512);
    std::vector<Report> reports =
        runStream({primary, dependent + await}, buffer, options);
    EXPECT_EQ(describe(reports[0]) + describe(reports[1]), "");
    // It never does after a wait.
    buffer.assign(512, 0);
    reports = runStream({primary, await + dependent}, buffer, options);
    EXPECT_TRUE(has(reports[0], "deadlock") || has(reports[1], "deadlock"));
  }
}
