//===- BulkTest.cpp - cp.async.bulk, cp.reduce.async.bulk -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each form by its result, each rule by a fault and its clean twin.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

namespace {

const std::string tx = ".mbarrier::complete_tx::bytes";
const std::string clusterBarrier =
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";

/// 64 threads of each CTA; an mbarrier at [%r4] that waits for `bytes` bytes;
/// shared memory for data from [%r6] on: memory + 128. `fill` happens before a
/// barrier, `body` by thread 0 of CTA 0 after it; then all threads wait and do
/// `after`.
std::string toShared(const std::string &body, const std::string &bytes = "64",
                     const std::string &fill = "",
                     const std::string &after = "") {
  return "mov.u32 %r4, memory; add.s32 %r6, %r4, 128; mov.u64 %rd1, memory;\n"
         "setp.ne.u32 %p0, %r0, 0; setp.ne.u32 %p3, %r1, 0; or.pred %p4, %p0, "
         "%p3;\n" +
         fill +
         "@%p0 bra A; mbarrier.init.shared.b64 [memory], 1; "
         "fence.mbarrier_init.release.cluster;\n"
         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], " +
         bytes + ";\nA: " + clusterBarrier + "@%p4 bra B;\n" + body +
         "\nB:\n"
         "W: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p1, "
         "[memory], 0;\n@!%p1 bra W;\n" +
         after + clusterBarrier;
}

/// Each thread stores a word of what CTA `rank` has got.
std::string store(unsigned rank = 0) {
  return "setp.gt.u32 %p5, %r0, 15; setp.ne.u32 %p6, %r1, " +
         std::to_string(rank) +
         "; or.pred %p5, %p5, %p6; @%p5 bra S;\n"
         "shl.b32 %r7, %r0, 2; add.s32 %r8, %r6, %r7; ld.shared.b32 %r9, "
         "[%r8];\ncvt.u64.u32 %rd7, %r7; add.s64 %rd7, %rd0, %rd7; "
         "st.global.b32 [%rd7], %r9;\nS:\n";
}

std::string global(const std::string &to, const std::string &rest) {
  return "cp.async.bulk." + to + ".global" + tx + rest + ";\n";
}

/// Fills 64 bytes of shared memory at [%r6] with `value`s, by thread 0; copies
/// them away by `copy`, then does `after`.
std::string toGlobal(const std::string &copy, const std::string &after,
                     const std::string &value = "7",
                     const std::string &fence = "fence.proxy.async;\n") {
  std::string vector =
      "{" + value + ", " + value + ", " + value + ", " + value + "};\n";
  return "mov.u32 %r4, memory; add.s32 %r6, %r4, 128;\n"
         "setp.ne.u32 %p0, %r0, 0; @%p0 bra E;\n"
         "st.shared.v4.b32 [%r6], " +
         vector + "st.shared.v4.b32 [%r6+16], " + vector + fence + copy +
         after + "E:";
}

const std::string copyOut =
    "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r6], 32;\n";
const std::string commit = "cp.async.bulk.commit_group;\n",
                  waitRead = "cp.async.bulk.wait_group.read 0;\n",
                  waitAll = "cp.async.bulk.wait_group 0;\n";

/// cp.reduce.async.bulk to global memory.
std::string reduce(const std::string &operation) {
  return "cp.reduce.async.bulk.global.shared::cta.bulk_group." + operation +
         " [%rd0], [%r6], 32;\n";
}

} // namespace

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

