//===- lib/Raise/Outline.h - a call in the place of a group -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one part of raising that changes the function.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_RAISE_OUTLINE_H
#define QUACK_LIB_RAISE_OUTLINE_H

#include "KernelBuilder.h"

namespace quack::raise {

/// Returns whether the extents of all results are known where the call will stand.
bool canOutline(const Group &group, const KernelBuilder &builder);

/// Erases operations that nothing needs any more, and then those that they needed.
/// `onErase` hears of each operation before it is gone.
void eraseDead(llvm::ArrayRef<mlir::Operation *> candidates,
               llvm::function_ref<void(mlir::Operation *)> onErase);

/// Puts a call of `kernel` in the place of the group. `onErase` hears of each operation
/// before it is gone.
void outline(const Group &group, const KernelBuilder &builder, KernelOp kernel,
             llvm::function_ref<void(mlir::Operation *)> onErase);

} // namespace quack::raise

#endif // QUACK_LIB_RAISE_OUTLINE_H
