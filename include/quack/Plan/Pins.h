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

#include "llvm/ADT/StringMap.h"

namespace quack {

/// What an option pins: of all kernels, and of some by name.
struct Pins {
  tv::PlanAttr forAll;
  llvm::StringMap<tv::PlanAttr> byName;

  /// Returns the fields for `kernel`, where its name is worth more than none.
  mlir::FailureOr<tv::PlanAttr> of(KernelOp kernel) const;
};

/// Reads a pin option: parts that are divided by `;`, each of which has plan fields, for one
/// kernel if its name stands before them.
///
///   threads = 256                            of all kernels
///   threads = 256; @main_0: cluster = 8      of all; of @main_0 the cluster, too
///
/// Errors are diagnostics at `module`; a name that none of its kernels has is one.
mlir::FailureOr<Pins> parsePins(llvm::StringRef text, mlir::ModuleOp module);

/// Reads plan fields, as they stand in `#quack_tv.plan<...>`; errors are diagnostics at
/// `op`.
mlir::FailureOr<tv::PlanAttr> parsePinFields(llvm::StringRef text, mlir::Operation *op);

/// Returns a plan without fields.
tv::PlanAttr noPins(mlir::MLIRContext *context);

/// Returns `over` where it has a field, else `under`; an error at `kernel` if these
/// contradict each other.
mlir::FailureOr<tv::PlanAttr> mergePins(KernelOp kernel, tv::PlanAttr under,
                                        tv::PlanAttr over);

/// Returns the first field of which `one` and `other` have different values, as both say
/// it, "cluster = 8" and "cluster = 4"; empty texts if there is none.
std::pair<std::string, std::string> findConflict(tv::PlanAttr one, tv::PlanAttr other);

/// Returns `text` in a form that MLIR prints as a pass option which it reads again.
std::string printablePins(llvm::StringRef text);

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
