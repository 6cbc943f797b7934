//===- test/Unit/Bench/TableTest.cpp - tables and their files ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is written is read again, wrong files are refused by name, merging keeps
// all.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "quack/Bench/Tables.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace quack;

static std::string errorOf(StringRef text) {
  Expected<Table> table = Table::parse(text, "t.json");
  return table ? "none" : toString(table.takeError());
}

TEST(Table, IsReadAsItWasWritten) {
  Row good = makeRow("ours", 256, 12.3456789012345678);
  good.more = json::Object{{"plan", "#plan<\"x\">"}, {"registers", 40}};
  Row bad = makeRow("liger", 65536, 1);
  bad.error = "refuses N > 65536";
  Table table = makeTable({good, bad});
  table.runs.push_back(json::Object{{"gpu", "other"}});
  table.rows[1].run = 1;
  table.rows[1].cell.method = "replay";
  std::string text = toText(table);
  Expected<Table> again = Table::parse(text, "t.json");
  ASSERT_TRUE(bool(again)) << toString(again.takeError());
  EXPECT_EQ(toText(*again), text);
  EXPECT_EQ(again->rows[0].time.median, good.time.median);
  EXPECT_EQ(again->rows[0].more, good.more);
  EXPECT_EQ(again->rows[1].error, bad.error);
  EXPECT_EQ(again->gpus(), (std::vector<std::string>{"NVIDIA H200", "other"}));
  // The keys that other tools read.
  EXPECT_NE(
      text.find(
          R"({"op":"softmax","dtype":"bf16","N":256,"M":32768,"impl":"ours",)"
          R"("method":"launch","tbs":)"),
      std::string::npos)
      << text;
}

TEST(Table, TakesTheLeastThatARowMustHave) {
  Expected<Table> table = Table::parse(
      R"({"machine": {"gpu": "H100"}, "rows": [{"op": "softmax", "dtype": "f32",
          "N": 512, "M": 8, "impl": "eager", "tbs": 1.5, "us": 10, "lo": 9, "hi": 11}]})",
      "t.json");
  ASSERT_TRUE(bool(table)) << toString(table.takeError());
  EXPECT_EQ(table->rows[0].cell.method, "launch");
  EXPECT_EQ(table->gpus(), std::vector<std::string>{"H100"});
}

TEST(Table, NamesWhatIsWrong) {
  auto withRow = [](StringRef row) {
    return ("{\"rows\": [" + row + "]}").str();
  };
  const char *start =
      R"({"op": "a", "dtype": "f32", "N": 1, "M": 1, "impl": "x")";
  EXPECT_NE(errorOf("{").find("'t.json': "), std::string::npos);
  EXPECT_NE(errorOf("[]").find("expected an object with rows"),
            std::string::npos);
  EXPECT_NE(errorOf("{\"rows\": 1}").find("expected array at table.rows"),
            std::string::npos);
  EXPECT_NE(errorOf(withRow("{\"op\": 3}"))
                .find("expected string at table.rows[0].op"),
            std::string::npos);
  EXPECT_NE(errorOf(withRow(start + std::string("}")))
                .find("missing value at table.rows[0].tbs"),
            std::string::npos);
  EXPECT_NE(
      errorOf(withRow(start +
                      std::string(R"(, "tbs": 1, "us": 5, "lo": 6, "hi": 7})")))
          .find("expected 0 < lo <= us <= hi"),
      std::string::npos);
  EXPECT_NE(
      errorOf(withRow(start + std::string(R"(, "error": "no", "run": 1})")))
          .find("expected the number of a run at table.rows[0].run"),
      std::string::npos);
}

TEST(Table, MergingKeepsEveryRunOnce) {
  Table one = makeTable({makeRow("ours", 256, 10)});
  Table two = makeTable({makeRow("ours", 256, 12), makeRow("eager", 256, 20)});
  two.runs[0] = json::Object{{"gpu", "NVIDIA H200"}, {"date", "later"}};
  Table merged = one;
  merged.merge(two);
  EXPECT_EQ(merged.runs.size(), 2u);
  ASSERT_EQ(merged.rows.size(), 3u);
  EXPECT_EQ(merged.rows[0].run, 0);
  EXPECT_EQ(merged.rows[2].run, 1);
  std::string before = toText(merged);
  merged.merge(two);
  merged.merge(one);
  EXPECT_EQ(toText(merged), before);
}

