//===- test/Unit/Bench/ContestTest.cpp - timing in turns --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a driver whose events read a clock that the timed works set.
//
//===----------------------------------------------------------------------===//

#include "quack-bench/Contest.h"
#include "quack-bench/Replay.h"

#include "quack/Run/Yardstick.h"
#include "quack/Simulator/Driver.h"

#include "Runtime/CudaEntryPoints.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace quack;
using namespace quack::bench;

/// Microseconds that have passed, and the fills that there were.
static double now = 0;
static int fills = 0;

/// Where copies of the driver, which take no time, are from and to.
static std::vector<std::pair<uint64_t, uint64_t>> copies;

/// The simulator's driver with a clock and a cache.
static Error loadClock(cuda::EntryPoints &api) {
  if (Error error = sim::loadDriver(api))
    return error;
  api.eventCreate = [](void **event, unsigned) {
    *event = new double(0);
    return 0;
  };
  api.eventDestroy = [](void *event) {
    delete static_cast<double *>(event);
    return 0;
  };
  api.eventRecord = [](void *event, void *) {
    *static_cast<double *>(event) = now;
    return 0;
  };
  api.eventElapsedTime = [](float *milliseconds, void *begin, void *end) {
    *milliseconds = float(
        (*static_cast<double *>(end) - *static_cast<double *>(begin)) / 1000);
    return 0;
  };
  api.deviceGetAttribute = [](int *value, int attribute, int) {
    *value = attribute == cuda::attributeL2Bytes ? 1000 : 0;
    return 0;
  };
  api.memAlloc = [](cuda::DevicePointer *address, size_t) {
    *address = 4096;
    return 0;
  };
  api.memFree = [](cuda::DevicePointer) { return 0; };
  api.memcpyDtoDAsync = [](cuda::DevicePointer to, cuda::DevicePointer from,
                           size_t, void *) {
    copies.push_back({from, to});
    return 0;
  };
  api.launchKernelEx = [](const cuda::LaunchConfig *, void *, void **,
                          void **) {
    now += 10;
    return 0;
  };
  api.memsetD8Async = [](cuda::DevicePointer, unsigned char, size_t, void *) {
    now += 50;
    ++fills;
    return 0;
  };
  return Error::success();
}

namespace {
class ContestTest : public testing::Test {
protected:
  void SetUp() override {
    session.context = cantFail(cuda::Context::create(0, loadClock));
    fills = 0;
  }

  /// Work that takes each of `times` in turn.
  static Work takes(std::vector<double> times) {
    return [times, next = size_t(0)]() mutable {
      now += times[next++ % times.size()];
      return Error::success();
    };
  }

  Session session;
};
} // namespace

TEST_F(ContestTest, ARowForEachImplementation) {
  Contest contest;
  contest.cell = {"softmax", "bf16", 256, 8, "launch"};
  contest.bytes = 1000000;
  Effort effort{/*samples=*/30, /*budgetSeconds=*/0, /*warmups=*/3};
  std::vector<Row> rows =
      cantFail(hold(session, contest,
                    {{"ours", "softmax_a", takes({10, 12, 11})},
                     {"copy", "slow", takes({9})},
                     {"copy", "fast", takes({8})},
                     {"copy", "slower", takes({10})},
                     {"read", "read_4", takes({5})}},
                    effort));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].impl, "ours");
  EXPECT_NEAR(rows[0].time.median, 11, 1e-4);
  EXPECT_NEAR(rows[0].time.low, 10, 1e-4);
  EXPECT_NEAR(rows[0].time.high, 12, 1e-4);
  EXPECT_NEAR(rows[0].terabytesPerSecond, 1 / 11.0, 1e-5);
  EXPECT_EQ(rows[0].more.getString("kernel"), "softmax_a");
  EXPECT_EQ(rows[0].more.getInteger("samples"), 30);
  EXPECT_NEAR(rows[0].more.getNumber("of_copy").value_or(0), 8 / 11.0, 1e-5);
  EXPECT_NEAR(rows[0].more.getNumber("of_read").value_or(0), 5 / 11.0, 1e-5);
  EXPECT_EQ(rows[1].impl, "copy");
  EXPECT_EQ(rows[1].more.getString("kernel"), "fast");
  EXPECT_NEAR(rows[1].time.median, 8, 1e-4);
  EXPECT_EQ(rows[2].impl, "read");
  // Before each of the five, in 33 rounds.
  EXPECT_EQ(fills, 5 * 33);
}

