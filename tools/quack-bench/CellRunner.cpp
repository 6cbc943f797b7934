//===- tools/quack-bench/CellRunner.cpp - one cell --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The outputs of the last timed launch are verified: they were filled with
// sentinels before the first.
//
//===----------------------------------------------------------------------===//

#include "CellRunner.h"

#include "Replay.h"

#include "quack/Run/Verify.h"
#include "quack/Run/Yardstick.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace quack;
using namespace quack::bench;

/// What the library's kernels take for numbers that they need, where nobody
/// says.
static constexpr std::pair<StringLiteral, double> usualScalars[] = {
    {"eps", 1e-6}};

/// Adds to `job` the usual numbers of value operands that it says nothing of.
static void addScalars(const KernelMetadata &kernel, Job &job) {
  for (const OperandMetadata &operand : kernel.operands)
    for (const auto &[name, number] : usualScalars)
      if (operand.role == "value" && operand.name == name)
        job.scalars.try_emplace(operand.name, number);
}

namespace {
/// A cell's kernel, ready to be launched.
class CellRunner {
public:
  CellRunner(const CellJob &cell, Session &session, const Effort &effort)
      : cell(cell), job(cell.job), session(session), effort(effort) {}

  Error compile(mlir::MLIRContext &context);
  /// Loads the kernel and places its operands.
  Error prepare();
  Expected<std::vector<Row>> measureLaunches();
  Expected<std::vector<Row>> measureReplays();
  std::string describe();

private:
  /// Says of this project's row what there is to say of its kernel.
  Error addDetails(Row &ours);
  Error addContenders(std::vector<Contender> &contenders, bool isRead);
  /// Makes an error of a row whose outputs are wrong.
  Error verify(Row &ours);

  const CellJob &cell;
  Job job;
  Session &session;
  Effort effort;
  CompiledJob compiled;
  Operands operands;
  std::optional<Launcher> launcher;
};
} // namespace

Error CellRunner::compile(mlir::MLIRContext &context) {
  Expected<CompiledJob> result = compileJob(job, context);
  if (!result)
    return result.takeError();
  compiled = std::move(*result);
  addScalars(compiled.document.kernels.front(), job);
  Expected<Operands> loaded =
      loadOperands(job, compiled.document.kernels.front());
  if (!loaded)
    return loaded.takeError();
  operands = std::move(*loaded);
  return chooseVariant(compiled, operands.arguments(), operands.rows);
}

std::string CellRunner::describe() {
  Traffic traffic = countTraffic(operands);
  std::optional<double> predicted =
      predictMicroseconds(job, compiled, cell.cell.rows);
  std::string microseconds =
      predicted ? formatv("{0:F2} us", *predicted).str() : "unknown";
  return formatv("{0}: {1} bytes read, {2} written; predicted {3}; {4}",
                 cell.cell.str(), traffic.read, traffic.written, microseconds,
                 compiled.metadata.plan);
}

Error CellRunner::prepare() {
  Expected<Launcher> loaded =
      Launcher::create(*session.context, compiled.ptx, compiled.document,
                       compiled.document.kernels.front().name);
  if (!loaded)
    return loaded.takeError();
  launcher = std::move(*loaded);
  if (Error error = placeOperands(session, operands))
    return error;
  if (Error error = placeWorkspace(session, compiled.metadata, operands))
    return error;
  if (!session.yardstick) {
    Expected<std::shared_ptr<Yardstick>> yardstick = Yardstick::create(session);
    if (!yardstick)
      return yardstick.takeError();
    session.yardstick = *yardstick;
  }
  return Error::success();
}

Error CellRunner::addDetails(Row &ours) {
  const KernelMetadata &kernel = compiled.metadata;
  Expected<cuda::Occupancy> occupancy = launcher->occupancyOf(kernel.name);
  if (!occupancy)
    return occupancy.takeError();
  json::Object &more = ours.more;
  more["plan"] = kernel.plan;
  more["storage"] = job.storage;
  more["threads"] = kernel.threads;
  more["cluster"] = kernel.cluster;
  more["registers"] = launcher->registersPerThread(kernel.name);
  more["local_bytes"] = launcher->localBytesPerThread(kernel.name);
  more["shared_bytes"] = kernel.sharedBytes;
  more["ctas_per_sm"] = occupancy->ctasPerMultiprocessor;
  if (kernel.cluster > 1)
    more["clusters"] = occupancy->clusters;
  if (std::optional<double> predicted =
          predictMicroseconds(job, compiled, cell.cell.rows))
    more["predicted_us"] = *predicted;
  more["compile_ms"] = compiled.milliseconds;
  return Error::success();
}