TEST(Table, SummaryOfSeveralRuns) {
  Row failed = makeRow("ours", 256, 1);
  failed.error = "wrong values";
  Table table = makeTable({makeRow("ours", 512, 50), makeRow("ours", 256, 10),
                           failed, makeRow("ours", 256, 14),
                           makeRow("copy", 256, 9), makeRow("ours", 256, 11)});
  std::vector<Summary> summaries = summarise(table);
  ASSERT_EQ(summaries.size(), 3u);
  EXPECT_EQ(summaries[0].cell.columns, 256);
  EXPECT_EQ(summaries[0].impl, "ours");
  EXPECT_EQ(summaries[0].goodRuns, 3);
  EXPECT_EQ(summaries[0].time.median, 11);
  EXPECT_EQ(summaries[0].time.low, 9);
  EXPECT_EQ(summaries[0].time.high, 15);
  EXPECT_NEAR(summaries[0].terabytesPerSecond(), 1000 / 11.0, 1e-9);
  EXPECT_EQ(summaries[1].impl, "copy");
  table.rows.pop_back();
  // Of two in the middle the slower.
  EXPECT_EQ(summarise(table)[0].time.median, 14);
  EXPECT_FALSE(table.has(failed.cell, "read"));
  EXPECT_TRUE(table.has(failed.cell, "ours"));
  table.rows = {failed};
  EXPECT_FALSE(table.has(failed.cell, "ours"));
  EXPECT_EQ(summarise(table)[0].error, "wrong values");
}

TEST(Table, IsPrintedWithAColumnForEachImplementation) {
  Row missing = makeRow("liger", 512, 1);
  missing.error = "refuses N > 256";
  Table table = makeTable({makeRow("copy", 256, 250), makeRow("ours", 256, 400),
                           makeRow("liger", 256, 500), missing,
                           makeRow("ours", 512, 320)});
  std::string text;
  raw_string_ostream os(text);
  printTables(os, table);
  EXPECT_EQ(text, "softmax, bf16, TB/s on NVIDIA H200\n"
                  "       N        M      copy      ours     liger\n"
                  "     256    32768     4.000     2.500     2.000\n"
                  "     512    32768         -     3.125         -\n"
                  "liger at N = 512: refuses N > 256\n");
}

TEST(Table, ACellIsALine) {
  Row ours = makeRow("ours", 256, 400), copy = makeRow("copy", 256, 250);
  ours.more = json::Object{{"predicted_us", 390.5},
                           {"registers", 40},
                           {"plan", "#quack_tv.plan<threads = 64>"}};
  std::string text;
  raw_string_ostream os(text);
  printCellHead(os);
  printCell(os, ours, &copy, nullptr);
  ours.error = "wrong values\nof many";
  printCell(os, ours, &copy, nullptr);
  ours.error = "no";
  printCell(os, ours, &copy, nullptr);
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  ASSERT_EQ(lines.size(), 6u);
  for (auto [head, field] : {std::pair("TB/s", "2.500"),
                             {"copy's", "4.000"},
                             {"/copy", "0.625"},
                             {"/read", "-"},
                             {"high us", "401.00"},
                             {"model us", "390.50"},
                             {"regs", "40"},
                             {"clusters", "-"}}) {
    // Columns are aligned to the right.
    size_t end = lines[0].find(head) + StringRef(head).size();
    EXPECT_TRUE(lines[1].take_front(end).ends_with(" " + std::string(field)))
        << head << "\n"
        << text;
  }
  EXPECT_TRUE(lines[1].ends_with("  <threads = 64>")) << text;
  EXPECT_TRUE(lines[2].ends_with("error: wrong values")) << text;
  EXPECT_EQ(lines[3], "  of many");
  EXPECT_TRUE(lines[4].ends_with("error: no")) << text;
}
