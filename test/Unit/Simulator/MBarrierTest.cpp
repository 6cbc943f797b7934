//===- MBarrierTest.cpp - the rules of mbarrier -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, mbarrier: each rule by a program whose result or fault shows it.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace quack::sim;

namespace {

/// One thread, with an mbarrier of `count` arrivals at [%r4].
std::string alone(const std::string &body, unsigned count = 1) {
  return "setp.ne.u32 %p0, %r0, 0; @%p0 ret; mov.u32 %r4, memory;\n"
         "mbarrier.init.shared.b64 [%r4], " +
         std::to_string(count) + ";\n" + body;
}

/// Stores whether phase parity `parity` is over in word `word`.
std::string test(unsigned parity, unsigned word) {
  return "mbarrier.test_wait.parity.shared.b64 %p1, [%r4], " +
         std::to_string(parity) +
         "; selp.b32 %r6, 1, 0, %p1; st.global.b32 [%rd0+" +
         std::to_string(4 * word) + "], %r6;\n";
}

/// Waits for a phase; labels are made unique by `name`.
std::string wait(const std::string &name, unsigned parity,
                 const std::string &modifiers = "") {
  return name + ": mbarrier.try_wait.parity" + modifiers +
         ".shared.b64 %p2, [memory], " + std::to_string(parity) +
         "; @!%p2 bra " + name + ";\n";
}

const std::string arrive = "mbarrier.arrive.shared.b64 _, [%r4];\n";

std::string expectTx(const std::string &bytes) {
  return "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r4], " + bytes +
         ";\n";
}
std::string completeTx(const std::string &bytes) {
  return "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r4], " + bytes +
         ";\n";
}

} // namespace

TEST(MBarrier, TxCountIsSigned) {
  expectFault("mbarrier-misuse", alone(expectTx("1048576")),
              alone(expectTx("1048575") + completeTx("1048575")));
  expectFault("mbarrier-misuse", alone(completeTx("1048575") + completeTx("1")),
              alone(completeTx("1048575") + expectTx("1048575")));
  // Each change counts: beyond the range and back again is a fault, too.
  expectFault("mbarrier-misuse",
              alone(expectTx("1048575") + expectTx("1") + completeTx("1") +
                    completeTx("1048575")),
              alone(expectTx("1048575") + completeTx("1") + expectTx("1") +
                    completeTx("1048575")));
}

TEST(MBarrier, PhaseEndsWhenNothingIsMissing) {
  // By the last arrival, or by the last bytes.
  expectWords(
      alone(expectTx("8") + completeTx("8") + test(0, 0) + arrive + test(0, 1)),
      {0, 1});
  expectWords(
      alone(expectTx("8") + arrive + test(0, 0) + completeTx("8") + test(0, 1)),
      {0, 1});
  // Bytes first, in the same phase.
  expectWords(alone(completeTx("8") + test(0, 0) + expectTx("8") + test(0, 1) +
                    arrive + test(0, 2)),
              {0, 0, 1});
  // An arrival does not end a phase while bytes are owed.
  expectWords(
      alone(completeTx("8") + arrive + test(0, 0) + expectTx("8") + test(0, 1)),
      {0, 1});
}

TEST(MBarrier, ArriveExpectTxAddsFirst) {
  expectWords(alone("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 8;\n" +
                    test(0, 0) + completeTx("8") + test(0, 1)),
              {0, 1});
  // The number is bytes; it is one arrival.
  expectWords(alone("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 2;\n" +
                        completeTx("2") + test(0, 0) + arrive + test(0, 1),
                    2),
              {0, 1});
}

TEST(MBarrier, ParityNamesThePresentPhaseOrTheOneBefore) {
  expectWords(alone(test(0, 0) + test(1, 1) + arrive + test(0, 2) + test(1, 3) +
                    arrive + test(0, 4) + test(1, 5)),
              {0, 1, 1, 0, 0, 1});
  expectFault("mbarrier-misuse", alone(test(2, 0)), alone(test(1, 0)));
}

