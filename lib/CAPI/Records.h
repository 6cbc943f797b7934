//===- lib/CAPI/Records.h - what C sees -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects behind the C API's types that several of its parts make.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_CAPI_RECORDS_H
#define QUACK_LIB_CAPI_RECORDS_H

#include "quack-c/Compiler.h"
#include "quack/Target/KernelMetadata.h"

#include <deque>

/// What was said.
struct QuackDiagnostics {
  std::vector<QuackDiagnostic> entries;
  std::deque<std::string> texts; ///< what `entries` point to, which stays in place

  const char *keep(std::string text) {
    return texts.emplace_back(std::move(text)).c_str();
  }
  void add(QuackSeverity severity, std::string message) {
    entries.push_back({severity, keep(std::move(message)), "", 0, 0});
  }
};

namespace quack::c {

/// Sets `*diagnostics`, if that is asked for, to an error; returns 1, a failure.
inline int fail(QuackDiagnostics **diagnostics, std::string message) {
  if (diagnostics) {
    *diagnostics = new QuackDiagnostics;
    (*diagnostics)->add(QUACK_ERROR, std::move(message));
  }
  return 1;
}
inline int fail(QuackDiagnostics **diagnostics, llvm::Error error) {
  return fail(diagnostics, toString(std::move(error)));
}
inline int succeed(QuackDiagnostics **diagnostics) {
  if (diagnostics)
    *diagnostics = nullptr;
  return 0;
}

/// What C sees of a kernel's metadata, which it points into.
struct KernelRecord : QuackKernelInfo {
  explicit KernelRecord(const quack::KernelMetadata &kernel);
  std::vector<QuackOperandInfo> operands;
};

} // namespace quack::c

/// PTX and metadata, and what C sees of it.
struct QuackCompiled {
  std::string ptx, json;
  quack::ModuleMetadata metadata;
  std::deque<quack::c::KernelRecord> kernels; ///< at addresses that stay
};

#endif // QUACK_LIB_CAPI_RECORDS_H
