//===- lib/Dialect/QuackTV/Verifiers.cpp - constraints ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of the tile-program operations, numbered as in
// dialects/QuackTV/QuackTVOps.td. Those of the kernel are in KernelVerifier.cpp.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/Combiners.h"
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

/// Checks that `tile` has the rows of the kernel's tile, and the columns that
/// the role of the kernel operand `spec` demands.
static LogicalResult verifyShape(Operation *op, OperandAttr spec,
                                 MemRefType memref, Type tile, StringRef what) {
  if (failed(verifyIsTile(op, tile, what)))
    return failure();
  auto kernel = cast<KernelOp>(op->getParentOp());
  TileShape shape = getTileShape(tile);
  if (shape.rows != kernel.getPlan().getRows())
    return op->emitOpError("'")
           << what << "' must have the kernel's " << kernel.getPlan().getRows()
           << " rows, got " << shape.rows;
  if (isOneNumber(spec.getRole()) && shape.columns != 1)
    return op->emitOpError("'") << what << "' must have 1 column for a "
                                << stringifyRole(spec.getRole())
                                << " operand, got " << shape.columns;
  bool isGroups = hasOwnColumns(spec.getRole());
  int64_t columns = isGroups ? memref.getShape().back() : kernel.getColumns();
  if (!isOneNumber(spec.getRole()) && shape.columns < columns)
    return op->emitOpError("'") << what << "' must have at least the "
                                << (isGroups ? "operand's " : "kernel's ")
                                << columns << " columns, got " << shape.columns;
  return success();
}

