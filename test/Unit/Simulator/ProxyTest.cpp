//===- ProxyTest.cpp - the async proxy, exits, undefined memory -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadBodies.h"

using namespace quack::sim;

/// Thread 0 sets up an mbarrier at [memory]; %r6 is where data goes, %r2 the
/// thread's word of it.
static const std::string start =
    "mov.u32 %r4, memory; add.s32 %r6, %r4, 128; shl.b32 %r2, %r0, 2; add.s32 "
    "%r2, %r2, %r6; setp.ne.u32 %p0, %r0, 0;\n"
    "@!%p0 mbarrier.init.shared.b64 [memory], 1;\nfence.proxy.async;\nbar.sync "
    "0;\n";
/// Thread 0 fills 128 bytes from global memory.
static const std::string fill =
    "@!%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 128;\n"
    "@!%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%r6], [%rd0], 128, [%r4];\n";
static const std::string await =
    "W: mbarrier.try_wait.parity.shared.b64 %p1, [memory], 0;\n@!%p1 bra W;\n";
/// Thread 0 sends 128 bytes to global memory.
static const std::string send =
    "@!%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r6], 128;\n"
    "@!%p0 cp.async.bulk.commit_group;\n";
static const std::string sent = "@!%p0 cp.async.bulk.wait_group 0;\n";

static const std::string fence = "fence.proxy.async;\n", meet = "bar.sync 0;\n",
                         put = "st.shared.b32 [%r2], %r0;\n";

TEST(Proxies, BulkReadsWhatThreadsWrote) {
  expectFault("proxy-fence", start + put + meet + send + sent,
              start + put + fence + meet + send + sent);
  // The fence is the writers' and comes before the barrier.
  expectFault("proxy-fence", start + put + meet + fence + send + sent,
              start + put + fence + meet + send + sent);
  expectFault("race", start + put + fence + send + sent,
              start + put + fence + meet + send + sent);
  expectFault("proxy-fence",
              start + put + "fence.proxy.async.global;\n" + meet + send + sent,
              start + put + "fence.proxy.async.shared::cta;\n" + meet + send +
                  sent);
}

TEST(Proxies, BulkOverwritesWhatThreadsWrote) {
  expectFault("proxy-fence", start + put + meet + fill + await,
              start + put + fence + meet + fill + await);
  // What arrived by a bulk copy needs none, read or sent on.
  expectClean(start + fill + await + "ld.shared.b32 %r5, [%r2];\n" + meet +
              send + sent);
}

TEST(Proxies, CopiesOfThreadsAreGeneric) {
  std::string copy = "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0;\n"
                     "cp.async.ca.shared.global [%r2], [%rd1], 4;\n"
                     "cp.async.wait_all;\n";
  std::string sendFar =
      "@!%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0+128], [%r6], "
      "128;\n@!%p0 cp.async.bulk.commit_group;\n" +
      sent;
  expectFault("proxy-fence", start + copy + meet + sendFar,
              start + copy + fence + meet + sendFar);
  // A fence while the copy is in flight does not cover it.
  std::string wait = "cp.async.wait_all;\n", inFlight = copy;
  inFlight.erase(inFlight.find(wait));
  expectFault("proxy-fence", start + inFlight + fence + wait + meet + sendFar,
              start + inFlight + wait + fence + meet + sendFar);
}

TEST(Proxies, GlobalMemory) {
  std::string write = "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0;\n"
                      "st.global.b32 [%rd1], %r0;\n";
  expectFault("proxy-fence", start + write + meet + fill + await,
              start + write + "fence.proxy.async.global;\n" + meet + fill +
                  await);
}

TEST(Proxies, ReadBeforeARefillIsAWarning) {
  std::string body = start + put + fence + meet + "ld.shared.b32 %r5, [%r2];\n";
  std::vector<uint32_t> buffer(64);
  Options strict;
  strict.checks |= checkStrict;
  Report bad = runBody(body + meet + fill + await, buffer, {32}, strict);
  ASSERT_EQ(bad.faults.size(), 1u) << describe(bad);
  EXPECT_EQ(bad.faults[0].kind, "proxy-fence");
  EXPECT_TRUE(bad.faults[0].isWarning);
  EXPECT_TRUE(bad.isClean());
  Report good =
      runBody(body + fence + meet + fill + await, buffer, {32}, strict);
  EXPECT_EQ(describe(good), "");
  expectClean(body + meet + fill + await);
}

TEST(Exits, AsynchronousWork) {
  expectFault("exit-in-flight", start + fill, start + fill + await);
  std::string copy = "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0;\n"
                     "cp.async.ca.shared.global [%r2], [%rd1], 4;\n";
  expectFault("exit-in-flight", start + copy,
              start + copy + "cp.async.wait_all;");
  expectFault("exit-in-flight", start + put + fence + meet + send,
              start + put + fence + meet + send +
                  "@!%p0 cp.async.bulk.wait_group.read 0;");
}

