//===- test/Unit/Bench/StatisticsTest.cpp - medians and how sure they are *- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against the table that textbooks have of the sign test's intervals, and
// against chance itself.
//
//===----------------------------------------------------------------------===//

#include "quack/Bench/Statistics.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>
#include <vector>

using namespace quack;

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(estimateMedian({3.0, 1.0, 2.0}).median, 2);
  EXPECT_EQ(estimateMedian({4.0, 1.0, 3.0, 2.0}).median, 2.5);
  EXPECT_EQ(estimateMedian({7.0}).median, 7);
}

TEST(Statistics, RanksOfTheInterval) {
  // From the least and the greatest on for 6 to 8, then the 2nd and the 2nd
  // last, ...
  const std::pair<int64_t, int64_t> table[] = {
      {1, -1}, {5, -1}, {6, 0},   {8, 0},    {9, 1},      {10, 1},
      {20, 5}, {30, 9}, {50, 17}, {100, 39}, {1000, 468}, {100000, 49689}};
  for (auto [count, outside] : table)
    EXPECT_EQ(countOutside(count), outside) << count;
}

TEST(Statistics, IntervalIsOfOrderStatistics) {
  std::vector<double> samples;
  for (int i = 30; i > 0; --i)
    samples.push_back(i);
  Estimate estimate = estimateMedian(samples);
  EXPECT_EQ(estimate.median, 15.5);
  EXPECT_EQ(estimate.low, 10);
  EXPECT_EQ(estimate.high, 21);
  EXPECT_NEAR(estimate.width(), 11 / 15.5, 1e-12);
  // One far outlier moves nothing.
  samples.front() = 1e9;
  EXPECT_EQ(estimateMedian(samples).high, 21);
}

TEST(Statistics, FewSamplesGiveTheirExtremes) {
  Estimate estimate = estimateMedian({5.0, 1.0, 3.0});
  EXPECT_EQ(estimate.low, 1);
  EXPECT_EQ(estimate.high, 5);
}

TEST(Statistics, TheIntervalHoldsTheMedianAsOftenAsItSays) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> times(1.0);
  const double median = std::log(2.0);
  int held = 0;
  constexpr int rounds = 4000;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> samples(37);
    for (double &sample : samples)
      sample = times(random);
    Estimate estimate = estimateMedian(samples);
    held += estimate.low <= median && median <= estimate.high;
  }
  EXPECT_GT(held, rounds * 0.945);
  EXPECT_LT(held, rounds * 0.985);
}
