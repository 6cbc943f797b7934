//===- CallTest.cpp - functions, frames, module variables -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

/// Puts `functions` before the kernel of wrap(), whose thread i writes %r5 to
/// word i of the buffer.
static Report runWith(const std::string &functions, const std::string &body,
                      std::vector<uint32_t> &buffer,
                      const Options &options = {}) {
  std::string text =
      wrap(body + "\nmul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0;\n"
                  "st.global.b32 [%rd1], %r5;");
  text.insert(text.find(".visible"), functions);
  Report report;
  llvm::Expected<Module> module = Module::parse(text);
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return report;
  }
  LaunchConfig config;
  config.block.x = 32;
  config.sharedBytes = 1024;
  config.arguments = {1ull << 40};
  config.buffers = {{1ull << 40, buffer.data(), buffer.size() * 4}};
  llvm::Expected<Report> result = module->launch(config, options);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return report;
  }
  return std::move(*result);
}

static std::vector<uint32_t> results(const std::string &functions,
                                     const std::string &body) {
  std::vector<uint32_t> buffer(32), last;
  for (const Options &options : schedules()) {
    Report report = runWith(functions, body, buffer, options);
    EXPECT_EQ(describe(report), "");
    if (!last.empty()) {
      EXPECT_EQ(buffer, last);
    }
    last = buffer;
  }
  return buffer;
}

/// A faulty body, and one that is clean under every schedule.
static void expectFault(const std::string &kind, const std::string &functions,
                        const std::string &faulty, const std::string &clean) {
  results(functions, clean);
  std::vector<uint32_t> buffer(32);
  Report report = runWith(functions, faulty, buffer);
  EXPECT_TRUE(has(report, kind)) << kind << " is not among:\n"
                                 << describe(report);
}

/// f(n) = n < 2 ? n : f(n - 1) + f(n - 2)
static const std::string fibonacci =
    ".visible .func (.param .b32 r) fib (.param .b32 n) {\n"
    ".reg .pred %p; .reg .b32 %a<4>;\n"
    "ld.param.b32 %a0, [n]; setp.lt.u32 %p, %a0, 2; @%p bra E;\n"
    "sub.u32 %a1, %a0, 1;\n"
    "{ .param .b32 x; .param .b32 y; st.param.b32 [x+0], %a1;\n"
    "call.uni (y), fib, (x); ld.param.b32 %a2, [y+0]; }\n"
    "sub.u32 %a1, %a0, 2;\n"
    "{ .param .b32 x; .param .b32 y; st.param.b32 [x+0], %a1;\n"
    "call.uni (y), fib, (x); ld.param.b32 %a3, [y+0]; }\n"
    "add.u32 %a0, %a2, %a3;\n"
    "E: st.param.b32 [r+0], %a0; ret; }\n";

static const std::string callFibonacci =
    "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r2;\n"
    "call (y), fib, (x); ld.param.b32 %r5, [y]; }\n";

TEST(Calls, RecursionOfDivergedLanes) {
  std::vector<uint32_t> got =
      results(fibonacci, "and.b32 %r2, %r0, 7;\n" + callFibonacci);
  const uint32_t expected[] = {0, 1, 1, 2, 3, 5, 8, 13};
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(got[i], expected[i & 7]);
}

TEST(Calls, RecursionPassesWhereOuterCallsReturn) {
  // Each call returns to the instruction at which all outer ones return too,
  // also where no branch parts the lanes.
  const uint32_t expected[] = {3, 5, 0, 0, 0, 0, 0, 0, 144, 233};
  for (uint32_t mask : {0u, 1u, 8u, 9u}) {
    std::vector<uint32_t> got =
        results(fibonacci, "and.b32 %r2, %r0, " + std::to_string(mask) +
                               "; add.u32 %r2, %r2, 4;\n" + callFibonacci);
    for (uint32_t i = 0; i < 32; ++i)
      EXPECT_EQ(got[i], expected[i & mask]);
  }
}

TEST(Calls, LanesMeetWhereTheCallReturns) {
  // Lanes return from different places; all are there for the shuffle.
  std::string early =
      ".func (.reg .b32 %out) early (.reg .b32 %in) {\n"
      ".reg .pred %p; and.b32 %out, %in, 1; setp.eq.u32 %p, %out, 0;\n"
      "@%p ret; add.u32 %out, %in, 100; ret; }\n";
  std::vector<uint32_t> got =
      results(early, "call (%r2), early, (%r0);\n"
                     "shfl.sync.bfly.b32 %r5, %r2, 1, 31, -1;");
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(got[i], (i ^ 1) & 1 ? 100 + (i ^ 1) : 0);
}

