//===- lib/Raise/PinnedPlan.cpp - pins from before the kernel ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PinnedPlan.h"

#include "quack/Plan/Pins.h"

using namespace mlir;
using namespace quack;
using namespace quack::raise;

static constexpr llvm::StringLiteral pinName = "quack.pin";

/// Returns what `op` pins, by an attribute that it has.
static FailureOr<tv::PlanAttr> readPin(Operation *op) {
  Attribute given = op->getDiscardableAttr(pinName);
  if (auto text = dyn_cast<StringAttr>(given))
    return parsePinFields(text.getValue(), op);
  return op->emitOpError("'")
         << pinName << "' must be a string of plan fields, such as \"cluster = 8\", got "
         << given;
}

FailureOr<Operation *> raise::pinPlan(const Group &group, KernelOp kernel) {
  Operation *first = nullptr;
  tv::PlanAttr pins = noPins(kernel.getContext());
  SmallVector<std::pair<Operation *, tv::PlanAttr>> found;
  for (Operation *op : group.inOrder()) {
    if (!op->getDiscardableAttr(pinName))
      continue;
    FailureOr<tv::PlanAttr> own = readPin(op);
    if (failed(own))
      return failure();
    for (auto &[other, others] : found)
      if (auto [theirs, ours] = findConflict(others, *own); !ours.empty()) {
        InFlightDiagnostic error = op->emitOpError("'")
                                   << pinName << "' says " << ours << ", but " << theirs
                                   << " is pinned of the same kernel: both are raised to "
                                   << "one; pin it once";
        error.attachNote(other->getLoc()) << "pinned here";
        return error;
      }
    FailureOr<tv::PlanAttr> merged = mergePins(kernel, pins, *own);
    if (failed(merged))
      return failure();
    first = first ? first : op;
    pins = *merged;
    found.push_back({op, *own});
  }
  if (first)
    kernel.setPlanAttr(pins);
  return first;
}
