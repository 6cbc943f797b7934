//===- lib/Dialect/QuackTV/Verifiers.cpp - constraints ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of the tile-program operations, numbered as in
// dialects/QuackTV/QuackTVOps.td.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/QuackTV/QuackTV.h"

using namespace mlir;

namespace quack::tv {

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

static LogicalResult verifyIsTile(Operation *op, Type type, StringRef what) {
  if (getLayoutAttr(type))
    return success();
  return op->emitOpError("'")
         << what << "' must be a tile with a quack_tv.layout, got " << type;
}

static LogicalResult verifyKind(Operation *op, ReduceKind kind, Type tile) {
  Type element = getElementTypeOrSelf(tile);
  if (fitsElementType(kind, element))
    return success();
  return op->emitOpError("kind ")
         << stringifyReduceKind(kind) << " must not be used on " << element
         << ": kinds that end in f take floats, the others integers";
}

/// Checks that `tile` is what the kernel operand `spec` of type `memref` reads
/// or writes as: rows of the kernel's tile, in the storage type.
static LogicalResult verifyTransfer(Operation *op, OperandAttr spec,
                                    MemRefType memref, Type tile,
                                    StringRef what) {
  if (failed(verifyIsTile(op, tile, what)))
    return failure();
  auto kernel = cast<KernelOp>(op->getParentOp());
  TileShape shape = getTileShape(tile);
  if (shape.rows != kernel.getPlan().getRows())
    return op->emitOpError("'")
           << what << "' must have the kernel's " << kernel.getPlan().getRows()
           << " rows, got " << shape.rows;
  if (spec.getRole() == Role::scalar && shape.columns != 1)
    return op->emitOpError("'")
           << what << "' must have 1 column for a scalar operand, got "
           << shape.columns;
  if (spec.getRole() != Role::scalar && shape.columns < kernel.getColumns())
    return op->emitOpError("'")
           << what << "' must have at least the kernel's " << kernel.getColumns()
           << " columns, got " << shape.columns;
  Type element = getElementTypeOrSelf(tile);
  if (element != memref.getElementType())
    return op->emitOpError("'") << what << "' must have the storage type "
                                << memref.getElementType() << ", got " << element;
  return success();
}

//===----------------------------------------------------------------------===//
// kernel
//===----------------------------------------------------------------------===//

LogicalResult KernelOp::verify() {
  // C1
  if (failed(verifyKernelOperands(*this, getFunctionType(), getOperandSpecs())))
    return failure();
  if (getBody().getArgumentTypes() != getFunctionType().getInputs())
    return emitOpError("body must take the kernel's operand types ")
           << getFunctionType().getInputs() << ", got "
           << getBody().getArgumentTypes();
  if (ShapedType::isDynamic(getColumns()))
    return emitOpError("must have static columns, got ?: run quack-specialize");
  // C2
  PlanAttr plan = getPlan();
  auto missing = [&](StringRef field) {
    return emitOpError("plan must be complete, field '") << field << "' is missing";
  };
  if (!plan.getThreads())
    return missing("threads");
  if (!plan.getThreadsPerRow())
    return missing("threads_per_row");
  if (!plan.getRowsPerThread())
    return missing("rows_per_thread");
  if (!plan.getCluster())
    return missing("cluster");
  if (!plan.getVectorSize())
    return missing("vector");
  // C3
  if (plan.getCluster() > 1 && plan.getThreadsPerRow() < warpSize)
    return emitOpError("plan must give a row at least a whole warp of each CTA in "
                       "a cluster, got threads_per_row = ")
           << plan.getThreadsPerRow() << " with cluster = " << plan.getCluster();
  return success();
}

namespace {
/// Walks a kernel body once and follows the state of its barriers.
class ProtocolChecker {
public:
  LogicalResult check(KernelOp kernel) {
    arePlaced = kernel.getSharedBytes().has_value();
    for (Operation &op : kernel.getBody().front())
      if (failed(visit(op)))
        return failure();
    // C4
    if (arrived)
      return kernel.emitOpError(
          "each cluster_arrive must be followed by a cluster_wait, got one more "
          "arrive");
    return success();
  }

private:
  LogicalResult visit(Operation &op) {
    if (isa<ClusterArriveOp>(op)) {
      if (arrived)
        return op.emitOpError("must not follow a cluster_arrive without a "
                              "cluster_wait between");
      arrived = true;
    } else if (isa<ClusterWaitOp>(op)) {
      if (!arrived)
        return op.emitOpError("must follow a cluster_arrive");
      arrived = false;
      peersReady = true;
    } else if (auto publish = dyn_cast<PublishOp>(op)) {
      auto alloc = publish.getBuffer().getDefiningOp<AllocExchangeOp>();
      bool remote = alloc && alloc.getBarrierOffset();
      // C5
      if (remote && !peersReady)
        return op.emitOpError("to peers must come after a cluster_wait: their "
                              "mbarriers may not be initialised yet");
      published.insert(publish.getBuffer());
    } else if (isa<BarrierOp>(op)) {
      for (Value buffer : published)
        ready.insert(buffer);
    } else if (auto wait = dyn_cast<ExchangeWaitOp>(op)) {
      ready.insert(wait.getBuffer());
    } else if (auto collect = dyn_cast<CollectOp>(op)) {
      auto alloc = collect.getBuffer().getDefiningOp<AllocExchangeOp>();
      bool remote = alloc && alloc.getBarrierOffset();
      if (!ready.contains(collect.getBuffer()))
        return op.emitOpError("must come after the ")
               << (remote ? "exchange_wait" : "barrier")
               << " that follows the publish to its buffer";
    } else if (auto await = dyn_cast<AwaitOp>(op)) {
      arrivedStages.insert(await.getStaged());
    } else if (auto read = dyn_cast<ReadOp>(op)) {
      // C6
      if (arePlaced && !arrivedStages.contains(read.getStaged()))
        return op.emitOpError("must come after the await of its stage");
    }
    return success();
  }

