//===- TogetherTest.cpp - clusters that run together ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters that meet in global memory: the resident ones take turns.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

/// Schedules for grids that fill the device, which take a while.
static std::vector<Options> fewSchedules() {
  std::vector<Options> all = schedules();
  return {all[0], all[1], all[2]};
}

/// %r2 is the CTA, thread 0 alone goes on.
static const std::string leader = "mov.u32 %r2, %ctaid.x; mov.u32 %r3, "
                                  "%nctaid.x; setp.ne.u32 %p0, %r0, 0;\n"
                                  "@%p0 bra E;\n";

/// Waits until word 0 is at least %r3.
static const std::string awaitAll =
    "red.release.gpu.global.add.u32 [%rd0], 1;\n"
    "L: ld.acquire.gpu.global.u32 %r4, [%rd0]; setp.lt.u32 %p1, %r4, %r3;\n"
    "@%p1 bra L;\n";

TEST(Together, GridBarrier) {
  // As many CTAs as are resident: 132 multiprocessors, two each of 1024.
  for (Options options : fewSchedules()) {
    std::vector<uint32_t> buffer(1);
    Report report = runBody(leader + awaitAll + "E:\nbar.sync 0;", buffer,
                            {1024, 1, 264}, options);
    EXPECT_EQ(describe(report), "");
    EXPECT_EQ(buffer[0], 264u);
  }
}

TEST(Together, FlagBetweenClusters) {
  // The last CTA produces what the others wait for, and the other way round.
  for (const char *producer :
       {"sub.u32 %r3, %r3, 1; setp.eq.u32 %p2, %r2, %r3;",
        "setp.eq.u32 %p2, %r2, 0;"})
    for (Options options : schedules()) {
      std::vector<uint32_t> buffer(64);
      Report report = runBody(
          leader + producer +
              "@%p2 bra P;\n"
              "L: ld.acquire.gpu.global.u32 %r4, [%rd0]; setp.eq.u32 %p1, "
              "%r4, 0; @%p1 bra L;\n"
              "ld.global.u32 %r5, [%rd0+4];\n"
              "mul.wide.u32 %rd1, %r2, 4; add.s64 %rd1, %rd1, %rd0;\n"
              "st.global.u32 [%rd1+8], %r5; bra E;\n"
              "P: st.global.u32 [%rd0+4], 77; "
              "st.release.gpu.global.u32 [%rd0], 1;\n"
              "E:",
          buffer, {32, 2, 20}, options);
      EXPECT_EQ(describe(report), "");
      EXPECT_EQ(buffer[2 + 7], 77u);
    }
}

TEST(Together, AnExitMakesRoomForTheNext) {
  // Far more CTAs than are resident, each with a ticket of its own.
  for (Options options : fewSchedules()) {
    std::vector<uint32_t> buffer(2);
    Report report = runBody(
        leader + "atom.relaxed.gpu.global.add.u32 %r4, [%rd0], 1;\n"
                 "L: ld.acquire.gpu.global.u32 %r5, [%rd0+4]; setp.ne.u32 %p1, "
                 "%r5, %r4; @%p1 bra L;\n"
                 "add.u32 %r5, %r5, 1; st.release.gpu.global.u32 [%rd0+4], "
                 "%r5;\nE:",
        buffer, {512, 1, 600}, options);
    EXPECT_EQ(describe(report), "");
    EXPECT_EQ(buffer[1], 600u);
  }
}

TEST(Together, TheOrderOfStartsIsTheSchedules) {
  std::vector<Options> all = schedules();
  auto firstOf = [](const Options &options) {
    std::vector<uint32_t> buffer(2);
    EXPECT_TRUE(runBody(leader + "atom.global.cas.b32 %r4, [%rd0], 0, 1;\n"
                                 "setp.ne.u32 %p1, %r4, 0; @%p1 bra E;\n"
                                 "st.global.u32 [%rd0+4], %r2;\nE:",
                        buffer, {32, 1, 100}, options)
                    .isClean());
    return buffer[1];
  };
  EXPECT_EQ(firstOf(all[0]), 0u);
  EXPECT_EQ(firstOf(all[1]), 99u);
  EXPECT_NE(firstOf(all[2]), firstOf(all[3]));
  EXPECT_EQ(firstOf(all[3]), firstOf(all[3]));
}

TEST(Together, WaitForACtaThatNeedNotBeResident) {
  // One more CTA than there is room for.
  for (Options options : fewSchedules()) {
    std::vector<uint32_t> buffer(1);
    Report report = runBody(leader + awaitAll + "E:\nbar.sync 0;", buffer,
                            {1024, 1, 265}, options);
    ASSERT_EQ(report.faults.size(), 1u);
    EXPECT_EQ(report.faults[0].kind, "not-resident") << describe(report);
    EXPECT_TRUE(llvm::StringRef(report.faults[0].text)
                    .contains("never starts, since CTAs that wait for others"))
        << describe(report);
  }
}

TEST(Together, LanesThatSpinForever) {
  for (Options options : schedules()) {
    std::vector<uint32_t> buffer(1);
    Report report = runBody(
        "L: ld.acquire.gpu.global.u32 %r4, [%rd0]; setp.eq.u32 %p1, %r4, 0;\n"
        "@%p1 bra L;",
        buffer, {64, 1, 2}, options);
    EXPECT_TRUE(has(report, "deadlock")) << describe(report);
  }
}

TEST(Together, WhoSpinsOnSharedMemoryWaitsForNoOtherCluster) {
  std::string first;
  for (unsigned threads : {1u, 2u, 3u}) {
    Options options;
    options.hostThreads = threads;
    options.stepLimit = 20000;
    std::vector<uint32_t> buffer(1);
    Report report = runBody("st.shared.b32 [memory], 0;\n"
                            "L: ld.volatile.shared.b32 %r2, [memory];\n"
                            "setp.eq.u32 %p1, %r2, 0;\n"
                            "@%p1 bra L;",
                            buffer, {1, 1, 4}, options);
    EXPECT_TRUE(has(report, "deadlock")) << describe(report);
    EXPECT_FALSE(has(report, "not-resident")) << describe(report);
    if (first.empty())
      first = describe(report);
    EXPECT_EQ(describe(report), first);
  }
}
