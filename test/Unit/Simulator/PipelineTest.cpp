//===- PipelineTest.cpp - rings of buffers between warps --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A producer fills a ring of two buffers with bulk copies, a consumer adds up
// what comes, for four turns of the ring; each tells the other by mbarriers.
// The correct program is clean under every schedule, each slip in it is named.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

namespace {

/// The places where a slip may be made.
struct Ring {
  std::string bytes = "64";                             ///< expected of a turn
  std::string emptyParity = "xor.b32 %r13, %r12, 1;\n"; ///< of %r12, the turn
  std::string fullParity = "mov.b32 %r13, %r12;\n";
  std::string waitEmpty = "P: mbarrier.try_wait.parity.shared.b64 %p1, "
                          "[%r11+16], %r13; @!%p1 bra P;\n";
  std::string waitFull = "C: mbarrier.try_wait.parity.shared.b64 %p1, [%r11], "
                         "%r13; @!%p1 bra C;\n";
  std::string arriveEmpty = "bar.warp.sync -1;\n@!%p2 mbarrier.arrive.shared."
                            "b64 _, [%r11+16];\n";
  std::string step = "add.s32 %r10, %r10, 1;\n";

  /// Warp 0 produces and warp 1 consumes chunks %r10 = 0 to 7 of 64 bytes; the
  /// buffer holds four of them. Full mbarriers are at memory + 0 and 8, empty
  /// ones at + 16 and 24, buffers at + 128 and + 192.
  std::string str() const {
    std::string slot = "and.b32 %r11, %r10, 1; shl.b32 %r14, %r11, 6; add.s32 "
                       "%r14, %r14, %r4; shl.b32 %r11, %r11, 3; add.s32 %r11, "
                       "%r11, %r4; shr.u32 %r12, %r10, 1; and.b32 %r12, %r12, "
                       "1;\n";
    std::string loop = "setp.lt.u32 %p4, %r10, 8;\n";
    return "mov.u32 %r4, memory; setp.ne.u32 %p0, %r0, 0; @%p0 bra A;\n"
           "mbarrier.init.shared.b64 [memory], 1; mbarrier.init.shared.b64 "
           "[memory+8], 1;\nmbarrier.init.shared.b64 [memory+16], 1; "
           "mbarrier.init.shared.b64 [memory+24], 1;\n"
           "fence.mbarrier_init.release.cluster;\n"
           "A: bar.sync 0; mov.b32 %r10, 0; mov.b32 %r20, 0;\n"
           "and.b32 %r2, %r0, 31; setp.ne.u32 %p2, %r2, 0;\n"
           "setp.gt.u32 %p3, %r0, 31; @%p3 bra CONSUME; @%p0 bra E;\n"
           "PRODUCE:\n" +
           slot + emptyParity + waitEmpty +
           "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r11], " + bytes +
           ";\nand.b32 %r15, %r10, 3; mul.wide.u32 %rd1, %r15, 64; add.s64 "
           "%rd1, %rd0, %rd1;\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
           "[%r14+128], [%rd1], 64, [%r11];\n" +
           step + loop + "@%p4 bra PRODUCE; bra E;\nCONSUME:\n" + slot +
           fullParity + waitFull +
           "and.b32 %r16, %r2, 15; shl.b32 %r16, %r16, 2; add.s32 %r16, %r16, "
           "%r14; ld.shared.b32 %r17, [%r16+128]; add.s32 %r20, %r20, %r17;\n" +
           arriveEmpty + step + loop +
           "@%p4 bra CONSUME;\nE: bar.sync 0; setp.lt.u32 %p5, %r0, 32; @%p5 "
           "ret; setp.gt.u32 %p5, %r2, 15; @%p5 ret;\n"
           "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd0, %rd2; "
           "st.global.b32 [%rd2], %r20;";
  }
};

/// What some schedule finds.
void expectOneOf(const Ring &ring, const std::vector<std::string> &kinds) {
  for (const std::string &kind : kinds)
    expectFault(kind, ring.str(), Ring().str(), {64});
}

} // namespace

TEST(Pipeline, IsClean) {
  std::vector<uint32_t> input(64), sums(16);
  for (uint32_t i = 0; i < 64; ++i) {
    input[i] = 1000 + i * i;
    sums[i % 16] += 2 * input[i];
  }
  expectWords(Ring().str(), sums, {64}, input);
}

