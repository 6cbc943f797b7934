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

static bool isStep(Operation *op) {
  return isa<tv::ThreadReduceOp, tv::WarpReduceOp, tv::CollectOp, tv::MergeOp>(op);
}

/// Returns the step that merges the partials which `first`, or what threads make of it,
/// is one of, by a combiner.
static tv::WarpReduceOp mergeOf(tv::ThreadReduceOp first) {
  int64_t rowElements = getElementCount(first.getSource());
  SmallVector<Value> partials(first.getResults());
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!partials.empty())
    for (Operation *user : partials.pop_back_val().getUsers()) {
      auto merge = dyn_cast<tv::WarpReduceOp>(user);
      if (merge && !merge.getCombiner().empty())
        return merge;
      bool isOfThread = !isStep(user) && user->getNumResults() == 1 &&
                        getElementCount(user->getResult(0)) < rowElements;
      if (isOfThread && seen.insert(user).second)
        partials.push_back(user->getResult(0));
    }
  return {};
}

/// Returns the operations of threads behind `merge`, in their order: its reductions and
/// what they read, up to loads and other steps' results.
static SmallVector<Operation *> operationsBehind(tv::WarpReduceOp merge) {
  SmallVector<Operation *> order;
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> needed(merge.getSources());
  while (!needed.empty()) {
    Operation *op = needed.pop_back_val().getDefiningOp();
    bool isOther = !op || (isStep(op) && !isa<tv::ThreadReduceOp>(op));
    if (isOther || !seen.insert(op).second)
      continue;
    order.push_back(op);
    if (!isa<tv::LoadOp, tv::ReadOp>(op))
      llvm::append_range(needed, op->getOperands());
  }
  llvm::sort(order, [](Operation *lhs, Operation *rhs) { return lhs->isBeforeInBlock(rhs); });
  return order;
}

/// Enters a load of a row; false if the row waits somewhere, and need not be read in
/// chunks.
static bool addLoad(OnlineGroup &group, Operation *op) {
  auto load = dyn_cast<tv::LoadOp>(op);
  if (!load || !load.getAtUse())
    return false;
  auto same = llvm::find_if(group.loads, [&](tv::LoadOp other) {
    return other.getSource() == load.getSource() && other.getType() == load.getType();
  });
  if (same != group.loads.end())
    group.shared.push_back({load, *same});
  else
    group.loads.push_back(load);
  return true;
}

std::optional<OnlineGroup> quack::findOnlineGroup(tv::ThreadReduceOp first) {
  OnlineGroup group;
  group.merge = mergeOf(first);
  if (!group.merge)
    return std::nullopt;
  llvm::SmallPtrSet<Operation *, 16> ofPartials;
  SmallVector<Operation *> behind = operationsBehind(group.merge);
  for (Operation *op : behind) {
    if (isa<tv::LoadOp, tv::ReadOp>(op) && isRow(op->getResult(0))) {
      if (!addLoad(group, op))
        return std::nullopt;
      continue;
    }
    auto reduction = dyn_cast<tv::ThreadReduceOp>(op);
    if (reduction) {
      if (reduction.getSource().getType() != first.getSource().getType() &&
          tv::getTileShape(reduction.getSource().getType()).columns !=
              tv::getTileShape(first.getSource().getType()).columns)
        return std::nullopt;
      group.reductions.push_back(reduction);
    }
    bool isOfPartials = reduction || llvm::any_of(op->getOperands(), [&](Value operand) {
      return ofPartials.contains(operand.getDefiningOp());
    });
    if (!isOfPartials)
      continue;
    ofPartials.insert(op);
    for (Value result : op->getResults())
      if (getElementCount(result) < getElementCount(first.getSource()))
        group.ofPartials.push_back(result);
  }
  if (group.loads.empty() || group.reductions.size() < 2 ||
      group.reductions.front() != first)
    return std::nullopt;
  // Partials of chunks are of no use to others.
  auto isOurs = [&](Operation *user) {
    return user == group.merge || llvm::is_contained(behind, user);
  };
  for (Operation *op : ofPartials)
    if (!llvm::all_of(op->getUsers(), isOurs))
      return std::nullopt;
  for (Value source : group.merge.getSources())
    group.changes.push_back(ofPartials.contains(source.getDefiningOp()));
  return group;
}

/// Returns the partials of the pieces `chunk`, which are of the row `row`.
ThreadBuilder::Values ThreadBuilder::reduceChunk(OnlineGroup &group,
                                                 ArrayRef<int64_t> chunk, int64_t row) {
  // What the last chunk's partials gave; pieces of the row are others in each chunk.
  for (Value value : group.ofPartials)
    pieces.erase({value, row});
  for (tv::LoadOp load : group.loads)
    issueLoads(load, chunk);
  for (auto [later, first] : ArrayRef(group.shared))
    for (int64_t index : chunk)
      pieces[{later.getResult(), index}] = piece(first.getResult(), index);
  for (tv::ThreadReduceOp reduction : group.reductions) {
    Values sums;
    for (int64_t index : chunk)
      accumulate(reduction, sums, index);
    finish(reduction, sums, row);
  }
  Values partials;
  for (Value source : group.merge.getSources())
    partials.push_back(piece(source, row));
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
      if (merged.empty()) {
        merged = partials;
        continue;
      }
      // What is the same for all chunks is counted once.
      for (auto [index, changes] : llvm::enumerate(group->changes))
        if (!changes)
          partials[index] = constant(identity(combiner, index, partials[index].getType()),
                                     partials[index].getType());
      merged = combine(combiner, merged, partials, first.getLoc());
    }
    for (auto [source, value] : llvm::zip(group->merge.getSources(), merged))
      pieces[{source, int64_t(row)}] = value;
  }
  for (tv::ThreadReduceOp reduction : group->reductions)
    done.insert(reduction);
  return true;
}
