//===- Online.cpp - rows that are read again, in chunks ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row that is held nowhere is read for each reduction. Where a reduction needs
// another's partial of the same thread (a sum of exp(x - maximum), the maximum),
// the combiner that merges the partials of lanes also merges those of chunks: a
// thread reads a chunk of its row once, reduces it as if it were all of it, and
// merges. The maximum of a chunk is known while its elements are in registers.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "quack/Dialect/QuackTV/PlanNumbers.h"

using namespace mlir;
using namespace quack;

/// Row scalars and partials have fewer elements than the row.
static int64_t getElementCount(Value tile) {
  return tv::getTileShape(tile.getType()).elements();
}

static bool isRow(Value tile) { return tv::getTileShape(tile.getType()).columns > 1; }

/// Returns the pure operations behind `reduction`, up to loads, results of other
/// steps and arguments.
static SmallVector<Operation *> operationsBehind(tv::ThreadReduceOp reduction) {
  SmallVector<Operation *> order;
  llvm::SmallPtrSet<Operation *, 16> seen;
  std::function<void(Value)> visit = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(op).second)
      return;
    bool isStep = isa<tv::ThreadReduceOp, tv::WarpReduceOp, tv::CollectOp>(op);
    if (!isStep && !isa<tv::LoadOp, tv::ReadOp>(op))
      llvm::for_each(op->getOperands(), visit);
    order.push_back(op);
  };
  visit(reduction.getSource());
  return order;
}

std::optional<OnlineGroup> quack::findOnlineGroup(tv::ThreadReduceOp first) {
  OnlineGroup group;
  for (Operation *user : first.getResult().getUsers())
    if (auto merge = dyn_cast<tv::WarpReduceOp>(user);
        merge && !merge.getCombiner().empty() &&
        merge.getSources().front() == first.getResult())
      group.merge = merge;
  if (!group.merge)
    return std::nullopt;
  llvm::SmallPtrSet<Operation *, 16> ofPartials;
  for (Value source : group.merge.getSources()) {
    auto reduction = source.getDefiningOp<tv::ThreadReduceOp>();
    if (!reduction ||
        reduction.getSource().getType() != first.getSource().getType())
      return std::nullopt;
    for (Operation *op : operationsBehind(reduction)) {
      if (llvm::any_of(op->getOperands(), [&](Value operand) {
            return ofPartials.contains(operand.getDefiningOp());
          })) {
        ofPartials.insert(op);
        for (Value result : op->getResults())
          if (getElementCount(result) < getElementCount(first.getSource()))
            group.ofPartials.push_back(result);
      }
      if (!isa<tv::LoadOp, tv::ReadOp>(op) || !isRow(op->getResult(0)))
        continue;
      // What waits elsewhere need not be read in chunks.
      auto load = dyn_cast<tv::LoadOp>(op);
      if (!load || !load.getAtUse())
        return std::nullopt;
      auto same = llvm::find_if(group.loads, [&](tv::LoadOp other) {
        return other.getSource() == load.getSource() &&
               other.getType() == load.getType();
      });
      if (same != group.loads.end())
        group.shared.push_back({load, *same});
      else if (reduction == first)
        group.loads.push_back(load);
      else
        return std::nullopt;
    }
    ofPartials.insert(reduction);
    group.reductions.push_back(reduction);
  }
  if (group.loads.empty() || group.reductions.size() < 2)
    return std::nullopt;
  return group;
}

/// Returns the partials of the pieces `chunk`, which are of the row `row`.
ThreadBuilder::Values ThreadBuilder::reduceChunk(const OnlineGroup &group,
                                                 ArrayRef<int64_t> chunk,
                                                 int64_t row) {
  // What the last chunk's partials gave; pieces of the row are others in each chunk.
  for (Value value : group.ofPartials)
    pieces.erase({value, row});
  for (tv::LoadOp load : group.loads)
    issueLoads(load, chunk);
  for (auto [later, first] : ArrayRef(group.shared))
    for (int64_t index : chunk)
      pieces[{later.getResult(), index}] = piece(first.getResult(), index);
  Values partials;
  for (tv::ThreadReduceOp reduction : ArrayRef(group.reductions)) {
    Value sum;
    for (int64_t index : chunk)
      sum = sum ? accumulate(reduction, sum, index)
                : piece(reduction.getSource(), index);
    partials.push_back(foldPiece(reduction.getKind(), sum, reduction.getLoc()));
    pieces[{reduction.getResult(), row}] = partials.back();
  }
  return partials;
}

bool ThreadBuilder::visitOnline(tv::ThreadReduceOp first) {
  std::optional<OnlineGroup> group = findOnlineGroup(first);
  if (!group)
    return false;
  Fragment fragment = fragmentOf(first.getSource().getType());
  int64_t loads = group->loads.size();
  size_t chunkPieces =
      std::max<int64_t>(1, tv::chunkElements / (loads * fragment.run));
  llvm::MapVector<int64_t, SmallVector<int64_t>> rows;
  for (int64_t index = 0; index < fragment.pieces; ++index)
    rows[fragment.offset(index).row].push_back(index);
  Combiner combiner{group->merge.getKinds(), group->merge.getIdentities(),
                    &group->merge.getCombiner()};
  for (auto [row, indices] : llvm::enumerate(llvm::make_second_range(rows))) {
    Values merged;
    for (ArrayRef<int64_t> rest = indices; !rest.empty();
         rest = rest.drop_front(std::min(chunkPieces, rest.size()))) {
      Values partials = reduceChunk(*group, rest.take_front(chunkPieces), row);
      merged = merged.empty() ? partials
                              : combine(combiner, merged, partials, first.getLoc());
    }
    for (auto [reduction, value] : llvm::zip(group->reductions, merged))
      pieces[{reduction.getResult(), int64_t(row)}] = value;
  }
  for (tv::ThreadReduceOp reduction : group->reductions)
    done.insert(reduction);
  return true;
}
