//===- tools/quack-run/Sweep.cpp - many runs --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each result is on disk before the next run starts: whatever ends the process,
// what was measured is kept.
//
//===----------------------------------------------------------------------===//

#include "Sweep.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace quack;

Error quack::appendResult(StringRef file, const json::Value &line) {
  if (file.empty())
    return Error::success();
  std::error_code code;
  raw_fd_ostream os(file, code, sys::fs::OF_Append);
  if (code)
    return createStringError("'" + file + "': " + code.message());
  os << formatv("{0}\n", line);
  return Error::success();
}

/// Returns one line for people.
static std::string summary(const Job &job, const JobResult &result) {
  std::string text = formatv(
      "{0} N={1} M={2} {3}{4}:",
      result.kernel.empty() ? job.file : result.kernel,
      result.columns ? result.columns : job.columns.value_or(0), result.rows,
      job.storage, job.pin.empty() ? "" : " [" + job.pin + "]");
  if (result.microseconds)
    text +=
        formatv(" {0:F2} us {1:F3} TB/s, share {2:F3}", *result.microseconds,
                *result.terabytesPerSecond, *result.share);
  if (!result.verify.empty())
    text += " verify " + (result.isGood() ? "ok" : result.verify);
  if (!result.error.empty())
    text += " error: " + result.error;
  return text;
}

/// Runs one line; what is wrong with the line itself is its result, too.
static JobResult runLine(StringRef text, Job &job, mlir::MLIRContext &context,
                         Session &session) {
  JobResult result;
  Expected<json::Value> value = json::parse(text);
  if (!value) {
    result.error = toString(value.takeError());
    return result;
  }
  Error error = readJob(*value, job);
  if (!error)
    error = checkJob(job, session.isSimulated, /*prefix=*/"");
  if (error) {
    result.error = toString(std::move(error));
    return result;
  }
  result = runJob(job, context, session, nulls());
  // Memory may have gone to what earlier lines left behind.
  if (!StringRef(result.error).contains("OUT_OF_MEMORY"))
    return result;
  session.dropCaches();
  return runJob(job, context, session, nulls());
}

int quack::runSweep(const CommandLine &line, mlir::MLIRContext &context,
                    Session &session) {
  auto file = MemoryBuffer::getFile(line.sweepFile, /*IsText=*/true);
  if (!file) {
    errs() << "quack-run: '" << line.sweepFile
           << "': " << file.getError().message() << "\n";
    return exitBad;
  }
  int code = exitGood;
  for (line_iterator it(**file, /*SkipBlanks=*/true, '#'); !it.is_at_eof();
       ++it) {
    Job job = line.job;
    JobResult result = runLine(*it, job, context, session);
    if (!result.isGood())
      code = exitBad;
    outs() << it.line_number() << ": " << summary(job, result) << "\n";
    outs().flush();
    if (Error error = appendResult(line.jsonFile, toJSON(job, result))) {
      errs() << "quack-run: " << toString(std::move(error)) << "\n";
      return exitBad;
    }
    if (session.context && session.context->isDead()) {
      errs() << "quack-run: the GPU was lost at line " << it.line_number()
             << "; the sweep stops\n";
      return exitLostDevice;
    }
  }
  return code;
}
