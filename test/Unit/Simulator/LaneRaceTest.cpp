//===- LaneRaceTest.cpp - races in shared memory ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who is ordered after whom, down to the lanes of a warp.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

/// %r2 is the thread's word of shared memory, %r3 that of the lane next to it,
/// %r4 that of the same lane in the next warp of two.
static const std::string places =
    "mov.u32 %r9, memory; shl.b32 %r2, %r0, 2; add.s32 %r2, %r2, %r9;\n"
    "xor.b32 %r3, %r0, 1; shl.b32 %r3, %r3, 2; add.s32 %r3, %r3, %r9;\n"
    "xor.b32 %r4, %r0, 32; shl.b32 %r4, %r4, 2; add.s32 %r4, %r4, %r9;\n";
static const std::string put = "st.shared.b32 [%r2], %r0;\n",
                         readNext = "ld.shared.b32 %r5, [%r3];\n",
                         readWarp = "ld.shared.b32 %r5, [%r4];\n",
                         rewrite = "st.shared.b32 [%r2], 9;\n";

TEST(LaneRaces, OnlyBarriersOrderLanes) {
  std::string sync = "bar.warp.sync -1;\n";
  expectRace(places + put + readNext, places + put + sync + readNext);
  expectRace(places + put + sync + readNext + rewrite,
             places + put + sync + readNext + sync + rewrite);
  // A lane is ordered after itself.
  expectClean(places + put + "ld.shared.b32 %r5, [%r2];\n" + rewrite);
  for (std::string other :
       {"shfl.sync.bfly.b32 %r6, %r0, 1, 31, -1;\n",
        "vote.sync.any.pred %p1, %p0, -1;\n",
        "match.any.sync.b32 %r6, %r0, -1;\n",
        "redux.sync.add.s32 %r6, %r0, -1;\n",
        "@%p0 bra L; add.s32 %r6, %r0, 1; L:\n", "fence.acq_rel.gpu;\n"})
    expectFault(
        "race", places + "setp.lt.u32 %p0, %r0, 7;\n" + put + other + readNext,
        places + "setp.lt.u32 %p0, %r0, 7;\n" + put + other + sync + readNext);
  expectRace(places + put + "bar.warp.sync 0xffff;\n" + readNext,
             places + put + "bar.warp.sync -1;\n" + readNext);
  expectClean(places + put + "bar.sync 0;\n" + readNext);
}

TEST(LaneRaces, MaskOfWarpBarrier) {
  // Pairs of lanes meet where a branch has parted them.
  auto halves = [](const std::string &low, const std::string &high) {
    return places + "setp.lt.u32 %p0, %r0, 16;\n" + put + "@!%p0 bra H;\n" +
           "bar.warp.sync " + low + ";\n" + readNext + "bra E;\nH:\n" +
           "bar.warp.sync " + high + ";\n" + readNext + "E:\n";
  };
  expectFault("deadlock", halves("0xffff", "0xffff"),
              halves("0xffff", "0xffff0000"));
}

TEST(LaneRaces, SameInstruction) {
  expectRace("st.shared.b32 [memory], %r0;", "st.shared.b32 [memory], 5;");
  expectRace("st.shared.b32 [memory], 5; ld.shared.b32 %r2, [memory];",
             "st.shared.b32 [memory], 5; bar.warp.sync -1; "
             "ld.shared.b32 %r2, [memory];");
  // Turns of a loop are instructions of their own.
  auto loop = [](const std::string &stride, const std::string &sync) {
    return "mov.u32 %r9, memory; mov.u32 %r5, 0;\nL: shl.b32 %r2, %r0, 2; "
           "mad.lo.s32 %r2, %r5, " +
           stride + ", %r2; add.s32 %r2, %r2, %r9;\n" + sync +
           "st.shared.b32 [%r2], %r5; add.s32 %r5, %r5, 1; "
           "setp.lt.u32 %p0, %r5, 3; @%p0 bra L;\n";
  };
  expectRace(loop("4", ""), loop("128", ""));
  expectClean(loop("4", "bar.warp.sync -1;\n"));
}

