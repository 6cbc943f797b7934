//===- lib/Raise/Profit.h - whether fusing gains ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that does more reads and writes less, but holds more: of too many rows at
// once, it spills, starves for CTAs, or reads them again. The planner's cost model says
// which of the two outweighs the other.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_RAISE_PROFIT_H
#define QUACK_LIB_RAISE_PROFIT_H

#include "KernelBuilder.h"

#include "quack/Plan/Planner.h"

namespace quack::raise {

/// A group that has become a kernel, or why it has not.
struct Attempt {
  Form form;
  std::unique_ptr<Group> group;
  std::unique_ptr<KernelBuilder> builder;
  Excluded excluded;
  KernelOp kernel;                ///< in the module, or null
  std::optional<CostedPlan> plan; ///< none of a generic kernel
  mlir::Operation *pinned = nullptr; ///< the first one that pins a field of its plan
  std::string whyNot;
};

/// Tries to make a kernel of an anchor's group without some operations.
using TryGroup =
    llvm::function_ref<Attempt(mlir::Operation *anchor, Form form, const Excluded &excluded)>;

/// What times are predicted for.
struct Setting {
  const Target &gpu;
  int64_t rows; ///< or 0: those of the group, or as many as the planner takes
};

/// Returns members without which the group of `fused` takes less time, together with what
/// is left out of it: a branch with a reduction becomes a kernel of its own, all else is
/// taken to run as fast as a copy.
Excluded findCheaper(const Setting &setting, const Attempt &fused, TryGroup tryGroup);

/// Says what a group that was raised spares: tensors that are no longer written and read
/// again, and time.
std::string describe(const Setting &setting, const Attempt &attempt);

} // namespace quack::raise

#endif // QUACK_LIB_RAISE_PROFIT_H
