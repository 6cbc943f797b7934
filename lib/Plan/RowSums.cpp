//===- lib/Plan/RowSums.cpp - plans of kernels that accumulate --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSums.h"
#include "CostModel.h"

#include "quack/Dialect/QuackTV/PlanNumbers.h"

#include <cmath>

using namespace mlir;
using namespace quack;

/// Returns whether all rows wait in shared memory, where the next tile's are copied while
/// this one is worked on.
static bool isAhead(const KernelTraits &traits, tv::PlanAttr plan) {
  return llvm::all_of(traits.operands, [&](const OperandTraits &operand) {
    return operand.role != Role::row || !operand.isLoaded ||
           holdOf(operand, plan) == tv::Hold::async;
  });
}

/// What must be in registers at once where rows wait in shared memory: sums, weights, and
/// one piece of each row. ptxas takes more if it has them, and spills none where it is told
/// of so many: the backward kernels of norms, with 8 to 32 elements a thread.
static int64_t estimateStaged(const KernelTraits &traits, tv::PlanAttr plan) {
  auto elements = double(plan.getElementsPerThread(traits.columns));
  auto rowsPerThread = double(plan.getRowsPerThread());
  double registers = 48 + double(traits.rowSums) * elements / rowsPerThread;
  double rows = 0, numbers = 0;
  for (const OperandTraits &operand : traits.operands) {
    double words = elements * double(operand.bytes) / 4;
    rows += operand.role == Role::row && operand.isLoaded;
    numbers += isOneNumber(operand.role) && operand.isLoaded;
    if (isReadAgain(operand, plan))
      registers += 4 + std::min(words, 4.0 * double(plan.getVectorSize()));
    else if (operand.role == Role::columns && operand.isLoaded)
      registers += words / rowsPerThread;
  }
  registers += 8 * std::max(0.0, rows - 2) + 3 * std::max(0.0, numbers - 2) +
               8 * (rowsPerThread - 1);
  // Which of a CTA's rows a thread has.
  if (plan.getThreadsPerRow() < plan.getThreads())
    registers += 8;
  return std::llround(registers);
}

/// Fitted to what ptxas needs for the backward kernels of norms, 8 to 64
/// elements a thread, held in each way, with one sum and with two: never less
/// than that.
int64_t quack::estimateAccumulating(const KernelTraits &traits,
                                    tv::PlanAttr plan) {
  auto elements = double(plan.getElementsPerThread(traits.columns));
  double sums =
      double(traits.rowSums) * elements / double(plan.getRowsPerThread());
  int64_t readAgain =
      llvm::count_if(traits.operands, [&](const OperandTraits &operand) {
        return isReadAgain(operand, plan);
      });
  double ahead = 0, packed = 0, staged = 0, wide = 0, rows = 0, numbers = 0;
  for (const OperandTraits &operand : traits.operands) {
    double words = elements * double(operand.bytes) / 4;
    rows += operand.role == Role::row;
    numbers += isOneNumber(operand.role) && operand.isLoaded;
    if (isReadAgain(operand, plan))
      ahead += std::min(elements, double(tv::runsAhead(readAgain) *
                                         plan.getVectorSize())) *
               double(operand.bytes) / 4;
    else if (operand.role == Role::row &&
             holdOf(operand, plan) == tv::Hold::async)
      // ptxas reads ahead, and widens.
      staged += words * (operand.bytes < 4 ? 1.5 : 1);
    else if (operand.role == Role::row && operand.isLoaded)
      (traits.passes > 1 && holdOf(operand, plan) == tv::Hold::registers
           ? wide
           : packed) += words;
    else if (operand.role == Role::columns && operand.isLoaded)
      packed += words / double(plan.getRowsPerThread());
  }
  // What waits for another pass is as wide as it is computed.
  if (wide > 0)
    wide = std::max(wide, elements * double(traits.liveRows));
  // Pieces under way; the more elements, the farther apart ptxas begins and
  // ends one.
  double registers = 9 + 4 * double(plan.getVectorSize()) + sums + packed +
                     staged + wide + ahead / 2 + 4 * std::max(0.0, rows - 3) +
                     3 * std::max(0.0, numbers - 1);
  double spread = reloadsRows(traits, plan) ? 34 : staged > 0 ? 32 : 128;
  registers += elements * elements / spread;
  // Which of a CTA's rows a thread has.
  if (plan.getThreadsPerRow() < plan.getThreads())
    registers += 8;
  // Windows and what is shifted out of them; addresses and predicates of each
  // row.
  auto further = double(plan.getRowsPerThread() - 1);
  registers +=
      plan.startsAnywhere() ? 8 + elements / 4 + 16 * further : 8 * further;
  int64_t wished = std::llround(registers);
  return isAhead(traits, plan) ? std::min(wished, estimateStaged(traits, plan)) : wished;
}