TEST(Exits, PeersMustBeOrderedBefore) {
  // The schedule may let the peer's access come first by luck.
  auto body = [](const std::string &access, const std::string &last) {
    return "mov.u64 %rd1, memory; xor.b32 %r2, %r1, 1; st.shared.b32 [memory], "
           "7;\n"
           "mapa.shared::cluster.u64 %rd2, %rd1, %r2;\n"
           "barrier.cluster.arrive; barrier.cluster.wait;\n" +
           access + last;
  };
  std::string read = "ld.shared::cluster.b32 %r5, [%rd2];\n",
              ordered = "barrier.cluster.arrive; barrier.cluster.wait;\n",
              relaxed = "barrier.cluster.arrive.relaxed; "
                        "barrier.cluster.wait;\n";
  const Shape two = {32, 2};
  expectFault("exited-peer", body(read, ""), body(read, ordered), two);
  expectFault("exited-peer", body(read, relaxed), body(read, ordered), two);
  // One thread that waits for the access keeps the memory there.
  expectClean(body(read, "barrier.cluster.arrive; setp.ne.u32 %p0, %r0, 0; "
                         "@%p0 ret; barrier.cluster.wait;\n"),
              two);
}

TEST(Exits, UsesOfAnMBarrier) {
  auto body = [](const std::string &end) {
    return start + fill + await + end +
           "@!%p0 mbarrier.inval.shared.b64 [memory];";
  };
  expectRace(body(""), body("bar.warp.sync -1;\n"));
  auto arrives = [](const std::string &end) {
    return "setp.ne.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r0, 1;\n"
           "@!%p0 mbarrier.init.shared.b64 [memory], 2; bar.sync 0;\n"
           "@%p1 mbarrier.arrive.shared.b64 _, [memory];\n" +
           end + "@!%p0 mbarrier.inval.shared.b64 [memory];";
  };
  expectRace(arrives(""), arrives("bar.warp.sync -1;\n"));
  // A peer's arrival must be waited for.
  auto remote = [](const std::string &wait) {
    return "mov.u64 %rd1, memory; mapa.shared::cluster.u64 %rd2, %rd1, 0;\n"
           "setp.ne.u32 %p0, %r0, 0; @!%p0 mbarrier.init.shared.b64 [memory], "
           "1;\nbarrier.cluster.arrive; barrier.cluster.wait;\n"
           "setp.eq.u32 %p2, %r1, 0; @%p2 bra W; @!%p0 "
           "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%rd2]; "
           "ret;\nW:\n" +
           wait;
  };
  expectFault("exited-peer", remote(""),
              remote("mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p1, "
                     "[memory], 0; @!%p1 bra W;"),
              {32, 2});
}

TEST(Exits, RelaxedUsesOfAnMBarrier) {
  auto body = [](const std::string &use, const std::string &end) {
    return "mov.u32 %r4, memory; setp.ne.u32 %p0, %r0, 0; setp.eq.u32 %p1, "
           "%r0, 1;\n"
           "@!%p0 mbarrier.init.shared.b64 [memory], 1; bar.sync 0;\n@%p1 " +
           use + "\n" + end + "@!%p0 mbarrier.inval.shared.b64 [memory];";
  };
  std::string meets = "bar.warp.sync -1;\n",
              arrives = "mbarrier.arrive.relaxed.cta.shared.b64 _, [memory];",
              expects = "mbarrier.expect_tx.relaxed.cta.shared.b64 [memory], "
                        "8;",
              looks = "mbarrier.test_wait.parity.relaxed.cta.shared.b64 %p2, "
                      "[memory], 0;";
  for (const std::string &use : {arrives, expects, looks})
    expectRace(body(use, ""), body(use, meets));
  // Who sees the phase end knows that its arrivals are over.
  std::string waits = "W: mbarrier.try_wait.parity.relaxed.cta.shared.b64 %p3, "
                      "[memory], 0; @!%p3 bra W;\n",
              first = waits;
  first.replace(0, 2, "W: @%p0 bra E;");
  first += "E:\n";
  expectRace(body(arrives, ""), body(arrives, first));
  std::string release = "mbarrier.arrive.release.cta.shared.b64 _, [memory];";
  expectRace(body(release, ""), body(release, first));
  // But not that others have done with it who look at it.
  expectRace(body(arrives, waits), body(arrives, waits + meets));
}

