//===- lib/Dialect/QuackTV/Verifiers.cpp - constraints ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of the tile-program operations, numbered as in
// dialects/QuackTV/QuackTVOps.td.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/QuackTV/QuackTV.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace quack::tv {

/// An mbarrier's size (PTX ISA, mbarrier object).
static constexpr int64_t mbarrierBytes = 8;

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
    return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
        .Case<ClusterArriveOp, ClusterWaitOp, PublishOp, BarrierOp,
              ExchangeWaitOp, CollectOp, AwaitOp, ReadOp>(
            [&](auto known) { return visit(known); })
        .Default([](Operation *) { return success(); });
  }

  // C4
  LogicalResult visit(ClusterArriveOp op) {
    if (arrived)
      return op.emitOpError("must not follow a cluster_arrive without a "
                            "cluster_wait between");
    arrived = true;
    return success();
  }

  LogicalResult visit(ClusterWaitOp op) {
    if (!arrived)
      return op.emitOpError("must follow a cluster_arrive");
    arrived = false;
    peersReady = true;
    return success();
  }

  // C5
  LogicalResult visit(PublishOp op) {
    if (isRemote(op.getBuffer()) && !peersReady)
      return op.emitOpError("to peers must come after a cluster_wait: their "
                            "mbarriers may not be initialised yet");
    if (!published.insert(op.getBuffer()).second)
      return op.emitOpError("must be the only one to its buffer, which may "
                            "still be read: allocate another");
    return success();
  }

  LogicalResult visit(BarrierOp) {
    for (Value buffer : published)
      if (!isRemote(buffer))
        ready.insert(buffer);
    return success();
  }

  LogicalResult visit(ExchangeWaitOp op) {
    if (!published.contains(op.getBuffer()))
      return op.emitOpError("must follow the publish to its buffer");
    ready.insert(op.getBuffer());
    return success();
  }

  LogicalResult visit(CollectOp op) {
    if (ready.contains(op.getBuffer()))
      return success();
    return op.emitOpError("must come after the ")
           << (isRemote(op.getBuffer()) ? "exchange_wait" : "barrier")
           << " that follows the publish to its buffer";
  }

  // C6
  LogicalResult visit(AwaitOp op) {
    arrivedStages.insert(op.getStaged());
    return success();
  }

  LogicalResult visit(ReadOp op) {
    if (arePlaced && !arrivedStages.contains(op.getStaged()))
      return op.emitOpError("must come after the await of its stage");
    return success();
  }

  static bool isRemote(Value buffer) {
    return buffer.getDefiningOp<AllocExchangeOp>().getBarrierOffset().has_value();
  }

  bool arePlaced = false, arrived = false, peersReady = false;
  llvm::SmallDenseSet<Value> published, ready, arrivedStages;
};

/// Bytes of shared memory that an operation names.
struct SharedRange {
  int64_t begin, end;
  Operation *op;
};
} // namespace

/// Returns the ranges of shared memory that buffers, stages and mbarriers take.
static SmallVector<SharedRange> sharedRanges(KernelOp kernel) {
  SmallVector<SharedRange> ranges;
  auto add = [&](std::optional<uint64_t> offset, int64_t bytes, Operation *op) {
    if (offset)
      ranges.push_back({static_cast<int64_t>(*offset),
                        static_cast<int64_t>(*offset) + bytes, op});
  };
  for (Operation &op : kernel.getBody().front()) {
    if (auto alloc = dyn_cast<AllocExchangeOp>(op)) {
      add(alloc.getOffset(), alloc.getBytes(), alloc);
      add(alloc.getBarrierOffset(), mbarrierBytes, alloc);
    } else if (auto stage = dyn_cast<StageOp>(op)) {
      RankedTensorType tile = stage.getStaged().getType().getTile();
      add(stage.getOffset(),
          tile.getNumElements() / getLayoutAttr(tile).getValue().size(Level::Cta) *
              tile.getElementTypeBitWidth() / 8,
          stage);
      add(stage.getBarrierOffset(), mbarrierBytes, stage);
    }
  }
  llvm::stable_sort(ranges, [](const SharedRange &lhs, const SharedRange &rhs) {
    return lhs.begin < rhs.begin;
  });
  return ranges;
}

/// C9: stages of a kernel whose shared memory is laid out have their place in it.
static LogicalResult verifyPlacement(KernelOp kernel) {
  if (!kernel.getSharedBytes())
    return success();
  for (auto stage : kernel.getBody().front().getOps<StageOp>()) {
    if (!stage.getOffset())
      return stage.emitOpError("must have an offset, as the kernel's shared memory "
                               "is laid out");
    if (stage.getForm() == Hold::bulk && !stage.getBarrierOffset())
      return stage.emitOpError("must have an mbarrier, as it is a bulk copy");
  }
  return success();
}

/// C8: nothing overlaps, and all lies within the kernel's shared memory.
static LogicalResult verifySharedMemory(KernelOp kernel) {
  int64_t end = 0;
  std::optional<uint64_t> limit = kernel.getSharedBytes();
  for (const SharedRange &range : sharedRanges(kernel)) {
    if (range.begin < end)
      return range.op->emitOpError("must have shared memory of its own, got byte ")
             << range.begin << ", which another operation has up to byte " << end;
    end = range.end;
    if (limit && end > static_cast<int64_t>(*limit))
      return range.op->emitOpError("must lie in the kernel's ")
             << *limit << " bytes of shared memory, got an end of " << end;
  }
  return success();
}

