//===- lib/Plan/KernelTraits.cpp - what a kernel costs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts, in a row program, what the cost model needs.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/KernelOperands.h"
#include "quack/Plan/Planner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace quack;

static bool isRow(Value value) {
  return isa<RankedTensorType>(value.getType()) && !getGroups(value.getType());
}

namespace {
/// Finds the pass of each value: the reductions that it must wait for.
class PassAnalysis {
public:
  explicit PassAnalysis(KernelOp kernel) {
    for (Operation &op : kernel.getBody().front()) {
      int64_t pass = 0;
      for (Value operand : op.getOperands())
        pass = std::max(pass, passOf(operand));
      for (Value result : op.getResults())
        passes[result] = pass + getPassCount(&op);
      // A reduction of two passes reads its row twice.
      int64_t reads = isa<TopKOp>(op) ? 2 : getPassCount(&op);
      int64_t lastRead = pass + std::max<int64_t>(reads - 1, 0);
      for (Value operand : op.getOperands())
        lastUse[operand] = std::max(lastUse.lookup(operand), lastRead);
      // Scalar work after the last reduction is no pass over the row.
      if (llvm::any_of(op.getOperands(), isRow))
        last = std::max(last, lastRead);
    }
  }
  int64_t passOf(Value value) const { return passes.lookup(value); }
  int64_t lastUseOf(Value value) const { return lastUse.lookup(value); }
  int64_t lastPass() const { return last; }

private:
  llvm::DenseMap<Value, int64_t> passes, lastUse;
  int64_t last = 0;
};
} // namespace

static bool isExponential(Operation &op) {
  return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::RsqrtOp,
             math::SqrtOp>(op);
}

/// Returns the maximum that `subtracted` is, or that it replaces under some
/// condition; null if it is neither.
static ReduceOp underlyingMaximum(Value subtracted) {
  if (auto select = subtracted.getDefiningOp<arith::SelectOp>())
    for (Value choice : {select.getTrueValue(), select.getFalseValue()})
      if (ReduceOp maximum = underlyingMaximum(choice))
        return maximum;
  auto reduce = subtracted.getDefiningOp<ReduceOp>();
  return reduce && reduce.getKind() == ReduceKind::maximumf ? reduce : ReduceOp();
}

/// Returns whether quack-tv-fuse-reductions makes one exchange of this sum, of
/// exp(v - m), and the maximum m of v.
static bool isOnlineSum(ReduceOp sum) {
  Operation *exp = sum.getSources().front().getDefiningOp();
  if (sum.getKind() != ReduceKind::addf ||
      !isa_and_nonnull<math::ExpOp, math::Exp2Op>(exp))
    return false;
  auto difference = exp->getOperand(0).getDefiningOp<arith::SubFOp>();
  auto spread =
      difference ? difference.getRhs().getDefiningOp<BroadcastOp>() : nullptr;
  ReduceOp maximum =
      spread ? underlyingMaximum(spread.getSource()) : ReduceOp();
  return maximum && maximum.getSources().front() == difference.getLhs();
}

/// Returns the row values that are made from rows, not from columns operands alone:
/// those are loaded again where they are used.
static llvm::DenseSet<Value> valuesOfRows(KernelOp kernel) {
  llvm::DenseSet<Value> values;
  for (Operation &op : kernel.getBody().front()) {
    bool ofRow = llvm::any_of(op.getOperands(),
                              [&](Value operand) { return values.contains(operand); });
    if (auto load = dyn_cast<LoadOp>(op)) {
      unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
      ofRow = kernel.getOperandAttr(number).getRole() == Role::row;
    }
    if (ofRow)
      values.insert_range(op.getResults());
  }
  return values;
}

/// Counts the row values that wait at the boundary after each pass.
static int64_t countLiveRows(KernelOp kernel, const PassAnalysis &analysis) {
  int64_t most = 0;
  llvm::DenseSet<Value> ofRows = valuesOfRows(kernel);
  for (int64_t pass = 0; pass < analysis.lastPass(); ++pass) {
    int64_t live = 0;
    for (Operation &op : kernel.getBody().front())
      for (Value result : op.getResults())
        live += isRow(result) && !isa<BroadcastOp>(op) && ofRows.contains(result) &&
                analysis.passOf(result) <= pass &&
                analysis.lastUseOf(result) > pass;
    most = std::max(most, live);
  }
  return most;
}

/// Rows that a launch usually has: what fills 8 GB of f32, at most 32768.
static int64_t usualRows(int64_t columns) {
  return std::clamp<int64_t>((int64_t(1) << 31) / columns, 1, 32768);
}

static double rowBytes(const KernelTraits &traits, bool OperandTraits::*way) {
  double bytes = 0;
  for (const OperandTraits &operand : traits.operands)
    if (operand.role == Role::row && operand.*way)
      bytes += traits.columns * operand.bytes;
  return bytes;
}

double KernelTraits::loadedBytes() const {
  return rowBytes(*this, &OperandTraits::isLoaded);
}

