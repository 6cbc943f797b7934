//===- tools/quack-run/Compile.h - a kernel, both ways ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a job's kernel to PTX and keeps the row program, specialised the
// same way, for the evaluator.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACKRUN_COMPILE_H
#define QUACK_TOOLS_QUACKRUN_COMPILE_H

#include "Job.h"

#include "quack/Dialect/Quack/Quack.h"
#include "quack/Target/KernelMetadata.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace quack {

/// A compiled kernel with the row program that it must agree with.
struct CompiledJob {
  std::string ptx;
  ModuleMetadata document; ///< of the kernel, which comes first, and its variants
  KernelMetadata metadata; ///< of the one that is launched
  mlir::OwningOpRef<mlir::ModuleOp> reference;
  double milliseconds = 0; ///< from the parsed row program to PTX

  /// Returns the row program, specialised; the only one, whichever of its variants runs.
  KernelOp kernel();
};

/// Compiles the kernel of `job`. An error holds the compiler's diagnostics,
/// each with its place in the file.
llvm::Expected<CompiledJob> compileJob(const Job &job,
                                       mlir::MLIRContext &context);

} // namespace quack

#endif // QUACK_TOOLS_QUACKRUN_COMPILE_H
