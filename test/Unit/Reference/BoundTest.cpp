//===- BoundTest.cpp - the bounds hold, and are not idle -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same programs computed in f32, in several orders, must stay within the
// bounds; and the bounds must stay small enough to catch a fault.
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"

#include "gtest/gtest.h"

#include <chrono>
#include <random>

using namespace quack;
using namespace quack::test;

static Values normalRow(size_t count, double scale, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  Values row(count);
  for (double &x : row)
    x = static_cast<float>(normal(engine) * scale);
  return row;
}

/// Sums in f32 as `lanes` threads would, then over the threads as a tree.
static float sumAsThreads(const std::vector<float> &x, size_t lanes) {
  std::vector<float> partial(lanes, 0.0f);
  for (size_t i = 0; i < x.size(); ++i)
    partial[i % lanes] += x[i];
  for (size_t step = lanes / 2; step > 0; step /= 2)
    for (size_t i = 0; i < step; ++i)
      partial[i] += partial[i + step];
  return partial[0];
}

TEST(BoundTest, softmaxInFloatStaysWithin) {
  const size_t columns = 4096;
  for (double scale : {1.0, 10.0, 1000.0}) {
    Values x = normalRow(columns, scale, /*seed=*/7);
    Outcome outcome = evaluateSource(softmaxSource(columns), 1, {{"x", {x}}});
    float max = -inf;
    for (double v : x)
      max = std::max(max, static_cast<float>(v));
    std::vector<float> e(columns);
    for (size_t i = 0; i < columns; ++i) {
      float scaled = (static_cast<float>(x[i]) - max) * 1.44269504f;
      e[i] = std::exp2(scaled);
    }
    for (size_t lanes : {32, 128, 1024}) {
      float reciprocal = 1.0f / sumAsThreads(e, lanes);
      for (size_t i = 0; i < columns; ++i) {
        double distance =
            std::fabs(double(e[i] * reciprocal) - outcome.values()[i]);
        ASSERT_LE(distance, outcome.bounds()[i] + 0x1p-149)
            << scale << " " << i;
      }
    }
    for (size_t i = 0; i < columns; ++i)
      EXPECT_LE(outcome.bounds()[i],
                outcome.values()[i] * (3e-5 + 4e-7 * scale * 8) + 0x1p-125);
  }
}

TEST(BoundTest, sumsInFloatStayWithin) {
  for (size_t columns : {1, 8, 1000, 32768}) {
    Values x = normalRow(columns, 1.0, /*seed=*/3);
    std::vector<float> narrow(x.begin(), x.end());
    Outcome outcome =
        evaluateSource(reduceSource("addf", columns), 1, {{"x", {x}}});
    double magnitude = 0;
    for (double v : x)
      magnitude += std::fabs(v);
    for (size_t lanes : {256, 1024})
      EXPECT_LE(std::fabs(sumAsThreads(narrow, lanes) - outcome.values("s")[0]),
                outcome.bounds("s")[0])
          << columns;
    EXPECT_LE(outcome.bounds("s")[0], 200 * 0x1p-24 * magnitude);
  }
}

TEST(BoundTest, aMissingElementIsCaught) {
  // One of 4096 equal shares left out moves the result further than the bound.
  Outcome outcome =
      evaluateSource(softmaxSource(4096), 1, {{"x", {Values(4096, 1.0)}}});
  EXPECT_LT(outcome.bounds()[0], 1.0 / 4095 - 1.0 / 4096);
}

/// Evaluates `body` at `x` and compares the bound with what f32 gives.
static void checkUnary(const std::string &op, float (*narrow)(float),
                       double least, double most) {
  std::mt19937 engine(11);
  std::uniform_real_distribution<float> uniform(least, most);
  Values x(1000);
  for (double &v : x)
    v = uniform(engine);
  // A perturbed operand: x * (1 + u), which f32 rounds and float64 does not.
  std::string body = "%c = arith.constant dense<1.1> : tensor<Nxf32>\n"
                     "%p = arith.mulf %a, %c : tensor<Nxf32>\n"
                     "%r = " +
                     op + " %p : tensor<Nxf32>";
  Outcome outcome = evaluateBody(body, {x});
  ASSERT_EQ(outcome.error, "");
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    float got = narrow(static_cast<float>(x[i]) * 1.1f);
    double distance = std::fabs(got - outcome.values()[i]);
    ASSERT_LE(distance, outcome.bounds()[i]) << op << " at " << x[i];
    worst = std::max(worst, distance / outcome.bounds()[i]);
    double size = std::fabs(outcome.values()[i]) + 1;
    ASSERT_LE(outcome.bounds()[i], 1e-4 * size) << op << " at " << x[i];
  }
  EXPECT_GT(worst, 0.01) << op << ": the bound is idle";
}

TEST(BoundTest, functionsInFloatStayWithin) {
  checkUnary(
      "math.exp", [](float v) { return std::exp(v); }, -20, 10);
  checkUnary(
      "math.exp2", [](float v) { return std::exp2(v); }, -20, 10);
  checkUnary(
      "math.expm1", [](float v) { return std::expm1(v); }, -2, 2);
  checkUnary(
      "math.log", [](float v) { return std::log(v); }, 1e-3, 100);
  checkUnary(
      "math.log2", [](float v) { return std::log2(v); }, 1e-3, 100);
  checkUnary(
      "math.log1p", [](float v) { return std::log1p(v); }, -0.5, 100);
  checkUnary(
      "math.sqrt", [](float v) { return std::sqrt(v); }, 1e-3, 100);
  checkUnary(
      "math.rsqrt", [](float v) { return 1 / std::sqrt(v); }, 1e-3, 100);
  checkUnary(
      "math.tanh", [](float v) { return std::tanh(v); }, -3, 3);
  checkUnary(
      "math.erf", [](float v) { return std::erf(v); }, -3, 3);
  checkUnary(
      "math.sin", [](float v) { return std::sin(v); }, -3, 3);
  checkUnary(
      "math.cos", [](float v) { return std::cos(v); }, -3, 3);
}