TEST(LaneRaces, NameLanesThatRace) {
  auto run = [](const std::string &body) {
    std::vector<uint32_t> buffer(64);
    return describe(runBody(
        "setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r0, 5;" + body, buffer));
  };
  EXPECT_EQ(run("@%p0 st.shared.b32 [memory], 1;\n"
                "ld.shared.b32 %r2, [memory];"),
            "line 11: race: the read at shared offset 0 of CTA 0 is not "
            "ordered after the write of line 10 (CTA 0, warp 0, lane 0) "
            "[ld.shared.b32] (CTA 0, warp 0, lane 1)\n");
  EXPECT_EQ(run("@%p1 st.shared.b32 [memory], 1;\n"
                "ld.shared.b32 %r2, [memory];"),
            "line 11: race: the read at shared offset 0 of CTA 0 is not "
            "ordered after the write of line 10 (CTA 0, warp 0, lane 5) "
            "[ld.shared.b32] (CTA 0, warp 0, lane 0)\n");
  EXPECT_EQ(run("ld.shared.b32 %r2, [memory];\n"
                "@%p0 st.shared.b32 [memory], 1;")
                .substr(0, 20),
            "line 11: race: the w");
}

TEST(LaneRaces, WhoWroteReadsWithThoseWhoKnow) {
  // Lanes 1 to 31 wait until lane 0 has arrived; lane 0 waits for nobody, since
  // it comes after itself.
  auto body = [](const std::string &before, const std::string &after) {
    return "setp.eq.u32 %p0, %r0, 0;\n"
           "@%p0 mbarrier.init.shared.b64 [memory+512], 1;\n"
           "bar.sync 0;\n@!%p0 bra W;\n" +
           before + "mbarrier.arrive.shared.b64 %rd1, [memory+512];\n" + after +
           "bra E;\n"
           "W: mbarrier.try_wait.parity.shared.b64 %p1, [memory+512], 0;\n"
           "@!%p1 bra W;\nE: ld.shared.b32 %r2, [memory];\n";
  };
  std::string write = "st.shared.b32 [memory], 1;\n";
  expectRace(body("", write), body(write, ""));
}

TEST(LaneRaces, ElectedLane) {
  // What lane 0 releases alone is what it did and knows.
  auto body = [](const std::string &sync, const std::string &last) {
    return places +
           "setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p2, %r3, %r9; setp.ge.u32 "
           "%p3, %r0, 32;\n"
           "@%p0 mbarrier.init.shared.b64 [memory+512], 1; bar.sync 0;\n"
           "@%p3 bra W;\n" +
           put + sync +
           "@%p0 mbarrier.arrive.shared.b64 _, [memory+512]; bra E;\n"
           "W: mbarrier.try_wait.parity.shared.b64 %p1, [memory+512], 0;\n"
           "@!%p1 bra W;\n" +
           last + "E:\n";
  };
  std::string first = "ld.shared.b32 %r5, [memory];\n";
  expectRace(body("", readWarp), body("bar.warp.sync -1;\n", readWarp), {64});
  expectRace(body("", readWarp), body("", first), {64});
}

TEST(LaneRaces, AcquiredByOneLane) {
  // Lane 32 alone waits; the others of its warp must meet it.
  auto body = [](const std::string &sync) {
    return places +
           "setp.eq.u32 %p0, %r0, 0; setp.ge.u32 %p3, %r0, 32; setp.ne.u32 "
           "%p4, %r0, 32;\n"
           "@%p0 mbarrier.init.shared.b64 [memory+512], 32; bar.sync 0;\n"
           "@%p3 bra W;\n" +
           put +
           "mbarrier.arrive.shared.b64 _, [memory+512]; bra E;\n"
           "W: @%p4 bra S;\n"
           "X: mbarrier.try_wait.parity.shared.b64 %p1, [memory+512], 0;\n"
           "@!%p1 bra X;\nS:\n" +
           sync + readWarp + "E:\n";
  };
  expectRace(body(""), body("bar.warp.sync -1;\n"), {64});
}

TEST(LaneRaces, ArriveDoesNotAcquire) {
  auto body = [](const std::string &first, const std::string &second) {
    return places + "setp.ge.u32 %p0, %r0, 32; @%p0 bra B;\n" + put + first +
           " 1, 64;\nbra E;\nB:\n" + second + " 1, 64;\n" + readWarp + "E:\n";
  };
  expectRace(body("bar.sync", "bar.arrive"), body("bar.arrive", "bar.sync"),
             {64});
}

