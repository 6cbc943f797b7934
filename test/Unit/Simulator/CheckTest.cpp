//===- CheckTest.cpp - every fault, with a clean twin ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each case is a faulty program and a twin that differs in the fault only.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

TEST(Checks, Bounds) {
  expectFault("out-of-bounds", "ld.global.b32 %r2, [%rd0+256];",
              "ld.global.b32 %r2, [%rd0+252];");
  expectFault(
      "out-of-bounds", "st.shared.b32 [memory+1024], %r0;",
      "setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.b32 [memory+1020], %r0;");
}

TEST(Checks, BoundsNameWhatIsThere) {
  auto textOf = [](const std::string &body) {
    std::vector<uint32_t> buffer(64);
    Report report = runBody(body, buffer);
    return report.faults.empty() ? "" : report.faults.front().text;
  };
  EXPECT_EQ(textOf("ld.global.b32 %r2, [%rd0+256];"),
            "4 bytes at 0x10000000100: the nearest buffer, argument 0, has 256 "
            "bytes from 0x10000000000 on [ld.global.b32]");
  std::string shared = "CTAs have 1152 bytes from 0x400 on, 1024 of them "
                       "dynamic [",
              statics = ".shared .align 16 .b8 own[128];\n";
  EXPECT_EQ(textOf(statics + "ld.shared.b32 %r2, [memory+1024];"),
            "4 bytes at shared address 0x880: " + shared + "ld.shared.b32]");
  EXPECT_EQ(
      textOf(statics + "cp.async.ca.shared.global [memory+1024], [%rd0], 4;"),
      "4 bytes at shared address 0x880: " + shared +
          "cp.async.ca.shared.global]");
}

TEST(Checks, Alignment) {
  expectFault("misaligned", "ld.global.v2.b32 {%r2, %r3}, [%rd0+4];",
              "ld.global.v2.b32 {%r2, %r3}, [%rd0+8];");
}

TEST(Checks, Undefined) {
  expectFault(
      "undefined", "add.s32 %r3, %r2, 1; st.global.b32 [%rd0], %r3;",
      "mov.b32 %r2, 1; add.s32 %r3, %r2, 1; st.global.b32 [%rd0], %r3;");
  expectFault("undefined",
              "ld.shared.b32 %r2, [memory]; st.global.b32 [%rd0], %r2;",
              "st.shared.b32 [memory], 7; bar.warp.sync -1; "
              "ld.shared.b32 %r2, [memory]; st.global.b32 [%rd0], %r2;");
  // A value that is not chosen may be undefined.
  expectFault("undefined",
              "setp.eq.u32 %p0, %r0, 0; selp.b32 %r3, 5, %r2, %p0; "
              "st.global.b32 [%rd0], %r3;",
              "setp.ne.u32 %p0, %r0, 99; selp.b32 %r3, 5, %r2, %p0; "
              "st.global.b32 [%rd0], %r3;");
  // So may a register of which prmt takes no byte, in each lane its own.
  auto takes = [](const std::string &bad, const std::string &good) {
    std::string use = "and.b32 %r3, %r3, 0; st.global.b32 [%rd0], %r3;";
    expectFault("undefined", bad + use, good + use);
  };
  takes("prmt.b32 %r3, %r0, %r2, 0x3240;", "prmt.b32 %r3, %r0, %r2, 0x3210;");
  takes("prmt.b32 %r3, %r2, %r0, 0xb654;", "prmt.b32 %r3, %r2, %r0, 0xe654;");
  takes("prmt.b32 %r3, %r0, %r0, %r2;", "prmt.b32 %r3, %r0, %r0, %r0;");
  std::string select = "mov.b32 %r5, 0x7654; setp.eq.u32 %p0, %r0, 9; ",
              permute = "prmt.b32 %r3, %r2, %r0, %r5; ";
  takes(select + "selp.b32 %r5, 0x7650, %r5, %p0; " + permute,
        select + "selp.b32 %r5, 0x4567, %r5, %p0; " + permute);
}

static const std::string neighbours =
    "shl.b32 %r2, %r0, 2; mov.u32 %r4, memory; add.s32 %r2, %r2, %r4;\n"
    "xor.b32 %r3, %r0, 32; shl.b32 %r3, %r3, 2; add.s32 %r3, %r3, %r4;\n";

TEST(Checks, Race) {
  std::string write = neighbours + "st.shared.b32 [%r2], %r0;\n",
              read = "ld.shared.b32 %r5, [%r3];\n";
  expectFault("race", write + read, write + "bar.sync 0;\n" + read, {64});
  expectFault(
      "race", write + "bar.sync 0;\n" + read + "st.shared.b32 [%r2], %r5;",
      write + "bar.sync 0;\n" + read + "bar.sync 0;\nst.shared.b32 [%r2], %r5;",
      {64});
}

TEST(Checks, Trap) {
  std::string before = "setp.gt.u32 %p0, %r0, ";
  expectFault("trap", before + "30; @%p0 trap;", before + "31; @%p0 trap;");
}

