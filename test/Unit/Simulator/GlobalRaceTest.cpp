//===- GlobalRaceTest.cpp - races in global memory --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

/// %rd1 is the word of thread and CTA, for CTAs of 8; %rd2 that of the next
/// thread, %rd3 of the next CTA of two.
static const std::string places =
    "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 8, %r0; mad.wide.u32 %rd1, "
    "%r3, 4, %rd0;\n"
    "xor.b32 %r4, %r3, 1; mad.wide.u32 %rd2, %r4, 4, %rd0;\n"
    "xor.b32 %r5, %r3, 8; mad.wide.u32 %rd3, %r5, 4, %rd0;\n";

TEST(GlobalRaces, WithinACta) {
  std::string write = "st.global.b32 [%rd1], %r0;\n",
              read = "ld.global.b32 %r6, [%rd2];\n";
  expectRace(places + write + read, places + write + "bar.sync 0;\n" + read,
             {8});
  expectRace("st.global.b32 [%rd0], %r0;", "st.global.b32 [%rd0], 1;");
}

TEST(GlobalRaces, WithinACluster) {
  std::string write = "st.global.b32 [%rd1], %r0;\n",
              read = "ld.global.b32 %r6, [%rd3];\n",
              sync = "barrier.cluster.arrive; barrier.cluster.wait;\n",
              relaxed = "barrier.cluster.arrive.relaxed; "
                        "barrier.cluster.wait;\n";
  expectRace(places + write + relaxed + read, places + write + sync + read,
             {8, 2});
}

TEST(GlobalRaces, BetweenClusters) {
  Shape two = {8, 1, 2};
  expectFault(
      "race", places + "st.global.b32 [%rd1], 1; ld.global.b32 %r6, [%rd3];",
      places + "st.global.b32 [%rd1], 1; ld.global.b32 %r6, [%rd1];", two);
  expectRace("st.global.b32 [%rd0], 1;", places + "st.global.b32 [%rd1], 1;",
             two);
  // All may read.
  expectClean("ld.global.b32 %r6, [%rd0];", two);
}

TEST(GlobalRaces, EachClusterIsComparedWithTheWrite) {
  // Not with the last one that has touched the byte.
  std::string body = places +
                     "setp.eq.u32 %p1, %r2, 1; @%p1 bra B; setp.eq.u32 "
                     "%p2, %r2, 2; @%p2 bra C;\n"
                     "st.global.b32 [%rd0], 1; ret;\n"
                     "B: ld.global.b32 %r6, [%rd0]; ret;\n"
                     "C: ld.global.b32 %r6, [%rd0];\n";
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer(64);
    Report report = runBody(body, buffer, {1, 1, 3}, options);
    EXPECT_EQ(report.faults.size(), 2u) << describe(report);
    EXPECT_TRUE(has(report, "race"));
  }
}

TEST(GlobalRaces, SameFaultsWithAnyNumberOfHostThreads) {
  std::string body = places + "st.global.b32 [%rd1], 1;\n"
                              "ld.global.b32 %r6, [%rd3]; "
                              "ld.global.b32 %r7, [%rd0];";
  std::string first;
  for (unsigned threads : {1u, 2u, 5u}) {
    Options options;
    options.hostThreads = threads;
    std::vector<uint32_t> buffer(64);
    std::string faults = describe(runBody(body, buffer, {8, 1, 8}, options));
    EXPECT_NE(faults, "");
    if (first.empty())
      first = faults;
    EXPECT_EQ(faults, first);
  }
}

TEST(GlobalRaces, SameBytesWithAnyNumberOfHostThreads) {
  // Each cluster writes for a while where all others do, and what it reads
  // there decides what it writes to a place of its own, and how long it runs.
  std::string body = places +
                     "mov.u32 %r6, 0; mov.u32 %r7, 0;\n"
                     "L: st.global.b32 [%rd0], %r2;\n"
                     "ld.global.b32 %r8, [%rd0+4]; add.s32 %r8, %r8, 1;\n"
                     "st.global.b32 [%rd0+4], %r8;\n"
                     "add.s32 %r7, %r7, %r8; and.b32 %r9, %r8, 1;\n"
                     "add.s32 %r6, %r6, 1; add.s32 %r6, %r6, %r9;\n"
                     "setp.lt.u32 %p0, %r6, 3000; @%p0 bra L;\n"
                     "st.global.b32 [%rd1+64], %r7;\n";
  std::vector<uint32_t> first;
  std::string firstFaults;
  for (unsigned threads : {1u, 2u, 4u, 4u, 4u}) {
    Options options;
    options.hostThreads = threads;
    std::vector<uint32_t> buffer(128);
    Report report = runBody(body, buffer, {1, 1, 8}, options);
    EXPECT_TRUE(has(report, "race")) << describe(report);
    std::string faults =
        describe(report) + std::to_string(report.laneInstructions);
    if (first.empty()) {
      first = buffer;
      firstFaults = faults;
    }
    EXPECT_EQ(buffer, first);
    EXPECT_EQ(faults, firstFaults);
  }
}

TEST(GlobalRaces, NonCoherentLoads) {
  std::string read = "ld.global.nc.b32 %r6, [%rd1];\n",
              plain = "ld.global.b32 %r6, [%rd1];\n",
              write = "st.global.b32 [%rd1], 3;\n";
  // Order does not help.
  expectFault("nc-write", places + write + read, places + write + plain, {8});
  expectFault("nc-write", places + read + write, places + plain + write, {8});
  expectFault("nc-write",
              places + "setp.eq.u32 %p0, %r2, 0; @%p0 " + read +
                  "@!%p0 st.global.b32 [%rd3], 1;",
              places + "setp.eq.u32 %p0, %r2, 0; @%p0 " + read +
                  "@!%p0 st.global.b32 [%rd1], 1;",
              {8, 1, 2});
}

TEST(GlobalRaces, NonCoherentLoadsAreNamed) {
  // A plain load since does not hide the line.
  std::string text = places + "ld.global.nc.b32 %r6, [%rd1];\n"
                              "ld.global.b32 %r7, [%rd1];\n"
                              "st.global.b32 [%rd1], 3;\n";
  std::vector<uint32_t> buffer(64);
  Report report = runBody(text, buffer, {8});
  ASSERT_EQ(report.faults.size(), 1u) << describe(report);
  uint32_t line = 10 + uint32_t(std::count(places.begin(), places.end(), '\n'));
  EXPECT_EQ(report.faults[0].line, line + 2);
  EXPECT_NE(
      report.faults[0].text.find("the read of line " + std::to_string(line)),
      std::string::npos)
      << describe(report);
}

TEST(GlobalRaces, SourceOfACopy) {
  auto body = [](const std::string &wait, const std::string &after) {
    return places +
           "mov.u32 %r9, memory; shl.b32 %r6, %r0, 2; add.u32 %r6, %r6, %r9;\n"
           "cp.async.ca.shared.global [%r6], [%rd1], 4;\n" +
           wait + "st.global.b32 [%rd1], 5;\n" + after;
  };
  expectFault("race", body("", "cp.async.wait_all;\n"),
              body("cp.async.wait_all;\n", ""), {8});
}
