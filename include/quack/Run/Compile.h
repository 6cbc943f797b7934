//===- include/quack/Run/Compile.h - a kernel, both ways --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a job's kernel to PTX and keeps the row program, specialised the
// same way, for the evaluator.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUN_COMPILE_H
#define QUACK_RUN_COMPILE_H

#include "quack/Dialect/Quack/Quack.h"
#include "quack/Run/Job.h"
#include "quack/Runtime/LaunchRules.h"
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

/// Takes the variant of `compiled` that a launcher would take for `arguments` and
/// `rows`; without rows, that for many.
llvm::Error chooseVariant(CompiledJob &compiled,
                          llvm::ArrayRef<LaunchArgument> arguments,
                          std::optional<int64_t> rows);

/// Returns the microseconds that the cost model of `job`'s target gives a launch of the
/// chosen variant for `rows` rows, as --emit=report does; nothing where the model knows
/// no such plan.
std::optional<double> predictMicroseconds(const Job &job, CompiledJob &compiled,
                                          int64_t rows);

/// Compiles the kernel of `job`. An error holds the compiler's diagnostics,
/// each with its place in the file.
llvm::Expected<CompiledJob> compileJob(const Job &job,
                                       mlir::MLIRContext &context);

} // namespace quack

#endif // QUACK_RUN_COMPILE_H
