//===- ExecutionTest.cpp - control flow, phases, errors --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace llvm;
using namespace quack::sim;

/// Runs on one warp; thread i's result is in %r5, and in the buffer's word i.
static std::vector<uint32_t> results(const std::string &body,
                                     const Shape &shape = {},
                                     const Options &options = {}) {
  std::vector<uint32_t> buffer(shape.threads);
  Report report =
      runBody(body + "\nmul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0;\n"
                     "st.global.b32 [%rd1], %r5;",
              buffer, shape, options);
  EXPECT_EQ(describe(report), "");
  return buffer;
}

TEST(Execution, LanesPartAndMeet) {
  // Thread i loops i times; all meet for the shuffle.
  std::vector<uint32_t> got = results(
      "mov.b32 %r5, 0; setp.eq.u32 %p0, %r0, 0; @%p0 bra E;\n"
      "L: add.s32 %r5, %r5, 2; add.s32 %r6, %r5, 0; shr.u32 %r6, %r6, 1;\n"
      "setp.lt.u32 %p1, %r6, %r0; @%p1 bra L;\n"
      "E: shfl.sync.bfly.b32 %r5, %r5, 31, 31, -1;");
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(got[i], 2 * (31 - i));
}

TEST(Execution, SpinningLanesLetOthersRun) {
  results("st.shared.b32 [memory], 0; bar.warp.sync -1; mov.b32 %r5, 1;\n"
          "setp.eq.u32 %p0, %r0, 7; @%p0 bra S;\n"
          "L: ld.volatile.shared.b32 %r2, [memory]; setp.eq.u32 %p1, %r2, 0; "
          "@%p1 bra L;\n"
          "bra E;\nS: st.volatile.shared.b32 [memory], 1;\nE:");
}

TEST(Execution, LockBetweenLanes) {
  // Who has the lock gives it back after the loop, where the lanes that still
  // spin would meet it; then the warp is whole again.
  std::string body =
      "setp.ne.u32 %p0, %r0, 0; @%p0 bra A; st.shared.v2.b32 [memory], "
      "{%r30, %r30};\nA: bar.sync 0;\n"
      "L: atom.acquire.cta.shared.cas.b32 %r2, [memory], 0, 1;\n"
      "setp.ne.u32 %p1, %r2, 0; @%p1 bra L;\n"
      "ld.shared.b32 %r3, [memory+4]; add.u32 %r3, %r3, 1; "
      "st.shared.b32 [memory+4], %r3;\n"
      "atom.release.cta.shared.exch.b32 %r4, [memory], 0;\n"
      "bar.sync 0; ld.shared.b32 %r5, [memory+4];";
  for (const Options &options : schedules())
    EXPECT_EQ(results("mov.b32 %r30, 0;\n" + body, {64}, options)[5], 64u);
}

TEST(Execution, AlignedNeedsTheWholeWarp) {
  // Lanes that have exited count as arrived, also as whole warps.
  for (const char *barrier :
       {"bar.sync 0;", "bar.red.popc.u32 %r5, 0, 0, %p3;",
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
        "barrier.sync.aligned 0;"}) {
    std::string at = std::string(barrier) + "\n";
    std::string part = "mov.b32 %r5, 0; setp.ne.u32 %p3, %r0, %r0;\n"
                       "setp.lt.u32 %p0, %r0, 40;\n";
    expectFault("divergent-barrier",
                part + "@%p0 bra E;\n" + at + "E:", part + "@%p0 exit;\n" + at,
                {96});
  }
  // Without .aligned lanes may come one after the other.
  results("mov.b32 %r5, 0; setp.lt.u32 %p0, %r0, 40; @%p0 bra E;\n"
          "barrier.sync 0; bra F;\nE: barrier.sync 0;\nF:",
          {96});
}