TEST(Bulk, GlobalToShared) {
  for (std::string to : {"shared::cluster", "shared::cta"})
    expectWords(
        toShared(global(to, " [%r6], [%rd0+64], 64, [%r4]"), "64", "", store()),
        {116, 117, 118}, {64}, countingWords());
  // A policy; a size in a register.
  expectWords(
      toShared("createpolicy.fractional.L2::evict_last.b64 %rd9, 1.0; mov.b32 "
               "%r10, 64;\n" +
                   global("shared::cluster",
                          ".L2::cache_hint [%r6], [%rd0+64], %r10, [%r4], "
                          "%rd9"),
               "64", "", store()),
      {116, 117, 118}, {64}, countingWords());
  // Two copies, expected together, by two phases' worth of signals.
  std::string half = global("shared::cluster", " [%r6], [%rd0+64], 32, [%r4]"),
              other = global("shared::cluster", " [%r6+32], [%rd0], 32, [%r4]");
  expectWords(toShared(half + other, "64", "", store()),
              {116, 117, 118, 119, 120, 121, 122, 123, 100, 101}, {64},
              countingWords());
  expectFault("async-in-flight", toShared(half + other, "32", "", store()),
              toShared(half + other, "64", "", store()), {64});
  expectFault("deadlock", toShared(half, "64"), toShared(half, "32"), {64});
}

TEST(Bulk, SeesAnInitialisationThatIsFenced) {
  std::string copy = global("shared::cluster", " [%r6], [%rd0+64], 64, [%r4]"),
              fenced = toShared(copy, "64", "", store());
  const std::string fence = "fence.mbarrier_init.release.cluster;";
  auto with = [&](const std::string &other) {
    std::string text = fenced;
    return text.replace(text.find(fence), fence.size(), other);
  };
  expectFault("proxy-fence", with(""), fenced, {64});
  // The other fence will do; one of memory alone will not.
  expectFault("proxy-fence", with("fence.acq_rel.cta;"),
              with("fence.proxy.async;"), {64});
}

TEST(Bulk, Multiples) {
  auto copy = [](const std::string &to, const std::string &from,
                 const std::string &size) {
    return toShared(global("shared::cluster", " [" + to + "], [" + from +
                                                  "], " + size + ", [%r4]"),
                    size);
  };
  std::string good = copy("%r6", "%rd0", "64");
  expectFault("misaligned", copy("%r6", "%rd0", "60"), good, {64});
  expectFault("misaligned", copy("%r6", "%rd0+8", "64"), good, {64});
  expectFault("misaligned", copy("%r6+8", "%rd0", "64"), good, {64});
  expectFault("out-of-bounds", copy("%r6", "%rd0+208", "64"),
              copy("%r6", "%rd0+192", "64"), {64});
  expectFault("out-of-bounds", copy("%r6+848", "%rd0", "64"),
              copy("%r6+832", "%rd0", "64"), {64});
}

TEST(Bulk, Multicast) {
  auto copy = [](const std::string &mask) {
    return "mov.b16 %rs1, " + mask + ";\n" +
           global("shared::cluster",
                  ".multicast::cluster [%r6], [%rd0+64], 64, [%r4], %rs1");
  };
  for (unsigned rank : {0u, 1u})
    expectWords(toShared(copy("3"), "64", "", store(rank)), {116, 117, 118},
                {64, 2}, countingWords());
  // Each destination's own mbarrier is told.
  expectFault("deadlock", toShared(copy("1")), toShared(copy("3")), {64, 2});
  expectFault("bad-rank", toShared(copy("7")), toShared(copy("3")), {64, 2});
  std::vector<uint32_t> buffer(64);
  Report report = runBody(toShared(copy("3")), buffer, {64, 2});
  EXPECT_EQ(report.sectors, 2u);
  EXPECT_EQ(report.globalBytesRead, 64u);
  EXPECT_EQ(report.remoteBytes, 0u);
}

