//===- FenceTest.cpp - fences, atomics and scopes ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Memory Consistency Model": what releases to whom.
//
//===----------------------------------------------------------------------===//

#include "ThreadBodies.h"

using namespace quack::sim;

/// Thread 0 writes data at [%rd0] and sets the flag at [%rd0+128] with `send`;
/// thread 0 of the other CTA reads the flag into %r5 with `poll` until it is
/// set, and then the data.
static std::string message(const std::string &send, const std::string &poll,
                           const std::string &then = "") {
  return "setp.ne.u32 %p0, %r0, 0; @%p0 ret; mov.u32 %r2, %ctaid.x;\n"
         "setp.eq.u32 %p1, %r2, 1; @%p1 bra W;\n"
         "st.global.b32 [%rd0], 7;\n" +
         send + "ret;\nW:\n" + poll + "setp.eq.u32 %p2, %r5, 0; @%p2 bra W;\n" +
         then + "ld.global.b32 %r6, [%rd0]; st.global.b32 [%rd0+64], %r6;\n";
}

static const Shape pair = {32, 2};

TEST(Fences, ReleaseAcquire) {
  std::string acquire = "ld.acquire.gpu.global.b32 %r5, [%rd0+128];\n",
              relaxed = "ld.relaxed.gpu.global.b32 %r5, [%rd0+128];\n",
              fence = "fence.acq_rel.gpu;\n",
              release = "st.release.gpu.global.b32 [%rd0+128], 1;\n",
              plain = "st.relaxed.gpu.global.b32 [%rd0+128], 1;\n";
  expectFault("race", message(plain, acquire), message(release, acquire), pair);
  expectFault("race", message(release, relaxed), message(release, acquire),
              pair);
  expectFault("race", message(plain, relaxed, fence),
              message(fence + plain, relaxed, fence), pair);
  expectFault("race", message(fence + plain, relaxed),
              message(fence + plain, acquire), pair);
  expectClean(message("membar.gl; st.volatile.global.b32 [%rd0+128], 1;\n",
                      "ld.volatile.global.b32 %r5, [%rd0+128];\n",
                      "membar.gl;\n"),
              pair);
  // A fence before the data does not cover it.
  expectFault(
      "race",
      message("fence.acq_rel.gpu; st.global.b32 [%rd0], 8;\n" + plain, acquire),
      message("st.global.b32 [%rd0], 8; fence.acq_rel.gpu;\n" + plain, acquire),
      pair);
  // A plain flag is a race itself.
  expectFault(
      "race",
      message("fence.acq_rel.gpu; st.global.b32 [%rd0+128], 1;\n", acquire),
      message(release, acquire), pair);
}

TEST(Fences, Scopes) {
  auto body = [](const std::string &scope, const std::string &other) {
    return message("st.release." + scope + ".global.b32 [%rd0+128], 1;\n",
                   "ld.acquire." + other + ".global.b32 %r5, [%rd0+128];\n");
  };
  expectFault("scope", body("cta", "gpu"), body("gpu", "gpu"), pair);
  expectFault("scope", body("gpu", "cta"), body("gpu", "sys"), pair);
  // What is not handed on is not.
  expectFault("race", body("gpu", "cta"), body("gpu", "gpu"), pair);
  expectClean(body("cluster", "cluster"), pair);
  Shape clusters = {32, 1, 2};
  expectFault("scope", body("cluster", "gpu"), body("gpu", "gpu"), clusters);
  // The fence is too narrow, the accesses are not: then it is the data that
  // races.
  auto fenced = [](const std::string &scope) {
    return message("fence.acq_rel." + scope +
                       ";\nst.relaxed.gpu.global.b32 [%rd0+128], 1;\n",
                   "ld.acquire.gpu.global.b32 %r5, [%rd0+128];\n");
  };
  expectFault("race", fenced("cta"), fenced("cluster"), pair);
}

