//===- Accesses.cpp - which accesses a kernel makes, and when ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the order of convert-quack-tv-to-gpu: what is loaded early, what only
// when a store or a reduction asks for it, and what nobody asks for.
//
//===----------------------------------------------------------------------===//

#include "AccessCounter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

void AccessCounter::report(Operation *op, StringRef operation, Value operand,
                           StringRef form, MemorySpace space, bool isWrite) {
  AccessReport report;
  report.instructions = tally.take();
  if (report.instructions.empty())
    return;
  report.operation = operation;
  if (auto argument = dyn_cast_or_null<BlockArgument>(operand))
    report.operand =
        kernel.getOperandAttr(argument.getArgNumber()).getName().str();
  report.form = form;
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>()) {
    report.file = place.getFilename().str();
    report.line = place.getLine();
    report.column = place.getColumn();
  }
  report.space = space;
  report.isWrite = isWrite;
  reports.push_back(std::move(report));
}

bool quack::isFirstCopy(const Modes &modes, int64_t index) {
  for (Mode mode : modes) {
    if (mode.isCopy() && index % mode.size != 0)
      return false;
    index /= mode.size;
  }
  return true;
}

Placement AccessCounter::placeOperand(Value operand) {
  const LaunchArgument &argument =
      arguments[cast<BlockArgument>(operand).getArgNumber()];
  Type stored = getElementTypeOrSelf(operand.getType());
  return {int64_t(argument.pointer),
          argument.rowStride * int64_t(stored.getIntOrFloatBitWidth() / 8)};
}

void AccessCounter::forEachWarp(const Fragment &fragment, int64_t rowBytes,
                                function_ref<void(const WarpOfTile &)> visit) {
  const TVLayout &layout = *fragment.layout;
  tv::PlanAttr plan = kernel.getPlan();
  // A level without modes is the same for all.
  auto index = [&](Level level, int64_t i) {
    return layout.size(level) == 1 ? 0 : i;
  };
  auto tiles = classifyTiles(rows, plan.getRows(), rowBytes);
  if (onceACluster) {
    tiles.resize(1);
    tiles.front().count = plan.getPartials();
  }
  for (const TileClass &tile : tiles) {
    tally.setTimes(tile.count);
    for (int64_t slice = 0; slice < plan.getSlices(); ++slice)
      for (int64_t cta = 0; cta < plan.getCluster(); ++cta)
        for (int64_t warp = 0; warp < plan.getThreads() / warpSize; ++warp) {
          WarpOfTile lanes{tile, slice, cta, warp, {}};
          for (int64_t lane = 0; lane < warpSize; ++lane) {
            int64_t linear = layout.evaluate(
                index(Level::Cta, cta), index(Level::Warp, warp), lane,
                /*value=*/0, index(Level::Slice, slice));
            lanes.first[lane] = {linear / fragment.shape.columns,
                                 linear % fragment.shape.columns};
          }
          visit(lanes);
        }
  }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Without a call for each operation that leads to `tile`: there may be
/// thousands.
void AccessCounter::ask(Value tile) {
  SmallVector<Value> needed{tile};
  while (!needed.empty()) {
    Operation *op = needed.pop_back_val().getDefiningOp();
    // Results of steps are there since the step.
    if (!op ||
        isa<tv::ThreadReduceOp, tv::WarpReduceOp, tv::CollectOp, tv::MergeOp>(
            op) ||
        !asked.insert(op).second)
      continue;
    if (auto load = dyn_cast<tv::LoadOp>(op))
      addLoad(load);
    else if (auto read = dyn_cast<tv::ReadOp>(op))
      addRead(read);
    else if (auto recall = dyn_cast<tv::RecallOp>(op))
      addRecall(recall);
    else if (auto gather = dyn_cast<tv::GatherOp>(op))
      addGather(gather), needed.push_back(gather.getColumn());
    else
      llvm::append_range(needed, llvm::reverse(op->getOperands()));
  }
}

void AccessCounter::visitConsumers(Operation &first) {
  auto reduce = dyn_cast<tv::ThreadReduceOp>(first);
  std::optional<OnlineGroup> online;
  if (reduce)
    online = findOnlineGroup(reduce);
  if (online) {
    // Later reductions take what the first has read of the chunk.
    for (tv::LoadOp load : online->loads)
      ask(load.getResult());
    for (auto [later, earlier] : online->shared)
      asked.insert(later);
    for (tv::ThreadReduceOp reduction : online->reductions) {
      llvm::for_each(reduction.getSources(), [&](Value source) { ask(source); });
      done.insert(reduction);
    }
    return;
  }
  for (Operation *op : gatherConsumers(first)) {
    if (auto store = dyn_cast<tv::StoreOp>(op)) {
      ask(store.getValue());
      addStore(store);
    } else if (auto sum = dyn_cast<tv::AccumulateOp>(op)) {
      ask(sum.getValue());
      addAccumulate(sum);
    } else {
      llvm::for_each(op->getOperands(), [&](Value source) { ask(source); });
    }
    done.insert(op);
  }
}

LogicalResult AccessCounter::visit(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](tv::LoadOp load) {
        if (!load.getAtUse())
          ask(load.getResult());
        return success();
      })
      .Case([&](tv::StageOp stage) { return addStage(stage), success(); })
      .Case<tv::StoreOp, tv::AccumulateOp, tv::ThreadReduceOp>(
          [&](Operation *consumer) {
            return visitConsumers(*consumer), success();
          })
      .Case([&](tv::WarpReduceOp reduce) {
        llvm::for_each(reduce.getSources(), [&](Value value) { ask(value); });
        return success();
      })
      .Case([&](tv::PublishOp publish) {
        llvm::for_each(publish.getValues(), [&](Value value) { ask(value); });
        return addPublish(publish), success();
      })
      .Case(
          [&](tv::CollectOp collect) { return addCollect(collect), success(); })
      // What is picked, and where candidates wait, depends on the elements.
      .Case<tv::TopKOp, tv::SaveTopKOp>([&](auto topk) {
        for (Value row : {topk.getRow(), topk.getAgain()})
          ask(row);
        return success();
      })
      .Case([&](tv::ScatterOp) { return success(); })
      // Asked for by what picks from it.
      .Case([&](tv::RecallOp) { return success(); })
      .Case([&](tv::SaveOp save) {
        llvm::for_each(save.getValues(), [&](Value value) { ask(value); });
        return addSave(save), success();
      })
      .Case([&](tv::MergeOp merge) { return addMerge(merge), success(); })
      // They meet at barriers, which have no counters here.
      .Case([&](tv::FoldOp fold) { return addFold(fold), success(); })
      .Case<tv::AwaitOp, tv::BarrierOp, tv::EachTileOp, tv::TileBeforeOp, tv::ExchangeWaitOp,
            tv::ClusterInitOp, tv::ClusterArriveOp, tv::ClusterWaitOp>(
          [&](Operation *) { return success(); })
      .Default([&](Operation *op) -> LogicalResult {
        if (isMemoryEffectFree(op))
          return success();
        return op->emitOpError(
            "accesses memory in a way that the report does not "
            "know");
      });
}

FailureOr<std::vector<AccessReport>> AccessCounter::run() {
  for (Operation &op : kernel.getBody().front())
    if (!done.contains(&op) && failed(visit(op)))
      return failure();
  return std::move(reports);
}

FailureOr<std::vector<AccessReport>>
quack::countAccesses(tv::KernelOp kernel, ArrayRef<LaunchArgument> arguments,
                     int64_t rows) {
  return AccessCounter(kernel, arguments, rows).run();
}