/// Warp 0 runs two phases through; warp 1 then asks for the first one.
TEST(MBarrier, ALagOfTwoPhasesAliases) {
  auto body = [](const std::string &second) {
    return "mov.u32 %r4, memory; setp.ne.u32 %p0, %r0, 0;\n"
           "@%p0 bra A; mbarrier.init.shared.b64 [memory], 1;\n"
           "A: bar.sync 0; setp.gt.u32 %p3, %r0, 31; @%p3 bra B;\n"
           "@!%p0 mbarrier.arrive.shared.b64 _, [%r4];\n" +
           wait("W", 0) + second +
           "bar.arrive 1, 64; bra C;\nB: bar.sync 1, 64;\n" + wait("Y", 0) +
           "C:";
  };
  std::string again = "bar.warp.sync -1;\n@!%p0 mbarrier.arrive.shared.b64 _, "
                      "[%r4];\n" +
                      wait("X", 1);
  // The bar orders warp 1 after the waits: it knows that two phases are over.
  expectFault("deadlock", body(again), body(""), {64});
  // Without it, warp 1 cannot know.
  auto unordered = [&](const std::string &second) {
    return "mov.u32 %r4, memory; setp.ne.u32 %p0, %r0, 0;\n"
           "@%p0 bra A; mbarrier.init.shared.b64 [memory], 1;\n"
           "A: bar.sync 0; setp.gt.u32 %p3, %r0, 31; @%p3 bra B;\n"
           "@!%p0 mbarrier.arrive.shared.b64 _, [%r4];\n" +
           wait("W", 0) + second + "bra C;\nB:\n" + wait("Y", 0) + "C:";
  };
  expectFault("mbarrier-misuse", unordered(again), unordered(""), {64});
}

TEST(MBarrier, EachPhaseIsWaitedFor) {
  expectFault("mbarrier-misuse", alone(arrive + arrive),
              alone(arrive + test(0, 0) + arrive));
  // A wait that fails is none.
  expectFault("mbarrier-misuse", alone(arrive + test(1, 0) + arrive),
              alone(arrive + test(1, 0) + test(0, 0) + arrive));
  // By state as well as by parity.
  expectFault("mbarrier-misuse",
              alone("mbarrier.arrive.shared.b64 %rd1, [%r4];\n" + arrive),
              alone("mbarrier.arrive.shared.b64 %rd1, [%r4];\n"
                    "mbarrier.test_wait.shared.b64 %p1, [%r4], %rd1;\n" +
                    arrive));
}

TEST(MBarrier, Counts) {
  std::string three = "mbarrier.arrive.shared.b64 _, [%r4], 3;\n";
  expectWords(alone(three + test(0, 0) + arrive + test(0, 1), 4), {0, 1});
  expectFault("mbarrier-misuse", alone(three, 2), alone(three, 3));
  expectFault("mbarrier-misuse",
              alone("mbarrier.arrive.shared.b64 _, [%r4], 0;\n"),
              alone("mbarrier.arrive.shared.b64 _, [%r4], 1;\n"));
  expectFault("mbarrier-misuse", alone("", 0), alone("", 1));
  expectFault("mbarrier-misuse", alone("", 1048576), alone("", 1048575));
}

TEST(MBarrier, ArriveDrop) {
  // The phase counts the arrival, the next ones expect one less.
  expectWords(alone("mbarrier.arrive_drop.shared.b64 _, [%r4];\n" + arrive +
                        test(0, 0) + arrive + test(1, 1),
                    2),
              {1, 1});
  expectWords(
      alone("mbarrier.arrive_drop.expect_tx.shared::cta.b64 _, [%r4], 4;\n" +
                arrive + test(0, 0) + completeTx("4") + test(0, 1) + arrive +
                test(1, 2),
            2),
      {0, 1, 1});
  expectFault("mbarrier-misuse",
              alone("mbarrier.arrive_drop.shared.b64 _, [%r4], 2;\n" +
                        test(0, 0) + arrive,
                    2),
              alone("mbarrier.arrive_drop.shared.b64 _, [%r4], 1;\n" + arrive +
                        test(0, 0) + arrive,
                    2));
}