TEST(Checks, Barriers) {
  expectFault("divergent-barrier",
              "setp.lt.u32 %p0, %r0, 16; @%p0 bra L; bar.sync 0; L:",
              "setp.lt.u32 %p0, %r0, 16; @%p0 bra L; add.s32 %r2, %r0, 1; L: "
              "bar.sync 0;");
  expectFault(
      "deadlock",
      "setp.lt.u32 %p0, %r0, 32; @%p0 bra L; bar.sync 1, 64; L: bar.sync 0;",
      "bar.sync 1, 64; bar.sync 0;", {64});
  expectFault("deadlock",
              "setp.lt.u32 %p0, %r0, 16; @%p0 bra L; barrier.sync 1, 32; L:",
              "setp.lt.u32 %p0, %r0, 16; @%p0 exit; barrier.sync 1, 32;");
  expectFault("barrier-misuse", "mov.u32 %r2, 0; bar.arrive 1, %r2;",
              "mov.u32 %r2, 64; bar.arrive 1, %r2; bar.sync 1, 64;");
  // Exited threads count as arrived.
  expectFault("barrier-misuse", "bar.sync 16;",
              "setp.lt.u32 %p0, %r0, 32; @%p0 ret; bar.sync 0;", {64});
  expectFault("lane-mask", "shfl.sync.bfly.b32 %r2, %r0, 1, 31, 0xffff;",
              "shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1;");
  expectFault(
      "deadlock",
      "setp.lt.u32 %p0, %r0, 16; @%p0 shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1; "
      "bar.warp.sync -1;",
      "setp.lt.u32 %p0, %r0, 16; @%p0 shfl.sync.bfly.b32 %r2, %r0, 1, 31, "
      "0xffff; bar.warp.sync -1;");
}

TEST(Checks, BarriersThatReduceAreOnesOfTheirOwn) {
  const std::string half = "setp.lt.u32 %p0, %r0, 32; @%p0 bra A;\n",
                    reduce = "bar.red.popc.u32 %r5, 1, 64, %p0;\n";
  for (const char *other : {"bar.sync 1, 64;\n", "bar.arrive 1, 64;\n"})
    expectFault("barrier-misuse",
                half + std::string(other) + "bra E; A: " + reduce + "E:",
                half + reduce + "bra E; A: " + reduce + "E:", {64});
  // Another phase may be another kind.
  expectClean(half + "A: " + reduce + "bar.sync 1, 64;\n" + reduce, {64});
}

TEST(Checks, ClusterBarrier) {
  std::string arrive = "barrier.cluster.arrive.aligned;\n",
              wait = "barrier.cluster.wait.aligned;\n";
  expectFault("barrier-misuse", arrive + arrive + wait,
              arrive + wait + arrive + wait, {32, 2});
  expectFault("barrier-misuse", wait, arrive + wait, {32, 2});
  std::string remote = "mov.u64 %rd1, memory; xor.b32 %r2, %r1, 1;\n"
                       "mapa.shared::cluster.u64 %rd2, %rd1, %r2;\n"
                       "st.shared::cluster.b32 [%rd2], %r1;\n";
  expectFault("unstarted-peer", remote + arrive + wait,
              arrive + wait + remote + arrive + wait, {32, 2});
  expectFault("exited-peer",
              arrive + wait + "setp.eq.u32 %p0, %r1, 0; @%p0 ret;\n" + remote,
              arrive + wait + remote + arrive + wait, {32, 2});
  expectFault("bad-rank",
              "mov.u64 %rd1, memory; mapa.shared::cluster.u64 %rd2, %rd1, 2;",
              "mov.u64 %rd1, memory; mapa.shared::cluster.u64 %rd2, %rd1, 1;",
              {32, 2});
}

/// Every CTA sends a word to its peer; ${...} are the places of the faults.
static std::string
sends(const std::string &bytes = "4", const std::string &parity = "0",
      const std::string &scope = ".acquire.cluster",
      const std::string &fence = "fence.mbarrier_init.release.cluster;",
      bool waits = true) {
  return "mov.u64 %rd1, memory; add.s64 %rd2, %rd1, 8; xor.b32 %r2, %r1, 1; "
         "mov.u32 %r4, memory;\n"
         "setp.ne.u32 %p0, %r0, 0; @%p0 bra A;\n"
         "mbarrier.init.shared.b64 [memory], 1;\n" +
         fence +
         "\nA:\n"
         "barrier.cluster.arrive.relaxed.aligned; "
         "barrier.cluster.wait.aligned;\n"
         "@%p0 bra B;\n"
         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], " +
         bytes +
         ";\n"
         "mapa.shared::cluster.u64 %rd3, %rd1, %r2; mapa.shared::cluster.u64 "
         "%rd4, %rd2, %r2;\n"
         "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%rd4], "
         "%r1, [%rd3];\nB:\n" +
         (waits
              ? "W: mbarrier.try_wait.parity" + scope +
                    ".shared.b64 %p1, [memory], " + parity + ";\n@!%p1 bra W;\n"
              : std::string()) +
         "ld.shared.b32 %r5, [memory+8]; mad.wide.u32 %rd5, %r1, 4, %rd0; "
         "@!%p0 st.global.b32 [%rd5], %r5;\n";
}

