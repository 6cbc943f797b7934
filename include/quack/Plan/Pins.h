//===- include/quack/Plan/Pins.h - what users fix of a plan -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads pins, brings those of an option and of a kernel together, and says
// which of them are at fault where no plan keeps them all.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_PLAN_PINS_H
#define QUACK_PLAN_PINS_H

#include "quack/Plan/Planner.h"

namespace quack {

/// Reads the fields of a pin option, as they stand in `#quack_tv.plan<...>`;
/// errors are diagnostics at `op`.
mlir::FailureOr<tv::PlanAttr> parsePins(llvm::StringRef text,
                                        mlir::Operation *op);

/// Returns the kernel's own pins under `pins`, after checking that they fit the
/// kernel's operands and each other.
mlir::FailureOr<tv::PlanAttr> collectPins(KernelOp kernel, tv::PlanAttr pins);

/// Returns `pins` for rows that start anywhere, which cannot go through shared
/// memory: such holds are chosen anew.
tv::PlanAttr pinsForAnyStart(tv::PlanAttr pins);

/// Says why no plan keeps all of `pins`: the rule that is broken, the fewest
/// pins that are at fault, and what may be pinned in the place of each.
void reportPins(KernelOp kernel, const KernelTraits &traits,
                const Target &target, tv::PlanAttr pins);

} // namespace quack

#endif // QUACK_PLAN_PINS_H