TEST(Fences, Atomics) {
  std::string add = "atom.add.global.u32 %r6, [%rd0+128], 1;\n";
  expectClean(add, {64, 2, 2});
  expectFault("scope", "atom.add.cta.global.u32 %r6, [%rd0+128], 1;\n", add,
              {64, 2});
  expectClean("red.add.cta.shared.u32 [memory], 1;", {1});
  expectFault("race",
              "atom.add.global.u32 %r6, [%rd0+128], 1;\n"
              "ld.global.b32 %r5, [%rd0+128];\n",
              "atom.add.global.u32 %r6, [%rd0+128], 1; bar.sync 0;\n"
              "ld.global.b32 %r5, [%rd0+128];\n",
              {64});
  // Sizes that differ.
  expectFault("race",
              "setp.eq.u32 %p0, %r0, 0;\n"
              "@%p0 red.add.global.u64 [%rd0+128], 1;\n"
              "@!%p0 red.add.global.u32 [%rd0+128], 1;\n",
              "setp.eq.u32 %p0, %r0, 0;\n"
              "@%p0 red.add.global.u32 [%rd0+128], 1;\n"
              "@!%p0 red.add.global.u32 [%rd0+128], 1;\n");
  // Who writes weakly before must be waited for by all, not only by the first.
  expectFault("race",
              "setp.ne.u32 %p0, %r0, 0; @!%p0 st.global.b32 [%rd0+128], 0;\n"
              "@!%p0 red.add.global.u32 [%rd0+128], 1;\n"
              "@%p0 red.add.global.u32 [%rd0+128], 1;\n",
              "setp.ne.u32 %p0, %r0, 0; @!%p0 st.global.b32 [%rd0+128], 0;\n"
              "bar.warp.sync -1;\n"
              "@!%p0 red.add.global.u32 [%rd0+128], 1;\n"
              "@%p0 red.add.global.u32 [%rd0+128], 1;\n");
}

TEST(Fences, AStoreThatDisplacesARelease) {
  // CTA 1 sees the flag and sets it again, and CTA 2 sees that.
  auto body = [](const std::string &again) {
    return "setp.ne.u32 %p0, %r0, 0; @%p0 ret; mov.u32 %r2, %ctaid.x;\n"
           "setp.eq.u32 %p1, %r2, 1; @%p1 bra B; setp.eq.u32 %p1, %r2, 2; "
           "@%p1 bra C;\n"
           "st.global.b32 [%rd0], 7; st.release.gpu.global.b32 [%rd0+128], 1; "
           "ret;\n"
           "B: ld.relaxed.gpu.global.b32 %r5, [%rd0+128]; setp.ne.u32 %p2, "
           "%r5, 1; @%p2 bra B;\n" +
           again +
           "ret;\n"
           "C: ld.acquire.gpu.global.b32 %r5, [%rd0+128]; setp.ne.u32 %p2, "
           "%r5, 2; @%p2 bra C;\nld.global.b32 %r6, [%rd0];\n";
  };
  // A read-modify-write hands on what it displaces.
  expectFault("race", body("st.relaxed.gpu.global.b32 [%rd0+128], 2;\n"),
              body("atom.exch.global.b32 %r6, [%rd0+128], 2;\n"), {32, 1, 3});
}

static const std::string data = "st.global.b32 [%rd0], 7;\n",
                         use = "ld.global.b32 %r6, [%rd0];\n",
                         exchange = "atom.exch.global.b32 %r7, [%rd0+128], ";
static const Shape four = {64, 2}, twoClusters = {64, 1, 2};

TEST(Fences, AReleaseStandsForItsThreadsLaterWrites) {
  // Not for what that thread has only passed on.
  std::string send = data + set("release.gpu", 32, 1),
              seen = until("relaxed.gpu", 32, 1) + exchange + "2;\n",
              get = until("acquire.gpu", 32, 3) + use;
  expectFault("race", threads({send, seen + set("relaxed.gpu", 32, 3), get}),
              threads({send, seen + exchange + "3;\n", get}), four);
  // Another's write between does not matter.
  auto between = [&](const std::string &first) {
    return threads(
        {data + first + until("relaxed.gpu", 32, 2) + set("relaxed.gpu", 32, 3),
         until("relaxed.gpu", 32, 1) + set("relaxed.gpu", 32, 2), get});
  };
  expectFault("race", between(set("relaxed.gpu", 32, 1)),
              between(set("release.gpu", 32, 1)), four);
}

