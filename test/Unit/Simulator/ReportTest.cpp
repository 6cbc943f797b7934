//===- ReportTest.cpp - counters, traces, schedules ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each count against what the addresses say by hand.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

#include "llvm/Support/raw_ostream.h"

using namespace quack::sim;

static Report count(const std::string &body, const Shape &shape = {},
                    size_t words = 1024) {
  std::vector<uint32_t> buffer(words);
  Options options;
  options.countsTouched = true;
  Report report = runBody(body, buffer, shape, options);
  EXPECT_EQ(describe(report), "");
  return report;
}

/// The instruction whose text begins with `text`.
static InstructionCount find(const Report &report, const std::string &text) {
  for (const InstructionCount &count : report.instructions)
    if (count.text.rfind(text, 0) == 0)
      return count;
  ADD_FAILURE() << "no " << text;
  return {};
}

TEST(Counters, Coalescing) {
  Report whole = count("mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;"
                       "ld.global.b32 %r2, [%rd1];");
  EXPECT_EQ(whole.sectors, 4u);
  EXPECT_EQ(whole.leastSectors, 4u);
  EXPECT_EQ(whole.lines, 1u);
  Report strided = count("mul.wide.u32 %rd1, %r0, 64; add.u64 %rd1, %rd0, %rd1;"
                         "ld.global.b32 %r2, [%rd1];");
  EXPECT_EQ(strided.sectors, 32u);
  EXPECT_EQ(strided.leastSectors, 4u);
  EXPECT_EQ(strided.lines, 16u);
  EXPECT_EQ(strided.globalRequests, 1u);
  Report shifted = count("mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;"
                         "ld.global.b32 %r2, [%rd1+16];");
  EXPECT_EQ(shifted.sectors, 5u);
  EXPECT_EQ(shifted.lines, 2u);
}

TEST(Counters, TouchedOnceAndAgain) {
  // Two warps read the same 128 bytes, twice; one lane writes 4 bytes.
  Report report =
      count("and.b32 %r2, %r0, 31; mul.wide.u32 %rd1, %r2, 4;"
            "add.u64 %rd1, %rd0, %rd1;"
            "ld.global.b32 %r3, [%rd1]; ld.global.b32 %r4, [%rd1];"
            "setp.eq.u32 %p1, %r0, 0; @%p1 st.global.b32 [%rd0+1024], %r0;",
            {64});
  EXPECT_EQ(report.globalBytesRead, 512u);
  EXPECT_EQ(report.touchedBytesRead, 128u);
  EXPECT_EQ(report.globalBytesWritten, 4u);
  EXPECT_EQ(report.touchedBytesWritten, 4u);
  InstructionCount load = find(report, "ld.global");
  EXPECT_EQ(load.bytesRead, 256u);
  EXPECT_EQ(load.touchedBytes, 128u);
}

TEST(Counters, TouchedBytesSpanPagesAndClusters) {
  // Four clusters read neighbouring words across a page of 64 KiB.
  std::string body = "mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd1, %r2, 4;"
                     "add.u64 %rd1, %rd0, %rd1;"
                     "ld.global.v2.b32 {%r3, %r4}, [%rd0+65536];"
                     "ld.global.b32 %r5, [%rd1+65528];";
  std::vector<uint32_t> buffer(1 << 15);
  for (unsigned threads : {1u, 3u}) {
    Options options;
    options.countsTouched = true;
    options.hostThreads = threads;
    Report report = runBody(body, buffer, {1, 1, 4}, options);
    EXPECT_EQ(report.touchedBytesRead, 16u);
    EXPECT_EQ(report.globalBytesRead, 4u * 12);
  }
}

TEST(Counters, BankConflictsByWidth) {
  Report report = count(
      "mov.u32 %r2, memory; mul.lo.u32 %r3, %r0, 8; add.u32 %r3, %r2, %r3;"
      "st.shared.b32 [%r3], %r0;" // two words apart: two wavefronts
      "bar.warp.sync -1; mul.lo.u32 %r4, %r0, 16; add.u32 %r4, %r2, %r4;"
      "st.shared.v4.b32 [%r4], {%r0, %r0, %r0, %r0};"
      "bar.warp.sync -1; mul.lo.u32 %r5, %r0, 32; add.u32 %r5, %r2, %r5;"
      "ld.shared.b32 %r6, [%r5];");
  std::vector<WidthCount> widths = report.sharedWidths();
  ASSERT_EQ(widths.size(), 2u);
  EXPECT_EQ(widths[0].width, 4u);
  EXPECT_EQ(widths[0].requests, 2u);
  EXPECT_EQ(widths[0].wavefronts, 2u + 8u);
  EXPECT_EQ(widths[0].leastWavefronts, 2u);
  EXPECT_EQ(widths[1].width, 16u);
  EXPECT_EQ(widths[1].wavefronts, 4u);
  EXPECT_EQ(widths[1].leastWavefronts, 4u);
}