TEST(Checks, MBarrier) {
  std::string good = sends();
  expectFault("deadlock", sends("8"), good, {64, 2});
  expectFault("exit-in-flight",
              sends("4", "0", ".acquire.cluster",
                    "fence.mbarrier_init.release.cluster;", false),
              good, {64, 2});
  expectFault("async-in-flight", sends("4", "1"), good, {64, 2});
  expectFault("scope", sends("4", "0", ""), good, {64, 2});
  expectFault("mbarrier-race", sends("4", "0", ".acquire.cluster", ""), good,
              {64, 2});
  expectFault(
      "mbarrier-access",
      "mbarrier.init.shared.b64 [memory], 1; ld.shared.b32 %r2, [memory];",
      "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [memory], 1;");
  expectFault(
      "mbarrier-misuse",
      "mov.u32 %r4, memory; mbarrier.arrive.shared.b64 %rd1, [%r4];",
      "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [memory], 1;");
}

TEST(Checks, CopyAsync) {
  std::string copy =
      "mov.u32 %r4, memory; shl.b32 %r2, %r0, 3; add.s32 %r4, %r4, %r2;\n"
      "cvt.u64.u32 %rd1, %r2; add.s64 %rd1, %rd1, %rd0;\n"
      "cp.async.ca.shared.global [%r4], [%rd1], 8;\ncp.async.commit_group;\n";
  std::string read = "ld.shared.v2.b32 {%r5, %r6}, [%r4];\n";
  expectFault("async-in-flight", copy + "cp.async.wait_group 1;\n" + read,
              copy + "cp.async.wait_group 0;\n" + read);
  expectFault("misaligned",
              "mov.u32 %r4, memory; cp.async.ca.shared.global [%r4], [%rd0+4], "
              "8; cp.async.wait_all;",
              copy + "cp.async.wait_all;");
}

TEST(Checks, ProxyFence) {
  auto body = [](const std::string &fence) {
    return "mov.u32 %r4, memory; add.s32 %r6, %r4, 128;\n"
           "setp.ne.u32 %p0, %r0, 0; @%p0 bra A;\n"
           "mbarrier.init.shared.b64 [memory], 1; st.shared.b32 [%r6], 1;\n" +
           fence +
           "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 64;\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
           "[%r6], [%rd0], 64, [%r4];\n"
           "A: bar.sync 0;\n"
           "W: mbarrier.try_wait.parity.shared.b64 %p1, [memory], 0;\n"
           "@!%p1 bra W; ld.shared.b32 %r5, [%r6];";
  };
  expectFault("proxy-fence", body(""), body("fence.proxy.async;\n"), {64});
}

TEST(Checks, StepLimit) {
  Options options;
  options.stepLimit = 10000;
  std::vector<uint32_t> buffer(1);
  EXPECT_TRUE(has(runBody("L: bra L;", buffer, {}, options), "step-limit"));
}

TEST(Checks, UndefinedNamesTheLineThatRead) {
  // Through a predicate that selects, as well as through values.
  for (const char *use : {"setp.lt.u32 %p1, %r2, 5; selp.b32 %r3, 1, 2, %p1;",
                          "setp.lt.u32 %p1, 4, 5; selp.b32 %r3, %r2, 2, %p1;",
                          "setp.lt.u32 %p1, 6, 5; selp.b32 %r3, 1, %r2, %p1;",
                          "add.u32 %r3, %r2, %r2;"}) {
    std::vector<uint32_t> buffer(64);
    Report report =
        runBody("ld.shared.b32 %r2, [memory];\n" + std::string(use) +
                    "st.global.b32 [%rd0], %r3;\n"
                    "st.global.b32 [%rd0+4], %r3;",
                buffer, {1});
    // Once, though it reaches memory twice.
    ASSERT_EQ(report.faults.size(), 1u) << describe(report);
    EXPECT_EQ(report.faults[0].kind, "undefined");
    EXPECT_NE(report.faults[0].text.find("read in line 10"), std::string::npos)
        << use << report.faults[0].text;
  }
}

TEST(Checks, AnyMayBeOff) {
  std::string body = sends();
  for (unsigned checks = 0; checks <= checkAll; ++checks)
    for (Options options : schedules()) {
      options.checks = checks;
      std::vector<uint32_t> buffer(64);
      Report report = runBody(body, buffer, {64, 2}, options);
      EXPECT_EQ(describe(report), "") << "checks " << checks;
      EXPECT_EQ(buffer[0], 1u);
      EXPECT_EQ(buffer[1], 0u);
    }
}