TEST_F(ContestTest, WarmUpsDoNotCount) {
  std::vector<double> times(33, 10.0);
  times[0] = times[1] = times[2] = 1000;
  Effort effort{/*samples=*/30, /*budgetSeconds=*/0, /*warmups=*/3};
  std::vector<Row> rows =
      cantFail(hold(session, Contest(), {{"ours", "a", takes(times)}}, effort));
  EXPECT_NEAR(rows[0].time.high, 10, 1e-4);
}

TEST_F(ContestTest, ReplaysAreDividedByTheirLaunches) {
  Contest contest;
  contest.bytes = 1000000;
  contest.launches = 50;
  contest.emptiesCache = false;
  Effort effort{/*samples=*/6, /*budgetSeconds=*/0, /*warmups=*/1};
  std::vector<Row> rows =
      cantFail(hold(session, contest, {{"ours", "a", takes({500})}}, effort));
  EXPECT_NEAR(rows[0].time.median, 10, 1e-4);
  EXPECT_NEAR(rows[0].terabytesPerSecond, 0.1, 1e-6);
  EXPECT_EQ(rows[0].more.getInteger("launches"), 50);
  EXPECT_EQ(fills, 0);
}

TEST_F(ContestTest, AnErrorEndsIt) {
  Expected<std::vector<Row>> rows =
      hold(session, Contest(),
           {{"ours", "a", [] { return createStringError("no launch"); }}}, {});
  ASSERT_FALSE(bool(rows));
  EXPECT_EQ(toString(rows.takeError()), "no launch");
}

TEST_F(ContestTest, YardsticksRotateOverPlaces) {
  auto yardstick = cantFail(Yardstick::create(session));
  constexpr int64_t bytes = 1 << 20; // of which a copy reads half
  std::vector<std::pair<uint64_t, uint64_t>> places;
  for (int64_t number = 0; number < 3; ++number) {
    std::vector<Candidate> best = cantFail(yardstick->bestCandidates(
        session, bytes, /*isRead=*/false, {number, /*count=*/3}));
    EXPECT_EQ(best.size(), 3u);
    EXPECT_EQ(best.front().name, "cuMemcpyDtoDAsync");
    cantFail(best.front().work());
    places.push_back(copies.back());
  }
  for (int64_t number : {1, 2}) {
    EXPECT_EQ(places[number].first - places[0].first,
              uint64_t(number * bytes / 2));
    EXPECT_EQ(places[number].second - places[0].second,
              uint64_t(number * bytes / 2));
  }
  EXPECT_EQ(cantFail(yardstick->bestCandidates(session, bytes, /*isRead=*/true))
                .front()
                .name.substr(0, 5),
            "read_");
}

TEST(StopRule, GoesOnWhileIntervalsAreWide) {
  StopRule rule({/*samples=*/30, /*budgetSeconds=*/0.4, /*warmups=*/3});
  auto same = [](size_t count) { return Samples(count, 10.0); };
  Samples wide = same(30);
  for (size_t i = 0; i < 15; ++i)
    wide[i] = 11;
  EXPECT_FALSE(rule.isEnough({same(29)}, 0.1));
  EXPECT_TRUE(rule.isEnough({same(30)}, 0.1));
  EXPECT_FALSE(rule.isEnough({same(30), wide}, 0.1));
  EXPECT_TRUE(rule.isEnough({same(30), wide}, 0.4));
  // Widths are looked at now and then.
  EXPECT_FALSE(rule.isEnough({same(31)}, 0.1));
  EXPECT_TRUE(rule.isEnough({same(1000), wide}, 0.1));
  // Very slow cells end with fewer.
  EXPECT_FALSE(rule.isEnough({same(29)}, 3.9));
  EXPECT_TRUE(rule.isEnough({same(6)}, 4.1));
  EXPECT_FALSE(rule.isEnough({same(5)}, 4.1));
  // Without a budget there are as many as are asked for.
  EXPECT_FALSE(StopRule({30, 0, 3}).isEnough({same(29)}, 100));
}

TEST(Replay, PlacesTogetherAreFourTimesTheCache) {
  constexpr int64_t cache = 50 << 20;
  EXPECT_EQ(countPlaces(32 << 20, cache), 7);
  EXPECT_EQ(countPlaces(4 * cache, cache), 2);
  EXPECT_EQ(countPlaces(cache, 0), 2);
  EXPECT_EQ(countLaunches(2), 50);
  EXPECT_EQ(countLaunches(7), 56);
}