int64_t KernelTraits::narrowestBytes() const {
  int64_t narrowest = 4;
  for (const OperandTraits &operand : operands)
    if (operand.role == Role::row)
      narrowest = std::min(narrowest, operand.bytes);
  return narrowest;
}

double KernelTraits::storedBytes() const {
  return rowBytes(*this, &OperandTraits::isStored);
}

/// Returns how many instructions an element takes, about.
static int64_t operationsOf(Operation &op) {
  if (auto reduce = dyn_cast<ReduceOp>(op); reduce && !reduce.getCombiner().empty())
    return reduce.getCombiner().front().getOperations().size() - 1;
  if (isa<ArgMaxOp, ArgMinOp>(op))
    return 6;
  if (isa<MomentsOp>(op))
    return 3;
  return isa<ExtractOp>(op) ? 0 : 1;
}

/// Returns whether `sum` is among those that are counted.
static bool isCounted(KernelOp kernel, AccumulateOp sum, CountedSums counted) {
  if (isRow(sum.getValue()) || counted == CountedSums::ofRows)
    return isRow(sum.getValue());
  auto target = cast<BlockArgument>(sum.getTarget());
  return kernel.getOperandAttr(target.getArgNumber()).getPresence() !=
         Presence::absent;
}

KernelTraits KernelTraits::analyse(KernelOp kernel, int64_t rowsHint,
                                   CountedSums counted) {
  PassAnalysis analysis(kernel);
  KernelTraits traits{};
  traits.columns = kernel.getColumns();
  traits.rows = rowsHint ? rowsHint : usualRows(traits.columns);
  traits.knowsRows = rowsHint > 0;
  traits.passes = analysis.lastPass() + 1;
  traits.liveRows = std::max<int64_t>(1, countLiveRows(kernel, analysis));
  for (BlockArgument arg : kernel.getBody().getArguments()) {
    OperandAttr spec = kernel.getOperandAttr(arg.getArgNumber());
    auto memref = dyn_cast<MemRefType>(arg.getType());
    if (!memref)
      continue;
    traits.operands.push_back(
        {spec.getName().getValue(), spec.getRole(),
         memref.getElementTypeBitWidth() / 8,
         isa<FloatType>(memref.getElementType()),
         spec.getDirection() != Direction::out,
         spec.getDirection() != Direction::in});
    traits.updatesScalar |= spec.getRole() == Role::scalar &&
                            spec.getDirection() == Direction::inout;
  }
  llvm::SmallDenseSet<int64_t> exchanges, ownExchanges;
  for (Operation &op : kernel.getBody().front()) {
    if (auto topk = dyn_cast<TopKOp>(op)) {
      traits.picks =
          cast<MemRefType>(topk.getValues().getType()).getShape().back();
      traits.picksMeet = true;
      traits.picksSoftmax |= topk.getSoftmax();
      // A maximum, a comparison, and what candidates cost.
      traits.operations += 8;
      continue;
    }
    traits.extracts |= isa<ExtractOp>(op);
    if (auto scatter = dyn_cast<ScatterOp>(op))
      traits.picks =
          cast<MemRefType>(scatter.getValues().getType()).getShape().back();
    if (int64_t count = getPassCount(&op)) {
      // Threads meet after the last of its passes.
      int64_t last = analysis.passOf(op.getResult(0)) - 1;
      for (int64_t pass = last - count + 1; pass <= last; ++pass)
        exchanges.insert(pass);
      traits.partials += isa<MomentsOp>(op)            ? 4
                         : isa<ArgMaxOp, ArgMinOp>(op) ? 2
                                                       : op.getNumOperands();
      auto reduce = dyn_cast<ReduceOp>(op);
      bool isOnline = reduce && isOnlineSum(reduce);
      traits.onlineSums |= isOnline;
      if (!isOnline)
        ownExchanges.insert(last);
      traits.combines |= isa<ArgMaxOp, ArgMinOp, MomentsOp>(op) ||
                         (reduce && !reduce.getCombiner().empty());
    }
    if (auto sum = dyn_cast<AccumulateOp>(op);
        sum && isCounted(kernel, sum, counted)) {
      traits.accumulates = true;
      traits.rowSums += isRow(sum.getValue());
      traits.operations += isRow(sum.getValue());
    }
    if (auto reduce = dyn_cast<GroupReduceOp>(op)) {
      traits.groups.push_back(getGroups(reduce.getType()).getSize());
      // One, and the shuffles of a run.
      traits.operations += 2;
    }
    bool onRows = op.getNumResults() == 1 && isRow(op.getResult(0));
    if (getPassCount(&op) > 0 || (onRows && !isa<BroadcastOp>(op)))
      traits.operations += operationsOf(op);
    // Exponentials of a value that a later pass uses are computed there again.
    if (onRows && isExponential(op)) {
      bool again = analysis.lastUseOf(op.getResult(0)) > analysis.passOf(op.getResult(0));
      traits.exponentials += again ? 2 : 1;
    }
  }
  traits.exchanges = exchanges.size();
  traits.onlinePasses = exchanges.size() - ownExchanges.size();
  return traits;
}