TEST(Counters, CacheModifiers) {
  Report report =
      count("createpolicy.fractional.L2::evict_first.b64 %rd2;"
            "ld.global.nc.L1::no_allocate.L2::256B.b32 %r2, [%rd0+128];"
            "ld.global.L2::cache_hint.b32 %r3, [%rd0], %rd2;"
            "st.global.cs.b32 [%rd0+64], 1;"
            "prefetch.global.L2 [%rd0+256];");
  std::map<std::string, uint64_t> expected = {{"L1::no_allocate", 1},
                                              {"L2::256B", 1},
                                              {"L2::cache_hint", 1},
                                              {"cs", 1},
                                              {"nc", 1},
                                              {"prefetch", 1}};
  std::map<std::string, uint64_t> found = report.cacheModifiers();
  EXPECT_EQ(found, expected);
}

TEST(Counters, RemoteBytes) {
  Report report = count("barrier.cluster.arrive; barrier.cluster.wait;"
                        "mov.u32 %r2, memory; xor.b32 %r3, %r1, 1;"
                        "mapa.shared::cluster.u32 %r4, %r2, %r3;"
                        "setp.eq.u32 %p1, %r0, 0;"
                        "@%p1 st.shared::cluster.b32 [%r4], %r0;"
                        "barrier.cluster.arrive; barrier.cluster.wait;",
                        {32, 2});
  EXPECT_EQ(report.remoteBytes, 8u);
  EXPECT_EQ(find(report, "st.shared::cluster").remoteBytes, 8u);
}

TEST(Counters, JSON) {
  Report report = count("st.global.b32 [%rd0], 1;", {1});
  const llvm::json::Value value = report.toJSON();
  const llvm::json::Object *object = value.getAsObject();
  ASSERT_TRUE(object);
  EXPECT_EQ(object->getString("schedule"), "eager");
  EXPECT_EQ(object->getObject("global")->getInteger("bytes_written"), 4);
  EXPECT_EQ(object->getObject("global")->getNumber("coalescing"), 1.0);
  const llvm::json::Array *list = object->getArray("instructions");
  ASSERT_EQ(list->size(), 5u); // with the three of the frame, and ret
  const llvm::json::Object *first = list->front().getAsObject();
  EXPECT_EQ(first->getString("text"), "st.global.b32");
  EXPECT_EQ(first->getObject("global")->getInteger("lines"), 1);
}

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

TEST(Traces, ShowWhatChosenLanesGet) {
  std::vector<uint32_t> buffer(64);
  std::string text;
  llvm::raw_string_ostream os(text);
  Options options;
  options.traceTo = &os;
  options.trace = {llvm::cantFail(parseTrace("1:1:0,3-4"))};
  runBody("setp.lt.u32 %p1, %r0, 36;\n"
          "@%p1 bra L;\n"
          "sub.s32 %r2, 5, %r0;\n"
          "cvt.rn.f32.s32 %r3, %r2;\n"
          "L:\n"
          "setp.lt.f32 %p2|%p3, %r3, 0f00000000;\n"
          "bar.sync 0;",
          buffer, {64, 1, 2}, options);
  EXPECT_EQ(
      text,
      "CTA 1 warp 1 line 7: ld.param.u64 %rd0, [buffer]; lanes 0xffffffff  "
      "%rd0 = [0] 0x10000000000 [3] 0x10000000000 [4] 0x10000000000\n"
      "CTA 1 warp 1 line 8: mov.u32 %r0, %tid.x; lanes 0xffffffff  "
      "%r0 = [0] 32 [3] 35 [4] 36\n"
      "CTA 1 warp 1 line 9: mov.u32 %r1, %cluster_ctarank; lanes 0xffffffff  "
      "%r1 = [0] 0 [3] 0 [4] 0\n"
      "CTA 1 warp 1 line 10: setp.lt.u32 %p1, %r0, 36; lanes 0xffffffff  "
      "%p1 = [0] true [3] true [4] false\n"
      "CTA 1 warp 1 line 11: @%p1 bra L; lanes 0x0000000f\n"
      "CTA 1 warp 1 line 12: sub.s32 %r2, 5, %r0; lanes 0xfffffff0  "
      "%r2 = [4] -31\n"
      "CTA 1 warp 1 line 13: cvt.rn.f32.s32 %r3, %r2; lanes 0xfffffff0  "
      "%r3 = [4] -31 (0xc1f80000)\n"
      "CTA 1 warp 1 line 15: setp.lt.f32 %p2|%p3, %r3, 0f00000000; lanes "
      "0xffffffff  %p2 = [0] undefined [3] undefined [4] true  "
      "%p3 = [0] undefined [3] undefined [4] false\n"
      "CTA 1 warp 1 line 16: bar.sync 0; lanes 0xffffffff\n"
      "CTA 1 warp 1 line 17: ret; lanes 0xffffffff\n");
}

