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
#include "quack/JIT/Signature.h"
#include "quack/Pipelines/Diagnostics.h"
#include "quack/Target/KernelMetadata.h"

#include <deque>

/// What was said.
struct QuackDiagnostics {
  explicit QuackDiagnostics(std::vector<quack::SourceDiagnostic> list);

  std::vector<quack::SourceDiagnostic> said; ///< what `entries` point to
  std::vector<QuackDiagnostic> entries;
};

namespace quack::c {

/// Sets `*diagnostics`, if that is asked for, to an error; returns 1, a failure.
int fail(QuackDiagnostics **diagnostics, std::string message);
/// Does so with what an error says; all diagnostics if it is the compiler's.
int fail(QuackDiagnostics **diagnostics, llvm::Error error);
inline int succeed(QuackDiagnostics **diagnostics) {
  if (diagnostics)
    *diagnostics = nullptr;
  return 0;
}

/// What C sees of a kernel's metadata, which it points into.
struct KernelRecord : QuackKernelInfo {
  explicit KernelRecord(const quack::KernelMetadata &kernel);
  /// Says which operands of a program may be left out.
  void markOptional(const quack::jit::Signature &signature);
  std::vector<QuackOperandInfo> operands;
};

/// Returns what is known of a kernel that has no plan yet.
quack::KernelMetadata describe(const quack::jit::Signature &signature);

} // namespace quack::c

/// PTX and metadata, and what C sees of it.
struct QuackCompiled {
  std::string ptx, json;
  quack::ModuleMetadata metadata;
  std::deque<quack::c::KernelRecord> kernels; ///< at addresses that stay
};

namespace quack::c {
/// Returns compiled kernels, which the caller of the API owns.
QuackCompiled *makeCompiled(std::string ptx, quack::ModuleMetadata metadata);
} // namespace quack::c

#endif // QUACK_LIB_CAPI_RECORDS_H