TEST(Pipeline, Slips) {
  Ring ring;
  for (const char *bytes : {"48", "80"}) {
    ring.bytes = bytes;
    expectOneOf(ring, {"deadlock"});
  }
  ring = {};
  ring.waitEmpty = "";
  expectOneOf(ring, {"mbarrier-misuse", "async-in-flight", "race"});
  ring = {};
  ring.waitFull = "";
  expectOneOf(ring, {"async-in-flight", "race", "mbarrier-misuse"});
  ring = {};
  ring.emptyParity = "mov.b32 %r13, %r12;\n";
  expectOneOf(ring, {"deadlock"});
  ring = {};
  ring.fullParity = "xor.b32 %r13, %r12, 1;\n";
  expectOneOf(ring, {"async-in-flight"});
  ring = {};
  ring.fullParity = "mov.b32 %r13, 0;\n";
  expectOneOf(ring, {"deadlock"});
  // Without an arrival the producer stands; with one for each lane the count
  // is exceeded.
  ring = {};
  ring.arriveEmpty = "bar.warp.sync -1;\n";
  expectOneOf(ring, {"deadlock"});
  ring = {};
  ring.arriveEmpty = "bar.warp.sync -1;\nmbarrier.arrive.shared.b64 _, "
                     "[%r11+16];\n";
  expectOneOf(ring, {"mbarrier-misuse"});
  // An arrival that orders nothing lets the buffer be filled too early.
  ring = {};
  ring.arriveEmpty = "bar.warp.sync -1;\n@!%p2 mbarrier.arrive.relaxed.cta."
                     "shared.b64 _, [%r11+16];\n";
  expectOneOf(ring, {"race"});
  ring = {};
  ring.waitEmpty = "P: mbarrier.try_wait.parity.relaxed.cta.shared.b64 %p1, "
                   "[%r11+16], %r13; @!%p1 bra P;\n";
  expectOneOf(ring, {"race"});
}

/// Two CTAs share what thread 0 of CTA 0 multicasts, chunk by chunk, into one
/// buffer each; warp 1 of both says so at CTA 0's mbarrier when it has read.
static std::string multicastRing(
    const std::string &sync = "barrier.cluster.arrive.aligned; "
                              "barrier.cluster.wait.aligned;\n",
    const std::string &arrive = "mbarrier.arrive.release.cluster.shared::"
                                "cluster.b64 _, [%rd3+8];\n",
    const std::string &acquire = ".acquire.cluster") {
  return "mov.u32 %r4, memory; mov.u64 %rd1, memory; mov.b16 %rs1, 3;\n"
         "setp.ne.u32 %p0, %r0, 0; @%p0 bra A;\n"
         "mbarrier.init.shared.b64 [memory], 1; mbarrier.init.shared.b64 "
         "[memory+8], 2; fence.mbarrier_init.release.cluster;\nA: " +
         sync +
         "mapa.shared::cluster.u64 %rd3, %rd1, 0; mov.b32 %r10, 0; mov.b32 "
         "%r20, 0; and.b32 %r2, %r0, 31; setp.ne.u32 %p2, %r2, 0;\n"
         "setp.gt.u32 %p3, %r0, 31; @%p3 bra CONSUME;\n"
         "or.b32 %r5, %r0, %r1; setp.ne.u32 %p5, %r5, 0; @%p5 bra E;\n"
         "PRODUCE: and.b32 %r13, %r10, 1; xor.b32 %r13, %r13, 1;\n"
         "P: mbarrier.try_wait.parity" +
         acquire +
         ".shared.b64 %p1, [memory+8], %r13; @!%p1 bra P;\n"
         "mul.wide.u32 %rd2, %r10, 64; add.s64 %rd2, %rd0, %rd2;\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
         "multicast::cluster [%r4+128], [%rd2], 64, [%r4], %rs1;\n"
         "add.s32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 4; @%p4 bra PRODUCE; "
         "bra E;\n"
         "CONSUME: and.b32 %r13, %r10, 1;\n"
         "@!%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 64;\n"
         "C: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p1, "
         "[memory], "
         "%r13; @!%p1 bra C;\n"
         "and.b32 %r16, %r2, 15; shl.b32 %r16, %r16, 2; add.s32 %r16, %r16, "
         "%r4; ld.shared.b32 %r17, [%r16+128]; add.s32 %r20, %r20, %r17;\n"
         "bar.warp.sync -1;\n@!%p2 " +
         arrive +
         "add.s32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 4; @%p4 bra CONSUME;\n"
         "E: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
         "setp.lt.u32 %p5, %r0, 32; @%p5 ret; setp.gt.u32 %p5, %r2, 7; @%p5 "
         "ret;\n"
         "shl.b32 %r6, %r1, 3; add.s32 %r6, %r6, %r2; mul.wide.u32 %rd2, %r6, "
         "4; add.s64 %rd2, %rd0, %rd2; st.global.b32 [%rd2], %r20;";
}

TEST(Pipeline, Multicast) {
  std::vector<uint32_t> input(64), sums(16);
  for (uint32_t i = 0; i < 64; ++i) {
    input[i] = 1000 + i * i;
    if (i % 16 < 8)
      sums[i % 16] += input[i];
  }
  std::copy_n(sums.begin(), 8, sums.begin() + 8);
  expectWords(multicastRing(), sums, {64, 2}, input);
}

TEST(Pipeline, MulticastSlips) {
  std::string good = multicastRing();
  const Shape shape{64, 2};
  // Each CTA must know that the other's mbarriers are there.
  expectFault("unstarted-peer", multicastRing("bar.sync 0;\n"), good, shape);
  // The peer's read must be over: it says so, to CTA 0, in order.
  expectFault("deadlock",
              multicastRing("barrier.cluster.arrive.aligned; "
                            "barrier.cluster.wait.aligned;\n",
                            "mbarrier.arrive.shared.b64 _, [%r4+8];\n"),
              good, shape);
  expectFault("race",
              multicastRing("barrier.cluster.arrive.aligned; "
                            "barrier.cluster.wait.aligned;\n",
                            "mbarrier.arrive.relaxed.cluster.shared::cluster."
                            "b64 _, [%rd3+8];\n"),
              good, shape);
}