TEST(MBarrier, NoComplete) {
  std::string two =
      "mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd1, [%r4], "
      "2;\n";
  expectFault("mbarrier-misuse", alone(two, 2), alone(two, 3));
  std::string drop =
      "mbarrier.arrive_drop.noComplete.shared.b64 %rd1, [%r4], 2;\n";
  expectFault("mbarrier-misuse", alone(drop, 2), alone(drop, 3));
}

TEST(MBarrier, States) {
  // The state is the one before the arrival.
  expectWords(
      alone("mbarrier.arrive.shared.b64 %rd1, [%r4], 2;\n"
            "mbarrier.pending_count.b64 %r5, %rd1; st.global.b32 [%rd0], %r5;\n"
            "mbarrier.arrive.shared.b64 %rd2, [%r4];\n"
            "mbarrier.pending_count.b64 %r5, %rd2; st.global.b32 [%rd0+4], "
            "%r5;\n"
            "mbarrier.test_wait.shared.b64 %p1, [%r4], %rd2; selp.b32 %r6, 1, "
            "0, %p1; st.global.b32 [%rd0+8], %r6;\n"
            "mbarrier.arrive.shared.b64 %rd2, [%r4], 2;\n"
            "mbarrier.test_wait.shared.b64 %p1, [%r4], %rd2; selp.b32 %r6, 1, "
            "0, %p1; st.global.b32 [%rd0+12], %r6;\n",
            3),
      {3, 1, 1, 0});
  // A state of two phases ago, or of another mbarrier.
  std::string first = "mbarrier.arrive.shared.b64 %rd1, [%r4];\n" + test(0, 0);
  std::string use = "mbarrier.test_wait.shared.b64 %p1, [%r4], %rd1;\n";
  expectFault("mbarrier-misuse", alone(first + arrive + test(1, 1) + use),
              alone(first + use + arrive + test(1, 1)));
  expectFault("mbarrier-misuse",
              alone("mbarrier.init.shared.b64 [%r4+8], 1;\n"
                    "mbarrier.arrive.shared.b64 %rd1, [%r4+8];\n" +
                    use),
              alone("mbarrier.init.shared.b64 [%r4+8], 1;\n"
                    "mbarrier.arrive.shared.b64 %rd1, [%r4];\n" +
                    use));
}

TEST(MBarrier, Lifetime) {
  std::string inval = "mbarrier.inval.shared.b64 [%r4];\n",
              init = "mbarrier.init.shared.b64 [%r4], 1;\n";
  expectFault("mbarrier-misuse", alone(inval + arrive), alone(inval));
  expectFault("mbarrier-misuse", alone(inval + inval), alone(inval));
  expectFault("mbarrier-misuse", alone(init), alone(inval + init));
  expectFault("mbarrier-access", alone("st.shared.b32 [%r4+4], 0;"),
              alone(inval + "st.shared.b32 [%r4+4], 0;"));
  expectFault("mbarrier-access", alone("ld.shared.b64 %rd1, [%r4];"),
              alone("mbarrier.arrive.shared.b64 %rd1, [%r4];"));
  expectFault("misaligned", alone("mbarrier.init.shared.b64 [%r4+12], 1;"),
              alone("mbarrier.init.shared.b64 [%r4+16], 1;"));
  // Operations in flight still need it: the one that is waited for by another
  // mbarrier does not tell.
  std::string arriveAt = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r4";
  std::string copy = "mbarrier.init.shared.b64 [%r4+8], 1;\n"
                     "cp.async.ca.shared.global [%r4+64], [%rd0], 4;\n" +
                     arriveAt + "];\n" + arriveAt + "+8];\n";
  std::string other = "V: mbarrier.try_wait.parity.shared.b64 %p2, [%r4+8], 0; "
                      "@!%p2 bra V;\n";
  expectFault("mbarrier-misuse", alone(copy + inval + other),
              alone(copy + other + wait("W", 0) + inval));
  // What was an mbarrier holds no value.
  expectFault("undefined",
              alone(inval + "ld.shared.b32 %r5, [%r4]; st.global.b32 [%rd0], "
                            "%r5;"),
              alone(inval + "st.shared.b32 [%r4], 1; ld.shared.b32 %r5, [%r4]; "
                            "st.global.b32 [%rd0], %r5;"));
}

