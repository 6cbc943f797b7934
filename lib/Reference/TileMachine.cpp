//===- TileMachine.cpp - what each thread does by itself -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dispatch, and the operations in which no value leaves its thread.
//
//===----------------------------------------------------------------------===//

#include "TileMachine.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quack;
using namespace quack::reference;

GlobalMemory::GlobalMemory(tv::KernelOp kernel,
                           std::vector<OperandBuffers> operands, int64_t rows)
    : operands(std::move(operands)) {
  for (auto [operand, type] :
       llvm::zip_equal(this->operands, kernel.getFunctionType().getInputs())) {
    int64_t height = isSharedByRows(operand.role) ? 1 : rows;
    int64_t width = operand.widthOf(kernel.getColumns());
    writes.emplace_back(operand.isWritten ? height * width : 0);
    Type element = getElementTypeOrSelf(type);
    storage.push_back(getTraits(
        isa<FloatType>(element) ? getFloatFormat(element) : FloatFormat::f64));
  }
}

TileMachine::TileMachine(tv::KernelOp kernel, int64_t rows,
                         TileEvaluation evaluation, GlobalMemory &memory)
    : kernel(kernel), rows(rows), columns(kernel.getColumns()),
      evaluation(evaluation), memory(memory) {}

const Distribution &TileMachine::distributionOf(Type tile) {
  tv::LayoutAttr layout = tv::getLayoutAttr(tile);
  TileShape shape = tv::getTileShape(tile);
  auto [found, isNew] = distributions.try_emplace(
      {layout.getAsOpaquePointer(), {shape.rows, shape.columns}},
      layout.getValue(), shape);
  return found->second;
}

Lane &TileMachine::laneOf(Value value) {
  auto [found, isNew] = lanes.try_emplace(value.getAsOpaquePointer());
  if (isNew)
    found->second.resize(
        tv::getLayoutAttr(value.getType()) ? distributionOf(value).size() : 1);
  return found->second;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

LogicalResult TileMachine::checkKernel() {
  tv::PlanAttr plan = kernel.getPlan();
  for (Operation &op : kernel.getBody().front()) {
    for (Value value : op.getResults()) {
      if (!isa<RankedTensorType>(value.getType()))
        continue;
      if (!tv::getLayoutAttr(value.getType()) ||
          !isKnownElementType(getElementTypeOrSelf(value.getType())))
        return op.emitOpError("must be a tile of floats or integers with a "
                              "layout for the evaluator, got ")
               << value.getType();
      // Passes make tile types that nobody has checked.
      if (std::optional<LayoutError> error =
              tv::getLayoutAttr(value.getType())
                  .getValue()
                  .check(tv::getTileShape(value.getType())))
        return op.emitOpError("must have a legal layout, got one that breaks ")
               << error->rule << ": " << error->message;
      const Distribution &tile = distributionOf(value);
      if (tile.ctasPerCluster != plan.getCluster() ||
          tile.warps * warpSize != plan.getThreads())
        return op.emitOpError("must be spread over the plan's ")
               << plan.getThreads() << " threads of " << plan.getCluster()
               << " CTAs, got " << tile.warps * warpSize << " of "
               << tile.ctasPerCluster;
    }
  }
  return success();
}

LogicalResult TileMachine::runTile(int64_t tile) {
  firstRow = tile * kernel.getPlan().getRows();
  tileNumber = tile;
  lanes.clear();
  exchanges.clear();
  awaited.clear();
  stored.clear();
  barriers.clear();
  hasInit = isInitVisible = hasArrived = arePeersReady = false;
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (const OperandBuffers &operand =
            memory.operands[argument.getArgNumber()];
        operand.role == Role::value)
      laneOf(argument).set(0, {operand.input[0], 0});
  for (Operation &op : kernel.getBody().front())
    if (failed(visit(&op)))
      return failure();
  return checkAllArrived();
}

LogicalResult TileMachine::visit(Operation *op) {
  Attribute constant;
  if (op->getNumResults() == 1 && matchPattern(op, m_Constant(&constant)))
    return visitConstant(op, constant);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tv::LoadOp load) { return visitLoad(load); })
      .Case([&](tv::StoreOp store) { return visitStore(store); })
      .Case([&](tv::StageOp stage) { return visitStage(stage); })
      .Case([&](tv::AwaitOp await) { return visitAwait(await); })
      .Case([&](tv::ReadOp read) { return visitRead(read); })
      .Case([&](tv::WidenOp widen) {
        laneOf(widen) = laneOf(widen.getSource());
        return success();
      })
      .Case([&](tv::NarrowOp narrow) {
        FloatTraits traits =
            getTraits(getFloatFormat(getElementTypeOrSelf(narrow.getType())));
        mapUnary({&laneOf(narrow.getSource())}, laneOf(narrow), [&](Number a) {
          return Number{roundTo(traits, a.value), 0.0};
        });
        return success();
      })
      .Case([&](tv::MaskOp mask) { return visitMask(mask); })
      .Case(
          [&](tv::BroadcastOp broadcast) { return visitBroadcast(broadcast); })
      .Case([&](tv::IndexOp index) { return visitIndex(index), success(); })
      .Case([&](tv::GatherOp gather) { return visitGather(gather); })
      .Case([&](tv::ReduceOp reduce) { return visitStep(reduce, Level::Slice); })
      .Case([&](tv::GroupReduceOp reduce) { return visitGroupReduce(reduce); })
      .Case([&](tv::GroupBroadcastOp broadcast) {
        return visitGroupBroadcast(broadcast);
      })
      .Case([&](tv::ThreadReduceOp reduce) {
        return visitStep(reduce, Level::Value);
      })
      .Case([&](tv::WarpReduceOp step) { return visitStep(step, Level::Lane); })
      .Case(
          [&](tv::BlockReduceOp step) { return visitStep(step, Level::Warp); })
      .Case(
          [&](tv::ClusterReduceOp step) { return visitStep(step, Level::Cta); })
      .Case(
          [&](tv::GridReduceOp step) { return visitStep(step, Level::Slice); })
      .Case([&](tv::TopKOp topk) { return visitTopK(topk); })
      .Case([&](tv::SaveTopKOp save) { return visitSaveTopK(save); })
      .Case([&](tv::RecallOp recall) { return visitRecall(recall); })
      .Case([&](tv::ScatterOp scatter) { return visitScatter(scatter); })
      .Case([&](tv::EachTileOp) {
        // Tiles are evaluated one by one: where they overlap, those that a tile's wait is
        // for have been collected.
        hasArrived |= kernel.getPlan().overlapsTiles();
        return success();
      })
      .Case([&](tv::TileBeforeOp) { return success(); })
      .Case([&](tv::AccumulateOp sum) { return visitAccumulate(sum); })
      .Case([&](tv::SaveOp save) { return visitSave(save); })
      .Case([&](tv::MergeOp merge) { return visitMerge(merge); })
      .Case([&](tv::AllocExchangeOp alloc) { return visitAlloc(alloc); })
      .Case([&](tv::PublishOp publish) { return visitPublish(publish); })
      .Case([&](tv::BarrierOp) { return visitBarrier(); })
      .Case([&](tv::ExchangeWaitOp wait) { return visitExchangeWait(wait); })
      .Case([&](tv::CollectOp collect) { return visitCollect(collect); })
      .Case([&](tv::ClusterInitOp init) { return visitClusterInit(init); })
      .Case([&](tv::ClusterArriveOp) {
        hasArrived = true;
        return success();
      })
      .Case([&](tv::ClusterWaitOp wait) { return visitClusterWait(wait); })
      .Default([&](Operation *other) { return visitElementwise(other); });
}