TEST(Execution, WarpsArriveAtBarriersAsAWhole) {
  // The parts of a warp are no two warps: who comes first waits for the rest,
  // and what both have done lies before the barrier.
  const std::string body =
      "mul.lo.u32 %r4, %r0, 4; mov.u32 %r6, memory; add.u32 %r6, %r6, %r4;\n"
      "mov.u32 %r7, 3; setp.lt.u32 %p0, %r0, 10; @%p0 bra A;\n"
      "st.shared.u32 [%r6], %r0; barrier.sync %r7, 64; bra E;\n"
      "A: st.shared.u32 [%r6], 7; barrier.sync 3, 64;\n"
      "E: xor.b32 %r4, %r4, 252; mov.u32 %r6, memory; "
      "add.u32 %r6, %r6, %r4; ld.shared.u32 %r5, [%r6];";
  for (const Options &options : schedules()) {
    std::vector<uint32_t> got = results(body, {64}, options);
    for (uint32_t i = 0; i < 64; ++i)
      EXPECT_EQ(got[i], 63 - i < 10 ? 7 : 63 - i);
  }
  // Lanes that exit are not waited for; those that arrive only, wait for none
  // of another warp.
  for (const Options &options : schedules()) {
    std::vector<uint32_t> got =
        results("mov.u32 %r5, 1; setp.ge.u32 %p2, %r0, 32; @%p2 bra S;\n"
                "setp.lt.u32 %p0, %r0, 10; @%p0 exit; "
                "setp.lt.u32 %p1, %r0, 20; @%p1 bra A;\n"
                "barrier.arrive 3, 64; bra E; A: barrier.arrive 3, 64; bra E;\n"
                "S: barrier.sync 3, 64; E:",
                {64}, options);
    for (uint32_t i = 0; i < 64; ++i)
      EXPECT_EQ(got[i], uint32_t(i >= 10));
  }
}

TEST(Execution, GuardsLeaveLanesOutOfInstructionsThatWait) {
  // Those come to the next one, which the others wait for.
  const std::string half = "setp.lt.u32 %p0, %r0, 16; mov.u32 %r5, 1;\n";
  for (const char *each : {"barrier.sync 1, 32;", "bar.warp.sync -1;",
                           "redux.sync.min.u32 %r6, %r0, -1;"})
    expectClean(half + "@%p0 " + each + "\n@!%p0 " + each +
                "\nbar.sync 0; shfl.sync.bfly.b32 %r5, %r0, 1, 31, -1;");
  for (const Options &options : schedules()) {
    std::vector<uint32_t> got =
        results(half + "@%p0 shfl.sync.idx.b32 %r5, %r0, 20, 31, -1;\n"
                       "@!%p0 shfl.sync.idx.b32 %r5, %r0, 3, 31, -1;",
                {}, options);
    for (uint32_t i = 0; i < 32; ++i)
      EXPECT_EQ(got[i], i < 16 ? 20u : 3u);
  }
}

TEST(Execution, ClustersAreExplicitOrNot) {
  std::string body = "mov.pred %p1, %is_explicit_cluster;\n"
                     "selp.b32 %r5, 7, 9, %p1; st.global.b32 [%rd0], %r5;";
  expectWords(body, {9}, {1});
  expectWords("setp.ne.u32 %p0, %r1, 0; @%p0 ret;\n" + body, {7}, {1, 2});
  expectError("mov.b32 %r5, %is_explicit_cluster;",
              "'%is_explicit_cluster' is a predicate");
  expectError("mov.pred %p1, %tid.x;", "'%tid.x' is no predicate");
}

TEST(Execution, Shuffles) {
  std::vector<uint32_t> up = results("shfl.sync.up.b32 %r5, %r0, 1, 0, -1;");
  std::vector<uint32_t> down =
      results("shfl.sync.down.b32 %r5, %r0, 4, 0x1807, -1;");
  EXPECT_EQ(up[0], 0u);
  EXPECT_EQ(up[5], 4u);
  EXPECT_EQ(down[0], 4u);
  EXPECT_EQ(down[6], 6u); // beyond its segment of 8
  EXPECT_EQ(results("vote.sync.ballot.b32 %r5, %p0, -1;", {},
                    [] {
                      Options o;
                      o.checks = 0;
                      return o;
                    }())[3],
            0u);
}

