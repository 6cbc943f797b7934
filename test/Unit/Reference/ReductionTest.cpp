//===- ReductionTest.cpp - reductions and operand roles --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each reduction kind with its NaN rule and with an init, and each operand
// role.
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"

#include "gtest/gtest.h"

using namespace quack;
using namespace quack::test;

static double reduce(const std::string &kind, const Values &row,
                     const std::string &init = "") {
  Outcome outcome =
      evaluateSource(reduceSource(kind, row.size(), init), 1, {{"x", {row}}});
  EXPECT_EQ(outcome.error, "") << kind;
  return outcome.values("s").empty() ? 0xDEAD : outcome.values("s")[0];
}

TEST(ReductionTest, floatKinds) {
  EXPECT_EQ(reduce("addf", {1, 2, 3.5}), 6.5);
  EXPECT_EQ(reduce("mulf", {1, 2, -3.5}), -7);
  EXPECT_EQ(reduce("maximumf", {-1, -2, -3}), -1);
  EXPECT_EQ(reduce("minimumf", {-1, -2, -3}), -3);
  EXPECT_EQ(reduce("maxnumf", {-1, qnan, -3}), -1);
  EXPECT_EQ(reduce("minnumf", {-1, qnan, -3}), -3);
  EXPECT_TRUE(std::isnan(reduce("maximumf", {-1, qnan, -3})));
  EXPECT_TRUE(std::isnan(reduce("minimumf", {qnan, -1, -3})));
  EXPECT_TRUE(std::isnan(reduce("addf", {inf, 1, -inf})));
  EXPECT_EQ(reduce("addf", {inf, 1, 2}), inf);
  EXPECT_EQ(reduce("maximumf", {-inf, -inf}), -inf);
}

TEST(ReductionTest, integerKinds) {
  EXPECT_EQ(reduce("addi", {2147483647, 1}), -2147483648.0);
  EXPECT_EQ(reduce("muli", {3, -5}), -15);
  EXPECT_EQ(reduce("maxsi", {3, -5}), 3);
  EXPECT_EQ(reduce("minsi", {3, -5}), -5);
  EXPECT_EQ(reduce("maxui", {3, -5}), -5);
  EXPECT_EQ(reduce("minui", {3, -5}), 3);
  EXPECT_EQ(reduce("andi", {12, 10}), 8);
  EXPECT_EQ(reduce("ori", {12, 10}), 14);
  EXPECT_EQ(reduce("xori", {12, 10}), 6);
}

TEST(ReductionTest, oneColumn) {
  for (const char *kind :
       {"addf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf"}) {
    Outcome outcome =
        evaluateSource(reduceSource(kind, 1), 1, {{"x", {{0.1f}}}});
    EXPECT_EQ(outcome.values("s")[0], 0.1f) << kind;
  }
}

// L12: an init that is no identity joins exactly once.
TEST(ReductionTest, initJoinsOnce) {
  EXPECT_EQ(reduce("addf", Values(1000, 1.0), "1.0"), 1001);
  EXPECT_EQ(reduce("maximumf", Values(1000, 0.0), "5.0"), 5);
  EXPECT_EQ(reduce("mulf", Values(1000, 1.0), "2.0"), 2);
  EXPECT_EQ(reduce("addi", Values(1000, 1.0), "1"), 1001);
}

TEST(ReductionTest, rowsOfNothingButNaNAreUnknownToMaxnumf) {
  Outcome outcome =
      evaluateSource(reduceSource("maxnumf", 2), 1, {{"x", {{qnan, qnan}}}});
  EXPECT_EQ(outcome.bounds("s")[0], inf);
}

TEST(ReductionTest, largeSumsAreExactEnough) {
  // 2^20 * 0.1f: float64 summed naively would still be right to 1e-10.
  Values row(1 << 18, static_cast<double>(0.1f));
  double expected = static_cast<double>(0.1f) * (1 << 18);
  EXPECT_NEAR(reduce("addf", row), expected, expected * 1e-12);
}

TEST(ReductionTest, overflowOfASumIsUnknown) {
  // In f32 some orders overflow; 3e38 + 3e38 - 3e38 is finite in others.
  Outcome outcome = evaluateSource(reduceSource("addf", 3), 1,
                                   {{"x", {{3e38, 3e38, -3e38}}}});
  EXPECT_EQ(outcome.bounds("s")[0], inf);
  Outcome product = evaluateSource(reduceSource("mulf", 3), 1,
                                   {{"x", {{3e38, 3e38, 1e-38}}}});
  EXPECT_EQ(product.bounds("s")[0], inf);
}

TEST(ReductionTest, everyRole) {
  const char *source = R"(
    quack.kernel @k(%x: memref<?x2xbf16> in row, %w: memref<2xf32> in columns,
                    %t: memref<?xf32> in scalar, %eps: f32,
                    %y: memref<?x2xf32> out row, %s: memref<?xf32> inout scalar) {
      %v = quack.load %x : memref<?x2xbf16> -> tensor<2xf32>
      %g = quack.load %w : memref<2xf32> -> tensor<2xf32>
      %u = quack.load %t : memref<?xf32> -> f32
      %old = quack.load %s : memref<?xf32> -> f32
      %e = quack.broadcast %eps : f32 -> tensor<2xf32>
      %ur = quack.broadcast %u : f32 -> tensor<2xf32>
      %a = arith.mulf %v, %g : tensor<2xf32>
      %b = arith.addf %a, %e : tensor<2xf32>
      %c = arith.mulf %b, %ur : tensor<2xf32>
      quack.store %c, %y : tensor<2xf32>, memref<?x2xf32>
      %sum = quack.reduce addf %c init %old : tensor<2xf32> -> f32
      quack.store %sum, %s : f32, memref<?xf32>
    })";
  Outcome outcome = evaluateSource(source, 3,
                                   {{"x", {{1, 2, 3, 4, 5, 6}}},
                                    {"w", {{10, 100}}},
                                    {"t", {{1, 2, 3}}},
                                    {"eps", {{0.5}}},
                                    {"s", {{1000, 2000, 3000}}}});
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.values(), (Values{10.5, 200.5, 61, 801, 151.5, 1801.5}));
  EXPECT_EQ(outcome.values("s"), (Values{1211, 2862, 4953}));
}

TEST(ReductionTest, noRows) {
  Outcome outcome = evaluateSource(softmaxSource(8), 0, {{"x", {{}}}});
  EXPECT_EQ(outcome.error, "");
  EXPECT_TRUE(outcome.values().empty());
}

TEST(ReductionTest, rowsDoNotDependOnThreads) {
  // Many short rows are spread over threads; each must see its own input.
  const int64_t rows = 20000;
  Values x(rows * 4);
  for (int64_t i = 0; i < rows * 4; ++i)
    x[i] = i % 1000;
  Outcome outcome = evaluateSource(reduceSource("addf", 4), rows, {{"x", {x}}});
  for (int64_t row = 0; row < rows; ++row)
    ASSERT_EQ(outcome.values("s")[row], x[row * 4] * 4 + 6) << row;
}
