//===- StrongAccessTest.cpp - strong accesses that race ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Memory Consistency Model", "Causality Order": what a strong access
// has observed is ordered before what comes after it. "Morally Strong
// Operations": each access of the two must include the other in its scope.
//
//===----------------------------------------------------------------------===//

#include "ThreadBodies.h"

using namespace quack::sim;

static const Shape oneCta = {64}, two = {64, 2}, clusters = {64, 2, 2};
static const std::string writes = set("relaxed.gpu", 32, 1),
                         told = set("relaxed.gpu", 33, 1),
                         hears = until("relaxed.gpu", 33, 1),
                         sees = until("relaxed.gpu", 32, 1),
                         reads = "ld.global.b32 %r6, [%rd0+128];\n";

static std::string add(const std::string &scope) {
  return "atom.add." + scope + ".global.u32 %r7, [%rd0+128], 1;\n";
}

TEST(StrongAccesses, WhoHasReadAValueComesAfterItsWrite) {
  expectFault("race", threads({writes + told, hears + reads}),
              threads({writes + told, sees + reads}), oneCta);
  // A weak store, too; other accesses of the writer are not covered.
  std::string rewrites = "st.global.b32 [%rd0+128], 2;\n";
  expectFault("race", threads({writes + told, hears + rewrites}),
              threads({writes + told, sees + rewrites}), oneCta);
  expectFault("race",
              threads({"st.global.b32 [%rd0], 3;\n" + writes,
                       sees + "ld.global.b32 %r6, [%rd0];\n"}),
              threads({"st.global.b32 [%rd0+4], 3;\n" + writes,
                       sees + "ld.global.b32 %r6, [%rd0];\n"}),
              oneCta);
  // Whoever comes after the first that has read it, whatever that reads later.
  auto passesOn = [](const std::string &first, const std::string &later) {
    return threads({writes + told, first + set("release.gpu", 34, 1) + later,
                    until("acquire.gpu", 34, 1) + reads});
  };
  expectFault("race", passesOn(hears, ""), passesOn(sees, ""), two);
  expectFault("race", passesOn(hears, sees), passesOn(sees, sees), two);
}

TEST(StrongAccesses, AStorePartsWhatWasObserved) {
  // Who reads the second value has not observed the first, unless that was
  // what a read-modify-write made the second one of.
  auto body = [](const std::string &second, const std::string &third) {
    return threads({writes + told, hears + second, third + reads});
  };
  std::string store = set("relaxed.gpu", 32, 2),
              seesTwo = until("relaxed.gpu", 32, 2);
  expectFault("race", body(store, seesTwo), body(add("gpu"), seesTwo), two);
  expectFault("race", body(store, seesTwo + add("gpu")),
              body(add("gpu"), seesTwo + add("gpu")), two);
  // Nor has a second read-modify-write, behind the store.
  expectFault("race", body(store, seesTwo + add("gpu") + add("gpu")),
              body(add("gpu"), seesTwo + add("gpu") + add("gpu")), two);
}

TEST(StrongAccesses, LanesTakeTheirTurns) {
  // The last one to count has observed all others.
  auto body = [](const std::string &last) {
    return "atom.add.global.u32 %r2, [%rd0+128], 1; setp.eq.u32 %p1, %r2, " +
           last + ";\n@%p1 st.global.b32 [%rd0+128], 0;\n";
  };
  expectFault("race", body("30"), body("31"));
  expectFault("race", body("62"), body("63"), oneCta);
}

TEST(StrongAccesses, ScopesOfOlderReadModifyWrites) {
  // Each after the one before, told by other words.
  auto turns = [](const std::vector<std::string> &each) {
    std::vector<std::string> bodies;
    for (unsigned i = 0; i < each.size(); ++i)
      bodies.push_back(
          each[i].empty()
              ? ""
              : (i ? until("relaxed.gpu", 40 + i - 1, 1) : std::string()) +
                    each[i] + set("relaxed.gpu", 40 + i, 1));
    return threads(bodies);
  };
  std::string wide = add("gpu"), narrow = add("cta"),
              none = "mov.u32 %r8, 0;\n";
  // The latest two are of the CTA, and of the cluster, that the last one's
  // scope includes.
  expectFault("scope", turns({none, wide, wide, narrow}),
              turns({none, wide, wide, wide}), two);
  expectFault("scope",
              turns({wide, none, none, none, wide, none, wide, add("cluster")}),
              turns({wide, none, none, none, wide, none, wide, wide}),
              clusters);
  // A wide one of its CTA does not hide a narrow one.
  expectFault("scope", turns({narrow, wide, wide}), turns({wide, wide, wide}),
              two);
  expectFault("scope", turns({add("cluster"), wide, none, none, wide}),
              turns({wide, wide, none, none, wide}), clusters);
  // Who comes after one that has observed it may be narrow.
  auto passed = [](const std::string &how, const std::string &waits) {
    return threads({add("gpu") + told, "", hears + add("gpu") + set(how, 34, 1),
                    until(waits, 34, 1) + add("cta")});
  };
  expectFault("scope", passed("relaxed.gpu", "acquire.gpu"),
              passed("release.gpu", "acquire.gpu"), two);
  // Or after a read that has.
  auto read = [](const std::string &how) {
    return threads({add("gpu") + told, "", hears + how + add("cta")});
  };
  expectFault("scope", read(""),
              read("ld.relaxed.gpu.global.b32 %r6, "
                   "[%rd0+128];\n"),
              two);
}