TEST(Bulk, SharedToPeer) {
  std::string fill = "shl.b32 %r7, %r0, 2; add.s32 %r8, %r6, %r7; add.s32 "
                     "%r9, %r0, 50; st.shared.b32 [%r8+256], %r9;\n"
                     "fence.proxy.async;\n";
  auto send = [](const std::string &rest = "64, [%rd3]") {
    return "mapa.shared::cluster.u64 %rd3, %rd1, 1; cvt.u32.u64 %r12, %rd3;\n"
           "cp.async.bulk.shared::cluster.shared::cta" +
           tx + " [%rd3+128], [%r6+256], " + rest + ";\n";
  };
  // Only CTA 1 waits for bytes: CTA 0 expects none.
  auto body = [&](const std::string &copy, const std::string &after) {
    return toShared(copy, "%r11", fill + "shl.b32 %r11, %r1, 6;\n", after);
  };
  std::string good = body(send(), store(1));
  expectWords(good, {50, 51, 52}, {64, 2});
  expectFault("mbarrier-misuse", body(send("64, [%rd1]"), store(1)), good,
              {64, 2});
  expectFault("proxy-fence",
              toShared(send(), "%r11",
                       "shl.b32 %r7, %r0, 2; add.s32 %r8, %r6, %r7; "
                       "st.shared.b32 [%r8+256], %r0; shl.b32 %r11, %r1, 6;\n"),
              good, {64, 2});
  // The source is read until the peer's mbarrier says otherwise.
  expectFault("race", body(send() + "st.shared.b32 [%r6+256], 0;\n", ""), good,
              {64, 2});
  expectFault("undefined", toShared(send(), "%r11", "shl.b32 %r11, %r1, 6;\n"),
              good, {64, 2});
  std::vector<uint32_t> buffer(64);
  EXPECT_EQ(runBody(good, buffer, {64, 2}).remoteBytes, 64u);
}

TEST(Bulk, ReadsAfterItsWaitNeedNoFence) {
  std::string copy = global("shared::cluster", " [%r6], [%rd0], 64, [%r4]");
  expectWords(toShared(copy, "64", "", store()), {100}, {64}, countingWords());
  // Generic writes before it do.
  std::string write = "st.shared.b32 [%r6], 1;\n",
              fence = "fence.proxy.async;\n";
  expectFault("proxy-fence", toShared(copy, "64", "@!%p0 " + write, store()),
              toShared(copy, "64", "@!%p0 " + write + fence, store()), {64});
  // Nothing but the mbarrier tells that the bytes are there.
  expectFault("async-in-flight", toShared(copy + "ld.shared.b32 %r9, [%r6];\n"),
              toShared(copy), {64});
  expectFault("race", toShared(copy + "ld.shared.b32 %r9, [%r6];\n"),
              toShared(copy), {64});
}

TEST(Bulk, ReduceIntoShared) {
  struct Case {
    const char *op;
    uint32_t initial, operand, result;
  };
  const Case cases[] = {{"add.u32", 5, 7, 12},
                        {"add.s32", 5, uint32_t(-7), uint32_t(-2)},
                        {"min.s32", 5, 0x80000000, 0x80000000},
                        {"max.u32", 5, 0x80000000, 0x80000000},
                        {"and.b32", 6, 3, 2},
                        {"or.b32", 6, 3, 7},
                        {"xor.b32", 6, 3, 5},
                        {"inc.u32", 5, 5, 0},
                        {"dec.u32", 0, 9, 9}};
  for (const Case &each : cases) {
    // Both CTAs' words from %r6 on are `initial`, from %r6 + 256 on `operand`.
    std::string fill =
        "shl.b32 %r7, %r0, 2; add.s32 %r8, %r6, %r7; shl.b32 %r11, %r1, 6;\n"
        "st.shared.b32 [%r8], " +
        std::to_string(each.initial) + "; st.shared.b32 [%r8+256], " +
        std::to_string(each.operand) + "; fence.proxy.async;\n";
    std::string send = "mapa.shared::cluster.u64 %rd3, %rd1, 1;\n"
                       "cp.reduce.async.bulk.shared::cluster.shared::cta" +
                       tx + "." + each.op +
                       " [%rd3+128], [%r6+256], 64, [%rd3];\n";
    expectWords(toShared(send, "%r11", fill, store(1)),
                {each.result, each.result, each.result}, {64, 2});
  }
  expectError("cp.reduce.async.bulk.shared::cluster.shared::cta" + tx +
                  ".min.u64 [%rd3], [%r6], 64, [%rd3];",
              "does not exist");
  expectError("cp.reduce.async.bulk.shared::cluster.global" + tx +
                  ".add.u32 [%rd3], [%rd0], 64, [%rd3];",
              "does not exist");
}

