//===- AsyncTest.cpp - cp.async, st.async, red.async ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule by a program whose result or fault shows it.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

namespace {

/// Every lane's own 16 bytes of shared memory: [%r4]; its own word of the
/// buffer: [%rd1]; its own 4 of the first lanes': [%rd2].
const std::string places =
    "mov.u32 %r4, memory; shl.b32 %r2, %r0, 4; add.s32 %r4, %r4, %r2;\n"
    "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd0, %rd1;\n"
    "and.b32 %r3, %r0, 15; mul.wide.u32 %rd2, %r3, 16; add.s64 %rd2, %rd0, "
    "%rd2;\n";

const std::string commit = "cp.async.commit_group;\n";
std::string waitFor(unsigned groups) {
  return "cp.async.wait_group " + std::to_string(groups) + ";\n";
}
const std::string copy4 = "cp.async.ca.shared.global [%r4], [%rd1], 4;\n",
                  copy4Next = "cp.async.ca.shared.global [%r4+4], [%rd1], 4;\n";
std::string readBack(unsigned offset = 0) {
  return "ld.shared.b32 %r5, [%r4+" + std::to_string(offset) +
         "]; add.s32 %r5, %r5, 1;\n";
}
const std::string writeOut = "bar.warp.sync -1; st.global.b32 [%rd1], %r5;\n";

} // namespace

TEST(CopyAsync, CopiesAndFills) {
  expectWords(places + copy4 + commit + waitFor(0) + readBack() + writeOut,
              {101, 102, 103}, {}, countingWords());
  // Zeros beyond src-size; none of the source with ignore-src.
  std::string load = "ld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [%r4];\n"
                     "bar.warp.sync -1; setp.ne.u32 %p0, %r0, 1; @%p0 ret;\n"
                     "st.global.v4.b32 [%rd0], {%r5, %r6, %r7, %r8};\n";
  std::string copy16 = "cp.async.cg.shared.global [%r4], [%rd2], 16";
  expectWords(places + copy16 + ";\n" + commit + waitFor(0) + load,
              {104, 105, 106, 107}, {}, countingWords());
  expectWords(places + copy16 + ", 8;\n" + commit + waitFor(0) + load,
              {104, 105, 0, 0}, {}, countingWords());
  expectWords(places + copy16 + ", 0;\n" + commit + waitFor(0) + load,
              {0, 0, 0, 0}, {}, countingWords());
  expectWords(places + "setp.eq.u32 %p1, %r0, 1;\n" + copy16 + ", %p1;\n" +
                  commit + waitFor(0) + load,
              {0, 0, 0, 0}, {}, countingWords());
  expectWords(places + "setp.eq.u32 %p1, %r0, 2;\n" +
                  "createpolicy.fractional.L2::evict_first.b64 %rd9, 1.0;\n"
                  "cp.async.cg.shared::cta.global.L2::cache_hint.L2::128B "
                  "[%r4], [%rd2], 16, %p1, %rd9;\n" +
                  commit + waitFor(0) + load,
              {104, 105, 106, 107}, {}, countingWords());
  // Bytes that are not read need not be there.
  expectFault("out-of-bounds",
              places + "cp.async.ca.shared.global [%r4], [%rd0+256], 8, 8;\n"
                       "cp.async.wait_all;",
              places + "cp.async.ca.shared.global [%r4], [%rd0+256], 8, 0;\n"
                       "cp.async.wait_all;");
  expectFault("out-of-bounds", places + copy16 + ", 17;\ncp.async.wait_all;",
              places + copy16 + ", 15;\ncp.async.wait_all;");
  expectFault("misaligned",
              places + "cp.async.ca.shared.global [%r4], [%rd0+4], 8, 4;\n"
                       "cp.async.wait_all;",
              places + "cp.async.ca.shared.global [%r4], [%rd0+8], 8, 4;\n"
                       "cp.async.wait_all;");
  expectError("cp.async.cg.shared.global [%r4], [%rd1], 8;",
              "expected a size of 16 bytes");
  expectError("cp.async.wait_group %r0;", "expected an integer constant");
}

