//===- include/quack/InitAll.h - registration -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one registration point of dialects, passes and pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_INITALL_H
#define QUACK_INITALL_H

#include "mlir/IR/DialectRegistry.h"

#include <memory>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace quack {

/// Adds the dialects that the compiler reads or makes, and the translations to
/// LLVM IR that they need.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the passes, the upstream passes that the pipeline uses, and the
/// pipelines.
void registerAllPasses();

/// Does both.
void registerAll(mlir::DialectRegistry &registry);

/// Returns a context with the dialects for one program. It has no threads of its own, and its
/// errors no dump of the operation: the place says enough.
std::unique_ptr<mlir::MLIRContext> makeContext();

} // namespace quack

#endif // QUACK_INITALL_H
