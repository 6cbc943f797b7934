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
// The launch
//===----------------------------------------------------------------------===//

/// Returns the bytes that operand `number` stores an element in.
static int64_t storedBytes(tv::KernelOp kernel, unsigned number) {
  Type type = kernel.getFunctionType().getInput(number);
  return llvm::divideCeil(getElementTypeOrSelf(type).getIntOrFloatBitWidth(),
                          8);
}

/// Returns the entry of `map`, or `otherwise`.
static int64_t lookup(const std::map<std::string, int64_t> &map, StringRef name,
                      int64_t otherwise) {
  auto found = map.find(name.str());
  return found == map.end() ? otherwise : found->second;
}

Placement quack::placeOperand(tv::KernelOp kernel, unsigned number,
                              const DescribedLaunch &launch) {
  OperandAttr spec = kernel.getOperandAttr(number);
  StringRef name = spec.getName();
  int64_t bytes = storedBytes(kernel, number);
  Placement place;
  place.start = lookup(launch.offsets, name, 0) * bytes;
  int64_t perRow = spec.getRole() == Role::row ? kernel.getColumns() : 1;
  place.rowBytes = spec.getRole() == Role::columns
                       ? 0
                       : lookup(launch.rowStrides, name, perRow) * bytes;
  return place;
}

/// Checks that each name of `map` is that of an operand of one of `roles`.
static LogicalResult verifyNames(tv::KernelOp kernel, StringRef what,
                                 const std::map<std::string, int64_t> &map,
                                 ArrayRef<Role> roles) {
  for (const auto &[name, value] : map) {
    bool isThere =
        llvm::any_of(kernel.getOperandSpecs().getAsRange<OperandAttr>(),
                     [&, &name = name](OperandAttr spec) {
                       return spec.getName() == name &&
                              llvm::is_contained(roles, spec.getRole());
                     });
    if (!isThere)
      return kernel.emitOpError(what)
             << " names '" << name << "', which is no "
             << stringifyRole(roles.front()) << " operand of the kernel";
  }
  return success();
}

LogicalResult quack::verifyLaunch(tv::KernelOp kernel,
                                  const DescribedLaunch &launch) {
  if (launch.rows == DescribedLaunch::usualRows)
    return kernel.emitOpError(
        "has no row program that says how many rows there "
        "are: give --rows=M");
  if (launch.rows < 0)
    return kernel.emitOpError("rows must not be negative, got ") << launch.rows;
  constexpr int64_t maxGrid = (int64_t(1) << 31) - 1;
  tv::PlanAttr plan = kernel.getPlan();
  int64_t ctas = plan.getCluster() * plan.getSlices();
  if (launch.rows / plan.getRows() >= maxGrid / ctas)
    return kernel.emitOpError()
           << launch.rows << " rows need more than the " << maxGrid
           << " CTAs of a grid (" << plan.getRows() << " rows a tile, " << ctas
           << " CTAs each)";
  if (failed(verifyNames(kernel, "row stride", launch.rowStrides,
                         {Role::row, Role::scalar})) ||
      failed(verifyNames(kernel, "offset", launch.offsets,
                         {Role::row, Role::scalar, Role::columns})))
    return failure();
  for (OperandAttr spec : kernel.getOperandSpecs().getAsRange<OperandAttr>()) {
    StringRef name = spec.getName();
    int64_t least = spec.getRole() == Role::row ? kernel.getColumns() : 1;
    int64_t stride = lookup(launch.rowStrides, name, least);
    bool sharesRows = stride == 0 && spec.getDirection() == Direction::in;
    if (stride < least && !sharesRows)
      return kernel.emitOpError("row stride of operand '")
             << name << "' must be at least " << least
             << (spec.getDirection() == Direction::in ? ", or 0 for one row"
                                                      : "")
             << ", got " << stride;
    if (int64_t offset = lookup(launch.offsets, name, 0); offset < 0)
      return kernel.emitOpError("offset of operand '")
             << name << "' must not be negative, got " << offset;
  }
  return success();
}

std::string quack::violatedGuard(tv::KernelOp kernel,
                                 const DescribedLaunch &launch) {
  if (int64_t least = kernel.getPlan().getLeastRows(); launch.rows < least)
    return ("it is for launches of at least " + Twine(least) + " rows").str();
  for (unsigned i = 0; i < kernel.getOperandSpecs().size(); ++i) {
    if (!isa<MemRefType>(kernel.getFunctionType().getInput(i)))
      continue;
    Placement place = placeOperand(kernel, i, launch);
    int64_t alignment = getOperandAlignment(kernel, i);
    OperandAttr spec = kernel.getOperandAttr(i);
    auto fail = [&](StringRef what, int64_t bytes) {
      return ("the " + what + " of '" + spec.getName().getValue() + "', " +
              Twine(bytes) + " bytes, is no multiple of " + Twine(alignment))
          .str();
    };
    if (place.start % alignment)
      return fail("offset", place.start);
    if (spec.getRole() == Role::row && place.rowBytes % alignment)
      return fail("row stride", place.rowBytes);
  }
  return "";
}

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

void AccessCounter::forEachWarp(const Fragment &fragment, int64_t rowBytes,
                                function_ref<void(const WarpOfTile &)> visit) {
  const TVLayout &layout = *fragment.layout;
  tv::PlanAttr plan = kernel.getPlan();
  // A level without modes is the same for all.
  auto index = [&](Level level, int64_t i) {
    return layout.size(level) == 1 ? 0 : i;
  };
  for (const TileClass &tile :
       classifyTiles(launch.rows, plan.getRows(), rowBytes)) {
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
      ask(reduction.getSource());
      done.insert(reduction);
    }
    return;
  }
  for (Operation *op : gatherConsumers(first)) {
    ask(op->getOperand(0));
    if (auto store = dyn_cast<tv::StoreOp>(op))
      addStore(store);
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
      .Case<tv::StoreOp, tv::ThreadReduceOp>([&](Operation *consumer) {
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
      .Case([&](tv::SaveOp save) {
        llvm::for_each(save.getValues(), [&](Value value) { ask(value); });
        return addSave(save), success();
      })
      .Case([&](tv::MergeOp merge) { return addMerge(merge), success(); })
      // They meet at barriers, which have no counters here.
      .Case<tv::AwaitOp, tv::BarrierOp, tv::ExchangeWaitOp, tv::ClusterInitOp,
            tv::ClusterArriveOp, tv::ClusterWaitOp>(
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
quack::countAccesses(tv::KernelOp kernel, const DescribedLaunch &launch) {
  return AccessCounter(kernel, launch).run();
}