/// Checks that `tile` is what the kernel operand `spec` of type `memref` reads
/// or writes as: rows of the kernel's tile, in the storage type.
static LogicalResult verifyTransfer(Operation *op, OperandAttr spec,
                                    MemRefType memref, Type tile,
                                    StringRef what) {
  if (failed(verifyShape(op, spec, memref, tile, what)))
    return failure();
  Type element = getElementTypeOrSelf(tile);
  if (element != memref.getElementType())
    return op->emitOpError("'") << what << "' must have the storage type "
                                << memref.getElementType() << ", got " << element;
  return success();
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

LoadOp LoadOp::getFirstRead() {
  for (auto load : (*this)->getBlock()->getOps<LoadOp>())
    if (load.getSource() == getSource() && load.getType() == getType())
      return load;
  return *this;
}

LogicalResult LoadOp::verify() {
  // C1
  OperandAttr spec = verifyIsKernelOperand(*this, getSource(), "source");
  if (!spec)
    return failure();
  // C2
  if (failed(verifyTransfer(*this, spec, cast<MemRefType>(getSource().getType()),
                            getResult().getType(), "result")))
    return failure();
  // C3
  if (getKept()) {
    int64_t vector = (*this)->getParentOfType<KernelOp>().getPlan().getVectorSize();
    int64_t held = getLayoutAttr(getType()).getValue().size(Level::Value);
    int64_t kept = *getKept();
    if (kept <= 0 || kept % vector != 0 || kept > held || !getAtUse())
      return emitOpError("kept must be a positive multiple of the plan's vector, ")
             << vector << ", and at most the " << held
             << " elements of a thread, with at_use, got " << kept
             << (getAtUse() ? "" : " without at_use");
  }
  // C4
  LoadOp first = getFirstRead();
  if (first.getKept() != getKept())
    return emitOpError("keeps ")
           << getKept().value_or(0) << " elements, but the first load of the operand "
           << first.getKept().value_or(0);
  return success();
}

LogicalResult StoreOp::verify() {
  // C1
  OperandAttr spec = verifyIsWritableOperand(*this, getTarget(), "target");
  if (!spec)
    return failure();
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
  // C5
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  if (kernel.getPlan().startsAnywhere())
    return emitOpError("needs rows that are aligned to 16 bytes, got a plan with "
                       "alignment = element");
  // C4
  TileShape shape = getTileShape(tile);
  int64_t bytes = tile.getElementTypeBitWidth() / 8;
  int64_t run = std::min(getLayoutAttr(tile).getValue().contiguousRun(shape),
                         getLongestRun(kernel)) *
                bytes;
  if (run % maxAccessBytes != 0)
    return emitOpError("a thread's run must be a multiple of 16 bytes, got ")
           << run;
  return success();
}

//===----------------------------------------------------------------------===//
// Sums over rows
//===----------------------------------------------------------------------===//

/// Returns the rows among which a thread's elements of `tile` are.
static int64_t getRowsOfThread(RankedTensorType tile) {
  TileShape shape = getTileShape(tile);
  int64_t rows = 1;
  const TVLayout &layout = getLayoutAttr(tile).getValue();
  for (Mode mode : layout.modes(Level::Value))
    if (layout.isRowMode(mode, shape))
      rows *= mode.size;
  return rows;
}

int64_t AccumulateOp::getGroups() {
  RankedTensorType tile = getValue().getType();
  return getTileShape(tile).rows / getRowsOfThread(tile);
}

int64_t AccumulateOp::getCtaColumns() {
  RankedTensorType tile = getValue().getType();
  // CTAs have copies of a row scalar.
  int64_t columns = getTileShape(tile).columns;
  return columns == 1
             ? 1
             : columns / getLayoutAttr(tile).getValue().size(Level::Cta);
}

int64_t AccumulateOp::getPartialBytes() {
  return 4 * getTileShape(getValue().getType()).columns;
}

int64_t AccumulateOp::getGatherBytes() {
  int64_t groups = getGroups();
  return groups == 1 ? 0 : 4 * groups * getCtaColumns();
}

LogicalResult AccumulateOp::verify() {
  // C1
  OperandAttr spec = verifyIsSumOperand(*this, getTarget(), "target");
  if (!spec)
    return failure();
  // C2
  if (failed(verifyShape(*this, spec, cast<MemRefType>(getTarget().getType()),
                         getValue().getType(), "value")))
    return failure();
  if (Type element = getElementTypeOrSelf(getValue().getType());
      !element.isF32())
    return emitOpError("'value' must have element type f32, got ") << element;
  // C3
  TileShape shape = getTileShape(getValue().getType());
  const TVLayout &layout = getLayoutAttr(getValue().getType()).getValue();
  for (Mode mode : layout.modes(Level::Value))
    if (layout.isRowMode(mode, shape) && mode.stride % (getGroups() * shape.columns) != 0)
      return emitOpError("a thread's rows must be ")
             << getGroups()
             << " apart, as many as the CTA has groups of threads with rows of "
                "their own, got "
             << getValue().getType();
  return success();
}

int64_t FoldOp::getColumns() {
  auto memref = cast<MemRefType>(getTarget().getType());
  return memref.getRank() == 0 ? 1 : memref.getDimSize(0);
}

LogicalResult FoldOp::verify() {
  // C1
  if (!verifyIsSumOperand(*this, getTarget(), "target"))
    return failure();
  // C2
  int64_t partials =
      (*this)->getParentOfType<KernelOp>().getPlan().getPartials();
  if (partials != static_cast<int64_t>(getPartials()))
    return emitOpError("must add up the ")
           << partials << " partials of the kernel's plan, got "
           << getPartials();
  return success();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

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

LogicalResult GatherOp::verify() {
  // C1
  OperandAttr spec = verifyIsKernelOperand(*this, getSource(), "source");
  if (!spec)
    return failure();
  if (spec.getRole() != Role::row && spec.getRole() != Role::columns)
    return emitOpError("'source' must be a row or columns operand, got '")
           << spec.getName().getValue() << "' with role "
           << stringifyRole(spec.getRole());
  // C2
  auto column = cast<RankedTensorType>(getColumn().getType());
  if (failed(verifyIsTile(*this, column, "column")))
    return failure();
  TileShape shape = getTileShape(column);
  int64_t rows = cast<KernelOp>((*this)->getParentOp()).getPlan().getRows();
  bool isIndex = column.getElementType().isInteger(32) ||
                 column.getElementType().isInteger(64);
  if (shape.rows != rows || shape.columns != 1 || !isIndex)
    return emitOpError("'column' must be a row scalar of i32 or i64 with ")
           << rows << " rows, got " << column;
  // C3
  auto expected =
      column.clone(cast<MemRefType>(getSource().getType()).getElementType());
  if (getResult().getType() != expected)
    return emitOpError("result must be ") << expected << ", got "
                                          << getResult().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise helpers
//===----------------------------------------------------------------------===//

LogicalResult IndexOp::verify() {
  // C1
  if (failed(verifyIsTile(*this, getResult().getType(), "result")))
    return failure();
  Type element = getElementTypeOrSelf(getResult().getType());
  if (!element.isInteger(32))
    return emitOpError("result must have element type i32, got ") << element;
  return success();
}

LogicalResult WidenOp::verify() {
  if (failed(verifyIsTile(*this, getSource().getType(), "source")))
    return failure();
  // C1
  Type element = getElementTypeOrSelf(getSource().getType());
  if (!element.isBF16() && !element.isF16() && !isByteFloat(element))
    return emitOpError("source must have element type bf16, f16, f8E4M3FN or "
                       "f8E5M2, got ")
           << element;
  // C2
  auto expected = cast<RankedTensorType>(getSource().getType())
                      .clone(Float32Type::get(getContext()));
  if (getResult().getType() != expected)
    return emitOpError("result must be ") << expected << ", got "
                                          << getResult().getType();
  return success();
}

LogicalResult NarrowOp::verify() {
  if (failed(verifyIsTile(*this, getSource().getType(), "source")))
    return failure();
  // C1
  auto source = cast<RankedTensorType>(getSource().getType());
  Type element = getElementTypeOrSelf(getResult().getType());
  if (!source.getElementType().isF32() || !isByteFloat(element))
    return emitOpError("must narrow f32 to f8E4M3FN or f8E5M2, got ")
           << source.getElementType() << " and " << element;
  // C2
  if (getResult().getType() != source.clone(element))
    return emitOpError("result must be ")
           << source.clone(element) << ", got " << getResult().getType();
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

/// Returns the modes of all levels, with copies that follow each other as one.
static SmallVector<Modes> mergeCopies(RankedTensorType tile) {
  SmallVector<Modes> levels;
  for (Level level : allLevels) {
    Modes &merged = levels.emplace_back();
    for (Mode mode : getLayoutAttr(tile).getValue().modes(level))
      if (!merged.empty() && merged.back().isCopy() && mode.isCopy())
        merged.back().size *= mode.size;
      else
        merged.push_back(mode);
  }
  return levels;
}

/// Returns whether `layout` on `shape` is what `tile` becomes after its values,
/// and perhaps more levels, are reduced. Row scalars are alike however the
/// modes that repeat them are cut.
static bool isReductionOf(RankedTensorType source, RankedTensorType tile) {
  RankedTensorType scalar = getRowScalarType(tile);
  if (getLayoutAttr(source) && source.getShape() == scalar.getShape() &&
      mergeCopies(source) == mergeCopies(scalar))
    return true;
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

/// Checks that `groups` is `tile` with a column for each group of its columns.
static LogicalResult verifyGroupTile(Operation *op, Type tile,
                                     StringRef tileName, Type groups,
                                     StringRef groupsName) {
  if (failed(verifyIsTile(op, tile, tileName)) ||
      failed(verifyIsTile(op, groups, groupsName)))
    return failure();
  int64_t columns = getTileShape(tile).columns,
          count = getTileShape(groups).columns;
  auto expected = getGroupTileType(cast<RankedTensorType>(tile),
                                   columns % count == 0 ? columns / count : 0);
  if (groups == expected)
    return success();
  InFlightDiagnostic error = op->emitOpError("'") << groupsName << "' must be ";
  if (expected)
    error << expected;
  else
    error << "a tile with a column for each of the groups of columns, none of "
             "which "
             "has columns in several warps,";
  return error << " to match " << tile << ", got " << groups;
}

LogicalResult GroupReduceOp::verify() {
  // C2
  if (failed(verifyGroupTile(*this, getSource().getType(), "source",
                             getResult().getType(), "result")))
    return failure();
  // C1
  Type element = getElementTypeOrSelf(getSource().getType());
  if (!element.isF32() && !element.isInteger(32))
    return emitOpError("source must have element type f32 or i32, got ")
           << element;
  return verifyKind(*this, getKind(), getSource().getType());
}

LogicalResult GroupBroadcastOp::verify() {
  // C1
  return verifyGroupTile(*this, getResult().getType(), "result",
                         getSource().getType(), "source");
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
  SmallVector<Type> elements = llvm::map_to_vector(
      sources.getTypes(), [](Type type) { return getElementTypeOrSelf(type); });
  return verifyCombiner(op, combiner, identities, elements,
                        YieldOp::getOperationName());
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

LogicalResult ReduceOp::verify() { return verifyStep(*this, {}, allLevels); }

LogicalResult ThreadReduceOp::verify() { return verifyStep(*this, {}, {Level::Value}); }

LogicalResult WarpReduceOp::verify() {
  return verifyStep(*this, {Level::Value}, {Level::Lane});
}

LogicalResult BlockReduceOp::verify() {
  return verifyStep(*this, {Level::Value, Level::Lane}, {Level::Warp});
}

LogicalResult ClusterReduceOp::verify() {
  return verifyStep(*this, {Level::Value, Level::Lane}, {Level::Warp, Level::Cta});
}

LogicalResult GridReduceOp::verify() {
  return verifyStep(*this, {Level::Value, Level::Lane, Level::Warp, Level::Cta},
                    {Level::Slice});
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

/// C1 of what sends partials: values that can travel together.
static LogicalResult verifyTravels(Operation *op, ValueRange values,
                                   StringRef verb) {
  if (values.empty())
    return op->emitOpError("must ") << verb << " at least one value";
  auto first = cast<RankedTensorType>(values.front().getType());
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    if (failed(verifyIsTile(op, type, "values")))
      return failure();
    if (type.getShape() != first.getShape() ||
        type.getEncoding() != first.getEncoding())
      return op->emitOpError("values must share one shape and layout, got ")
             << first << " and " << type;
    if (!type.getElementType().isF32() && !type.getElementType().isInteger(32))
      return op->emitOpError("values must have element type f32 or i32, got ")
             << type.getElementType();
  }
  return success();
}

LogicalResult PublishOp::verify() {
  // C1
  if (failed(verifyTravels(*this, getValues(), "publish")))
    return failure();
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

//===----------------------------------------------------------------------===//
// The workspace
//===----------------------------------------------------------------------===//

LogicalResult SaveOp::verify() {
  // C3
  if (!isa<KernelOp>((*this)->getParentOp()))
    return emitOpError("must stand in a quack_tv.kernel");
  // C1
  if (failed(verifyTravels(*this, getValues(), "save")))
    return failure();
  // C2
  Type tile = getValues().front().getType();
  const TVLayout &layout = getLayoutAttr(tile).getValue();
  TileShape shape = getTileShape(tile);
  if (layout.size(Level::Slice) != shape.columns ||
      layout.sliceColumns(shape) != 1)
    return emitOpError("values must have one partial a slice, got ")
           << shape.columns << " columns of " << layout.size(Level::Slice)
           << " slices";
  return success();
}

LogicalResult MergeOp::verify() {
  // C8
  if (!isa<KernelOp>((*this)->getParentOp()))
    return emitOpError("must stand in a quack_tv.kernel");
  // C1 to C3 and C5 to C7
  if (failed(verifyCombination(*this, getKinds(), getIdentities(),
                               getCombiner(), getResults())))
    return failure();
  // C4
  Type tile = getResults().front().getType();
  bool isWarp = llvm::all_of(getLayoutAttr(tile).getValue().modes(Level::Lane),
                             [](Mode mode) { return mode.isCopy(); });
  if (getTileShape(tile).columns != 1 || !isWarp)
    return emitOpError("results must be row scalars of whole warps, got ")
           << tile;
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
