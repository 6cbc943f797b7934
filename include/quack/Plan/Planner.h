//===- include/quack/Plan/Planner.h - choosing a plan -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumerates the legal plans of a kernel, costs each and picks the cheapest.
// The model must predict the order of plans, not absolute times.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_PLAN_PLANNER_H
#define QUACK_PLAN_PLANNER_H

#include "quack/Dialect/QuackTV/QuackTV.h"
#include "quack/Plan/Target.h"

#include <memory>
#include <optional>
#include <string>

namespace quack {

/// What the model needs to know of one memref operand.
struct OperandTraits {
  llvm::StringRef name;
  Role role;
  int64_t bytes; ///< of one stored element
  bool isFloat;
  bool isLoaded, isStored;
};

/// Which of a kernel's sums are counted. One of rows always is, also where its target is
/// absent: so the kernel has the same plan, and each row the same bits, with and without.
enum class CountedSums {
  present, ///< of those of scalars, the ones whose target is there
  ofRows,  ///< none of those of scalars: they have no say in a row's tree
};

/// What the model needs to know of a kernel.
struct KernelTraits {
  int64_t columns;
  llvm::SmallVector<OperandTraits> operands;
  llvm::SmallVector<int64_t>
      groups;           ///< sizes of groups of columns that are reduced
  int64_t passes;       ///< passes over the row, at least 1
  int64_t exchanges;    ///< trips to other threads of the row
  int64_t partials;     ///< numbers that a thread brings to all of these trips
  int64_t onlinePasses; ///< passes that are one with an earlier one: sums of
                        ///< exp(v - m) that meet together with the maximum m
  bool onlineSums;      ///< of those, a sum; where it can't be one, rows meet once more
  int64_t liveRows;     ///< row values that wait for a later pass, at most at once
  int64_t operations;   ///< elementwise operations an element, over all passes
  int64_t exponentials; ///< of those, on the MUFU
  int64_t rows;         ///< M that launches usually have
  bool knowsRows; ///< a plan field, or a launch that is described, says so
  bool combines;  ///< a reduction carries several values: moments, an extreme's
                  ///< place
  bool updatesScalar; ///< a scalar operand is both loaded and stored
  bool extracts;      ///< an element of a row is read by its column
  bool accumulates;   ///< clusters stay, for sums over rows
  int64_t picks;      ///< elements of a row that are picked or scattered, or 0
  bool picksMeet;     ///< they are sorted: those of a row's slices must meet
  bool picksSoftmax;  ///< and their softmax is made
  int64_t rowSums;    ///< of those, how many are rows themselves

  /// Bytes of a row, of all row operands, that are loaded or stored.
  double loadedBytes() const;
  double storedBytes() const;
  /// Bytes of an element of the narrowest row operand, at most 4.
  int64_t narrowestBytes() const;
  /// Returns how often the threads of a row meet, one meeting after the other.
  int64_t rounds() const { return exchanges - onlinePasses; }

  /// `rowsHint` is the plan field `rows`, or 0.
  static KernelTraits analyse(KernelOp kernel, int64_t rowsHint = 0,
                              CountedSums counted = CountedSums::present);
};

/// A plan with the terms of its cost.
struct CostedPlan {
  tv::PlanAttr plan;
  double time = 0;       ///< microseconds a million elements
  double bandwidth = 0;  ///< bytes a microsecond that the SMs can keep going
  double roofline = 0;   ///< bytes a microsecond that memory gives such a kernel
  int64_t registers = 0; ///< a thread, estimated
  int64_t sharedBytes = 0; ///< a CTA, estimated
  int64_t ctasPerSM = 0; ///< resident
  double bytesInFlight = 0; ///< an SM
  std::string decisive;  ///< the term that decides: memory, latency, launch,
                         ///< issue, mufu, l2, or rows where they are few
};

/// Returns why `plan`, complete, is not legal for the kernel; empty if it is.
std::string violatedRule(const KernelTraits &traits, const Target &target,
                         tv::PlanAttr plan);

/// Costs a legal plan.
CostedPlan costPlan(const KernelTraits &traits, const Target &target,
                    tv::PlanAttr plan);

/// Returns the legal plans that keep the fields of `pins`, cheapest first. If
/// there is none, `whyNot` says which rule the first one breaks.
llvm::SmallVector<CostedPlan> enumeratePlans(const KernelTraits &traits,
                                             const Target &target,
                                             tv::PlanAttr pins,
                                             std::string &whyNot);

/// Returns which elements of a row meet in which order, as text. Kernels whose
/// plans have the same give a row the same bits.
std::string treeSignature(const KernelTraits &traits, tv::PlanAttr plan);

/// What is decided for a kernel.
struct PlanChoice {
  llvm::SmallVector<CostedPlan> plans; ///< the legal ones, cheapest first
  size_t picked = 0;
  std::string tree; ///< of the picked plan
  /// With the same tree, for rows that start at any element; none if the picked
  /// plan takes those, or the pins say that there are none.
  std::optional<CostedPlan> anywhere;
  /// What keeping one tree for all M costs, if it does: a sentence.
  std::string lost;
  /// What is decided for launches of at most `fewRows` rows, if they get kernels of
  /// their own.
  int64_t fewRows = 0;
  std::shared_ptr<PlanChoice> few;
};

/// Chooses plans for a concrete kernel. Fields that its plan attribute or
/// `pins`, which come first, have are kept. Errors are diagnostics on the
/// kernel.
mlir::FailureOr<PlanChoice> choosePlan(KernelOp kernel, const Target &gpu,
                                       tv::PlanAttr pins);

/// Prints the `most` cheapest plans and those picked, as lines of comment.
void printPlans(llvm::raw_ostream &os, KernelOp kernel, const Target &gpu,
                const PlanChoice &choice, size_t most = 10);

} // namespace quack

#endif // QUACK_PLAN_PLANNER_H
