//===- SimulatedCuda/EntryPoints.cpp - cuGetProcAddress ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPoints.h"
#include "State.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace quack;
using namespace quack::simcuda;

/// Versions in which functions came that are younger than CUDA 12.0.
static int versionOf(StringRef name) {
  return name == "cuFuncLoad" ? 12040 : 12000;
}

/// Returns the function that CUDA 12 has by this name; null if there is none.
static void *lookup(StringRef wanted) {
  struct Entry {
    StringLiteral name;
    void *address;
  };
#define SIMULATED_CUDA_ENTRY(name, symbol, parameters)                         \
  {#name, reinterpret_cast<void *>(simcuda::symbol)},
  static const Entry entries[] = {SIMULATED_CUDA_CALLS(SIMULATED_CUDA_ENTRY)};
#undef SIMULATED_CUDA_ENTRY
  for (const Entry &entry : entries)
    if (entry.name == wanted)
      return entry.address;
  return nullptr;
}

int simcuda::cuGetProcAddress_v2(const char *name, void **entry, int version,
                                 uint64_t, int *status) {
  return call("cuGetProcAddress", needsNothing, [&](Call &call) -> Result {
    // CUdriverProcAddressQueryResult.
    enum { found = 0, symbolNotFound = 1, versionNotSufficient = 2 };
    call.text = formatv(" name={0} version={1}", name, version);
    int has = call.state.settings.version;
    void *function = lookup(name);
    bool isKnown = version <= has && versionOf(name) <= version;
    *entry = isKnown ? function : nullptr;
    if (status)
      *status = !function ? symbolNotFound
                : isKnown ? found
                          : versionNotSufficient;
    return *entry ? success : notFound;
  });
}