/// PTX ISA, mbarrier: what a wait on a parity says after each step.
TEST(Execution, MBarrierTruthTable) {
  struct Step {
    const char *action;
    bool parity0, parity1;
  };
  const Step steps[] = {
      {"mov.b32 %r9, 0;", false, true},
      {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r4], 16;", false,
       true},
      {"mbarrier.arrive.shared.b64 %rd5, [%r4];", false, true},
      {"mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r4], 16;", true,
       false},
      // Bytes may complete before they are expected.
      {"mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r4], 8;", true,
       false},
      {"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 8;", false, true},
      {"mbarrier.arrive.shared.b64 %rd5, [%r4];", true, false},
  };
  std::string body = "setp.ne.u32 %p0, %r0, 0; @%p0 ret; mov.u32 %r4, memory; "
                     "mov.b32 %r5, 0;\n"
                     "mbarrier.init.shared.b64 [%r4], 1;\n";
  uint32_t expected = 0;
  for (const Step &step : steps) {
    body += std::string(step.action) + "\n";
    for (bool parity : {false, true}) {
      body += "mbarrier.test_wait.parity.shared.b64 %p1, [%r4], " +
              std::to_string(parity) +
              "; selp.b32 %r6, 1, 0, %p1; shl.b32 %r5, %r5, 1; or.b32 %r5, "
              "%r5, %r6;\n";
      expected = expected << 1 | (parity ? step.parity1 : step.parity0);
    }
  }
  EXPECT_EQ(results(body)[0], expected);
}

TEST(Execution, SameResultWithAnyNumberOfHostThreads) {
  Options options;
  std::string reports[2];
  for (unsigned i : {0u, 1u}) {
    options.hostThreads = 1 + 3 * i;
    std::vector<uint32_t> buffer(1024);
    Report report = runBody(
        "mov.u32 %r2, %ctaid.x; shl.b32 %r2, %r2, 5; add.s32 %r2, %r2, %r0;\n"
        "mul.wide.u32 %rd1, %r2, 4; add.s64 %rd1, %rd1, %rd0;\n"
        "st.global.b32 [%rd1], %r2; ld.shared.b32 %r3, [memory+1024];",
        buffer, {32, 1, 32}, options);
    reports[i] = describe(report) + report.str() + std::to_string(buffer[777]);
  }
  EXPECT_EQ(reports[0], reports[1]);
}

TEST(Errors, NameThePlace) {
  auto messageOf = [](const std::string &body) {
    Expected<Module> module = Module::parse(wrap(body), "k.ptx");
    return module ? std::string() : toString(module.takeError());
  };
  EXPECT_EQ(messageOf("add.s32 %r2, %r0, 1;"), "");
  EXPECT_EQ(messageOf("tcgen05.alloc %r2;"),
            "k.ptx:10:1: unknown instruction 'tcgen05.alloc'");
  EXPECT_EQ(messageOf("alloca.u64 %rd1, 16;"),
            "k.ptx:10:1: unknown instruction 'alloca.u64'");
  EXPECT_EQ(messageOf("add.rn.s32 %r2, %r0, 1;"),
            "k.ptx:10:4: unknown modifier '.rn' of 'add'");
  EXPECT_EQ(
      messageOf("add.s32 %r2, %rd0, 1;"),
      "k.ptx:10:14: '%rd0' is a .b64 register, expected the width of .s32");
  EXPECT_EQ(messageOf("add.s32 %r2, %r99, 1;"),
            "k.ptx:10:14: unknown register '%r99'");
  EXPECT_EQ(messageOf("bra X;"), "k.ptx:10:5: unknown label 'X'");
  EXPECT_EQ(messageOf("add.s32 %r2, %r0;"),
            "k.ptx:10:1: 'add.s32' takes 3 operands, got 2");
}

