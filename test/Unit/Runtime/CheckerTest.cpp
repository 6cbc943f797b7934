//===- CheckerTest.cpp - is it right? --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the checker accepts and what it reports: a table of stored, expected,
// bound and verdict.
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/Checker.h"

#include "gtest/gtest.h"

#include <vector>

using namespace quack;

static constexpr double inf = std::numeric_limits<double>::infinity();

static CheckReport checkOne(StorageType type, double stored, double expected,
                            double bound) {
  char bytes[8];
  narrow(type, &stored, bytes, 1);
  CheckInput input;
  input.type = type;
  input.stored = bytes;
  input.expected = &expected;
  input.bounds = &bound;
  input.rows = input.columns = 1;
  return checkOutput(input);
}

TEST(CheckerTest, verdicts) {
  const double ulp = 0x1p-7; // of bf16 at 1
  struct Row {
    StorageType type;
    double stored, expected, bound;
    bool isGood;
  };
  const Row table[] = {
      {StorageType::f32, 1, 1, 0, true},
      {StorageType::f32, 1 + 0x1p-23, 1, 0, false},
      {StorageType::f32, 1 + 0x1p-23, 1, 0x1p-23, true},
      {StorageType::f32, 0.1f, 0.1, 0, true}, // the store rounds
      {StorageType::f32, NAN, NAN, 0, true},
      {StorageType::f32, 1, NAN, 0, false},
      {StorageType::f32, NAN, 1, 0.5, false},
      {StorageType::f32, inf, inf, 0, true},
      {StorageType::f32, -inf, inf, 0, false},
      {StorageType::f32, 3.4e38, inf, 0, false},
      {StorageType::f32, inf, 3.4e38, 1e30, false},
      {StorageType::f32, inf, 3.4028235e38, 1e32, true}, // the bound overflows
      {StorageType::f32, NAN, 1, inf, true},             // anything is possible
      {StorageType::f32, -0.0, 0.0, 0, true},
      {StorageType::bf16, 1, 1 + ulp / 2, 0, true}, // a tie, to even
      {StorageType::bf16, 1 + ulp, 1 + ulp / 2, 0, false},
      {StorageType::bf16, 1 + ulp, 1 + ulp / 2, 1e-9, true},
      {StorageType::bf16, 1 + ulp, 1 + ulp / 4, 1e-9, false},
      {StorageType::f8E4M3FN, 448, 1e9, 0, true}, // the store saturates
      {StorageType::f8E4M3FN, -448, -inf, 0, true},
      {StorageType::f8E4M3FN, 416, 1e9, 0, false},
      {StorageType::f8E4M3FN, 416, 432, 1, true},
      {StorageType::f8E4M3FN, NAN, inf, 0, false},
      {StorageType::f8E5M2, 57344, 1e6, 0, true},
      {StorageType::f8E5M2, 0x1p-16, 0x1p-17, 1e-9, true},
      {StorageType::f8E5M2, 0x1p-16, 0x1p-17, 0, false}, // a tie, to even
      {StorageType::f16, inf, 65520, 0, true},
      {StorageType::f16, inf, 65519, 0, false},
      {StorageType::f16, 65504, 65519, 0, true},
      {StorageType::i32, 7, 7, 0, true},
      {StorageType::i32, 8, 7, 0, false},
      {StorageType::i32, 8, 7, 1, true},
      {StorageType::i8, 44, 300, 0, true}, // a store truncates integers
  };
  for (const Row &row : table) {
    CheckReport report =
        checkOne(row.type, row.stored, row.expected, row.bound);
    EXPECT_EQ(report.isGood(), row.isGood)
        << getName(row.type).str() << " " << row.stored << " for "
        << row.expected << " with bound " << row.bound;
    EXPECT_EQ(report.unchecked, row.bound == inf ? 1 : 0);
  }
}

TEST(CheckerTest, reportsTheWorstElement) {
  const float stored[] = {1, 2, 3.5, 4, 7, 6};
  const double expected[] = {1, 2, 3, 4, 5, 6};
  const double bounds[] = {1, 1, 1, 1, 1, 1};
  const int64_t rowNumbers[] = {10, 20};
  CheckInput input{StorageType::f32, stored, expected, bounds, 2, 3,
                   rowNumbers};
  CheckReport report = checkOutput(input);
  EXPECT_EQ(report.elements, 6);
  EXPECT_EQ(report.violations, 1);
  EXPECT_EQ(report.row, 20);
  EXPECT_EQ(report.column, 1);
  EXPECT_EQ(report.text(),
            "1 of 6 elements are wrong; worst at row 20, column 1: got "
            "7, expected 5 with bound 1 (2.00 of what is allowed)");
}

TEST(CheckerTest, aGoodReportTellsTheMargin) {
  CheckReport report = checkOne(StorageType::f32, 1.5, 1, 1);
  EXPECT_EQ(report.text(), "ok, 1 elements; worst at row 0, column 0: got 1.5, "
                           "expected 1 with bound 1 (0.50 of what is allowed)");
}

TEST(CheckerTest, mergesReports) {
  CheckReport total = checkOne(StorageType::f32, 1.5, 1, 1);
  total.merge(checkOne(StorageType::f32, 9, 1, 1));
  total.merge(checkOne(StorageType::f32, 1, 1, inf));
  EXPECT_EQ(total.elements, 3);
  EXPECT_EQ(total.violations, 1);
  EXPECT_EQ(total.unchecked, 1);
  EXPECT_EQ(total.got, 9);
}

TEST(CheckerTest, nothingToCheck) {
  CheckReport report = checkOutput(CheckInput());
  EXPECT_TRUE(report.isGood());
  EXPECT_EQ(report.text(), "ok, 0 elements");
}