//===----------------------------------------------------------------------===//
// To global memory
//===----------------------------------------------------------------------===//

TEST(Bulk, SharedToGlobal) {
  std::vector<uint32_t> words = {7, 7, 7, 7, 7, 7, 7, 7, 108};
  expectWords(toGlobal(copyOut + commit, waitRead), words, {}, countingWords());
  expectWords(toGlobal(copyOut + commit, waitAll), words, {}, countingWords());
  expectWords(toGlobal("createpolicy.fractional.L2::evict_first.b64 %rd9, "
                       "1.0;\ncp.async.bulk.global.shared::cta.bulk_group.L2::"
                       "cache_hint [%rd0], [%r6], 32, %rd9;\n" +
                           commit,
                       waitRead),
              words, {}, countingWords());
  expectFault("proxy-fence", toGlobal(copyOut + commit, waitAll, "7", ""),
              toGlobal(copyOut + commit, waitAll));
  expectFault("out-of-bounds",
              toGlobal("cp.async.bulk.global.shared::cta.bulk_group "
                       "[%rd0+240], [%r6], 32;\n" +
                           commit,
                       waitAll),
              toGlobal("cp.async.bulk.global.shared::cta.bulk_group "
                       "[%rd0+224], [%r6], 32;\n" +
                           commit,
                       waitAll));
  expectFault("misaligned",
              toGlobal("cp.async.bulk.global.shared::cta.bulk_group "
                       "[%rd0+8], [%r6], 32;\n" +
                           commit,
                       waitAll),
              toGlobal(copyOut + commit, waitAll));
  expectFault("undefined",
              toGlobal("cp.async.bulk.global.shared::cta.bulk_group "
                       "[%rd0], [%r6+16], 32;\n" +
                           commit,
                       waitAll),
              toGlobal(copyOut + commit, waitAll));
  std::vector<uint32_t> buffer(64);
  Report report = runBody(toGlobal(copyOut + commit, waitAll), buffer);
  EXPECT_EQ(report.sectors, 1u);
  EXPECT_EQ(report.globalBytesWritten, 32u);
}

TEST(Bulk, WaitGroupReadFreesTheSourceOnly) {
  std::string overwrite = "st.shared.v4.b32 [%r6], {1, 2, 3, 4};\n";
  std::vector<uint32_t> words = {7, 7, 7, 7, 7, 7, 7, 7};
  expectWords(toGlobal(copyOut + commit, waitRead + overwrite), words);
  expectFault("race", toGlobal(copyOut + commit, overwrite + waitRead),
              toGlobal(copyOut + commit, waitRead + overwrite));
  // Not committed, not waited for; one group too many left open.
  expectFault("race",
              toGlobal(copyOut, waitRead + overwrite + commit + waitRead),
              toGlobal(copyOut + commit, waitRead + overwrite));
  expectFault(
      "race",
      toGlobal(copyOut + commit,
               "cp.async.bulk.wait_group.read 1;\n" + overwrite + waitRead),
      toGlobal(copyOut + commit + commit,
               "cp.async.bulk.wait_group.read 1;\n" + overwrite + waitRead));
  // The data itself may come late: until the full waitAll, the destination is
  // as it was under some schedule.
  std::set<uint32_t> early, late;
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer = countingWords();
    auto copyBack = [](const std::string &before) {
      return toGlobal(copyOut + commit, before +
                                            "ld.global.b32 %r9, [%rd0]; "
                                            "st.global.b32 [%rd0+64], "
                                            "%r9;\n" +
                                            waitAll);
    };
    Options unchecked = options;
    unchecked.checks = 0;
    runBody(copyBack(waitRead), buffer, {}, unchecked);
    early.insert(buffer[16]);
    buffer = countingWords();
    runBody(copyBack(waitAll), buffer, {}, unchecked);
    late.insert(buffer[16]);
  }
  EXPECT_EQ(early, (std::set<uint32_t>{7, 100}));
  EXPECT_EQ(late, (std::set<uint32_t>{7}));
}

