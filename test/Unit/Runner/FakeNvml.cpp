//===- test/Unit/Runner/FakeNvml.cpp - clocks for tests ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libnvidia-ml.so.1 for the one GPU of FakeCuda.cpp.
//
//===----------------------------------------------------------------------===//

#include <cstring>

static int device = 0;

extern "C" int nvmlInit_v2() { return 0; }
extern "C" int nvmlShutdown() { return 0; }
extern "C" int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **found) {
  *found = &device;
  return std::strcmp(id, "0000:01:00.0") == 0 ? 0 : 6;
}
extern "C" int nvmlSystemGetDriverVersion(char *text, unsigned) {
  std::strcpy(text, "580.1");
  return 0;
}
/// Clock 1 is the SMs', 2 the memory's.
extern "C" int nvmlDeviceGetClockInfo(void *of, int clock, unsigned *mhz) {
  *mhz = clock == 1 ? 1500 : 3200;
  return of == &device ? 0 : 2;
}
extern "C" int nvmlDeviceGetMaxClockInfo(void *, int clock, unsigned *mhz) {
  *mhz = clock == 1 ? 1980 : 3201;
  return 0;
}
// No temperature: a function that is missing is no error.
extern "C" int nvmlDeviceGetEnforcedPowerLimit(void *, unsigned *milliwatts) {
  *milliwatts = 700000;
  return 0;
}