TEST(CopyAsync, GroupsAreCountedFromTheYoungest) {
  std::string two = places + copy4 + commit + copy4Next + commit;
  expectFault("async-in-flight", two + waitFor(1) + readBack(4) + waitFor(0),
              two + waitFor(1) + readBack(0) + waitFor(0));
  // An empty group counts; what is not committed is in no group yet.
  expectFault("async-in-flight",
              two + commit + waitFor(2) + readBack(4) + waitFor(0),
              two + commit + waitFor(1) + readBack(4) + waitFor(0));
  expectFault("async-in-flight",
              places + copy4 + waitFor(0) + readBack() + "cp.async.wait_all;",
              places + copy4 + "cp.async.wait_all;\n" + readBack());
  expectFault("async-in-flight",
              places + copy4 + commit + readBack() + waitFor(0),
              places + copy4 + commit + waitFor(0) + readBack());
  // Under every schedule: what happens at issue is not ordered either.
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer(64);
    EXPECT_FALSE(runBody(two + waitFor(1) + readBack(4) + waitFor(0), buffer,
                         {}, options)
                     .isClean());
  }
}

TEST(CopyAsync, WaitsCoverTheIssuingThreadOnly) {
  // Lane 0 copies for all; the wait of the others covers nothing.
  auto byLane0 = [](const std::string &waits) {
    return places +
           "mov.u32 %r4, memory; setp.eq.u32 %p0, %r0, 0;\n"
           "@%p0 cp.async.ca.shared.global [%r4], [%rd1], 4;\n"
           "@%p0 cp.async.commit_group;\n" +
           waits + "bar.warp.sync -1;\n" + readBack() + "cp.async.wait_all;\n";
  };
  expectFault("async-in-flight", byLane0("@!%p0 cp.async.wait_group 0;\n"),
              byLane0("@%p0 cp.async.wait_group 0;\n"));
  // A lane's groups are its own: lane 0 commits twice, lane 1 once.
  auto uneven = [](const std::string &keep) {
    return places + copy4 + "setp.eq.u32 %p0, %r0, 0;\n" +
           "@%p0 cp.async.commit_group;\n" + copy4Next + commit +
           waitFor(unsigned(keep == "one")) + readBack() + "cp.async.wait_all;";
  };
  expectFault("async-in-flight", uneven("one"), uneven("none"));
  // Another warp's copies need a barrier after its wait.
  auto across = [](const std::string &before, const std::string &after) {
    return places +
           "xor.b32 %r6, %r2, 512; mov.u32 %r7, memory; add.s32 %r7, "
           "%r7, %r6;\n" +
           copy4 + commit + before + "bar.sync 0;\n" + after +
           "ld.shared.b32 %r5, [%r7]; bar.sync 0;\n";
  };
  expectFault("async-in-flight", across("", waitFor(0)), across(waitFor(0), ""),
              {64});
}

