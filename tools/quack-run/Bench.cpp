//===- tools/quack-run/Bench.cpp - how fast ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One loop times the kernel and the best copies in turns, so that clocks,
// temperature and neighbours are the same for all.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include "quack/Run/Yardstick.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace llvm;
using namespace quack;

Error quack::benchmark(Session &session, const Job &job,
                       const Launcher &launcher, const Operands &operands,
                       JobResult &result) {
  int64_t rows = operands.rows.value_or(0);
  Traffic traffic = countTraffic(operands);
  if (rows == 0)
    return createStringError("there is nothing to measure for 0 rows");
  if (!session.yardstick) {
    Expected<std::shared_ptr<Yardstick>> yardstick = Yardstick::create(session);
    if (!yardstick)
      return yardstick.takeError();
    session.yardstick = *yardstick;
  }
  int64_t bytes = traffic.bytes();
  Expected<std::vector<Candidate>> candidates =
      session.yardstick->bestCandidates(session, bytes, traffic.hardlyWrites());
  if (!candidates)
    return candidates.takeError();
  std::vector<LaunchArgument> arguments = operands.arguments();
  std::vector<Work> works = {
      [&] { return launcher.launch(arguments, rows, operands.workspace); }};
  for (const Candidate &candidate : *candidates)
    works.push_back(candidate.work);
  Expected<std::vector<double>> times =
      timeInterleaved(session, works, job.warmups, job.iterations);
  if (!times)
    return times.takeError();
  auto fastest = std::min_element(times->begin() + 1, times->end());
  result.microseconds = times->front();
  result.yardstickMicroseconds = *fastest;
  result.terabytesPerSecond = bytes / times->front() * 1e-6;
  result.yardstickTerabytesPerSecond = bytes / *fastest * 1e-6;
  result.yardstick = (*candidates)[fastest - times->begin() - 1].name;
  result.share = *fastest / times->front();
  return Error::success();
}

std::string quack::describeTimes(const JobResult &result) {
  return formatv(
      "{0:F2} us, {1:F3} TB/s; {2} of as many bytes {3:F2} us, {4:F3} "
      "TB/s; share {5:F3}",
      *result.microseconds, *result.terabytesPerSecond, result.yardstick,
      *result.yardstickMicroseconds, *result.yardstickTerabytesPerSecond,
      *result.share);
}
