//===- tools/quack-bench/Machine.cpp - where it was measured ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dates are UTC, in the form of ISO 8601.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Process.h"

#include <ctime>

using namespace llvm;
using namespace quack;
using namespace quack::bench;

static std::string dateText() {
  int64_t seconds = std::time(nullptr);
  if (std::optional<std::string> given =
          sys::Process::GetEnv("SOURCE_DATE_EPOCH"))
    to_integer(*given, seconds, 10);
  std::time_t time = seconds;
  std::tm parts = {};
  char text[32] = "";
  if (gmtime_r(&time, &parts))
    std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

static json::Value orNull(std::optional<unsigned> number) {
  return number ? json::Value(int64_t(*number)) : json::Value(nullptr);
}

/// Returns "13.0" for 13000.
static std::string apiText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

json::Object quack::bench::describeRun(const cuda::DeviceProperties &device,
                                const std::optional<Nvml> &nvml,
                                bool isSimulated) {
  json::Object run{{"gpu", device.name},
                   {"simulated", isSimulated},
                   {"multiprocessors", device.multiprocessors},
                   {"l2_bytes", device.l2Bytes},
                   {"memory_bytes", device.memoryBytes},
                   {"cuda", apiText(device.driverVersion)},
                   {"driver", nullptr},
                   {"clocks", nullptr},
                   {"quack", QUACK_VERSION},
                   {"llvm", LLVM_VERSION_STRING},
                   {"date", dateText()}};
  if (!nvml)
    return run;
  GpuState state = nvml->state();
  run["driver"] = nvml->driverVersion();
  run["clocks"] =
      json::Object{{"sm_mhz", orNull(state.smMHz)},
                   {"memory_mhz", orNull(state.memoryMHz)},
                   {"most_sm_mhz", orNull(state.mostSmMHz)},
                   {"most_memory_mhz", orNull(state.mostMemoryMHz)}};
  run["power_limit_watts"] = orNull(state.powerLimitWatts);
  return run;
}

void quack::bench::addClocks(const std::optional<Nvml> &nvml, json::Object &row) {
  if (!nvml)
    return;
  GpuState state = nvml->state();
  row["sm_mhz"] = orNull(state.smMHz);
  row["memory_mhz"] = orNull(state.memoryMHz);
  row["celsius"] = orNull(state.celsius);
}
