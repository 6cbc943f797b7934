//===- tools/quack-run/Runner.cpp - one run ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of things: the outputs of the first launch are verified, and those
// of the last timed launch must be the same bytes.
//
//===----------------------------------------------------------------------===//

#include "Runner.h"

#include "Bench.h"

#include "quack/Run/Compile.h"
#include "quack/Run/Verify.h"
#include "quack/Simulator/Driver.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace quack;

static Error describeDryRun(const CompiledJob &compiled,
                            const Operands &operands, raw_ostream &log) {
  log << formatv("{0:2}\n", compiled.document.toJSON());
  if (!operands.rows) {
    log << "launch: the number of rows is not given (--rows or --in)\n";
    return Error::success();
  }
  for (const KernelMetadata *stage :
       compiled.document.stagesOf(compiled.metadata.name)) {
    Expected<cuda::LaunchShape> shape = getLaunchShape(*stage, *operands.rows);
    if (!shape)
      return shape.takeError();
    log << "launch: " << describeLaunch(*stage, *shape)
        << (shape->grid == 0 ? " (nothing is launched)" : "") << "\n";
  }
  Traffic traffic = countTraffic(operands);
  log << "bytes: " << traffic.read << " read, " << traffic.written
      << " written\n";
  return Error::success();
}

/// Measures, and checks that the last timed launch gave what the first gave.
static Error measure(Session &session, const Job &job, const Launcher &launcher,
                     const Operands &operands, JobResult &result) {
  const cuda::Context &context = *session.context;
  bool isRepeatable = none_of(operands.list, [](const Operand &operand) {
    return operand.isRead() && operand.isWritten();
  });
  bool compares = job.verify && isRepeatable;
  uint64_t first = 0;
  if (compares) {
    Expected<uint64_t> hash = hashOutputs(context, operands, result.columns);
    if (!hash)
      return hash.takeError();
    first = *hash;
  }
  if (Error error = benchmark(session, job, launcher, operands, result))
    return error;
  if (!compares)
    return Error::success();
  Expected<uint64_t> last = hashOutputs(context, operands, result.columns);
  if (!last)
    return last.takeError();
  if (*last != first)
    result.verify =
        "bad, a timed launch gave other bytes than the first; the first: " +
        result.verify;
  return Error::success();
}

/// Returns what a launch may touch: the operands' rows without the gaps between
/// them and the guards around them, and the workspace.
static std::vector<sim::Region> operandRegions(const Operands &operands) {
  std::vector<sim::Region> regions;
  for (const Operand &operand : operands.list) {
    if (operand.isValue() || operand.spanBytes() == 0)
      continue;
    bool isDense = !operand.hasGaps();
    int64_t stride = operand.strideBytes();
    for (int64_t row = 0; row < (isDense ? 1 : operand.rows); ++row)
      regions.push_back(
          {operand.address + uint64_t(row * stride),
           uint64_t(isDense ? operand.spanBytes() : operand.rowBytes())});
  }
  if (operands.workspaceBytes)
    regions.push_back({operands.workspace, uint64_t(operands.workspaceBytes)});
  return regions;
}

/// The launch whose outputs count.
static Error launchFirst(const Launcher &launcher, const Operands &operands,
                         Session &session, JobResult &result,
                         raw_ostream &log) {
  std::vector<LaunchArgument> arguments = operands.arguments();
  if (!session.isSimulated)
    return launcher.launch(arguments, *operands.rows, operands.workspace);
  sim::setDriverRegions(operandRegions(operands));
  json::Array reports;
  auto keepReport = [&](const KernelMetadata &stage) {
    if (!stage.next.empty() || !reports.empty())
      log << "stage " << stage.name << "\n";
    log << sim::lastReport().str();
    reports.push_back(sim::lastReport().toJSON());
  };
  Error error = launcher.launch(arguments, *operands.rows, operands.workspace,
                                [&](const KernelMetadata &stage) {
                                  if (session.wantsReport)
                                    keepReport(stage);
                                });
  sim::setDriverRegions({});
  if (reports.size() == 1)
    result.simulation = std::move(reports.front());
  else if (!reports.empty())
    result.simulation = std::move(reports);
  return error;
}