//===----------------------------------------------------------------------===//
// Within a thread
//===----------------------------------------------------------------------===//

LogicalResult TileMachine::visitElementwise(Operation *op) {
  ElementwiseLoop loop = lookupElementwise(op);
  if (!loop || op->getNumResults() != 1)
    return op->emitOpError("has no reference: the evaluator does not know it");
  Lane &result = laneOf(op->getResult(0));
  SmallVector<const Lane *, 4> sources;
  for (Value operand : op->getOperands()) {
    if (tv::getLayoutAttr(operand.getType()) !=
        tv::getLayoutAttr(op->getResult(0).getType()))
      return op->emitOpError("must have one layout, got ")
             << operand.getType() << " and " << op->getResult(0).getType();
    sources.push_back(&laneOf(operand));
  }
  loop(getOpContext(op), sources, result);
  return success();
}

LogicalResult TileMachine::visitConstant(Operation *op, Attribute value) {
  Lane &result = laneOf(op->getResult(0));
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (dense && dense.isSplat())
    value = dense.getSplatValue<Attribute>();
  std::optional<double> number = getConstantNumber(value);
  if (!number)
    return op->emitOpError("must be the same in all elements for the "
                           "evaluator, got ")
           << value;
  for (size_t i = 0; i < result.size(); ++i)
    result.set(i, {*number, 0.0});
  return success();
}

LogicalResult TileMachine::visitMask(tv::MaskOp op) {
  const Distribution &tile = distributionOf(op.getResult());
  double identity = getConstantNumber(op.getIdentity()).value_or(0);
  auto from = static_cast<int64_t>(op.getColumns());
  Lane &result = laneOf(op);
  result = laneOf(op.getSource());
  for (size_t i = 0; i < tile.size(); ++i)
    if (tile.columnOf(i) >= from)
      result.set(i, {identity, 0.0});
  return success();
}

void TileMachine::visitIndex(tv::IndexOp op) {
  const Distribution &tile = distributionOf(op.getResult());
  Lane &result = laneOf(op);
  for (size_t i = 0; i < tile.size(); ++i)
    result.set(i, {static_cast<double>(tile.columnOf(i)), 0.0});
}

LogicalResult TileMachine::visitBroadcast(tv::BroadcastOp op) {
  const Lane &source = laneOf(op.getSource());
  Lane &result = laneOf(op);
  const Distribution &to = distributionOf(op.getResult());
  if (!tv::getLayoutAttr(op.getSource().getType())) {
    for (size_t i = 0; i < to.size(); ++i)
      result.set(i, source[0]);
    return success();
  }
  const Distribution &from = distributionOf(op.getSource());
  for (size_t i = 0; i < to.size(); ++i) {
    // Of what this thread holds, the one of the element's row.
    int64_t first = i / to.values * from.values, found = -1;
    for (int64_t j = first; j < first + from.values; ++j) {
      if (from.rowOf(j) != to.rowOf(i))
        continue;
      if (found >= 0)
        return op.emitOpError("source must give each thread one value for row ")
               << to.rowOf(i) << ", got several";
      found = j;
    }
    if (found < 0)
      return op.emitOpError("source must give each thread one value for row ")
             << to.rowOf(i) << ", got none";
    result.set(i, source[found]);
  }
  return success();
}
