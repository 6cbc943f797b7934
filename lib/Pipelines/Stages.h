//===- Stages.h - what compilations and reports share -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running a part of the pipeline, and what its tile programs say to a launcher.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_PIPELINES_STAGES_H
#define QUACK_LIB_PIPELINES_STAGES_H

#include "quack/Dialect/QuackTV/QuackTV.h"
#include "quack/Target/KernelMetadata.h"

#include "mlir/Pass/PassManager.h"

namespace quack {

/// Runs the passes that `add` adds.
llvm::LogicalResult
runPasses(mlir::ModuleOp module,
          llvm::function_ref<void(mlir::PassManager &)> add);

/// Returns what a launcher must know of `kernel`, whose barriers are placed.
KernelMetadata describeKernel(tv::KernelOp kernel);

} // namespace quack

#endif // QUACK_LIB_PIPELINES_STAGES_H
