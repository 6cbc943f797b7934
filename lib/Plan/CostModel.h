//===- CostModel.h - what the models of a plan's cost share -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_PLAN_COSTMODEL_H
#define QUACK_LIB_PLAN_COSTMODEL_H

#include "quack/Plan/Planner.h"

namespace quack {

/// Returns how `plan` holds an operand.
tv::Hold holdOf(const OperandTraits &operand, tv::PlanAttr plan);

/// Returns whether each pass reads a row or weight again.
bool isReadAgain(const OperandTraits &operand, tv::PlanAttr plan);

/// Returns whether clusters stay resident, and work on one tile after the other.
bool stays(const KernelTraits &traits, tv::PlanAttr plan);

/// Returns the bytes of one row that are read and written.
double bytesPerRow(const KernelTraits &traits);

/// Returns whether some row is read again in each pass.
bool reloadsRows(const KernelTraits &traits, tv::PlanAttr plan);

/// Returns how often a row that is held by reload is read again.
int64_t countRereads(const KernelTraits &traits);

/// Returns the bytes that are read again for one row, of all operands held by reload:
/// what does not wait in shared memory.
double rereadBytes(const KernelTraits &traits, tv::PlanAttr plan);

/// Returns whether a thread holds so much of rows that start anywhere that
/// ptxas, if not told how many CTAs an SM is to hold, spills a word of them.
bool spillsUntold(const KernelTraits &traits, tv::PlanAttr plan);

} // namespace quack

#endif // QUACK_LIB_PLAN_COSTMODEL_H