/// CTA 0 acts on the mbarrier of CTA 1, whose address is %rd3 (%rd4: generic).
static std::string remote(const std::string &action, unsigned count = 1) {
  return "mov.u64 %rd1, memory; mov.u32 %r4, memory; mov.b32 %r9, 1;\n"
         "setp.ne.u32 %p0, %r0, 0; @%p0 bra A;\n"
         "mbarrier.init.shared.b64 [memory], " +
         std::to_string(count) +
         "; fence.mbarrier_init.release.cluster;\n"
         "A: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
         "mapa.shared::cluster.u64 %rd3, %rd1, %r9;\n"
         "cvta.shared.u64 %rd5, %rd1; mapa.u64 %rd4, %rd5, %r9;\n"
         "setp.ne.u32 %p3, %r1, 0; @%p3 bra B; @%p0 bra E;\n" +
         action + "bra E;\nB:\n" + wait("W", 0, ".acquire.cluster") +
         "E: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
}

TEST(MBarrier, Remote) {
  const char *actions[] = {
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%rd3];\n",
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%rd3], 1;\n",
      "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%rd3];\n",
      "mbarrier.arrive.release.cluster.b64 _, [%rd4];\n",
      "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, "
      "[%rd3], 16;\n"
      "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%rd3], "
      "16;\n",
      "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%rd3], 16;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%rd3];\n"
      "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%rd3], "
      "16;\n"};
  for (const char *action : actions)
    expectWords(remote(action), {}, {64, 2});
  std::string good = remote(actions[0]);
  expectFault("mbarrier-misuse", remote("mbarrier.arrive.b64 %rd6, [%rd4];\n"),
              good, {64, 2});
  expectFault("mbarrier-misuse",
              remote("mbarrier.test_wait.parity.b64 %p4, [%rd4], 1;\n" +
                     std::string(actions[0])),
              good, {64, 2});
  expectFault("mbarrier-misuse", remote("mbarrier.inval.b64 [%rd4];\n"), good,
              {64, 2});
  expectError("mbarrier.arrive.shared::cluster.b64 %rd1, [%rd3];",
              "a remote arrive has no result");
  expectError("mbarrier.test_wait.parity.shared::cluster.b64 %p1, [%rd3], 0;",
              "unknown modifier '.shared::cluster'");
  expectError("mbarrier.init.shared::cluster.b64 [%rd3], 1;",
              "unknown modifier '.shared::cluster'");
  expectError("mbarrier.arrive.noComplete.relaxed.cta.shared.b64 %rd1, [%r4], "
              "1;",
              "does not exist");
}

/// PTX ISA, mbarrier.arrive: without a scope it is that of the CTA. Each side
/// must include the other.
TEST(MBarrier, RemoteScopes) {
  std::string good = remote(
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%rd3];\n");
  for (const char *action :
       {"mbarrier.arrive.shared::cluster.b64 _, [%rd3];\n",
        "mbarrier.arrive.relaxed.cta.shared::cluster.b64 _, [%rd3];\n",
        "mbarrier.arrive_drop.b64 _, [%rd4];\n",
        "mbarrier.expect_tx.relaxed.cta.shared::cluster.b64 [%rd3], 16;\n"
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%rd3];\n"
        "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%rd3], "
        "16;\n"})
    expectFault("scope", remote(action), good, {64, 2});
  std::string narrow = good, wide = ".acquire.cluster";
  narrow.replace(narrow.find(wide), wide.size(), ".acquire.cta");
  expectFault("scope", narrow, good, {64, 2});
  // The next phase is one of the CTA's own.
  std::string next = good;
  next.insert(next.find("E: barrier.cluster"),
              "bar.sync 0;\n@!%p0 mbarrier.arrive.shared.b64 _, [%r4];\n" +
                  wait("Z", 1));
  expectClean(next, {64, 2});
}