TEST(StrongAccesses, ScopesOfOlderStores) {
  // What one ordered after another does not stand for, since the last access
  // includes the later one only.
  auto body = [](const std::string &first, const std::string &second,
                 const std::string &third, bool isFar) {
    std::string next = until("acquire.gpu", 34, 1) + second + told,
                last = hears + third;
    std::string begin = first + set("release.gpu", 34, 1);
    return isFar ? threads({begin, "", next, last})
                 : threads({begin, next, last});
  };
  std::string wide = set("relaxed.gpu", 32, 1),
              narrow = set("relaxed.cta", 32, 1);
  expectFault("scope", body(wide, wide, narrow, true),
              body(wide, wide, wide, true), two);
  expectFault("scope", body(narrow, wide, wide, false),
              body(wide, wide, wide, false), two);
  // The same of reads.
  std::string looks = "ld.relaxed.gpu.global.b32 %r6, [%rd0+128];\n",
              looksNear = "ld.relaxed.cta.global.b32 %r6, [%rd0+128];\n";
  expectFault("scope", body(looks, looks, narrow, true),
              body(looks, looks, wide, true), two);
  expectFault("scope", body(looksNear, looks, wide, false),
              body(looks, looks, wide, false), two);
}

TEST(StrongAccesses, ATooNarrowReadObservesNothing) {
  auto body = [](const std::string &scope) {
    return threads({writes + told, "",
                    hears + "ld.relaxed." + scope +
                        ".global.b32 %r6, [%rd0+128];\n" + reads});
  };
  expectFault("race", body("cta"), body("gpu"), two);
}

TEST(StrongAccesses, ReadersStayWithWhatTheyHaveRead) {
  // A wide read-modify-write of the writer's CTA follows; the narrow one comes
  // after the read of the first, not after that.
  auto body = [](const std::string &sees) {
    return threads({add("gpu") + set("relaxed.gpu", 34, 1), "",
                    until("relaxed.gpu", 34, 1) + sees +
                        set("release.gpu", 35, 1) + hears + add("cta"),
                    until("acquire.gpu", 35, 1) + add("gpu") + told});
  };
  expectFault("scope", body(""),
              body("ld.relaxed.gpu.global.b32 %r6, [%rd0+128];\n"), two);
}

TEST(StrongAccesses, TheStoreThatPartsTwoChainsStays) {
  // Behind the last read-modify-write stand the store that it has read, of its
  // CTA, and one that nobody has.
  auto body = [](const std::string &second) {
    return threads(
        {writes + told, "", hears + second + set("relaxed.gpu", 34, 1),
         until("relaxed.gpu", 34, 1) + add("gpu") + set("release.gpu", 35, 1),
         until("acquire.gpu", 35, 1) + reads});
  };
  expectFault("race", body(set("relaxed.gpu", 32, 2)), body(add("gpu")),
              clusters);
}

/// The faults of `kind` under every schedule, as text.
static std::vector<std::string>
texts(const std::string &kind, const std::string &body, const Shape &shape) {
  std::vector<std::string> list;
  for (const Options &options : schedules()) {
    std::vector<uint32_t> buffer(64);
    for (const Fault &fault : runBody(body, buffer, shape, options).faults)
      if (fault.kind == kind)
        list.push_back(fault.text);
  }
  EXPECT_FALSE(list.empty()) << kind;
  return list;
}

TEST(StrongAccesses, WhoHasReadAValueHasNotWrittenIt) {
  // Reads stand among the writes that they have read; no other check takes them
  // for writes.
  auto peers = [](const std::string &reads) {
    return "mov.u64 %rd1, memory; mapa.shared::cluster.u64 %rd2, %rd1, 0; "
           "setp.ne.u32 %p0, %r0, 0; setp.ne.u32 %p1, %r1, 0;\n@%p0 bra A; "
           "@!%p1 st.shared.v2.b32 [memory], {0, 0};\n"
           "A: barrier.cluster.arrive; barrier.cluster.wait; @%p0 ret; @%p1 "
           "bra P; st.relaxed.cluster.shared.b32 [memory], 1;\n"
           "Q: ld.relaxed.cluster.shared.b32 %r5, [memory+4]; setp.eq.u32 "
           "%p2, %r5, 0; @%p2 bra Q; ret;\nP: " +
           reads + "st.relaxed.cluster.shared::cluster.b32 [%rd2+4], 1;";
  };
  // The peer's write has been seen, its read may still be on its way.
  expectClean(peers(""), {32, 2});
  for (const std::string &text :
       texts("exited-peer",
             peers("ld.relaxed.cluster.shared::cluster.b32 %r5, [%rd2]; "
                   "setp.eq.u32 %p2, %r5, 0; @%p2 bra P;\n"),
             {32, 2}))
    EXPECT_NE(text.find("the read of line"), std::string::npos) << text;
  std::string body =
      threads({writes, sees + "ld.global.nc.b32 %r6, [%rd0+128];\n"});
  std::string before = wrap(body);
  before.resize(before.find("st.relaxed"));
  std::string line =
      std::to_string(1 + std::count(before.begin(), before.end(), '\n'));
  for (const std::string &text : texts("nc-write", body, oneCta))
    EXPECT_NE(text.find("the write of line " + line + " "), std::string::npos)
        << text;
  expectClean("mov.u32 %r4, memory; setp.ne.u32 %p0, %r0, 0; setp.ge.u32 %p1, "
              "%r0, 32; @!%p0 st.shared.v4.b32 [%r4], {0, 0, 0, 0}; bar.sync "
              "0; @%p1 bra P; @%p0 bra M;\n"
              "st.relaxed.cta.shared.b32 [memory], 1; fence.proxy.async; bra "
              "M;\n"
              "P: ld.relaxed.cta.shared.b32 %r5, [memory]; setp.eq.u32 %p2, "
              "%r5, 0; @%p2 bra P; M: bar.sync 0; @%p0 ret;\n"
              "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r4], 16; "
              "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
              {64});
}
