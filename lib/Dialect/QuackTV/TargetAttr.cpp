//===- lib/Dialect/QuackTV/TargetAttr.cpp - chips and PTX -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of #quack_tv.target. How it serializes is in lib/Target.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/QuackTV/QuackTV.h"

using namespace mlir;
using namespace quack;

/// PTX ISA versions of LLVM 22 that have bulk copies (8.0 and later).
static constexpr int64_t ptxVersions[] = {80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

LogicalResult tv::TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                     StringRef chip, int64_t ptx) {
  // C1
  if (chip != "sm_90" && chip != "sm_90a")
    return emitError() << "unknown chip '" << chip << "', expected sm_90 or sm_90a";
  // C2
  if (!llvm::is_contained(ptxVersions, ptx))
    return emitError() << "unknown or too old PTX version " << ptx
                       << ", expected 80, 81, 82, 83, 84, 85, 86, 87, 88 or 90 (PTX ISA "
                          "8.0 is the first with bulk copies)";
  return success();
}