bool quack::mayOverlap(const KernelTraits &traits) {
  return traits.rounds() == 1 && !traits.onlineSums && !traits.updatesScalar &&
         !traits.extracts && traits.picks == 0;
}

std::string quack::violatedOverlap(const KernelTraits &traits, tv::PlanAttr plan) {
  if (!plan.overlapsTiles())
    return "";
  if (!mayOverlap(traits))
    return "tiles overlap in a kernel whose rows meet once, which updates no scalar, and "
           "extracts and picks no element, got overlap = true";
  if (!stays(traits, plan))
    return "tiles overlap where clusters stay: with overlap = true, partials must be at "
           "least 1, got 0";
  if (plan.getCluster() == 1)
    return "tiles overlap while partials travel in a cluster: with overlap = true, "
           "cluster must be at least 2, got 1";
  if (plan.getExchange() == tv::Exchange::ctas)
    return "with overlap = true the partials of warps travel, got exchange = ctas";
  for (const OperandTraits &operand : traits.operands)
    if (operand.role == Role::row && operand.isLoaded &&
        holdOf(operand, plan) != tv::Hold::async)
      return "with overlap = true rows are held by async, got hold = {" +
             operand.name.str() + " = " +
             tv::stringifyHold(holdOf(operand, plan)).str() + "}";
  return "";
}

double quack::turnOfTile(const KernelTraits &traits, tv::PlanAttr plan,
                         double arrival, double work) {
  // The longer of the two, and some of the shorter one.
  return isAhead(traits, plan) ? std::pow(std::pow(arrival, 4) + std::pow(work, 4), 0.25)
             : arrival + work;
}

int64_t quack::gatherBytes(const KernelTraits &traits, tv::PlanAttr plan) {
  int64_t groups = plan.getThreads() / plan.getThreadsPerRow();
  if (!traits.accumulates || groups == 1)
    return 0;
  int64_t columns = traits.rowSums > 0 ? plan.getPaddedColumns(traits.columns) /
                                             plan.getCluster()
                                       : 1;
  return 4 * groups * columns;
}

int64_t quack::choosePartials(const Target &target, tv::PlanAttr plan,
                              int64_t ctasPerSM) {
  int64_t ctas = target.smsOfClusters(plan.getCluster()) * ctasPerSM;
  return std::clamp<int64_t>(ctas / plan.getCluster(), 1, tv::maxPartials);
}

double quack::shareOfTiles(const KernelTraits &traits, const Target &target,
                           tv::PlanAttr plan, int64_t ctasPerSM) {
  auto partials =
      double(plan.getPartials() ? plan.getPartials()
                                : choosePartials(target, plan, ctasPerSM));
  double tiles =
      std::ceil(double(traits.rows) / double(plan.getRows())) / partials;
  double sums = 8 * partials * double(traits.rowSums) *
                double(plan.getPaddedColumns(traits.columns));
  double bytes = bytesPerRow(traits) * double(traits.rows);
  return tiles / std::ceil(tiles) / (1 + 1 / tiles) * bytes / (bytes + sums);
}
