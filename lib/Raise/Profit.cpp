//===- lib/Raise/Profit.cpp - whether fusing gains --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profit.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace quack;
using namespace quack::raise;

/// What runs beside a copy's rate by less is not looked at any more: no other division of
/// the same operations moves fewer bytes.
static constexpr double nearCopy = 1.15;
/// The model predicts an order of plans, not times: a division must gain as much at least.
static constexpr double leastGain = 0.9;

namespace {
/// Predicts times for the group of an attempt.
class Prediction {
public:
  Prediction(const Setting &setting, const Attempt &fused)
      : gpu(setting.gpu), group(*fused.group) {
    columns = group.space.columns();
    rows = setting.rows ? setting.rows
                        : group.space.extentOf(group.space.all(/*areColumns=*/false));
    if (ShapedType::isDynamic(rows))
      rows = KernelTraits::analyse(fused.kernel).rows;
  }

  /// Returns microseconds of a kernel with a plan.
  double ofKernel(const Attempt &attempt) const {
    return gpu.kernelLaunch + attempt.plan->time * rows * columns / 1e6;
  }
  /// Returns those of a copy of `bytes` for each row.
  double ofCopy(double bytes) const {
    return gpu.kernelLaunch + bytes * rows / gpu.bandwidth;
  }
  /// Returns the bytes of the rows that an operation reads and writes.
  double bytesOf(Operation *op) const;
  /// The same of a kernel.
  double bytesOf(const KernelBuilder &builder) const;
  /// Returns the microseconds of all operations, each by itself.
  double ofAllApart() const;

  std::string rowsText() const { return llvm::formatv("{0} rows", rows); }

private:
  double bytesOf(Value tensor, const Labels &labels) const;

  const Target &gpu;
  const Group &group;
  int64_t rows, columns;
};
} // namespace

double Prediction::bytesOf(Value tensor, const Labels &labels) const {
  Type element = cast<ShapedType>(tensor.getType()).getElementType();
  bool isRow = group.space.roleOf(labels) == Role::row && !isSplat(tensor);
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return isRow ? columns * std::max(1u, bits / 8) : 0;
}

double Prediction::bytesOf(Operation *op) const {
  const Member &member = *group.lookup(op);
  double bytes = 0;
  for (const auto *accesses : {&member.view.reads, &member.view.results})
    for (const Access &access : *accesses)
      if (!access.extract)
        bytes += bytesOf(access.tensor, group.labelsOf(access, member.loops));
  return bytes;
}

double Prediction::bytesOf(const KernelBuilder &builder) const {
  double bytes = 0;
  for (const auto *operands : {&builder.inputs, &builder.outputs})
    for (const KernelOperand &operand : *operands)
      if (operand.role == Role::row)
        bytes += bytesOf(operand.value, operand.labels);
  return bytes;
}

/// Returns whether the operation itself moves data, once it is not in a kernel.
static bool isWork(const Group &group, Operation *op) {
  return group.owns(op) && isa<linalg::LinalgOp, linalg::SoftmaxOp>(op) &&
         !isa<linalg::FillOp>(op);
}

double Prediction::ofAllApart() const {
  double time = 0;
  for (Operation *op : group.inOrder())
    if (isWork(group, op))
      time += ofCopy(bytesOf(op));
  return time;
}

/// Returns the members that a division may begin with: other reductions than the anchor,
/// and last operations that read a row of their own.
static SmallVector<Operation *> findBranches(const Group &group) {
  SmallVector<Operation *> branches;
  for (Operation *op : group.inOrder()) {
    const Member &member = *group.lookup(op);
    if (op == group.anchor || !isWork(group, op))
      continue;
    bool isLast = llvm::none_of(op->getUsers(), [&](Operation *user) {
      Operation *at = ancestorIn(op->getBlock(), user);
      return at && group.lookup(at);
    });
    bool readsMemory = llvm::any_of(member.view.reads, [&](const Access &read) {
      return !group.produces(read.tensor) &&
             group.space.roleOf(group.labelsOf(read, member.loops)) == Role::row;
    });
    if (member.view.isReducing() || (isLast && readsMemory))
      branches.push_back(op);
  }
  return branches;
}

