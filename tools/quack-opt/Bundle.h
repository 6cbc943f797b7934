//===- tools/quack-opt/Bundle.h - kernels as C source -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TOOLS_QUACK_OPT_BUNDLE_H
#define QUACK_TOOLS_QUACK_OPT_BUNDLE_H

#include "DriverOptions.h"

namespace quack {

/// Writes the files of a bundle of `result` into `folder`; says on stderr if a
/// cubin was asked for and there is no ptxas.
llvm::Error emitBundle(CompiledModule result, const DriverOptions &options,
                       llvm::StringRef folder);

} // namespace quack

#endif // QUACK_TOOLS_QUACK_OPT_BUNDLE_H