/// Warp 0 writes, arrives; warp 1 waits, reads.
TEST(MBarrier, RelaxedOrdersNothing) {
  auto body = [](const std::string &arrival, const std::string &modifiers) {
    return "mov.u32 %r4, memory; setp.ne.u32 %p0, %r0, 0;\n"
           "@%p0 bra A; mbarrier.init.shared.b64 [memory], 1;\n"
           "A: bar.sync 0; setp.gt.u32 %p3, %r0, 31; @%p3 bra B;\n"
           "@%p0 bra C; st.shared.b32 [memory+16], 7;\n" +
           arrival + "bra C;\nB:\n" + wait("W", 0, modifiers) +
           "ld.shared.b32 %r5, [memory+16]; st.global.b32 [%rd0], %r5;\nC:";
  };
  std::string release = "mbarrier.arrive.release.cta.shared.b64 _, [%r4];\n",
              relaxed = "mbarrier.arrive.relaxed.cta.shared.b64 _, [%r4];\n";
  expectFault("race", body(relaxed, ""), body(release, ""), {64});
  expectFault("race", body(release, ".relaxed.cta"),
              body(release, ".acquire.cta"), {64});
  expectWords(body(release, ""), {7}, {64});
}

TEST(MBarrier, SuspendTimeHint) {
  expectWords(alone(arrive +
                    "mbarrier.try_wait.parity.shared.b64 %p1, [%r4], "
                    "1, 1000;\n" +
                    test(0, 0)),
              {1});
  expectError("mbarrier.test_wait.parity.shared.b64 %p1, [%r4], 0, 1000;",
              "takes 3 operands");
}

//===----------------------------------------------------------------------===//
// Relaxed uses beside fences
//===----------------------------------------------------------------------===//

/// CTA 0 reads its own word and arrives at the mbarrier of CTA 1, after `released`; CTA 1
/// waits, and after `acquired` writes that word.
static std::string readThenOverwrite(const std::string &released,
                                     const std::string &acquired) {
  return "mov.u64 %rd1, memory; xor.b32 %r2, %r1, 1; mov.u32 %r4, memory;\n"
         "mapa.shared::cluster.u64 %rd3, %rd1, %r2;\n"
         "setp.ne.u32 %p0, %r0, 0; @%p0 bra A;\n"
         "mbarrier.init.shared.b64 [memory], 1; st.shared.b32 [memory+16], 5;\n"
         "fence.mbarrier_init.release.cluster;\n"
         "A: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
         "@%p0 bra E; setp.eq.u32 %p1, %r1, 1; @%p1 bra B;\n"
         "ld.shared.b32 %r5, [memory+16];\n" +
         released +
         "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%rd3];\n"
         "st.global.b32 [%rd0], %r5; bra E;\nB:\n" +
         wait("W", 0, ".relaxed.cluster") + acquired +
         "st.shared::cluster.b32 [%rd3+16], 6;\n"
         "E: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
}

TEST(MBarrier, RelaxedUsesHandOnWhatFencesRelease) {
  std::string release = "fence.release.sync_restrict::shared::cta.cluster;\n";
  std::string acquire = "fence.acquire.sync_restrict::shared::cluster.cluster;\n";
  std::string good = readThenOverwrite(release, acquire);
  expectWords(good, {5}, {32, 2});
  for (const std::string &bad :
       {readThenOverwrite("", acquire), readThenOverwrite(release, ""),
        readThenOverwrite("fence.acq_rel.cta;\n", acquire)})
    expectFault("race", bad, good, {32, 2});
  expectClean(readThenOverwrite("fence.acq_rel.cluster;\n", "fence.acq_rel.gpu;\n"),
              {32, 2});
  expectError("fence.release.sync_restrict::shared::cluster.cluster;", "unknown modifier");
  expectError("fence.acquire.sync_restrict::shared::cta.cluster;", "unknown modifier");
  expectError("fence.release.sync_restrict::shared::cta.gpu;", "");
}
