//===- lib/Run/Job.cpp - jobs and results as JSON ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a sweep. An unknown key is an error: a misspelt pin must not
// give a measurement of something else.
//
//===----------------------------------------------------------------------===//

#include "quack/Run/Job.h"

#include "quack/Support/Columns.h"

#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace quack;

bool JobResult::isGood() const {
  return error.empty() &&
         (verify.empty() || StringRef(verify).starts_with("ok"));
}

Error quack::readJob(const json::Value &line, Job &job) {
  static const StringSet<> known = {
      "kernel",   "kernel_name", "columns", "storage",     "pin",
      "target",   "chip",        "rows",    "ptx_version", "scalars",
      "groups",   "picks",       "seed",    "row_strides", "offsets",
      "in_place", "verify",      "bench",   "iterations"};
  json::Path::Root root("job");
  json::ObjectMapper mapper(line, root);
  bool isRead = mapper && mapper.mapOptional("kernel", job.file) &&
                mapper.mapOptional("kernel_name", job.kernelName) &&
                mapper.mapOptional("storage", job.storage) &&
                mapper.mapOptional("groups", job.groups) &&
                mapper.mapOptional("picks", job.picks) &&
                mapper.mapOptional("pin", job.pin) &&
                mapper.mapOptional("target", job.target) &&
                mapper.mapOptional("chip", job.chip) &&
                mapper.mapOptional("ptx_version", job.ptxVersion) &&
                mapper.mapOptional("scalars", job.scalars) &&
                mapper.mapOptional("row_strides", job.rowStrides) &&
                mapper.mapOptional("offsets", job.offsets) &&
                mapper.mapOptional("in_place", job.inPlace) &&
                mapper.mapOptional("seed", job.seed) &&
                mapper.mapOptional("verify", job.verify) &&
                mapper.mapOptional("bench", job.bench) &&
                mapper.mapOptional("iterations", job.iterations);
  if (!isRead)
    return root.getError();
  const json::Object &given = *line.getAsObject();
  for (auto [key, number] : {std::pair(StringLiteral("columns"), &job.columns),
                             std::pair(StringLiteral("rows"), &job.rows)})
    if (given.get(key) && !mapper.map(key, number->emplace()))
      return root.getError();
  for (const auto &entry : given)
    if (!known.contains(entry.first))
      return createStringError("unknown key '" + entry.first.str() + "'");
  if (job.file.empty())
    return createStringError("names no kernel file");
  return Error::success();
}

Error quack::checkJob(const Job &job, bool isSimulated, StringRef prefix) {
  if (job.columns)
    if (std::string wrong = violatedColumns(*job.columns); !wrong.empty())
      return createStringError(prefix + "columns " + wrong);
  if (job.rows && *job.rows < 0)
    return createStringError(prefix + "rows must not be negative, got " +
                             Twine(*job.rows));
  if (job.iterations < 1)
    return createStringError(prefix + "iterations must be at least 1, got " +
                             Twine(job.iterations));
  if (job.bench && isSimulated)
    return createStringError(
        prefix + "bench needs a GPU: the simulator's time says nothing");
  return Error::success();
}

json::Value quack::toJSON(const Job &job, const JobResult &result) {
  json::Object line{
      {"kernel", result.kernel.empty() ? job.file : result.kernel},
      {"columns", result.columns ? result.columns : job.columns.value_or(0)},
      {"storage", job.storage},
      {"pin", job.pin},
      {"rows", result.rows},
      {"plan", result.plan}};
  auto add = [&](StringLiteral key, const std::optional<double> &value) {
    if (value)
      line[key] = *value;
  };
  if (result.registers >= 0) {
    line["registers"] = result.registers;
    line["local_bytes"] = result.localBytes;
  }
  add("compile_ms", result.compileMilliseconds);
  add("us", result.microseconds);
  add("tbs", result.terabytesPerSecond);
  add("copy_us", result.yardstickMicroseconds);
  add("copy_tbs", result.yardstickTerabytesPerSecond);
  if (job.groups)
    line["groups"] = job.groups;
  if (job.picks)
    line["picks"] = job.picks;
  if (!result.yardstick.empty())
    line["copy"] = result.yardstick;
  add("share", result.share);
  if (!result.verify.empty())
    line["verify"] = result.verify;
  if (result.simulation)
    line["simulation"] = *result.simulation;
  if (!result.error.empty())
    line["error"] = result.error;
  return line;
}