TEST(Fences, AnAcquireStandsForItsThreadsEarlierReads) {
  // Of the same location.
  auto body = [](const std::string &first, const std::string &third) {
    return threads({data + set("release.gpu", 32, 1),
                    first + set("relaxed.gpu", 34, 1) +
                        until("relaxed.gpu", 33, 1) +
                        "ld.acquire.gpu.global.b32 %r5, [%rd0+128];\n" + use,
                    third + until("relaxed.gpu", 34, 1) +
                        set("relaxed.gpu", 32, 2) + set("relaxed.gpu", 33, 1)});
  };
  std::string see = until("relaxed.gpu", 32, 1);
  expectFault("race", body("", see), body(see, ""), four);
}

TEST(Fences, ScopesOfBothEnds) {
  // Through a read-modify-write of the reader's CTA: the fence must include
  // who wrote the data.
  auto near = [](const std::string &scope) {
    return threads(
        {data + "fence.acq_rel.gpu;\n" + exchange + "1;\n", "",
         until("relaxed.gpu", 32, 1) + exchange + "2;\n",
         until("relaxed.gpu", 32, 2) + "fence.acq_rel." + scope + ";\n" + use});
  };
  expectFault("race", near("cta"), near("cluster"), four);
  expectFault("race", near("cluster"), near("gpu"), twoClusters);
  // Through one of another CTA, between threads of one.
  auto far = [](const std::string &scope, const std::string &second,
                const std::string &fourth) {
    return threads({data + "fence.acq_rel." + scope + ";\n" + exchange + "1;\n",
                    second, until("relaxed.gpu", 32, 1) + exchange + "2;\n",
                    fourth});
  };
  std::string get = until("relaxed.gpu", 32, 2) + "fence.acq_rel.cta;\n" + use,
              getWide =
                  until("relaxed.gpu", 32, 2) + "fence.acq_rel.gpu;\n" + use;
  expectFault("race", far("cta", "", getWide), far("cta", get, ""), four);
  expectFault("race", far("cluster", "", getWide), far("cluster", get, ""),
              twoClusters);
}

TEST(Fences, ScopesBetweenTheEnds) {
  // A write and who reads it must include each other, however wide the fences.
  auto body = [](const std::string &store, const std::string &load) {
    return message("fence.acq_rel.gpu; st.relaxed." + store +
                       ".global.b32 [%rd0+128], 1;\n",
                   "ld.relaxed." + load + ".global.b32 %r5, [%rd0+128];\n",
                   "fence.acq_rel.gpu;\n");
  };
  expectFault("race", body("cta", "gpu"), body("gpu", "gpu"), pair);
  expectFault("race", body("gpu", "cta"), body("cluster", "gpu"), pair);
  // So must a read-modify-write.
  auto between = [](const std::string &scope) {
    return threads(
        {data + "fence.acq_rel.gpu;\n" + exchange + "1;\n", "",
         until("relaxed.gpu", 32, 1) + "atom.exch." + scope +
             ".global.b32 %r7, [%rd0+128], 2;\n",
         until("relaxed.gpu", 32, 2) + "fence.acq_rel.gpu;\n" + use});
  };
  expectFault("race", between("cta"), between("gpu"), four);
}