  bool arePlaced = false, arrived = false, peersReady = false;
  llvm::SmallDenseSet<Value> published, ready, arrivedStages;
};
} // namespace

LogicalResult KernelOp::verifyRegions() {
  return ProtocolChecker().check(*this);
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  // C1
  OperandAttr spec = verifyIsKernelOperand(*this, getSource(), "source");
  if (!spec)
    return failure();
  // C2
  return verifyTransfer(*this, spec, cast<MemRefType>(getSource().getType()),
                        getResult().getType(), "result");
}

LogicalResult StoreOp::verify() {
  // C1
  OperandAttr spec = verifyIsKernelOperand(*this, getTarget(), "target");
  if (!spec)
    return failure();
  if (spec.getDirection() == Direction::in)
    return emitOpError("'target' must be an out or inout operand, got '")
           << spec.getName().getValue() << "', which is in";
  // C2
  return verifyTransfer(*this, spec, cast<MemRefType>(getTarget().getType()),
                        getValue().getType(), "value");
}

LogicalResult StageOp::verify() {
  // C1
  OperandAttr spec = verifyIsKernelOperand(*this, getSource(), "source");
  if (!spec)
    return failure();
  if (spec.getRole() != Role::row)
    return emitOpError("'source' must be a row operand, got '")
           << spec.getName().getValue() << "' with role "
           << stringifyRole(spec.getRole());
  // C2
  RankedTensorType tile = getStaged().getType().getTile();
  if (failed(verifyTransfer(*this, spec, cast<MemRefType>(getSource().getType()),
                            tile, "staged")))
    return failure();
  // C3
  if (getForm() != Hold::async && getForm() != Hold::bulk)
    return emitOpError("'form' must be async or bulk, got ")
           << stringifyHold(getForm());
  // C4
  TileShape shape = getTileShape(tile);
  int64_t bytes = tile.getElementTypeBitWidth() / 8;
  int64_t run = getLayoutAttr(tile).getValue().contiguousRun(shape) * bytes;
  if (run % maxAccessBytes != 0)
    return emitOpError("a thread's run must be a multiple of 16 bytes, got ")
           << run;
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  int64_t rowBytes = kernel.getColumns() * bytes;
  if (getForm() == Hold::bulk && rowBytes % maxAccessBytes != 0)
    return emitOpError("a row must be a multiple of 16 bytes for a bulk copy, got ")
           << rowBytes;
  return success();
}

LogicalResult ReadOp::verify() {
  if (getResult().getType() != getStaged().getType().getTile())
    return emitOpError("result must be the staged tile ")
           << getStaged().getType().getTile() << ", got " << getResult().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise helpers
//===----------------------------------------------------------------------===//

LogicalResult WidenOp::verify() {
  // C1
  Type element = getElementTypeOrSelf(getSource().getType());
  if (!element.isBF16() && !element.isF16())
    return emitOpError("source must have element type bf16 or f16, got ")
           << element;
  auto expected = cast<RankedTensorType>(getSource().getType())
                      .clone(Float32Type::get(getContext()));
  if (getResult().getType() != expected)
    return emitOpError("result must be ") << expected << ", got "
                                          << getResult().getType();
  return success();
}

LogicalResult MaskOp::verify() {
  // C1
  Type element = getElementTypeOrSelf(getSource().getType());
  if (getIdentity().getType() != element)
    return emitOpError("'identity' must be ")
           << element << ", got " << getIdentity().getType();
  // C2
  int64_t columns = getTileShape(getSource().getType()).columns;
  int64_t from = getColumns();
  if (from < 1 || from > columns)
    return emitOpError("'columns' must be 1 to the tile's ")
           << columns << ", got " << from;
  return success();
}

/// Returns whether `layout` on `shape` is what `tile` becomes after its values,
/// and perhaps more levels, are reduced.
static bool isReductionOf(RankedTensorType source, RankedTensorType tile) {
  for (Level level : allLevels) {
    tile = reduceTileType(tile, level);
    if (tile == source)
      return true;
  }
  return false;
}

LogicalResult BroadcastOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  if (failed(verifyIsTile(*this, result, "result")))
    return failure();
  // C1
  Type element = getElementTypeOrSelf(getSource().getType());
  if (result.getElementType() != element)
    return emitOpError("result must have element type ")
           << element << ", got " << result.getElementType();
  // C2
  auto source = dyn_cast<RankedTensorType>(getSource().getType());
  if (source && !isReductionOf(source, result))
    return emitOpError("source must be a reduction of ")
           << result << " along its columns, got " << source;
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  if (failed(verifyIsTile(*this, getSource().getType(), "source")))
    return failure();
  // C1
  if (failed(verifyKind(*this, getKind(), getSource().getType())))
    return failure();
  // C2
  auto expected = getRowScalarType(cast<RankedTensorType>(getSource().getType()));
  if (getResult().getType() != expected)
    return emitOpError("result must be ") << expected << ", got "
                                          << getResult().getType();
  return success();
}

LogicalResult ThreadReduceOp::verify() {
  if (failed(verifyIsTile(*this, getSource().getType(), "source")))
    return failure();
  auto expected =
      reduceTileType(cast<RankedTensorType>(getSource().getType()), Level::Value);
  if (getResult().getType() != expected)
    return emitOpError("result must be ") << expected << ", got "
                                          << getResult().getType();
  // C1
  return verifyKind(*this, getKind(), getSource().getType());
}

/// C5: types of a combiner's arguments, yield and identities.
static LogicalResult verifyCombiner(Operation *op, Region &combiner,
                                    ArrayAttr identities, ValueRange sources) {
  SmallVector<Type> once = llvm::map_to_vector(
      sources.getTypes(), [](Type type) { return getElementTypeOrSelf(type); });
  SmallVector<Type> twice(once);
  twice.append(once);
  if (combiner.getArgumentTypes() != TypeRange(twice))
    return op->emitOpError("combiner must take ")
           << twice << ", got " << combiner.getArgumentTypes();
  Operation *yield = combiner.front().getTerminator();
  if (yield->getOperandTypes() != TypeRange(once))
    return op->emitOpError("combiner must yield ")
           << once << ", got " << yield->getOperandTypes();
  bool matches = identities.size() == once.size();
  for (auto [identity, type] : llvm::zip(identities, once)) {
    auto typed = dyn_cast<TypedAttr>(identity);
    matches &= typed && typed.getType() == type;
  }
  if (!matches)
    return op->emitOpError("must have one identity for each of ")
           << once << ", got " << identities;
  return success();
}

/// C1, C2, C3 and C5 of a step or collect.
static LogicalResult verifyCombination(Operation *op, ArrayAttr kinds,
                                       ArrayAttr identities, Region &combiner,
                                       ValueRange sources) {
  // C1
  if (sources.empty())
    return op->emitOpError("must combine at least one value");
  bool byKind = combiner.empty();
  if (kinds.size() != (byKind ? sources.size() : 0))
    return op->emitOpError("must have one kind for each of its ")
           << sources.size() << " values, or a combiner and no kind; got "
           << kinds.size() << " kinds" << (byKind ? "" : " and a combiner");
  // C3
  auto first = cast<RankedTensorType>(sources.front().getType());
  for (Value source : sources) {
    auto type = cast<RankedTensorType>(source.getType());
    if (failed(verifyIsTile(op, type, "sources")))
      return failure();
    if (type.getShape() != first.getShape() ||
        type.getEncoding() != first.getEncoding())
      return op->emitOpError("sources must share one shape and layout, got ")
             << first << " and " << type;
  }
  // C2
  if (byKind) {
    for (auto [kind, source] : llvm::zip(kinds.getAsRange<ReduceKindAttr>(), sources))
      if (failed(verifyKind(op, kind.getValue(), source.getType())))
        return failure();
    return success();
  }
  return verifyCombiner(op, combiner, identities, sources);
}

/// C4: no column mode is left at `level` of the sources' layout.
static LogicalResult verifyReduced(Operation *op, Type tile, Level level) {
  TileShape shape = getTileShape(tile);
  const TVLayout &layout = getLayoutAttr(tile).getValue();
  for (Mode mode : layout.modes(level))
    if (layout.isColumnMode(mode, shape))
      return op->emitOpError("sources must be reduced over the ")
             << stringifyLevel(level) << " level first, got layout "
             << layout.str();
  return success();
}

/// Checks that `results` are what reducing `levels` of the sources gives.
static LogicalResult verifyStepResults(Operation *op, ValueRange sources,
                                       ArrayRef<Level> levels) {
  for (auto [source, result] : llvm::zip(sources, op->getResults())) {
    auto expected = cast<RankedTensorType>(source.getType());
    for (Level level : levels)
      expected = reduceTileType(expected, level);
    if (result.getType() != expected)
      return op->emitOpError("result must be ")
             << expected << ", got " << result.getType();
  }
  return success();
}

template <typename StepOp>
static LogicalResult verifyStep(StepOp op, ArrayRef<Level> below,
                                ArrayRef<Level> consumed) {
  if (failed(verifyCombination(op, op.getKinds(), op.getIdentities(),
                               op.getCombiner(), op.getSources())))
    return failure();
  for (Level level : below)
    if (failed(verifyReduced(op, op.getSources().front().getType(), level)))
      return failure();
  if (op.getResults().size() != op.getSources().size())
    return op.emitOpError("must have one result for each of its ")
           << op.getSources().size() << " sources, got "
           << op.getResults().size();
  return verifyStepResults(op, op.getSources(), consumed);
}

LogicalResult WarpReduceOp::verify() {
  return verifyStep(*this, {Level::Value}, {Level::Lane});
}

LogicalResult BlockReduceOp::verify() {
  return verifyStep(*this, {Level::Value, Level::Lane}, {Level::Warp});
}

LogicalResult ClusterReduceOp::verify() {
  return verifyStep(*this, {Level::Value, Level::Lane}, {Level::Warp, Level::Cta});
}

//===----------------------------------------------------------------------===//
// The exchange protocol
//===----------------------------------------------------------------------===//

LogicalResult PublishOp::verify() {
  if (getValues().empty())
    return emitOpError("must publish at least one value");
  for (Value value : getValues())
    if (failed(verifyIsTile(*this, value.getType(), "values")))
      return failure();
  return success();
}

LogicalResult ExchangeWaitOp::verify() {
  // C1
  auto alloc = getBuffer().getDefiningOp<AllocExchangeOp>();
  if (!alloc || !alloc.getBarrierOffset())
    return emitOpError("buffer must have an mbarrier: use quack_tv.barrier for a "
                       "buffer of one CTA");
  return success();
}

LogicalResult CollectOp::verify() {
  if (failed(verifyCombination(*this, getKinds(), getIdentities(), getCombiner(),
                               getPartials())))
    return failure();
  if (getResults().size() != getPartials().size())
    return emitOpError("must have one result for each of its ")
           << getPartials().size() << " partials, got " << getResults().size();
  return success();
}

LogicalResult ClusterInitOp::verify() {
  // C1
  if (getBarrierOffsets().size() != getExpectedBytes().size())
    return emitOpError("must have as many expected byte counts as barriers, got ")
           << getExpectedBytes().size() << " and " << getBarrierOffsets().size();
  // C2
  for (int64_t bytes : getExpectedBytes())
    if (bytes < 0 || bytes >= (1 << 20))
      return emitOpError("expected bytes must be less than 2^20 (the range of an "
                         "mbarrier's tx-count), got ")
             << bytes;
  return success();
}

} // namespace quack::tv
