//===- include/quack/Dialect/Quack/Bufferize.h ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How calls of kernels take part in upstream's one-shot bufferization.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_DIALECT_QUACK_BUFFERIZE_H
#define QUACK_DIALECT_QUACK_BUFFERIZE_H

#include "mlir/IR/DialectRegistry.h"

namespace quack {

/// Lets `quack.call` bufferize: results lie where its inits do.
void registerBufferization(mlir::DialectRegistry &registry);

} // namespace quack

#endif // QUACK_DIALECT_QUACK_BUFFERIZE_H