TEST(LaneRaces, ReadersAreSets) {
  // A write must come after each of the readers, not after the last one.
  auto body = [](const std::string &one, const std::string &other,
                 const std::string &second) {
    return places +
           "setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.b32 [memory], 1; "
           "bar.sync 0;\n"
           "shr.u32 %r6, %r0, 5; setp.eq.u32 %p1, %r6, 0; setp.eq.u32 %p2, "
           "%r6, 1;\n"
           "ld.shared.b32 %r5, [memory];\n"
           "@%p1 bra A; @%p2 bra B; bar.sync 1, 64;\n" +
           second +
           "setp.eq.u32 %p3, %r0, 64; @%p3 st.shared.b32 [memory], 2; bra E;\n"
           "A: bar.arrive " +
           one + ", 64; bra E;\nB: bar.arrive " + other + ", 64;\nE:\n";
  };
  std::string waitBoth = "bar.sync 2, 64;\n";
  expectRace(body("1", "3", ""), body("1", "2", waitBoth), {96});
  expectRace(body("3", "1", ""), body("2", "1", waitBoth), {96});
}

TEST(LaneRaces, Bytes) {
  expectRace("mov.u32 %r9, memory; add.u32 %r2, %r0, %r9; cvt.u16.u32 %rs1, "
             "%r0; st.shared.b8 [%r2], %rs1; shr.u32 %r3, %r0, 1; shl.b32 "
             "%r3, %r3, 1; add.u32 %r3, %r3, %r9; ld.shared.b16 %rs2, [%r3];",
             "mov.u32 %r9, memory; add.u32 %r2, %r0, %r9; cvt.u16.u32 %rs1, "
             "%r0; st.shared.b8 [%r2], %rs1; ld.shared.b8 %rs2, [%r2];");
}

TEST(LaneRaces, NamesTheOtherAccess) {
  std::vector<uint32_t> buffer(64);
  Report report = runBody(places + put + readNext, buffer);
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].str(),
            "line 14: race: the read at shared offset 4 of CTA 0 is not "
            "ordered after the write of line 13 (CTA 0, warp 0, lane 1) "
            "[ld.shared.b32] (CTA 0, warp 0, lane 0)");
}

TEST(LaneRaces, ManyStepsAreForgotten) {
  // More steps than the log keeps: what cells name survives.
  auto body = [](const std::string &end) {
    return places + put +
           "mov.u32 %r6, 0; bar.sync 0;\n"
           "L: st.shared.b32 [%r2+512], %r6; bar.sync 0; add.s32 %r6, %r6, 1; "
           "setp.lt.u32 %p0, %r6, 50000; @%p0 bra L;\n" +
           rewrite + end + readWarp;
  };
  std::vector<uint32_t> buffer(64);
  EXPECT_TRUE(has(runBody(body(""), buffer, {64}), "race"));
  EXPECT_EQ(describe(runBody(body("bar.sync 0;\n"), buffer, {64})), "");
  // What warp 1 does first, warp 0 meets when the log has been emptied.
  auto late = [](const std::string &sync) {
    return places + put + sync +
           "setp.ge.u32 %p0, %r0, 32; @%p0 bra E; mov.u32 %r6, 0;\n"
           "L: st.shared.b32 [%r2+512], %r6; bar.warp.sync -1; add.s32 %r6, "
           "%r6, 1; setp.lt.u32 %p1, %r6, 70000; @%p1 bra L;\n" +
           readWarp + "E:\n";
  };
  Options lazy;
  lazy.schedule = Schedule::lazy;
  EXPECT_TRUE(has(runBody(late(""), buffer, {64}, lazy), "race"));
  EXPECT_EQ(describe(runBody(late("bar.sync 0;\n"), buffer, {64}, lazy)), "");
}

TEST(LaneRaces, MoreAccessesThanCanBeKept) {
  // Each turn of the loop writes words that nobody has written before.
  auto body = [](const std::string &stride) {
    return "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0; mov.u32 %r2, "
           "0;\nL: st.global.b32 [%rd1], %r2; bar.warp.sync -1; add.s64 %rd1, "
           "%rd1, " +
           stride +
           "; add.s32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 16384; @%p0 bra L;";
  };
  Options options;
  options.accessLimit = 1; // the least is 2^14
  for (unsigned checks : {unsigned(checkAll), checkAll & ~checkRaces}) {
    options.checks = checks;
    std::vector<uint32_t> buffer(16384 * 32);
    Report bad = runBody(body("128"), buffer, {}, options);
    EXPECT_EQ(has(bad, "access-limit"), bool(checks & checkRaces));
    EXPECT_LE(bad.faults.size(), 1u) << describe(bad);
    // That is the end.
    EXPECT_EQ(bad.warpInstructions < 6 * 16384, bool(checks & checkRaces));
    // What later ones replace counts once.
    EXPECT_EQ(describe(runBody(body("0"), buffer, {}, options)), "");
  }
}