TEST(CopyAsync, MBarrier) {
  // 64 threads copy; the first warp waits for all of them.
  auto body = [](unsigned count, const std::string &arrive) {
    return places +
           "mov.u32 %r9, memory; setp.ne.u32 %p0, %r0, 0;\n"
           "@%p0 bra A; mbarrier.init.shared.b64 [%r9+1016], " +
           std::to_string(count) + ";\nA: bar.sync 0;\n" +
           "shr.u32 %r2, %r2, 1; mov.u32 %r4, memory; add.s32 %r4, %r4, "
           "%r2;\n" +
           copy4 + arrive +
           "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r9+1016], 0;\n"
           "@!%p1 bra W; xor.b32 %r3, %r2, 256; add.s32 %r3, %r3, %r9;\n"
           "ld.shared.b32 %r5, [%r3]; st.global.b32 [%rd1], %r5;\n";
  };
  std::string noinc = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r9+1016];\n",
              inc = "cp.async.mbarrier.arrive.shared.b64 [%r9+1016];\n",
              own = "mbarrier.arrive.shared.b64 _, [%r9+1016];\n";
  std::vector<uint32_t> swapped = {132, 133, 134};
  expectWords(body(64, noinc), swapped, {64}, countingWords());
  // Without .noinc the arrival adds itself before: somebody else's is needed.
  expectWords(body(64, inc + own), swapped, {64}, countingWords());
  expectFault("deadlock", body(64, inc), body(64, inc + own), {64});
  expectFault("deadlock", body(65, noinc), body(64, noinc), {64});
  // It covers the copies of its thread, not those of its warp.
  auto byLane0 = [](unsigned count, const std::string &guard) {
    return places +
           "setp.ne.u32 %p0, %r0, 0; @%p0 bra A;\n"
           "mbarrier.init.shared.b64 [memory+1016], " +
           std::to_string(count) +
           ";\nA: bar.sync 0; and.b32 %r2, %r2, 255; "
           "mov.u32 %r9, memory; add.s32 %r4, %r9, "
           "%r2;\nsetp.gt.u32 %p2, %r0, 15; @%p2 bra E;\n" +
           copy4 + guard +
           "cp.async.mbarrier.arrive.noinc.shared.b64 [memory+1016];\n"
           "W: mbarrier.try_wait.parity.shared.b64 %p1, [memory+1016], 0;\n"
           "@!%p1 bra W; ld.shared.b32 %r5, [%r4]; cp.async.wait_all;\nE:";
  };
  expectFault("async-in-flight", byLane0(1, "@!%p0 "), byLane0(16, ""));
  // A plain arrival does not cover copies.
  expectFault("race", body(64, own + "cp.async.wait_all;"),
              body(64, "cp.async.wait_all;" + own), {64});
  expectFault("mbarrier-misuse",
              places + copy4 +
                  "cp.async.mbarrier.arrive.shared.b64 "
                  "[memory+1016]; cp.async.wait_all;",
              places + copy4 + "cp.async.wait_all;");
}

TEST(CopyAsync, TheSourceIsReadAtItsOwnTime) {
  // Overwriting the source before the wait shows.
  std::string body = places + copy4 + commit + "st.global.b32 [%rd1], 7;\n" +
                     waitFor(0) +
                     "ld.shared.b32 %r5, [%r4]; st.global.b32 [%rd1], %r5;\n";
  std::set<uint32_t> seen;
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer = countingWords();
    runBody(body, buffer, {}, options);
    seen.insert(buffer[0]);
  }
  EXPECT_EQ(seen, (std::set<uint32_t>{7, 100}));
}

//===----------------------------------------------------------------------===//
// st.async and red.async
//===----------------------------------------------------------------------===//

namespace {

/// Each of two CTAs: an mbarrier at [memory], words of `initial` from memory+16
/// on; `send` by thread 0 of each to the peer's, %rd4 and mbarrier %rd3; what
/// has come is written out from the second half of the buffer on by CTA 1.
std::string bothSend(const std::string &send, unsigned bytes,
                     const std::string &initial = "0",
                     const std::string &before = "") {
  return "mov.u64 %rd1, memory; xor.b32 %r2, %r1, 1; mov.u32 %r4, memory;\n"
         "setp.ne.u32 %p0, %r0, 0; @%p0 bra A;\n"
         "mbarrier.init.shared.b64 [memory], 1; st.shared.v4.b32 [memory+16], "
         "{" +
         initial + ", " + initial + ", " + initial + ", " + initial +
         "};\nfence.mbarrier_init.release.cluster;\n"
         "A: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
         "@%p0 bra B;\n"
         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], " +
         std::to_string(bytes) +
         ";\nmapa.shared::cluster.u64 %rd3, %rd1, %r2; add.s64 %rd4, %rd3, "
         "16;\n" +
         send + "\nB:\n" + before +
         "W: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p1, "
         "[memory], 0;\n@!%p1 bra W;\n"
         "ld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [memory+16];\n"
         "setp.eq.u32 %p2, %r1, 0; @%p2 bra E;\n"
         "st.global.v4.b32 [%rd0], {%r5, %r6, %r7, %r8};\nE:\n"
         "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
}

const std::string to = ".shared::cluster.mbarrier::complete_tx::bytes";

} // namespace