TEST(Exits, RelaxedArrivalsOfLaterPhases) {
  // Who has seen the first phase end need not know of the next arrival.
  auto body = [](const std::string &turns) {
    return threads(
        {"mov.u32 %r4, memory; mbarrier.init.shared.b64 [memory], 1;\n" +
             set("release.gpu", 33, 1) +
             "X: mbarrier.test_wait.parity.relaxed.cta.shared.b64 %p3, "
             "[memory], 0; @!%p3 bra X;\n" +
             set("relaxed.gpu", 34, 1) + until("relaxed.gpu", 35, 1) +
             "mbarrier.inval.shared.b64 [memory];\n",
         until("acquire.gpu", 33, 1) +
             "mov.u32 %r7, 0;\nL: mbarrier.arrive.relaxed.cta.shared.b64 _, "
             "[memory];\n" +
             until("relaxed.gpu", 34, 1) +
             "add.u32 %r7, %r7, 1; setp.lt.u32 %p4, %r7, " + turns +
             "; @%p4 bra L;\n" + set("relaxed.gpu", 35, 1)});
  };
  expectFault("race", body("2"), body("1"), {64});
}

TEST(Exits, RelaxedArrivalsOfPeers) {
  auto body = [](const std::string &wait) {
    return "mov.u64 %rd1, memory; mapa.shared::cluster.u64 %rd2, %rd1, 0;\n"
           "setp.ne.u32 %p0, %r0, 0; @!%p0 mbarrier.init.shared.b64 [memory], "
           "1;\nbarrier.cluster.arrive; barrier.cluster.wait;\n"
           "setp.eq.u32 %p2, %r1, 0; @%p2 bra W; @!%p0 "
           "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%rd2]; "
           "ret;\nW:\n" +
           wait;
  };
  expectFault("exited-peer", body(""),
              body("mbarrier.try_wait.parity.relaxed.cluster.shared.b64 %p1, "
                   "[memory], 0; @!%p1 bra W;"),
              {32, 2});
}

TEST(Exits, SignalsOfAsynchronousOperations) {
  // The data may be waited for by another mbarrier or a group. (Of an operation
  // that is not complete, its signal is the fault.)
  auto copy = [](const std::string &wait) {
    return "mov.u32 %r4, memory; setp.ne.u32 %p0, %r0, 0; @%p0 ret;\n"
           "mbarrier.init.shared.b64 [memory], 1;\n"
           "cp.async.ca.shared.global [%r4+64], [%rd0], 4;\n"
           "cp.async.mbarrier.arrive.noinc.shared.b64 [memory];\n"
           "cp.async.wait_all;\n" +
           wait + "mbarrier.inval.shared.b64 [memory];";
  };
  expectFault("race", copy(""),
              copy("W: mbarrier.try_wait.parity.relaxed.cta.shared.b64 %p1, "
                   "[memory], 0; @!%p1 bra W;\n"));
  // Another thread that has not waited.
  auto fills = [](const std::string &meets) {
    return start + fill + "@%p0 bra E;\n" + await + "E:\n" + meets +
           "setp.eq.u32 %p2, %r0, 1; @%p2 mbarrier.inval.shared.b64 [memory];";
  };
  expectFault("race", fills(""), fills("bar.warp.sync -1;\n"));
}

TEST(UndefinedGlobal, Memory) {
  auto run = [](const std::string &body, const Options &options) {
    std::vector<uint32_t> words(64);
    std::vector<uint8_t> written(256);
    std::fill_n(written.begin(), 128, 1);
    llvm::Expected<Module> module = Module::parse(wrap(body));
    EXPECT_TRUE(bool(module));
    LaunchConfig config;
    config.block.x = 32;
    config.sharedBytes = 1024;
    config.arguments = {1ull << 40};
    config.buffers = {{1ull << 40, words.data(), 256, written.data()}};
    return describe(*module->launch(config, options));
  };
  std::string place = "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0;\n",
              use = "st.global.b32 [%rd1], %r5;\n",
              store = "st.global.b32 [%rd1+128], 3;\n",
              load = "ld.global.b32 %r5, [%rd1+128];\n";
  std::string copy = start + place +
                     "cp.async.ca.shared.global [%r2], [%rd1+128], 4;\n"
                     "cp.async.wait_all; ld.shared.b32 %r5, [%r2];\n";
  for (const Options &options : schedules()) {
    EXPECT_NE(run(place + load + use, options).find("undefined"),
              std::string::npos);
    EXPECT_EQ(run(place + store + load + use, options), "");
    EXPECT_EQ(run(place + "ld.global.b32 %r5, [%rd1];\n" + use, options), "");
    EXPECT_EQ(run(place + load, options), "");
    EXPECT_NE(run(copy + use, options).find("undefined"), std::string::npos);
    EXPECT_EQ(run(place + store + copy + use, options), "");
  }
}