TEST(BoundTest, exactOperationsHaveNoBound) {
  Outcome outcome = evaluateBody("%r = arith.addf %a, %b : tensor<Nxf32>",
                                 {{1, 0.5, 1}, {2, 0.25, 0x1p-30}});
  EXPECT_EQ(outcome.bounds()[0], 0.0);
  EXPECT_EQ(outcome.bounds()[1], 0.0);
  EXPECT_GT(outcome.bounds()[2], 0x1p-25); // 1 + 2^-30 is rounded
}

TEST(BoundTest, openComparisonsTakeTheUnion) {
  // %p may be 1 or its neighbour: either branch of the select is right.
  const std::string body = R"(
    %third = arith.constant dense<0x3EAAAAAB> : tensor<Nxf32>
    %three = arith.constant dense<3.0> : tensor<Nxf32>
    %one = arith.constant dense<1.0> : tensor<Nxf32>
    %seven = arith.constant dense<7.0> : tensor<Nxf32>
    %q = arith.mulf %a, %third : tensor<Nxf32>
    %p = arith.mulf %q, %three : tensor<Nxf32>
    %c = arith.cmpf ole, %p, %one : tensor<Nxf32>
    %r = arith.select %c, %one, %seven : tensor<Nxi1>, tensor<Nxf32>)";
  Outcome outcome = evaluateBody(body, {{1.0, 0.5, 2.0}});
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.bounds(), (Values{6, 0, 0}));
  EXPECT_EQ(outcome.values()[1], 1);
  EXPECT_EQ(outcome.values()[2], 7);
}

TEST(BoundTest, whatHangsOnTheErrorIsUnknown) {
  // x - x * (1/3) * 3 is 0 within its error, and may be negative.
  const std::string zero = R"(
    %third = arith.constant dense<0x3EAAAAAB> : tensor<Nxf32>
    %three = arith.constant dense<3.0> : tensor<Nxf32>
    %q = arith.mulf %a, %third : tensor<Nxf32>
    %p = arith.mulf %q, %three : tensor<Nxf32>
    %z = arith.subf %a, %p : tensor<Nxf32>
  )";
  for (const char *op : {"math.sqrt", "math.log", "math.rsqrt"}) {
    Outcome outcome =
        evaluateBody(zero + "%r = " + op + " %z : tensor<Nxf32>", {{1.0}});
    EXPECT_EQ(outcome.bounds()[0], inf) << op;
  }
  Outcome quotient =
      evaluateBody(zero + "%r = arith.divf %a, %z : tensor<Nxf32>", {{1.0}});
  EXPECT_EQ(quotient.bounds()[0], inf);
}

TEST(BoundTest, rootOfASumOfSquaresKeepsItsDomain) {
  // The sum underflows within its error, but a square is never negative.
  const std::string body = R"(
    %s = arith.mulf %a, %a : tensor<Nxf32>
    %r = math.sqrt %s : tensor<Nxf32>)";
  Outcome outcome = evaluateBody(body, {{1e-25, 0.0}});
  EXPECT_LT(outcome.bounds()[0], 1e-20);
  EXPECT_EQ(outcome.bounds()[1], 0.0);
}

TEST(BoundTest, overflowInFloatIsUnknown) {
  Outcome outcome =
      evaluateBody("%r = arith.mulf %a, %a : tensor<Nxf32>", {{1e30, 1}});
  EXPECT_EQ(outcome.bounds()[0], inf);
  EXPECT_EQ(outcome.bounds()[1], 0.0);
}

TEST(BoundTest, roundingNearATieTakesBothNeighbours) {
  // 1 + 2^-8 is halfway between two bf16 numbers; a third of it, times 3, is
  // near it.
  const std::string body = R"(
    %c = arith.constant dense<0x3F808000> : tensor<Nxf32>
    %third = arith.constant dense<0x3EAAAAAB> : tensor<Nxf32>
    %three = arith.constant dense<3.0> : tensor<Nxf32>
    %d = arith.mulf %a, %c : tensor<Nxf32>
    %q = arith.mulf %d, %third : tensor<Nxf32>
    %p = arith.mulf %q, %three : tensor<Nxf32>
    %n = arith.truncf %p : tensor<Nxf32> to tensor<Nxbf16>
    %r = arith.extf %n : tensor<Nxbf16> to tensor<Nxf32>)";
  Outcome outcome = evaluateBody(body, {{1.0, 1.1f}});
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.bounds()[0], 0x1p-7);
  EXPECT_EQ(outcome.bounds()[1], 0.0);
}

TEST(BoundTest, longRowsAreFast) {
  const int64_t rows = 64, columns = 262144;
  Values x(rows * columns);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>((i * 2654435761u % 1000003) * 1e-5);
  Inputs inputs;
  inputs["x"].values = std::move(x);
  auto start = std::chrono::steady_clock::now();
  Outcome outcome = evaluateSource(softmaxSource(columns), rows, inputs);
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  RecordProperty("seconds", std::to_string(seconds.count()));
  std::cout << "softmax of 64 rows of 262144: " << seconds.count() << " s\n";
  // 3 s on two idle cores; a busy or sanitized run may take longer.
  EXPECT_LT(seconds.count(), 60);
}