TEST(Traces, EndAtTheirLimitAndSayWhoWaits) {
  std::vector<uint32_t> buffer(1);
  std::string text;
  llvm::raw_string_ostream os(text);
  Options options;
  options.traceTo = &os;
  options.traceLimit = 6;
  options.trace = {TraceChoice()};
  runBody("bar.sync 0; add.u32 %r2, %r0, 1;\nadd.u32 %r3, %r2, 1;", buffer,
          {64}, options);
  llvm::StringRef rest(text);
  rest.consume_front(rest.take_front(rest.find("bar.sync")));
  // Two instructions in a line: their mnemonics only.
  EXPECT_EQ(rest, "bar.sync lanes 0xffffffff  waits\n"
                  "CTA 0 warp 0 line 10: bar.sync lanes 0xffffffff\n"
                  "CTA 0 warp 0 line 10: add.u32 lanes 0xffffffff  %r2 = 1\n"
                  "the trace's limit is reached\n");
}

TEST(Traces, Choices) {
  for (const char *bad :
       {"", "0", "0:", "x:0", "0:0:32", "0:0:3-1", "0:0:", "0:0:0:0"}) {
    auto choice = parseTrace(bad);
    EXPECT_FALSE(bool(choice)) << bad;
    llvm::consumeError(choice.takeError());
  }
  EXPECT_EQ(llvm::cantFail(parseTrace("7:2:0-31")).lanes, 0xffffffffu);
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

TEST(Schedules, Lists) {
  Options base;
  base.checks = 3;
  auto list = parseSchedules("eager,lazy,random:5,random:7-9", base);
  ASSERT_TRUE(bool(list));
  ASSERT_EQ(list->size(), 6u);
  EXPECT_EQ((*list)[1].schedule, Schedule::lazy);
  EXPECT_EQ((*list)[5].seed, 9u);
  EXPECT_EQ((*list)[5].checks, 3u);
  for (const char *bad : {"", "soon", "random:x", "random:3-1", "eager:1",
                          "eager,", "random:", "random:0-99999999"}) {
    auto refused = parseSchedules(bad, base);
    EXPECT_FALSE(bool(refused)) << bad;
    llvm::consumeError(refused.takeError());
  }
}

static Report runEach(const std::string &body, std::vector<uint32_t> &buffer,
                      const Shape &shape, const std::string &schedules) {
  Module module = llvm::cantFail(Module::parse(wrap(body)));
  Options base;
  base.checks = 0;
  return llvm::cantFail(
      module.launchEach(launchOf(buffer, shape),
                        llvm::cantFail(parseSchedules(schedules, base))));
}

TEST(Schedules, EachStartsFromTheSameMemory) {
  std::vector<uint32_t> buffer(1, 5);
  Report report =
      runEach("setp.eq.u32 %p1, %r0, 0; ld.global.b32 %r2, [%rd0];"
              "add.u32 %r2, %r2, 1; @%p1 st.global.b32 [%rd0], %r2;",
              buffer, {32}, "eager,lazy,random:1");
  EXPECT_EQ(describe(report), "");
  EXPECT_EQ(report.schedule, "random:1");
  EXPECT_EQ(buffer[0], 6u);
}

TEST(Schedules, ResultsThatDependOnThemAreFaults) {
  // The last CTA of the cluster to store wins.
  std::vector<uint32_t> buffer(1);
  Report report =
      runEach("st.global.b32 [%rd0], %r1;", buffer, {1, 2}, "eager,lazy");
  EXPECT_TRUE(has(report, "schedule-dependent")) << describe(report);
}