TEST(Errors, WhatIsThereTwice) {
  expectError("A: add.u32 %r2, %r0, 1; A: ret;", "10:25: the label 'A' is");
  expectError(".reg .b32 %r<4>;", "10:11: '%r0' is declared twice");
  expectError(".reg .b32 %x, %x;", "10:15: '%x' is declared twice");
  // Blocks have names of their own.
  expectClean("{ .reg .b32 %r<4>; mov.b32 %r1, 5; A: } { A: } A:");
  auto messageOf = [](const std::string &text) {
    Expected<Module> module = Module::parse(text, "k.ptx");
    return module ? std::string() : toString(module.takeError());
  };
  EXPECT_EQ(messageOf(".func f(); .func f() { ret; } .entry k() { ret; }"), "");
  EXPECT_EQ(messageOf(".func k() { ret; }\n.entry k() { ret; }"),
            "k.ptx:2:8: 'k' is defined twice");
  EXPECT_EQ(messageOf(".extern .global .b32 x; .global .b32 x;"), "");
  EXPECT_EQ(messageOf(".global .b32 x; .shared .b32 x;"),
            "k.ptx:1:30: 'x' is defined twice");
  EXPECT_EQ(messageOf(".global .align 3 .b32 x;"),
            "k.ptx:1:16: an alignment is a power of two");
}

TEST(Errors, NothingOfTheTextIsPassedOver) {
  expectError("add.u32 %r2, !%r0, 1;", "10:14: 'add.u32' negates no operand");
  expectError("selp.b32 %r2, %r0, 1, !%p1;", "'selp.b32' negates no operand");
  expectError("add.u32 %r2|%p1, %r0, 1;", "10:9: 'add.u32' has one result");
  expectError("add.u32 %r2|_, %r0, 1;", "'add.u32' has one result");
  expectError("add.u32 %r2, %r0+4, 1;", "expected a register without an");
  expectError("add.u32 %r2, %tid.x+4, 1;", "expected a register without an");
  expectError("L: bra L+4;", "10:8: expected a label");
  expectError("mov.b32 _+4, 1;", "expected a register without an offset");
  expectError("st.global.u32 [!%rd0], 1;", "10:16: expected a plain operand");
  expectError("mov.b64 %rd1, {%r0, !%r0};", "expected a plain operand");
  expectError("setp.eq.u32 %p1|%r2, %r0, 1;", "expected a predicate after");
  expectError("ld.global.ca.cg.u32 %r2, [%rd0];", "modifier '.cg' of 'ld'");
  expectError("ld.global.wb.u32 %r2, [%rd0];", "unknown modifier '.wb' of");
  expectError("ld.gpu.global.u32 %r2, [%rd0];", "has no scope");
  expectError("ld.acquire.global.u32 %r2, [%rd0];", "needs a scope");
  expectError("fence.sc.cta.gpu;", "unknown modifier '.gpu' of 'fence'");
  expectError("fence.sc.gl;", "'fence.sc.gl' needs a scope");
  expectError("membar.cluster;", "'membar.cluster' does not exist");
  Expected<Module> module = Module::parse(".visible extern .b32 x;", "k.ptx");
  ASSERT_FALSE(bool(module));
  EXPECT_EQ(toString(module.takeError()), "k.ptx:1:10: expected a directive, "
                                          "got 'extern'");
}