TEST(Fences, AWeakWriteHandsNothingOn) {
  // The second thread has seen the release, acquired nothing and overwritten
  // it. The first one's release stands for its own later write nevertheless.
  std::string weak =
                  "st.global.b32 [%rd0+128], 2;\n" + set("release.gpu", 33, 1),
              after = until("acquire.gpu", 33, 1),
              get = "ld.acquire.gpu.global.b32 %r5, [%rd0+128];\n" + use,
              send = data + set("release.gpu", 32, 1);
  auto body = [&](const std::string &load) {
    return threads({send, until(load, 32, 1) + weak, after + get});
  };
  expectFault("race", body("relaxed.gpu"), body("acquire.gpu"), four);
  auto again = [&](const std::string &first) {
    return threads({data + first + after + set("relaxed.gpu", 32, 3) +
                        set("relaxed.gpu", 34, 1),
                    until("relaxed.gpu", 32, 1) + weak,
                    after + until("relaxed.gpu", 34, 1) + get});
  };
  expectFault("race", again(set("relaxed.gpu", 32, 1)),
              again(set("release.gpu", 32, 1)), four);
}

TEST(Fences, AWeakWriteOfAPart) {
  auto body = [](const std::string &order) {
    return threads(
        {data + "st.release.gpu.global.b64 [%rd0+128], 1;\n",
         "V: ld." + order +
             ".gpu.global.b64 %rd5, [%rd0+128]; setp.ne.u64 %p2, %rd5, 1; @%p2 "
             "bra V; st.global.b32 [%rd0+132], 2;\n" +
             set("release.gpu", 36, 1),
         until("acquire.gpu", 36, 1) +
             "ld.acquire.gpu.global.b64 %rd5, [%rd0+128];\n" + use});
  };
  expectFault("race", body("relaxed"), body("acquire"), four);
}

TEST(Fences, WhatFollowsAFenceIsNotCovered) {
  // A copy that is waited for between the fence and the write.
  auto body = [](const std::string &before, const std::string &after) {
    return threads(
        {"st.shared.b32 [memory+4], 0;\n" + before +
             "mov.u32 %r4, memory; cp.async.ca.shared.global "
             "[%r4+64], [%rd0], 4; cp.async.wait_all;\n" +
             after + "st.relaxed.gpu.global.b32 [%rd0+128], 1;\n",
         until("acquire.gpu", 32, 1) + "ld.shared.b32 %r6, [memory+64];\n"});
  };
  std::string fence = "fence.acq_rel.gpu;\n";
  expectFault("race", body(fence, ""), body("", fence), {64});
}

/// Each CTA writes its word and counts itself; the last one reads all.
static std::string lastReads(const std::string &before,
                             const std::string &atomic,
                             const std::string &after) {
  return "setp.ne.u32 %p0, %r0, 0; @%p0 ret; mov.u32 %r2, %ctaid.x;\n"
         "mad.wide.u32 %rd1, %r2, 4, %rd0; st.global.b32 [%rd1], %r2;\n" +
         before + atomic + "setp.ne.u32 %p1, %r3, 2; @%p1 ret;\n" + after +
         "ld.global.v2.b32 {%r4, %r5}, [%rd0]; st.global.b32 [%rd0+128], 0;\n";
}

TEST(Fences, ThreadFenceReduction) {
  Shape three = {32, 1, 3};
  std::string fence = "fence.acq_rel.gpu;\n",
              add = "atom.add.global.u32 %r3, [%rd0+128], 1;\n",
              both = "atom.add.acq_rel.gpu.global.u32 %r3, [%rd0+128], 1;\n";
  std::string clean = lastReads(fence, add, fence);
  expectFault("race", lastReads("", add, fence), clean, three);
  expectFault("race", lastReads(fence, add, ""), clean, three);
  expectFault("race",
              lastReads("",
                        "atom.add.acquire.gpu.global.u32 %r3, "
                        "[%rd0+128], 1;\n",
                        ""),
              lastReads("", both, ""), three);
  // Lanes of one instruction are a chain, too.
  expectClean("mad.wide.u32 %rd1, %r0, 4, %rd0; st.global.b32 [%rd1], %r0;\n"
              "atom.add.acq_rel.cta.shared.u32 %r3, [memory], 1;\n"
              "setp.ne.u32 %p1, %r3, 31; @%p1 ret;\n"
              "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd0];\n",
              {32}, "st.shared.b32 [memory], 0; bar.warp.sync -1;\n");
}
