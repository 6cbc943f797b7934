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
