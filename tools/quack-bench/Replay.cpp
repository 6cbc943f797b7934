//===- tools/quack-bench/Replay.cpp - many launches as one ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph is captured from the stream: launch i of it works on place i modulo
// their number.
//
//===----------------------------------------------------------------------===//

#include "Replay.h"

#include "quack/Run/Verify.h"
#include "quack/Run/Yardstick.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace quack;
using namespace quack::bench;

int64_t quack::bench::countPlaces(int64_t bytes, int64_t cacheBytes) {
  return std::max<int64_t>(2, divideCeil(4 * cacheBytes, bytes));
}

int64_t quack::bench::countLaunches(int64_t places) {
  constexpr int64_t least = 50;
  return alignTo(least, places);
}

namespace {
/// The places' operands, and the graphs that work on them.
class Replays {
public:
  Replays(Session &session, const ReplaySetup &setup)
      : session(session), setup(setup), rows(*setup.operands.rows) {}

  Error place(int64_t count);
  /// Adds the kernel's graph, and those of copies and reads of as many bytes.
  Error addOurs();
  Error addYardsticks(int64_t bytes, bool isRead);
  /// Returns which place holds something else than the given operands; empty if
  /// none.
  Expected<std::string> findDifference() const;

  std::vector<Contender> contenders;

private:
  /// Captures `launchAt` for each launch of a graph, which keeps `memory` that it
  /// works on.
  Error addGraph(StringRef impl, StringRef name,
                 function_ref<Error(int64_t)> launchAt,
                 std::shared_ptr<const void> memory = nullptr);

  Session &session;
  const ReplaySetup &setup;
  int64_t rows;
  std::vector<Operands> places;
};
} // namespace

Error Replays::place(int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    Expected<Operands> operands =
        loadOperands(setup.job, setup.compiled.document.kernels.front());
    if (!operands)
      return operands.takeError();
    if (Error error = placeCopies(session, setup.operands, *operands))
      return error;
    if (Error error =
            placeWorkspace(session, setup.compiled.metadata, *operands))
      return error;
    places.push_back(std::move(*operands));
  }
  return Error::success();
}

Error Replays::addGraph(StringRef impl, StringRef name,
                        function_ref<Error(int64_t)> launchAt,
                        std::shared_ptr<const void> memory) {
  auto count = int64_t(places.size());
  Expected<cuda::Graph> graph = session.context->capture([&]() -> Error {
    for (int64_t i = 0; i < countLaunches(count); ++i)
      if (Error error = launchAt(i % count))
        return error;
    return Error::success();
  });
  if (!graph)
    return graph.takeError();
  auto shared = std::make_shared<cuda::Graph>(std::move(*graph));
  const cuda::Context *context = session.context.get();
  contenders.push_back({impl.str(), name.str(), [shared, context, memory] {
                          return context->replay(*shared);
                        }});
  return Error::success();
}

Error Replays::addOurs() {
  return addGraph("ours", setup.compiled.metadata.name, [&](int64_t place) {
    const Operands &operands = places[place];
    return setup.launcher.launch(operands.arguments(), rows,
                                 operands.workspace);
  });
}

Error Replays::addYardsticks(int64_t bytes, bool isRead) {
  // Replays take long; the third best of single launches is rarely the best
  // here.
  constexpr size_t most = 2;
  auto candidates = std::make_shared<std::vector<std::vector<Candidate>>>();
  auto &byPlace = *candidates;
  auto count = int64_t(places.size());
  for (int64_t i = 0; i < count; ++i) {
    Expected<std::vector<Candidate>> best =
        session.yardstick->bestCandidates(session, bytes, isRead, {i, count});
    if (!best)
      return best.takeError();
    byPlace.push_back(std::move(*best));
  }
  for (size_t i = 0; i < std::min(most, byPlace.front().size()); ++i)
    if (Error error =
            addGraph(isRead ? "read" : "copy", byPlace.front()[i].name,
                     [&](int64_t place) { return byPlace[place][i].work(); },
                     candidates))
      return error;
  return Error::success();
}

Expected<std::string> Replays::findDifference() const {
  const cuda::Context &context = *session.context;
  int64_t columns = setup.compiled.metadata.columns;
  Expected<uint64_t> expected =
      hashOutputs(context, setup.operands, columns, benchThoroughness);
  if (!expected)
    return expected.takeError();
  for (const auto &[i, operands] : enumerate(places)) {
    Expected<uint64_t> hash =
        hashOutputs(context, operands, columns, benchThoroughness);
    if (!hash)
      return hash.takeError();
    if (*hash != *expected)
      return "wrong result: a replayed launch on place " + std::to_string(i) +
             " gave other bytes than a single one";
  }
  return std::string();
}

Expected<std::vector<Row>> quack::bench::measureReplays(Session &session,
                                                 const ReplaySetup &setup,
                                                 const Cell &cell,
                                                 const Effort &effort) {
  Traffic traffic = countTraffic(setup.operands);
  Replays replays(session, setup);
  Contest contest{cell, traffic.bytes(), /*launches=*/1,
                  /*emptiesCache=*/false};
  int64_t places =
      countPlaces(contest.bytes, session.context->properties().l2Bytes);
  contest.launches = countLaunches(places);
  if (Error error = replays.place(places))
    return error;
  if (Error error = replays.addOurs())
    return error;
  if (Error error = replays.addYardsticks(contest.bytes, /*isRead=*/false))
    return error;
  if (traffic.hardlyWrites())
    if (Error error = replays.addYardsticks(contest.bytes, /*isRead=*/true))
      return error;
  Expected<std::vector<Row>> rows =
      hold(session, contest, replays.contenders, effort);
  if (!rows)
    return rows.takeError();
  rows->front().more["places"] = places;
  bool isRepeatable = none_of(setup.operands.list, [](const Operand &operand) {
    return operand.isRead() && operand.isWritten();
  });
  if (!isRepeatable)
    return rows;
  Expected<std::string> difference = replays.findDifference();
  if (!difference)
    return difference.takeError();
  rows->front().error = *difference;
  return rows;
}
