//===- include/quack/Target/SerializeTarget.h - modules to PTX --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes a gpu.module with a #quack_tv.target PTX.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TARGET_SERIALIZETARGET_H
#define QUACK_TARGET_SERIALIZETARGET_H

#include "quack/Dialect/QuackTV/QuackTV.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace quack {

/// Returns the PTX text of `module`, which is in the LLVM and NVVM dialects. Errors are
/// diagnostics at the module.
mlir::FailureOr<std::string> compileToPTX(mlir::gpu::GPUModuleOp module,
                                          tv::TargetAttr target);

/// Lets `gpu-module-to-binary` compile such modules.
void registerSerialization(mlir::DialectRegistry &registry);

} // namespace quack

#endif // QUACK_TARGET_SERIALIZETARGET_H
