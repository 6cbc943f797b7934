//===- lib/Raise/PinnedPlan.h - pins from before the kernel -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a program pins the plan of a kernel that it will be raised to.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_RAISE_PINNEDPLAN_H
#define QUACK_LIB_RAISE_PINNEDPLAN_H

#include "Group.h"

#include "quack/Dialect/Quack/Quack.h"

namespace quack::raise {

/// Gives `kernel` the plan fields that operations of its group pin, by the attribute
/// `quack.pin`. Returns the first such operation, or null if none pins anything; what they
/// pin and cannot be read, or contradicts itself, is an error at the operation.
mlir::FailureOr<mlir::Operation *> pinPlan(const Group &group, KernelOp kernel);

} // namespace quack::raise

#endif // QUACK_LIB_RAISE_PINNEDPLAN_H