TEST(Errors, TypesThatAnInstructionHasNot) {
  for (const char *body : {"selp.b8 %rs1, %rs2, %rs3, %p1;",
                           "selp.pred %p2, %p3, %p4, %p1;",
                           "slct.b32.u32 %r2, %r3, %r4, %r5;",
                           "popc.b16 %r2, %rs1;",
                           "popc.f32 %r2, %r3;",
                           "clz.b16 %r2, %rs1;",
                           "brev.b16 %rs1, %rs2;",
                           "bfi.b16 %rs1, %rs2, %rs3, 1, 2;",
                           "bfi.f32 %r2, %r3, %r4, 1, 2;",
                           "lop3.b16 %rs1, %rs2, %rs3, %rs4, 1;",
                           "prmt.b64 %r2, %r3, %r4, 1;",
                           "lop3.b64 %rd1, %rd2, %rd3, %rd4, 1;",
                           "activemask.f64 %r2;",
                           "bar.red.popc.pred %p1, 0, %p2;",
                           "bar.red.and.u32 %r2, 0, %p2;",
                           "setp.lt.b32 %p1, %r2, %r3;",
                           "setp.lo.s32 %p1, %r2, %r3;",
                           "setp.ltu.u32 %p1, %r2, %r3;",
                           "cvt.b32.u16 %r2, %rs1;",
                           "cvt.rn.u8.u8 %rs1, %rs2;",
                           "cvt.rni.f32.f16 %r2, %rs1;",
                           "cvt.rn.f64.f32 %rd1, %r2;",
                           "cvt.rn.f32.f32 %r2, %r3;",
                           "cvt.sat.f32.bf16 %r2, %rs1;",
                           "cvt.rp.f16x2.f32 %r2, %r3, %r4;",
                           "szext.clamp.b32 %r2, %r3, 1;",
                           "ex2.approx.ftz.f16 %rs1, %rs2;",
                           "ex2.approx.bf16 %rs1, %rs2;",
                           "mov.f16 %rs1, %rs2;",
                           "set.eq.u16.u32 %rs1, %r3, %r4;",
                           "set.eq.b32.u32 %r2, %r3, %r4;"})
    expectError(body, "does not exist");
  expectError(".reg .b128 %q; cvt.u8.u8 %rs1, %q;", "'%q' is a .b128 register");
  expectError(".reg .b128 %q; cvt.u8.u8 %q, %rs1;", "'%q' is a .b128 register");
  expectWords("setp.gt.u32 %p1, %r0, 0; @%p1 ret; mov.b16 %rs1, 7;\n"
              "mov.b16 %rs2, 9; slct.b16.s32 %rs3, %rs1, %rs2, -1;\n"
              "st.global.u16 [%rd0], %rs3;",
              {9});
}

TEST(Errors, Targets) {
  for (const char *target : {"sm_80", "sm_90", "sm_90a, debug"}) {
    Expected<Module> module = Module::parse(std::string(".target ") + target);
    EXPECT_TRUE(bool(module)) << toString(module.takeError());
  }
  for (const char *target :
       {"sm_100", "sm_100a", "compute_90", "sm_90, map_f64_to_f32"}) {
    Expected<Module> module = Module::parse(std::string(".target ") + target);
    ASSERT_FALSE(bool(module));
    EXPECT_NE(toString(module.takeError()).find("targets up to sm_90"),
              std::string::npos);
  }
}

TEST(Errors, Versions) {
  for (const char *version : {"7.0", "7.8", "8.0", "8.8", "9.0"}) {
    Expected<Module> module = Module::parse(std::string(".version ") + version);
    EXPECT_TRUE(bool(module)) << toString(module.takeError());
  }
  for (const char *version : {"99.9", "9.1", "8.9", "7.9", "6.5", "8", "x"}) {
    Expected<Module> module = Module::parse(std::string(".version ") + version);
    ASSERT_FALSE(bool(module)) << version;
    EXPECT_EQ(toString(module.takeError()),
              "ptx:1:10: PTX 7.0 to 7.8, 8.0 to 8.8 and 9.0 are simulated, "
              "got '" +
                  std::string(version) + "'");
  }
}

TEST(Errors, NestingHasALimit) {
  for (auto [open, close] : {std::pair("{", "}"), {"(", ")"}, {"[", "]"}}) {
    std::string opens, closes;
    for (unsigned i = 0; i < 100000; ++i) {
      opens += open;
      closes += close;
    }
    expectError("mov.b32 %r2, " + opens + "1" + closes + ";",
                "nested too deeply");
    Expected<Module> module =
        Module::parse(".global .b32 x[1] = " + opens + "1" + closes + ";");
    EXPECT_FALSE(bool(module));
    consumeError(module.takeError());
  }
}

