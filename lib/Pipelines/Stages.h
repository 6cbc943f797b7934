//===- Stages.h - what compilations and reports share -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running a part of the pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_PIPELINES_STAGES_H
#define QUACK_LIB_PIPELINES_STAGES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace quack {

/// Runs the passes that `add` adds.
llvm::LogicalResult
runPasses(mlir::ModuleOp module,
          llvm::function_ref<void(mlir::PassManager &)> add);

} // namespace quack

#endif // QUACK_LIB_PIPELINES_STAGES_H