TEST(StoreAsync, Widths) {
  std::string numbers = "mov.b32 %r9, 11; mov.b32 %r10, 12; mov.b32 %r11, 13; "
                        "mov.b32 %r12, 14; mov.b64 %rd5, {%r9, %r10}; mov.b64 "
                        "%rd6, {%r11, %r12};\n";
  expectWords(
      bothSend(numbers + "st.async" + to + ".u32 [%rd4], %r9, [%rd3];", 4),
      {11, 0, 0, 0}, {32, 2});
  expectWords(bothSend(numbers + "st.async.weak" + to +
                           ".v4.b32 [%rd4], {%r9, %r10, %r11, %r12}, [%rd3];",
                       16),
              {11, 12, 13, 14}, {32, 2});
  expectWords(bothSend(numbers + "st.async" + to +
                           ".v2.b64 [%rd4], {%rd5, %rd6}, [%rd3];",
                       16),
              {11, 12, 13, 14}, {32, 2});
  expectError("st.async" + to + ".b16 [%rd4], %rs1, [%rd3];", "does not exist");
  expectError("st.async" + to +
                  ".v4.b64 [%rd4], {%rd5, %rd6, %rd5, %rd6}, "
                  "[%rd3];",
              "does not exist");
}

TEST(StoreAsync, IsOrderedByItsMBarrierOnly) {
  std::string send =
      "mov.b32 %r9, 11; st.async" + to + ".b32 [%rd4], %r9, [%rd3];";
  std::string read = "ld.shared.b32 %r5, [memory+16];\n",
              barrier = "barrier.cluster.arrive.aligned; "
                        "barrier.cluster.wait.aligned;\n";
  // barrier.cluster orders no asynchronous operation.
  expectFault("async-in-flight", bothSend(send, 4, "0", barrier + read),
              bothSend(send, 4, "0", barrier), {32, 2});
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer(64);
    EXPECT_FALSE(runBody(bothSend(send, 4, "0", barrier + read), buffer,
                         {32, 2}, options)
                     .isClean());
  }
  // Data and mbarrier are in one CTA; there is a peer.
  expectFault(
      "mbarrier-misuse",
      bothSend("mov.b32 %r9, 11; st.async" + to + ".b32 [%rd4], %r9, [%rd1];",
               4),
      bothSend(send, 4), {32, 2});
  auto single = [](const std::string &send) {
    return "setp.ne.u32 %p0, %r0, 0; @%p0 ret; mov.u64 %rd3, memory;\n"
           "mbarrier.init.shared.b64 [memory], 1;\n"
           "barrier.cluster.arrive; barrier.cluster.wait;\n" +
           send;
  };
  expectFault("st-async-alone",
              single("st.async" + to + ".b32 [%rd3+16], %r1, [%rd3];"),
              single("st.shared.b32 [%rd3+16], %r1;"));
  // Two writers of one place: nothing orders them.
  expectFault(
      "async-in-flight", bothSend(send + send, 8),
      bothSend(send + "st.async" + to + ".b32 [%rd4+4], %r9, [%rd3];", 8),
      {32, 2});
  EXPECT_EQ(
      [&] {
        std::vector<uint32_t> buffer(64);
        return runBody(bothSend(send, 4), buffer, {32, 2}).remoteBytes;
      }(),
      8u);
}

