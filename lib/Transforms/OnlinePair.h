//===- lib/Transforms/OnlinePair.h ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The online (max, sum of exp) pair, used by quack-tv-fuse-reductions.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_TRANSFORMS_ONLINEPAIR_H
#define QUACK_LIB_TRANSFORMS_ONLINEPAIR_H

#include "mlir/IR/Operation.h"

namespace quack {

/// Merges one (max v, sum of exp(v - max v)) pair of `block`, if there is one
/// whose maximum and sum take the same steps above the thread.
bool fuseOnlinePair(mlir::Block &block);

} // namespace quack

#endif // QUACK_LIB_TRANSFORMS_ONLINEPAIR_H