/// Everything that takes a GPU.
static Error runOnDevice(const Job &job, CompiledJob &compiled,
                         Operands &operands, Session &session,
                         JobResult &result, raw_ostream &log) {
  const cuda::Context &context = *session.context;
  Expected<Launcher> launcher =
      Launcher::create(context, compiled.ptx, compiled.document,
                       compiled.document.kernels.front().name);
  if (!launcher)
    return launcher.takeError();
  result.registers = launcher->registersPerThread(compiled.metadata.name);
  result.localBytes = launcher->localBytesPerThread(compiled.metadata.name);
  log << "registers: " << result.registers << " a thread, " << result.localBytes
      << " bytes of local memory\n";
  if (Error error = placeOperands(session, operands))
    return error;
  if (Error error = placeWorkspace(session, compiled.metadata, operands))
    return error;
  if (Error error = launchFirst(*launcher, operands, session, result, log))
    return error;
  if (Error error = context.synchronize()) {
    Expected<cuda::LaunchShape> shape =
        getLaunchShape(compiled.metadata, *operands.rows);
    return createStringError(toString(std::move(error)) + "; " +
                             describeLaunch(compiled.metadata, *shape));
  }
  if (job.verify) {
    Expected<std::string> verdict =
        verifyOutputs(context, compiled.kernel(), operands,
                      boundSums(compiled, *operands.rows));
    if (!verdict)
      return verdict.takeError();
    result.verify = *verdict;
  }
  if (Error error = writeOutputs(context, job, operands))
    return error;
  if (job.bench)
    if (Error error = measure(session, job, *launcher, operands, result))
      return error;
  if (!result.verify.empty())
    log << "verify: " << result.verify << "\n";
  if (result.microseconds)
    log << "bench: " << describeTimes(result) << "\n";
  return Error::success();
}

/// Compiles the job's kernel, unless the last run did.
static Expected<std::shared_ptr<CompiledJob>>
compileOnce(const Job &job, mlir::MLIRContext &context, Session &session) {
  std::string from =
      formatv("{0}|{1}|{2}|{3}|{4}|{5}|{6}|{7}|{8}|{9}", job.file,
              job.kernelName, job.columns.value_or(0), job.storage, job.pin,
              job.target, job.chip, job.ptxVersion, job.groups, job.picks);
  if (session.compiled && session.compiledFrom == from)
    return session.compiled;
  Expected<CompiledJob> compiled = compileJob(job, context);
  if (!compiled)
    return compiled.takeError();
  session.compiled = std::make_shared<CompiledJob>(std::move(*compiled));
  session.compiledFrom = from;
  return session.compiled;
}

static Error run(const Job &job, mlir::MLIRContext &mlirContext,
                 Session &session, JobResult &result, raw_ostream &log) {
  Expected<std::shared_ptr<CompiledJob>> once =
      compileOnce(job, mlirContext, session);
  if (!once)
    return once.takeError();
  CompiledJob *compiled = once->get();
  result.compileMilliseconds = compiled->milliseconds;
  Expected<Operands> operands =
      loadOperands(job, compiled->document.kernels.front());
  if (!operands)
    return operands.takeError();
  if (Error error =
          chooseVariant(*compiled, operands->arguments(), operands->rows))
    return error;
  result.kernel = compiled->metadata.name;
  result.plan = compiled->metadata.plan;
  result.columns = compiled->metadata.columns;
  result.rows = operands->rows.value_or(0);
  if (job.dryRun)
    return describeDryRun(*compiled, *operands, log);
  if (!operands->rows)
    return createStringError(
        "the number of rows is not given (--rows or --in)");
  log << "kernel: " << result.kernel << ", " << result.rows << " rows of "
      << result.columns << " columns\nplan: " << result.plan << "\n";
  return runOnDevice(job, *compiled, *operands, session, result, log);
}

JobResult quack::runJob(const Job &job, mlir::MLIRContext &context,
                        Session &session, raw_ostream &log) {
  JobResult result;
  if (Error error = run(job, context, session, result, log))
    result.error = toString(std::move(error));
  return result;
}