TEST(Calls, ByAddress) {
  std::string functions =
      ".func (.reg .b32 %r) one (.reg .b32 %a) { add.u32 %r, %a, 1; ret; }\n"
      ".func (.reg .b32 %r) two (.reg .b32 %a) { add.u32 %r, %a, 200; }\n"
      ".global .align 8 .u64 table[2] = {one, two};\n";
  std::string body =
      "and.b32 %r2, %r0, 1; mul.wide.u32 %rd2, %r2, 8; mov.u64 %rd3, table;\n"
      "add.s64 %rd2, %rd2, %rd3; ld.global.u64 %rd4, [%rd2];\n"
      "P: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
      "T: .calltargets one, two;\n";
  std::vector<uint32_t> got =
      results(functions, body + "call (%r3), %rd4, (%r0), P;\n"
                                "call (%r5), %rd4, (%r3), T;");
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(got[i], i + (i & 1 ? 400 : 2));
  std::string call = "call (%r5), %rd4, (%r0), P;\n";
  expectFault("bad-call", functions, body + "add.s64 %rd4, %rd4, 1;" + call,
              body + call);
  expectFault("bad-call", functions,
              body + "U: .calltargets one; call (%r5), %rd4, (%r0), U;",
              body + call);
}

TEST(Calls, EndlessRecursion) {
  std::string endless = ".func f () { call f; ret; }\n",
              once = ".func g () { ret; }\n";
  expectFault("call-depth", endless + once, "call f; mov.b32 %r5, 0;",
              "call g; mov.b32 %r5, 0;");
}

TEST(Calls, RegistersStartUndefined) {
  std::string functions =
      ".func (.reg .b32 %r) f () { .reg .b32 %x; mov.b32 %r, %x; ret; }\n"
      ".func (.reg .b32 %r) g () { .reg .b32 %x; mov.b32 %x, 1;\n"
      "mov.b32 %r, %x; ret; }\n";
  expectFault("undefined", functions, "call (%r5), f;", "call (%r5), g;");
}

TEST(Calls, StructsByValue) {
  std::string functions =
      ".func (.param .align 8 .b8 out[16]) swap (.param .align 8 .b8 in[16]) "
      "{\n.reg .b64 %a<4>; mov.b64 %a2, in; ld.local.b64 %a0, [%a2];\n"
      "ld.param.b64 %a1, [in+8]; st.param.v2.b64 [out], {%a1, %a0}; ret; }\n";
  std::vector<uint32_t> got = results(
      functions, "cvt.u64.u32 %rd2, %r0;\n"
                 "{ .param .align 8 .b8 x[16]; .param .align 8 .b8 y[16];\n"
                 "st.param.b64 [x], %rd2; st.param.b64 [x+8], 7;\n"
                 "call (y), swap, (x); ld.param.v2.b64 {%rd3, %rd4}, [y]; }\n"
                 "mad.lo.u64 %rd4, %rd3, 1000, %rd4; cvt.u32.u64 %r5, %rd4;");
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(got[i], 7000 + i);
}

TEST(Branches, ByTable) {
  std::string body = "and.b32 %r2, %r0, 3;\n"
                     "T: .branchtargets A, B, C, A;\n"
                     "brx.idx %r2, T;\n"
                     "A: mov.b32 %r5, 10; bra E;\n"
                     "B: mov.b32 %r5, 20; bra E;\n"
                     "C: mov.b32 %r5, 30;\n"
                     "E: shfl.sync.bfly.b32 %r5, %r5, 1, 31, -1;";
  std::vector<uint32_t> got = results("", body);
  const uint32_t expected[] = {20, 10, 10, 30};
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(got[i], expected[i & 3]);
  std::string beyond = body;
  beyond.replace(beyond.find("and.b32 %r2, %r0, 3"), 19, "and.b32 %r2, %r0, 7");
  expectFault("bad-branch", "", beyond, body);
}

static const std::string localArray =
    ".local .align 16 .b8 depot[64];\n"
    "mov.u64 %rd2, depot; cvta.local.u64 %rd3, %rd2;\n"
    "and.b32 %r2, %r0, 15; mul.wide.u32 %rd4, %r2, 4;\n"
    "add.s64 %rd5, %rd2, %rd4; add.s64 %rd6, %rd3, %rd4;\n";

TEST(LocalMemory, OfEachThread) {
  std::vector<uint32_t> got =
      results("", localArray + "st.local.u32 [%rd5], %r0;\n"
                               "ld.u32 %r3, [%rd6]; add.u32 %r3, %r3, 1;\n"
                               "st.u32 [%rd6], %r3; ld.local.u32 %r5, [%rd5];");
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(got[i], i + 1);
}