TEST(Bulk, GroupsBelongToTheirThread) {
  // Thread 0 copies; the wait of thread 1 covers nothing.
  auto body = [](const std::string &guard) {
    return "mov.u32 %r4, memory; add.s32 %r6, %r4, 128;\n"
           "setp.ne.u32 %p0, %r0, 0; setp.ne.u32 %p1, %r0, 32;\n"
           "@%p0 bra A; st.shared.v4.b32 [%r6], {7, 7, 7, 7};\n"
           "fence.proxy.async;\n"
           "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r6], 16;\n" +
           commit + "A: " + guard + waitRead +
           "bar.sync 0;\n@!%p1 st.shared.b32 [%r6], 1;\nbar.sync 0;\n"
           "@!%p0 " +
           waitRead;
  };
  expectFault("race", body("@!%p1 "), body("@!%p0 "), {64});
}

TEST(Bulk, ExitNeedsTheSourceRead) {
  expectFault("exit-in-flight", toGlobal(copyOut + commit, ""),
              toGlobal(copyOut + commit, waitRead));
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer(64);
    EXPECT_TRUE(has(runBody(toGlobal(copyOut, ""), buffer, {}, options),
                    "exit-in-flight"));
  }
}

TEST(Bulk, ReduceIntoGlobal) {
  struct Case {
    const char *op;
    uint32_t initial, operand, result;
  };
  const Case cases[] = {{"add.u32", 5, 7, 12},
                        {"add.f32", 0x3f800000, 0x40000000, 0x40400000},
                        {"add.f32", 0, 1, 0}, // subnormal numbers are flushed
                        {"add.noftz.f16", 0x00013c00, 0x00014000, 0x00024200},
                        {"add.noftz.bf16", 0x3f803f80, 0x40003f80, 0x40404000},
                        {"min.f16", 0x3c00bc00, 0x40004000, 0x3c00bc00},
                        {"max.bf16", 0x3f80bf80, 0x4000ff80, 0x4000bf80},
                        {"max.s32", 5, 0x80000000, 5},
                        {"and.b32", 6, 3, 2},
                        {"xor.b64", 6, 3, 5},
                        {"inc.u32", 5, 5, 0},
                        {"dec.u32", 5, 9, 4}};
  for (const Case &each : cases)
    expectWords(toGlobal(reduce(each.op) + commit, waitRead,
                         std::to_string(each.operand)),
                {each.result, each.result}, {},
                std::vector<uint32_t>(16, each.initial));
  // 64 bits: the carry goes up.
  expectWords(toGlobal(reduce("add.u64") + commit, waitAll, "4294967295"),
              {0, 1, 0, 1}, {}, {1, 1, 1, 1});
  expectWords(toGlobal(reduce("min.s64") + commit, waitAll, "4294967295"),
              {~0u, ~0u, ~0u, ~0u}, {}, {1, 1, 1, 1});
  expectError(reduce("add.f16"), "does not exist");
  expectError(reduce("add.s64"), "does not exist");
  expectError(reduce("min.f32"), "does not exist");
}

TEST(Bulk, Prefetch) {
  std::string prefetch = "cp.async.bulk.prefetch.L2.global [%rd0], ";
  expectWords(prefetch + "64;", {});
  expectFault("out-of-bounds", prefetch + "272;", prefetch + "256;");
  expectFault("misaligned", prefetch + "24;", prefetch + "32;");
}

TEST(Bulk, WhatDoesNotExist) {
  expectError("cp.async.bulk.tensor.1d.shared::cluster.global" + tx +
                  " [%r4], [%rd0], [%r4];",
              "is not simulated");
  expectError("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd0], "
              "[%r4], 16, %rs1;",
              "cp_mask");
  expectError("cp.async.bulk.shared::cta.shared::cta" + tx +
                  " [%r4], [%r4], 16, [%r4];",
              "does not exist");
  expectError("cp.async.bulk.shared::cta.global" + tx +
                  ".multicast::cluster [%r4], [%rd0], 16, [%r4], %rs1;",
              "multicast::cluster");
  expectError("cp.async.bulk.wait_group %r1;", "expected an integer constant");
}