/// Returns the time of the group without `branches`, and of what is left out; none if there
/// is no kernel without them.
static std::optional<double> timeWithout(const Prediction &prediction, const Attempt &fused,
                                         ArrayRef<Operation *> branches,
                                         TryGroup tryGroup) {
  Excluded without = fused.excluded;
  for (Operation *branch : branches)
    without.insert({branch, ""});
  Attempt rest = tryGroup(fused.group->anchor, fused.form, without);
  if (!rest.kernel)
    return std::nullopt;
  double time = prediction.ofKernel(rest);
  rest.kernel.erase();
  // Kernels of the reductions that are left out, each with what leads to and from it.
  Excluded taken;
  auto take = [&](const Attempt &attempt) {
    for (Operation *op : attempt.group->inOrder())
      if (attempt.group->owns(op))
        taken.insert({op, ""});
  };
  take(rest);
  for (bool areReductions : {true, false})
    for (Operation *op : fused.group->inOrder()) {
      if (taken.contains(op) || !isWork(*fused.group, op) ||
          (areReductions && !fused.group->lookup(op)->view.isReducing()))
        continue;
      Attempt other;
      if (areReductions)
        other = tryGroup(op, fused.group->lookup(op)->sumsRows ? Form::rows : Form::row, taken);
      if (other.kernel) {
        time += prediction.ofKernel(other);
        take(other);
        other.kernel.erase();
      } else if (!areReductions) {
        time += prediction.ofCopy(prediction.bytesOf(op));
      }
    }
  return time;
}

Excluded raise::findCheaper(const Setting &setting, const Attempt &fused,
                            TryGroup tryGroup) {
  if (!fused.plan)
    return {};
  Prediction prediction(setting, fused);
  double together = prediction.ofKernel(fused);
  if (together < nearCopy * prediction.ofCopy(prediction.bytesOf(*fused.builder)))
    return {};
  SmallVector<Operation *> branches = findBranches(*fused.group);
  double best = leastGain * together;
  ArrayRef<Operation *> found;
  auto consider = [&](ArrayRef<Operation *> without) {
    std::optional<double> time = timeWithout(prediction, fused, without, tryGroup);
    if (!time || *time >= best)
      return;
    best = *time;
    found = without;
  };
  // One at a time, or all: what is left may be too much without any one of them.
  for (size_t i = 0; i < branches.size(); ++i)
    consider(ArrayRef(branches).slice(i, 1));
  if (branches.size() > 1)
    consider(branches);
  Excluded excluded;
  for (Operation *op : found)
    excluded.insert({op, llvm::formatv("{0} would take {1:F1} us with it, but {2:F1} us where "
                                       "what is left out has kernels of its own",
                                       prediction.rowsText(), together, best)});
  return excluded;
}

std::string raise::describe(const Setting &setting, const Attempt &attempt) {
  const Group &group = *attempt.group;
  const KernelBuilder &builder = *attempt.builder;
  unsigned apart = 0;
  for (Operation *op : group.inOrder()) {
    const Member &member = *group.lookup(op);
    auto isRow = [&](const Access &access) {
      return !access.extract &&
             group.space.roleOf(group.labelsOf(access, member.loops)) == Role::row;
    };
    if (isa<linalg::LinalgOp, linalg::SoftmaxOp>(op))
      apart += llvm::count_if(member.view.reads, isRow) +
               llvm::count_if(member.view.results, isRow);
  }
  auto isRow = [](const KernelOperand &operand) { return operand.role == Role::row; };
  auto together =
      llvm::count_if(builder.inputs, isRow) + llvm::count_if(builder.outputs, isRow);
  KernelOp kernel = attempt.kernel;
  int64_t columns = kernel.getColumns();
  std::string text =
      llvm::formatv("@{0} has operations: {1}, among them reductions: {2}; rows of {3} "
                    "columns are read or written {4} times in place of {5}",
                    kernel.getSymName(), builder.numOperations, builder.numReductions,
                    ShapedType::isDynamic(columns) ? "?" : std::to_string(columns),
                    together, apart);
  if (attempt.plan) {
    Prediction prediction(setting, attempt);
    text += llvm::formatv("; {0} take {1:F1} us in place of {2:F1} us", prediction.rowsText(),
                          prediction.ofKernel(attempt), prediction.ofAllApart());
  }
  return text;
}
