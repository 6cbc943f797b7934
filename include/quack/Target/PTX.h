//===- include/quack/Target/PTX.h - thread programs to PTX ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last stage: a gpu.module in the LLVM and NVVM dialects to LLVM IR, through
// the optimiser, to PTX text.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TARGET_PTX_H
#define QUACK_TARGET_PTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace quack {

/// A chip and PTX ISA version that code is emitted for.
class PTXTarget {
public:
  /// Checks that `chip` is sm_90 or sm_90a and that `version` (ISA version times
  /// ten) is one that has what kernels use; otherwise emits an error at `module`.
  static mlir::FailureOr<PTXTarget> create(mlir::Operation *module,
                                           llvm::StringRef chip,
                                           int64_t version);

  /// Translates to LLVM IR and optimises it (O3).
  std::unique_ptr<llvm::Module> translate(mlir::gpu::GPUModuleOp module,
                                          llvm::LLVMContext &context) const;
  /// Emits PTX text, or an error at `op`.
  mlir::FailureOr<std::string> emit(llvm::Module &module,
                                    mlir::Operation *op) const;

private:
  explicit PTXTarget(std::shared_ptr<llvm::TargetMachine> machine)
      : machine(std::move(machine)) {}
  std::shared_ptr<llvm::TargetMachine> machine;
};

} // namespace quack

#endif // QUACK_TARGET_PTX_H
