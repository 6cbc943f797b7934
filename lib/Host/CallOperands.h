//===- lib/Host/CallOperands.h - a call as its launches see it --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers, strides and M of a quack.call, and what lowers it with these.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_HOST_CALLOPERANDS_H
#define QUACK_LIB_HOST_CALLOPERANDS_H

#include "quack/Dialect/Quack/Quack.h"
#include "quack/Target/KernelMetadata.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace quack::host {

/// An operand of a call.
struct CallOperand {
  mlir::Value value;   ///< of role value: the scalar; else null
  mlir::Value address; ///< i64: where its first element lies
  mlir::Value stride;  ///< i64: elements from row to row, 0 where rows share it
  int64_t elementBytes = 0;
};

/// A call whose operands are taken apart.
struct CallOperands {
  mlir::Value rows; ///< M, i64
  llvm::SmallVector<CallOperand> operands; ///< in the kernel's order

  /// Takes `call` of a kernel with such `metadata` apart, before it, and asserts what its
  /// types leave open: that all have M rows, of the kernel's columns, which lie side by
  /// side.
  static mlir::FailureOr<CallOperands> create(mlir::ImplicitLocOpBuilder &b, CallOp call,
                                              const KernelMetadata &metadata);
};

/// Returns `value` as an i64 constant, or an index.
mlir::Value constant(mlir::ImplicitLocOpBuilder &b, int64_t value);
mlir::Value constantIndex(mlir::ImplicitLocOpBuilder &b, int64_t value);

/// Ends the program, at run time, where `condition` does not hold; adds nothing where it
/// is constant and does.
void assertThat(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
                const llvm::Twine &message);

/// Launches `call` by gpu.launch_func. Returns how many there are.
mlir::FailureOr<unsigned> lowerToLaunchFunc(CallOp call, const ModuleMetadata &metadata);

/// What calls of the launcher pass, beside their operands.
struct LauncherSymbols {
  mlir::FlatSymbolRefAttr launcher;
  mlir::FlatSymbolRefAttr state, ptx, metadata; ///< globals
};

/// Declares the launcher, and makes the globals for kernels with such `metadata`.
mlir::FailureOr<LauncherSymbols> addLauncher(mlir::ModuleOp module, llvm::StringRef launcher,
                                             const ModuleMetadata &metadata);

/// Launches `call` by a call of the launcher.
mlir::LogicalResult lowerToLaunchSymbol(CallOp call, const ModuleMetadata &metadata,
                                        const LauncherSymbols &symbols);

} // namespace quack::host

#endif // QUACK_LIB_HOST_CALLOPERANDS_H
