//===- CasesTest.cpp - real faults as reference values ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs that made published kernels wrong, with the right values in closed
// form. The oracle itself must get them right.
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"

#include "gtest/gtest.h"

using namespace quack;
using namespace quack::test;

/// A row of `columns` times `fill`, but `value` at `column`.
static Values rowWith(int64_t columns, double fill, int64_t column,
                      double value) {
  Values row(columns, fill);
  row[column] = value;
  return row;
}

// N05: whole slices of -inf beside one finite value.
TEST(CasesTest, sliceOfMinusInfinity) {
  for (int64_t columns : {1024, 4096})
    for (int64_t finite : {int64_t(0), columns - 1}) {
      Inputs x = {{"x", {rowWith(columns, -inf, finite, 0)}}};
      Outcome softmax = evaluateSource(softmaxSource(columns), 1, x);
      EXPECT_EQ(softmax.values(), rowWith(columns, 0, finite, 1));
      Outcome logSoftmax = evaluateSource(logSoftmaxSource(columns), 1, x);
      EXPECT_EQ(logSoftmax.values(), rowWith(columns, -inf, finite, 0));
      Outcome lse = evaluateSource(logsumexpSource(columns), 1, x);
      EXPECT_EQ(lse.values("s")[0], 0.0);
      for (int64_t i = 0; i < columns; ++i)
        ASSERT_LT(softmax.bounds()[i], 1e-4)
            << "a masked element hides the check";
    }
}

TEST(CasesTest, oneFiniteValueEveryThousandColumns) {
  Values row(4096, -inf);
  for (int64_t i = 0; i < 4096; i += 1000)
    row[i] = 0;
  Outcome softmax = evaluateSource(softmaxSource(4096), 1, {{"x", {row}}});
  for (int64_t i = 0; i < 4096; ++i)
    ASSERT_EQ(softmax.values()[i], i % 1000 == 0 ? 0.2 : 0.0);
}

// N07: a row of nothing but -inf, between two good ones.
TEST(CasesTest, fullyMaskedRow) {
  Values x(3 * 128, 0);
  std::fill(x.begin() + 128, x.begin() + 256, -inf);
  Outcome softmax = evaluateSource(softmaxSource(128), 3, {{"x", {x}}});
  Outcome logSoftmax = evaluateSource(logSoftmaxSource(128), 3, {{"x", {x}}});
  for (int64_t i = 0; i < 3 * 128; ++i) {
    bool isMasked = i / 128 == 1;
    EXPECT_EQ(std::isnan(softmax.values()[i]), isMasked);
    EXPECT_EQ(std::isnan(logSoftmax.values()[i]), isMasked);
    EXPECT_LT(softmax.bounds()[i], 1e-5) << "NaN is sure, not unknown";
    if (!isMasked) {
      EXPECT_EQ(softmax.values()[i], 1.0 / 128);
    }
  }
  Outcome lse = evaluateSource(logsumexpSource(128), 3, {{"x", {x}}});
  EXPECT_NEAR(lse.values("s")[0], 4.852030, 1e-6);
  EXPECT_EQ(lse.values("s")[1], -inf);
  EXPECT_EQ(lse.bounds("s")[1], 0.0);
  Outcome max = evaluateSource(reduceSource("maximumf", 128), 3, {{"x", {x}}});
  EXPECT_EQ(max.values("s"), (Values{0, -inf, 0}));
}

// N10: a common offset, up to the greatest f32.
TEST(CasesTest, largeOffset) {
  for (double offset : {1e4, 1e8, 1e14, 3e38, -3e38}) {
    double x = static_cast<float>(offset);
    Inputs inputs = {{"x", {Values(512, x)}}};
    Outcome softmax = evaluateSource(softmaxSource(256), 2, inputs);
    Outcome logSoftmax = evaluateSource(logSoftmaxSource(256), 2, inputs);
    for (int64_t i = 0; i < 512; ++i) {
      EXPECT_EQ(softmax.values()[i], 1.0 / 256) << offset;
      EXPECT_LT(softmax.bounds()[i], 1e-6) << offset;
      EXPECT_NEAR(logSoftmax.values()[i], -5.545177444479562, 1e-12) << offset;
      EXPECT_LT(logSoftmax.bounds()[i], 1e-4) << offset;
    }
  }
}

// N14: a NaN reaches the whole row wherever it stands, and no other row.
TEST(CasesTest, notANumberAtEachPosition) {
  for (int64_t column : {0, 1, 31, 32, 127, 511, 999}) {
    Values x(3 * 1000, 1);
    x[1000 + column] = qnan;
    Outcome max =
        evaluateSource(reduceSource("maximumf", 1000), 3, {{"x", {x}}});
    EXPECT_EQ(max.values("s")[0], 1);
    EXPECT_TRUE(std::isnan(max.values("s")[1])) << column;
    EXPECT_EQ(max.bounds("s")[1], 0.0);
    EXPECT_EQ(max.values("s")[2], 1);
    Outcome softmax = evaluateSource(softmaxSource(1000), 3, {{"x", {x}}});
    for (int64_t i = 0; i < 3000; ++i)
      ASSERT_EQ(std::isnan(softmax.values()[i]), i / 1000 == 1) << column;
    Outcome ignoring =
        evaluateSource(reduceSource("maxnumf", 1000), 3, {{"x", {x}}});
    EXPECT_EQ(ignoring.values("s"), (Values{1, 1, 1})) << column;
  }
}
