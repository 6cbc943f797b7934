//===- RegisterPlacesTest.cpp - registers that share a place ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sharing shows in nothing: values live across loops, guards and branches that
// part lanes are kept, and a register that nobody wrote is never taken for the
// one whose place it has.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

/// Writes and uses `count` registers of 32 bits from %r20 on, one after the
/// other, so that places are handed on.
static std::string churn(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    std::string reg = "%r" + std::to_string(20 + i);
    text += "add.s32 " + reg + ", %r0, 77;\nst.shared.b32 [memory+" +
            std::to_string(512 + 4 * i) + "], 1;\n" + "xor.b32 %r19, " + reg +
            ", " + reg + ";\n";
  }
  return text;
}

static std::vector<uint32_t> run(const std::string &body) {
  std::vector<uint32_t> buffer(32);
  Options options;
  options.checks = checkAll & ~checkRaces;
  Report report = runBody("shl.b32 %r18, %r0, 2; cvt.u64.u32 %rd1, %r18;\n"
                          "add.s64 %rd1, %rd0, %rd1;\n" +
                              body + "st.global.b32 [%rd1], %r2;",
                          buffer, {}, options);
  EXPECT_EQ(describe(report), "");
  return buffer;
}

TEST(RegisterPlaces, KeepsWhatAGuardLeavesOut) {
  std::vector<uint32_t> result =
      run("mov.b32 %r2, 5;\n" + churn(6) +
          "setp.lt.u32 %p0, %r0, 16; @%p0 mov.b32 %r2, 9;\n" + churn(6));
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(result[i], i < 16 ? 9u : 5u);
}

TEST(RegisterPlaces, KeepsValuesAroundLoops) {
  std::vector<uint32_t> result = run(
      "mov.b32 %r2, 0; mov.b32 %r3, 0; add.s32 %r4, %r0, 1;\nL:\n" + churn(6) +
      "add.s32 %r2, %r2, %r4; add.s32 %r3, %r3, 1;\n"
      "setp.lt.u32 %p0, %r3, 5; @%p0 bra L;\n");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(result[i], 5 * (i + 1));
}

TEST(RegisterPlaces, KeepsValuesOfLanesThatPart) {
  std::vector<uint32_t> result =
      run("add.s32 %r3, %r0, 100; add.s32 %r4, %r0, 200;\n"
          "setp.lt.u32 %p0, %r0, 16; @%p0 bra T;\n" +
          churn(6) + "mov.b32 %r2, %r4; bra E;\nT:\n" + churn(4) +
          "mov.b32 %r2, %r3;\nE:\n");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(result[i], i + (i < 16 ? 100u : 200u));
}

TEST(RegisterPlaces, KeepsSmallValuesFromPredicates) {
  // Half of the lanes hold 16 bits while the others compare, in any order.
  std::string body = "shl.b32 %r18, %r0, 2; cvt.u64.u32 %rd1, %r18;\n"
                     "add.s64 %rd1, %rd0, %rd1; mov.b32 %r2, 0;\n"
                     "setp.lt.u32 %p0, %r0, 16; @%p0 bra T;\n";
  for (unsigned i = 1; i < 9; ++i)
    body += "setp.eq.u32 %p" + std::to_string(i) + ", %r0, 99;\n@%p" +
            std::to_string(i) + " mov.b32 %r2, 1;\n";
  body += "bra E;\nT:\n";
  for (unsigned i = 0; i < 8; ++i)
    body += "cvt.u16.u32 %rs" + std::to_string(i) + ", %r0;\n" +
            "cvt.u32.u16 %r3, %rs" + std::to_string(i) +
            "; add.s32 %r2, %r2, %r3;\n";
  body += "E:\nst.global.b32 [%rd1], %r2;";
  for (unsigned seed = 0; seed < 40; ++seed) {
    Options options;
    options.schedule = Schedule::random;
    options.seed = seed;
    std::vector<uint32_t> buffer(32);
    EXPECT_EQ(describe(runBody(body, buffer, {}, options)), "");
    for (unsigned i = 0; i < 32; ++i)
      ASSERT_EQ(buffer[i], i < 16 ? 8 * i : 0) << "seed " << seed;
  }
}

static bool isUndefined(const std::string &body) {
  std::vector<uint32_t> buffer(32);
  return has(runBody(body + "st.global.b32 [%rd0], %r2;", buffer), "undefined");
}

TEST(RegisterPlaces, TakesNobodysValueForAnothers) {
  EXPECT_TRUE(isUndefined(churn(6)));
  // Written in one branch only, and by some lanes only.
  EXPECT_TRUE(isUndefined(churn(6) +
                          "setp.lt.u32 %p0, %r0, 16; @%p0 bra T;\n"
                          "mov.b32 %r2, 1;\nT:\n" +
                          churn(3)));
  EXPECT_TRUE(isUndefined(churn(6) + "setp.lt.u32 %p0, %r0, 16;\n"
                                     "@%p0 mov.b32 %r2, 1;\n"));
  // Read in the first round of a loop, written at its end.
  EXPECT_TRUE(isUndefined(churn(6) + "mov.b32 %r3, 0;\nL:\n" + churn(3) +
                          "add.s32 %r4, %r2, 1; mov.b32 %r2, %r3;\n"
                          "st.global.b32 [%rd0], %r4;\n"
                          "add.s32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 2;\n"
                          "@%p0 bra L;\n"));
}