TEST(ReduceAsync, Operations) {
  struct Case {
    const char *op;
    uint32_t initial, operand, result;
  };
  const Case cases[] = {{"add.u32", 5, 7, 12},
                        {"add.s32", 5, uint32_t(-7), uint32_t(-2)},
                        {"min.u32", 5, 0x80000000, 5},
                        {"min.s32", 5, 0x80000000, 0x80000000},
                        {"max.u32", 5, 0x80000000, 0x80000000},
                        {"max.s32", 5, 0x80000000, 5},
                        {"and.b32", 6, 3, 2},
                        {"or.b32", 6, 3, 7},
                        {"xor.b32", 6, 3, 5},
                        {"inc.u32", 5, 5, 0},
                        {"inc.u32", 5, 6, 6},
                        {"dec.u32", 5, 3, 3},
                        {"dec.u32", 5, 9, 4},
                        {"dec.u32", 0, 9, 9}};
  for (const Case &each : cases)
    expectWords(bothSend("mov.b32 %r9, " + std::to_string(each.operand) +
                             "; red.async.relaxed.cluster" + to + "." +
                             each.op + " [%rd4], %r9, [%rd3];",
                         4, std::to_string(each.initial)),
                {each.result, each.initial}, {32, 2});
  expectWords(bothSend("mov.b64 %rd5, -1; red.async.relaxed.cluster" + to +
                           ".add.u64 [%rd4], %rd5, [%rd3];",
                       8, "5"),
              {4, 5, 5, 5}, {32, 2});
  expectError("red.async.relaxed.cluster" + to +
                  ".min.u64 [%rd4], %rd5, "
                  "[%rd3];",
              "does not exist");
  expectError("red.async" + to + ".add.u32 [%rd4], %r9, [%rd3];",
              "does not exist");
}

TEST(ReduceAsync, MayMeet) {
  std::string send = "mov.b32 %r9, 11; red.async.relaxed.cluster" + to +
                     ".add.u32 [%rd4], %r9, [%rd3];";
  expectWords(bothSend(send + send + send, 12, "1"), {34, 1, 1, 1}, {32, 2});
  // Until the last one is complete, the bytes are in flight.
  expectFault("async-in-flight",
              bothSend(send + send, 8, "1",
                       "ld.shared.b32 %r5, "
                       "[memory+16];\n"),
              bothSend(send + send, 8, "1"), {32, 2});
  // A store does not meet a reduction.
  expectFault("async-in-flight",
              bothSend(send + "st.async" + to + ".b32 [%rd4], %r9, [%rd3];", 8),
              bothSend(send + send, 8), {32, 2});
  expectFault("async-in-flight",
              bothSend("mov.b32 %r9, 11; st.async" + to +
                           ".b32 [%rd4], %r9, [%rd3];" + send,
                       8),
              bothSend(send + send, 8), {32, 2});
  // There must be something to reduce into.
  expectFault("undefined",
              bothSend("mov.b32 %r9, 11; red.async.relaxed.cluster" + to +
                           ".add.u32 [%rd4+16], %r9, [%rd3];",
                       4),
              bothSend(send, 4), {32, 2});
}

/// Reductions of one place that complete at mbarriers of their own.
TEST(ReduceAsync, TheLastOneSettlesThePlace) {
  auto body = [](const std::string &waits) {
    return "mov.u64 %rd1, memory; xor.b32 %r2, %r1, 1;\n"
           "setp.ne.u32 %p0, %r0, 0; @%p0 bra A;\n"
           "mbarrier.init.shared.b64 [memory], 1;\n"
           "mbarrier.init.shared.b64 [memory+8], 1;\n"
           "mbarrier.arrive.expect_tx.shared::cta.b64 _, [memory], 4;\n"
           "mbarrier.arrive.expect_tx.shared::cta.b64 _, [memory+8], 4;\n"
           "st.shared.b32 [memory+16], 1; "
           "fence.mbarrier_init.release.cluster;\n"
           "A: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
           "@%p0 bra E; mapa.shared::cluster.u64 %rd3, %rd1, %r2;\n"
           "red.async.relaxed.cluster" +
           to +
           ".add.u32 [%rd3+16], 5, [%rd3];\n"
           "red.async.relaxed.cluster" +
           to + ".add.u32 [%rd3+16], 5, [%rd3+8];\n" + waits +
           "E: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
  };
  auto wait = [](const std::string &at) {
    return "W" + at + ": mbarrier.try_wait.parity.acquire.cluster.shared.b64 " +
           "%p1, [memory+" + at + "], 0; @!%p1 bra W" + at + ";\n";
  };
  std::string read = "ld.shared.b32 %r5, [memory+16];\n";
  expectFault("async-in-flight", body(wait("0") + read + wait("8")),
              body(wait("0") + wait("8") + read), {32, 2});
}
