//===- test/Unit/Bench/CompareTest.cpp - what became slower -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "quack/Bench/Compare.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace quack;

TEST(Compare, MarksWhatLiesBeyondBothIntervals) {
  Row broken = makeRow("ours", 4096, 1);
  broken.error = "wrong values";
  Table before =
      makeTable({makeRow("ours", 256, 100), makeRow("ours", 512, 100),
                 makeRow("ours", 1024, 100), makeRow("ours", 2048, 100),
                 makeRow("ours", 4096, 100), makeRow("copy", 256, 80),
                 makeRow("eager", 512, 1)});
  Table after =
      makeTable({makeRow("ours", 256, 102), makeRow("ours", 512, 102.5),
                 makeRow("ours", 1024, 97), makeRow("ours", 8192, 5), broken,
                 makeRow("copy", 256, 100), makeRow("eager", 512, 1000)});
  Expected<std::vector<Change>> changes = compare(before, after);
  ASSERT_TRUE(bool(changes));
  ASSERT_EQ(changes->size(), 5u);
  const Verdict expected[] = {Verdict::same, Verdict::slower, Verdict::faster,
                              Verdict::broken, Verdict::added};
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ((*changes)[i].verdict, expected[i]) << (*changes)[i].cell.str();
  EXPECT_FALSE((*changes)[0].isWorse());
  EXPECT_TRUE((*changes)[1].isWorse());
  EXPECT_FALSE((*changes)[2].isWorse());
  EXPECT_TRUE((*changes)[3].isWorse());
  EXPECT_FALSE((*changes)[4].isWorse());
  EXPECT_NEAR((*changes)[1].speedup, 100 / 102.5, 1e-12);
  EXPECT_NEAR(*(*changes)[0].copySpeedup, 0.8, 1e-12);
  EXPECT_FALSE((*changes)[1].copySpeedup);
  std::string text;
  raw_string_ostream os(text);
  printChanges(os, *changes);
  EXPECT_NE(text.find("softmax bf16 N=512 M=32768                "),
            std::string::npos);
  EXPECT_NE(text.find("102.50 [101.50, 103.50]    0.976        -  SLOWER"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("5 cells: 1 within their intervals, 1 faster, 1 slower, "
                      "1 broken, 1 new"),
            std::string::npos)
      << text;
}

TEST(Compare, RefusesTimesOfTheSimulator) {
  Table table = makeTable({makeRow("ours", 256, 100)});
  Table simulated = table;
  simulated.runs[0]["simulated"] = true;
  auto textOf = [](Expected<std::vector<Change>> changes) {
    return changes ? "none" : toString(changes.takeError());
  };
  EXPECT_EQ(textOf(compare(table, table)), "none");
  EXPECT_NE(textOf(compare(simulated, table))
                .find("the old table has times of the sim"),
            std::string::npos);
  EXPECT_NE(textOf(compare(table, simulated))
                .find("the new table has times of the sim"),
            std::string::npos);
}
