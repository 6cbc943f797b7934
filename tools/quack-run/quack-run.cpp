//===- tools/quack-run/quack-run.cpp - runs row programs --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a row program and runs it on arrays, on the GPU through the CUDA
// driver; verifies it against the evaluator and measures it against a copy.
//
//===----------------------------------------------------------------------===//

#include "Sweep.h"

#include "quack/InitAll.h"
#include "quack/Run/Compile.h"
#include "quack/Simulator/Driver.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;
using namespace quack;

static int runSingle(const CommandLine &line, mlir::MLIRContext &context,
                     Session &session) {
  JobResult result = runJob(line.job, context, session, outs());
  outs().flush();
  if (!result.error.empty())
    errs() << "quack-run: " << result.error << "\n";
  if (Error error = appendResult(line.jsonFile, toJSON(line.job, result))) {
    errs() << "quack-run: " << toString(std::move(error)) << "\n";
    return exitBad;
  }
  if (session.context && session.context->isDead())
    return exitLostDevice;
  return result.isGood() ? exitGood : exitBad;
}

/// Returns the GPU, or the simulator in its place.
static Expected<std::unique_ptr<cuda::Context>>
createDevice(const CommandLine &line) {
  if (line.device == "gpu")
    return cuda::Context::create();
  sim::Options options;
  options.countsTouched = line.report;
  Expected<std::vector<sim::Options>> runs =
      sim::parseSchedules(line.schedule, options);
  if (!runs)
    return createStringError("--schedule: " + toString(runs.takeError()));
  sim::setDriverOptions(std::move(*runs));
  return cuda::Context::create(/*ordinal=*/0, sim::loadDriver);
}

extern "C" int quackRunMain(int argc, char **argv) {
  Expected<CommandLine> line = parseCommandLine(argc, argv);
  if (!line) {
    errs() << "quack-run: " << toString(line.takeError()) << "\n";
    return exitBad;
  }
  // The session holds compiled kernels, which live in the context.
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  Session session;
  session.isSimulated = line->device == "sim";
  session.wantsReport = line->report;
  if (!line->job.dryRun) {
    Expected<std::unique_ptr<cuda::Context>> gpu = createDevice(*line);
    if (!gpu) {
      Error error = gpu.takeError();
      bool isMissing = error.isA<cuda::NoDeviceError>();
      errs() << "quack-run: " << toString(std::move(error))
             << (isMissing ? "; --device=sim runs on this machine's CPU" : "")
             << "\n";
      return isMissing ? exitNoDevice : exitBad;
    }
    session.context = std::move(*gpu);
    session.context->setWatchdog(line->watchdogSeconds);
  }
  int code = line->sweepFile.empty() ? runSingle(*line, *context, session)
                                     : runSweep(*line, *context, session);
  // Freeing what a lost GPU holds may block for ever.
  if (code == exitLostDevice) {
    outs().flush();
    std::_Exit(code);
  }
  return code;
}