TEST(LocalMemory, Faults) {
  std::string store = localArray + "st.local.u32 [%rd5], %r0;\n";
  expectFault("undefined", "", store + "ld.local.u32 %r5, [%rd2];",
              store + "ld.local.u32 %r5, [%rd5];");
  expectFault("out-of-bounds", "",
              store + "st.local.u32 [%rd5+4], 1; ld.local.u32 %r5, [%rd5];",
              store + "st.local.u32 [%rd5+0], 1; ld.local.u32 %r5, [%rd5];");
  expectFault("misaligned", "",
              store + "st.local.u16 [%rd5+1], 1; ld.local.u32 %r5, [%rd5];",
              store + "st.local.u16 [%rd5+2], 1; ld.local.u32 %r5, [%rd5];");
  // A frame is gone after the return.
  std::string functions =
      ".func (.reg .b64 %r) leak () { .local .align 4 .b8 a[4]; mov.u64 %r, a; "
      "st.local.u32 [%r], 5; ret; }\n"
      ".func (.reg .b64 %r) keep () { .reg .b32 %x; .local .align 4 .b8 a[4];\n"
      "mov.u64 %r, a; st.local.u32 [%r], 5; ld.local.u32 %x, [%r];\n"
      "cvt.u64.u32 %r, %x; ret; }\n";
  expectFault("out-of-bounds", functions,
              "call (%rd2), leak; ld.local.u32 %r5, [%rd2];",
              "call (%rd2), keep; cvt.u32.u64 %r5, %rd2;");
}

TEST(ModuleVariables, HaveInitialValuesAndStay) {
  std::string text =
      wrap("mov.u64 %rd2, counter; ld.global.u32 %r2, [%rd2];\n"
           "ld.const.u32 %r3, [numbers+8]; add.u32 %r4, %r2, %r3;\n"
           "bar.warp.sync -1; setp.ne.u32 %p0, %r0, 0; @%p0 ret;\n"
           "st.global.u32 [%rd2], %r4;\n"
           "ld.global.u64 %rd3, [pointer]; ld.u32 %r5, [%rd3];\n"
           "ld.global.f32 %r6, [half]; st.global.v2.u32 [%rd0], {%r5, %r6};");
  text.insert(text.find(".visible"),
              ".global .align 4 .u32 counter = 3;\n"
              ".global .align 8 .u64 pointer = generic(numbers)+4;\n"
              ".const .align 4 .u32 numbers[3] = {1, 20, 300};\n"
              ".global .f32 half = 0f3F000000;\n");
  llvm::Expected<Module> module = Module::parse(text);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  std::vector<uint32_t> buffer(2);
  LaunchConfig config;
  config.block.x = 32;
  config.sharedBytes = 1024;
  config.arguments = {1ull << 40};
  config.buffers = {{1ull << 40, buffer.data(), buffer.size() * 4}};
  for (unsigned launch = 0; launch < 2; ++launch) {
    llvm::Expected<Report> report = module->launch(config);
    ASSERT_TRUE(bool(report));
    EXPECT_EQ(describe(*report), "");
    EXPECT_EQ(buffer[0], 20u);
    EXPECT_EQ(buffer[1], 0x3f000000u);
  }
}

TEST(Parameters, LargerThanAWord) {
  std::string text =
      wrap("ld.param.v2.u32 {%r2, %r3}, [large+8]; mov.b64 %rd2, large;\n"
           "cvta.param.u64 %rd3, %rd2; ld.u32 %r4, [%rd3+20];\n"
           "ld.param.u32 %r5, [%rd2+16]; setp.ne.u32 %p0, %r0, 0; @%p0 ret;\n"
           "st.global.v4.u32 [%rd0], {%r2, %r3, %r4, %r5};");
  text.replace(text.find(".u64 buffer"), 11,
               ".u64 buffer, .param .align 8 .b8 large[24]");
  llvm::Expected<Module> module = Module::parse(text);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  alignas(16) uint32_t buffer[4];
  LaunchConfig config;
  config.block.x = 32;
  config.sharedBytes = 1024;
  config.arguments = {1ull << 40, 0};
  config.buffers = {{1ull << 40, buffer, 16}};
  llvm::Expected<Report> refused = module->launch(config);
  EXPECT_EQ(llvm::toString(refused.takeError()),
            "argument 1 of 'test' takes 24 bytes");
  for (uint8_t i = 0; i < 24; ++i)
    config.largeArguments[1].push_back(i);
  llvm::Expected<Report> report = module->launch(config);
  ASSERT_TRUE(bool(report));
  EXPECT_EQ(describe(*report), "");
  EXPECT_EQ(buffer[0], 0x0b0a0908u);
  EXPECT_EQ(buffer[1], 0x0f0e0d0cu);
  EXPECT_EQ(buffer[2], 0x17161514u);
  EXPECT_EQ(buffer[3], 0x13121110u);
}
