//===- lib/Runtime/Nvml.cpp - what a GPU runs at ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points and numbers are those of NVML's ABI (NVML API Reference
// Guide).
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/Nvml.h"

#include <dlfcn.h>
#include <utility>

using namespace llvm;
using namespace quack;

/// nvmlClockType_t, and nvmlTemperatureSensors_t.
enum : int { clockSM = 1, clockMemory = 2, sensorGPU = 0 };

template <typename... Parameters>
std::optional<int> Nvml::call(const char *name,
                              Parameters... parameters) const {
  using Call = int (*)(Parameters...);
  auto entry = reinterpret_cast<Call>(dlsym(library, name));
  if (!entry)
    return std::nullopt;
  return entry(parameters...);
}

std::optional<Nvml> Nvml::open(StringRef busId) {
  Nvml nvml;
  nvml.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!nvml.library)
    return std::nullopt;
  if (nvml.call("nvmlInit_v2") != 0) {
    dlclose(std::exchange(nvml.library, nullptr));
    return std::nullopt;
  }
  std::string id = busId.str();
  if (nvml.call("nvmlDeviceGetHandleByPciBusId_v2", id.c_str(), &nvml.device) !=
      0)
    return std::nullopt;
  return nvml;
}

Nvml::Nvml(Nvml &&other) noexcept
    : library(std::exchange(other.library, nullptr)), device(other.device) {}

Nvml::~Nvml() {
  if (!library)
    return;
  call("nvmlShutdown");
  dlclose(library);
}

std::string Nvml::driverVersion() const {
  char text[96] = ""; // NVML asks for 80
  if (call("nvmlSystemGetDriverVersion", &text[0], unsigned(sizeof(text))) != 0)
    return "";
  return text;
}

GpuState Nvml::state() const {
  auto get = [&](const char *name, auto... which) -> std::optional<unsigned> {
    unsigned value = 0;
    if (call(name, device, which..., &value) != 0)
      return std::nullopt;
    return value;
  };
  GpuState state;
  state.smMHz = get("nvmlDeviceGetClockInfo", int(clockSM));
  state.memoryMHz = get("nvmlDeviceGetClockInfo", int(clockMemory));
  state.mostSmMHz = get("nvmlDeviceGetMaxClockInfo", int(clockSM));
  state.mostMemoryMHz = get("nvmlDeviceGetMaxClockInfo", int(clockMemory));
  state.celsius = get("nvmlDeviceGetTemperature", int(sensorGPU));
  state.powerLimitWatts = get("nvmlDeviceGetEnforcedPowerLimit");
  if (state.powerLimitWatts)
    *state.powerLimitWatts /= 1000;
  return state;
}