/// C7: an operation that a tile program may hold.
static LogicalResult verifyBodyOp(Operation &op) {
  if (isa<QuackTVDialect>(op.getDialect()))
    return success();
  bool elementwise = op.hasTrait<OpTrait::Elementwise>() &&
                     op.getNumRegions() == 0 && isMemoryEffectFree(&op);
  if (elementwise || op.hasTrait<OpTrait::ConstantLike>())
    return success();
  return op.emitOpError("must not stand in a quack_tv.kernel: expected a quack_tv, "
                        "constant or elementwise operation without side effects");
}

LogicalResult KernelOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (failed(verifyBodyOp(op)))
      return failure();
  if (failed(ProtocolChecker().check(*this)) || failed(verifyPlacement(*this)))
    return failure();
  return verifySharedMemory(*this);
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

static LogicalResult verifyIsStage(Operation *op, Value staged) {
  if (staged.getDefiningOp<StageOp>())
    return success();
  return op->emitOpError("'staged' must be the result of a quack_tv.stage");
}

LogicalResult AwaitOp::verify() { return verifyIsStage(*this, getStaged()); }

LogicalResult ReadOp::verify() {
  // C1
  if (failed(verifyIsStage(*this, getStaged())))
    return failure();
  // C2
  if (getResult().getType() != getStaged().getType().getTile())
    return emitOpError("result must be the staged tile ")
           << getStaged().getType().getTile() << ", got " << getResult().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise helpers
//===----------------------------------------------------------------------===//

LogicalResult WidenOp::verify() {
  if (failed(verifyIsTile(*this, getSource().getType(), "source")))
    return failure();
  // C1
  Type element = getElementTypeOrSelf(getSource().getType());
  if (!element.isBF16() && !element.isF16())
    return emitOpError("source must have element type bf16 or f16, got ")
           << element;
  // C2
  auto expected = cast<RankedTensorType>(getSource().getType())
                      .clone(Float32Type::get(getContext()));
  if (getResult().getType() != expected)
    return emitOpError("result must be ") << expected << ", got "
                                          << getResult().getType();
  return success();
}

LogicalResult MaskOp::verify() {
  if (failed(verifyIsTile(*this, getSource().getType(), "source")))
    return failure();
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
  // C2
  auto expected =
      reduceTileType(cast<RankedTensorType>(getSource().getType()), Level::Value);
  if (getResult().getType() != expected)
    return emitOpError("result must be ") << expected << ", got "
                                          << getResult().getType();
  // C1
  return verifyKind(*this, getKind(), getSource().getType());
}

/// C6: a combiner is pure and computes from its arguments alone.
static LogicalResult verifyCombinerBody(Operation *op, Block &body) {
  if (body.empty() || !isa<YieldOp>(body.back()))
    return op->emitOpError("combiner must end with quack_tv.yield");
  for (Operation &inner : body) {
    if (!isMemoryEffectFree(&inner) || inner.getNumRegions() != 0)
      return inner.emitOpError("must not stand in a combiner: expected an "
                               "operation without side effects or regions");
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != &body)
        return inner.emitOpError("must not use a value from outside its combiner");
  }
  return success();
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
  if (failed(verifyCombinerBody(op, combiner.front())))
    return failure();
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

/// C1 to C3 and C5 to C7 of a step or collect.
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
    // C7
    if (!type.getElementType().isF32() && !type.getElementType().isInteger(32))
      return op->emitOpError("sources must have element type f32 or i32, got ")
             << type.getElementType();
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

/// C8: the results are what reducing `levels` of the sources gives.
static LogicalResult verifyStepResults(Operation *op, ValueRange sources,
                                       ArrayRef<Level> levels) {
  if (op->getNumResults() != sources.size())
    return op->emitOpError("must have one result for each of its ")
           << sources.size() << " values, got " << op->getNumResults();
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

/// Checks that `buffer` is made by an alloc_exchange.
static LogicalResult verifyIsBuffer(Operation *op, Value buffer) {
  if (buffer.getDefiningOp<AllocExchangeOp>())
    return success();
  return op->emitOpError("'buffer' must be the result of a quack_tv.alloc_exchange");
}

LogicalResult PublishOp::verify() {
  // C1
  if (getValues().empty())
    return emitOpError("must publish at least one value");
  auto first = cast<RankedTensorType>(getValues().front().getType());
  for (Value value : getValues()) {
    auto type = cast<RankedTensorType>(value.getType());
    if (failed(verifyIsTile(*this, type, "values")))
      return failure();
    if (type.getShape() != first.getShape() ||
        type.getEncoding() != first.getEncoding())
      return emitOpError("values must share one shape and layout, got ")
             << first << " and " << type;
    if (!type.getElementType().isF32() && !type.getElementType().isInteger(32))
      return emitOpError("values must have element type f32 or i32, got ")
             << type.getElementType();
  }
  // C2
  return verifyIsBuffer(*this, getBuffer());
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
  // C4
  if (failed(verifyIsBuffer(*this, getBuffer())))
    return failure();
  if (failed(verifyCombination(*this, getKinds(), getIdentities(), getCombiner(),
                               getPartials())))
    return failure();
  auto alloc = getBuffer().getDefiningOp<AllocExchangeOp>();
  SmallVector<Level> consumed{Level::Warp};
  if (alloc.getBarrierOffset())
    consumed.push_back(Level::Cta);
  return verifyStepResults(*this, getPartials(), consumed);
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
