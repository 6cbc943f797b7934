//===- include/quack/Host/DescribeKernels.h - for launchers -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tile programs say to those who launch them.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_HOST_DESCRIBEKERNELS_H
#define QUACK_HOST_DESCRIBEKERNELS_H

#include "quack/Dialect/QuackTV/QuackTV.h"
#include "quack/Target/KernelMetadata.h"

#include "mlir/IR/BuiltinOps.h"

namespace quack {

/// Returns what a launcher must know of `kernel`, whose barriers are placed.
KernelMetadata describeKernel(tv::KernelOp kernel);

/// The PTX ISA version, times ten, that drivers since CUDA 12.3 take.
inline constexpr int64_t usualPTXVersion = 83;

/// Returns the same of all tile programs of `module`, to be compiled for `chip` and a
/// PTX ISA version, times ten. For `ptxVersion` 0 that is the usual one, but 86 where tiles
/// overlap.
ModuleMetadata describeModule(mlir::ModuleOp module, llvm::StringRef chip,
                              int64_t ptxVersion);

} // namespace quack

#endif // QUACK_HOST_DESCRIBEKERNELS_H