Error CellRunner::addContenders(std::vector<Contender> &contenders,
                                bool isRead) {
  Expected<std::vector<Candidate>> best = session.yardstick->bestCandidates(
      session, countTraffic(operands).bytes(), isRead);
  if (!best)
    return best.takeError();
  for (const Candidate &candidate : *best)
    contenders.push_back(
        {isRead ? "read" : "copy", candidate.name, candidate.work});
  return Error::success();
}

Error CellRunner::verify(Row &ours) {
  Expected<std::string> verdict =
      verifyOutputs(*session.context, compiled.kernel(), operands,
                    boundSums(compiled, *operands.rows), benchThoroughness);
  if (!verdict)
    return verdict.takeError();
  ours.more["verify"] = *verdict;
  if (!StringRef(*verdict).starts_with("ok"))
    ours.error = "wrong result: " + *verdict;
  return Error::success();
}

Expected<std::vector<Row>> CellRunner::measureLaunches() {
  Traffic traffic = countTraffic(operands);
  std::vector<LaunchArgument> arguments = operands.arguments();
  std::vector<Contender> contenders = {
      {"ours", compiled.metadata.name, [&] {
         return launcher->launch(arguments, *operands.rows, operands.workspace);
       }}};
  if (Error error = addContenders(contenders, /*isRead=*/false))
    return error;
  if (traffic.hardlyWrites())
    if (Error error = addContenders(contenders, /*isRead=*/true))
      return error;
  Contest contest{cell.cell, traffic.bytes()};
  Expected<std::vector<Row>> rows = hold(session, contest, contenders, effort);
  if (!rows)
    return rows;
  if (Error error = addDetails(rows->front()))
    return error;
  if (Error error = verify(rows->front()))
    return error;
  return rows;
}

Expected<std::vector<Row>> CellRunner::measureReplays() {
  ReplaySetup setup{job, compiled, *launcher, operands};
  Expected<std::vector<Row>> rows =
      ::measureReplays(session, setup, cell.replayed(), effort);
  if (!rows)
    return rows;
  if (Error error = addDetails(rows->front()))
    return error;
  return rows;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

static Row failedRow(const Cell &cell, Error error) {
  Row row;
  row.cell = cell;
  row.impl = "ours";
  row.error = toString(std::move(error));
  return row;
}

/// Measures by one method; `rows` gets what there is to say.
static void measure(const Cell &cell,
                    function_ref<Expected<std::vector<Row>>()> method,
                    std::vector<Row> &rows) {
  Expected<std::vector<Row>> measured = method();
  if (measured)
    append_range(rows, std::move(*measured));
  else
    rows.push_back(failedRow(cell, measured.takeError()));
}

static std::vector<Row> runOnce(const CellJob &cell, mlir::MLIRContext &context,
                                Session &session, const Effort &effort) {
  CellRunner runner(cell, session, effort);
  Error error = runner.compile(context);
  if (!error)
    error = runner.prepare();
  std::vector<Row> rows;
  if (error) {
    rows.push_back(failedRow(cell.cell, std::move(error)));
    return rows;
  }
  measure(
      cell.cell, [&] { return runner.measureLaunches(); }, rows);
  // What single launches get wrong is nothing to compare replays with.
  if (cell.isReplayed() && rows.front().isGood())
    measure(
        cell.replayed(), [&] { return runner.measureReplays(); }, rows);
  return rows;
}

std::vector<Row> quack::bench::runCell(const CellJob &cell, mlir::MLIRContext &context,
                                Session &session, const Effort &effort) {
  std::vector<Row> rows = runOnce(cell, context, session, effort);
  // Memory may have gone to what earlier cells left behind.
  if (!StringRef(rows.back().error).contains("OUT_OF_MEMORY"))
    return rows;
  session.dropCaches();
  return runOnce(cell, context, session, effort);
}

Expected<std::string> quack::bench::describeCell(const CellJob &cell,
                                          mlir::MLIRContext &context) {
  Session none;
  CellRunner runner(cell, none, {});
  if (Error error = runner.compile(context))
    return error;
  return runner.describe();
}