TEST(Errors, VariablesOfAModule) {
  Expected<Module> module =
      Module::parse(".version 8.3\n.target sm_90\n.local .b32 x;", "k.ptx");
  ASSERT_FALSE(bool(module));
  EXPECT_EQ(toString(module.takeError()),
            "k.ptx:3:1: local variables of a module are not simulated");
}

TEST(Execution, QuadsGoThroughEverySpace) {
  std::string quad = "setp.ne.u32 %p0, %r0, 0; @%p0 ret;\n"
                     ".reg .b128 %q<4>; .local .align 16 .b8 mine[32];\n"
                     "mov.b64 %rd1, 5; mov.b64 %rd2, 7; "
                     "mov.b128 %q0, {%rd1, %rd2};\n";
  expectWords(quad + "st.shared.b128 [memory+16], %q0; "
                     "ld.shared.b128 %q1, [memory+16]; "
                     "st.local.b128 [mine+16], %q1;\n"
                     "ld.local.b128 %q2, [mine+16]; "
                     "st.release.gpu.global.b128 [%rd0], %q2; "
                     "ld.volatile.global.b128 %q3, [%rd0]; "
                     "st.b128 [%rd0+32], %q3;",
              {5, 0, 7, 0, 0, 0, 0, 0, 5, 0, 7, 0});
  expectFault("misaligned", quad + "st.global.b128 [%rd0+8], %q0;",
              quad + "st.global.b128 [%rd0+16], %q0;");
  expectFault("undefined", quad + "st.global.b128 [%rd0], %q1;",
              quad + "st.global.b128 [%rd0], %q0;");
  expectError("ld.global.v2.b128 {%rd0, %rd1}, [%rd0];", "does not exist");
}

TEST(Execution, LanesMeetFromDifferentPlaces) {
  // Even lanes shuffle at one place, odd ones at another, into other registers.
  std::vector<uint32_t> buffer(64);
  const std::string body = R"(
and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0;
mul.lo.u32 %r3, %r0, 10; add.u32 %r4, %r0, 500; mov.u32 %r6, 7;
@%p1 bra EVEN;
shfl.sync.bfly.b32 %r5|%p2, %r4, 1, 31, -1;
vote.sync.ballot.b32 %r7, %p2, -1;
bra JOIN;
EVEN:
mov.u32 %r9, 3;
shfl.sync.bfly.b32 %r6|%p3, %r3, %r9, 31, -1;
mov.u32 %r5, %r6;
vote.sync.ballot.b32 %r7, !%p3, -1;
JOIN:
mul.wide.u32 %rd1, %r0, 8; add.s64 %rd1, %rd1, %rd0;
st.global.v2.b32 [%rd1], {%r5, %r7};)";
  for (const Options &options : schedules()) {
    Report report = runBody(body, buffer, {}, options);
    EXPECT_EQ(describe(report), "");
    for (uint32_t i = 0; i < 32; ++i) {
      // Even lanes read the lane across 3 (odd), odd ones across 1 (even).
      uint32_t from = i % 2 ? i ^ 1 : i ^ 3;
      EXPECT_EQ(buffer[2 * i], from % 2 ? from + 500 : from * 10) << i;
      EXPECT_EQ(buffer[2 * i + 1], 0xaaaaaaaau) << i;
    }
  }
}

TEST(Execution, LanesWithDifferentMasksAreGroups) {
  std::vector<uint32_t> buffer(32);
  Report report = runBody(R"(
shr.u32 %r2, %r0, 3; shl.b32 %r2, %r2, 3; shl.b32 %r3, 0xff, %r2;
redux.sync.add.u32 %r5, %r0, %r3;
mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0;
st.global.b32 [%rd1], %r5;)",
                          buffer);
  EXPECT_EQ(describe(report), "");
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(buffer[i], i / 8 * 64 + 28);
}
