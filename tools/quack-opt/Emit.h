//===- tools/quack-opt/Emit.h - the --emit mode -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `quack-opt --emit=...`: the whole way to one of the stages.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACK_OPT_EMIT_H
#define QUACK_TOOLS_QUACK_OPT_EMIT_H

#include "mlir/IR/DialectRegistry.h"

namespace quack {

/// Returns whether the command line has an --emit option.
bool wantsEmit(int argc, char **argv);

/// Runs the --emit mode; returns the exit status.
int emitMain(int argc, char **argv, mlir::DialectRegistry &registry);

} // namespace quack

#endif // QUACK_TOOLS_QUACK_OPT_EMIT_H
