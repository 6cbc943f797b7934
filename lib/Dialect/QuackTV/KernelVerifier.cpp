//===- lib/Dialect/QuackTV/KernelVerifier.cpp - whole kernels ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of `quack_tv.kernel`, numbered as in
// dialects/QuackTV/QuackTVOps.td: the plan, the order of barriers and
// exchanges, and shared memory. Every thread runs the whole body, so one walk
// over it sees every order there is; where the body is run for one tile after
// the other, two walks do.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/QuackTV/Exchange.h"
#include "quack/Dialect/QuackTV/PickBuffer.h"
#include "quack/Dialect/QuackTV/QuackTV.h"
#include "quack/Support/Dependence.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace quack::tv {


//===----------------------------------------------------------------------===//
// The kernel by itself
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
    return emitOpError(
               "plan must give a row at least a whole warp of each CTA in "
               "a cluster, got threads_per_row = ")
           << plan.getThreadsPerRow()
           << " with cluster = " << plan.getCluster();
  if (plan.getSlices() > 1 && plan.getThreadsPerRow() < warpSize)
    return emitOpError(
               "plan must give a slice of a row at least a whole warp, got "
               "threads_per_row = ")
           << plan.getThreadsPerRow() << " with split = " << plan.getSplit();
  return success();
}

LogicalResult KernelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyOtherwise(*this, symbols)))
    return failure();
  // C14
  if (!getNextAttr())
    return success();
  auto next = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getNextAttr());
  if (!next || next->getBlock() != (*this)->getBlock() ||
      !(*this)->isBeforeInBlock(next))
    return emitOpError("'next' must name a later quack_tv.kernel, got ")
           << getNextAttr();
  if (next.getFunctionType() != getFunctionType() ||
      next.getOperandSpecs() != getOperandSpecs() ||
      next.getWorkspace() != getWorkspace())
    return emitOpError(
               "'next' must have the same operands and workspace, got @")
           << next.getSymName();
  if (next.getOtherwiseAttr())
    return emitOpError("'next' must be a kernel without otherwise, which a launch "
                       "begins with, got @")
           << next.getSymName();
  return success();
}

namespace {
/// Walks a kernel body once and follows the state of its barriers.
class ProtocolChecker {
public:
  explicit ProtocolChecker(KernelOp kernel) : kernel(kernel) {}

  LogicalResult check() {
    arePlaced = kernel.getSharedBytes().has_value();
    Block &body = kernel.getBody().front();
    auto eachTile = body.getOps<EachTileOp>();
    auto tileBefore = body.getOps<TileBeforeOp>();
    if (!eachTile.empty() && !tileBefore.empty())
      return checkOverlap(body, Block::iterator(*eachTile.begin()),
                          Block::iterator(*tileBefore.begin()));
    if (failed(visit(body.begin(), body.end())))
      return failure();
    if (!eachTile.empty()) {
      publishedForTile.clear();
      if (failed(visit(Block::iterator(*eachTile.begin()), body.end())))
        return failure();
    }
    // C4
    if (arrived)
      return kernel.emitOpError(
          "each cluster_arrive must be followed by a cluster_wait, got one more "
          "arrive");
    return success();
  }

private:
  /// As many tiles as it takes until each buffer has been written again, as if CTAs met
  /// after each: that they meet less often the lowering sees to, and the simulator. The first
  /// tile's wait is for nothing; what arrives last is waited for after the last tile.
  LogicalResult checkOverlap(Block &body, Block::iterator tile,
                             Block::iterator before) {
    if (failed(visit(body.begin(), tile)))
      return failure();
    arrived = true;
    if (failed(visit(tile, before)))
      return failure();
    for (Operation &op : llvm::make_range(before, body.end()))
      if (isa<ClusterArriveOp>(op) && failed(visit(op)))
        return failure();
    for (int64_t next = 1; next <= countExchangeBuffers(kernel.getPlan()); ++next) {
      publishedForTile.clear();
      turn = next;
      if (failed(visit(tile, before)))
        return failure();
      turn = next - 1;
      if (failed(visit(before, body.end())))
        return failure();
    }
    if (!arrived)
      return kernel.emitOpError("must have a cluster_arrive after the tile_before");
    return success();
  }

  /// A buffer of an exchange, the turn's.
  using Buffer = std::pair<Value, int64_t>;
  Buffer bufferOf(Value buffer) {
    return {buffer, turn % countExchangeBuffers(kernel.getPlan())};
  }

  LogicalResult visit(Block::iterator begin, Block::iterator end) {
    for (Operation &op : llvm::make_range(begin, end))
      if (failed(visit(op)))
        return failure();
    return success();
  }

  LogicalResult visit(Operation &op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
        .Case<AllocExchangeOp, ClusterInitOp, ClusterArriveOp, ClusterWaitOp,
              PublishOp, BarrierOp, ExchangeWaitOp, CollectOp, AwaitOp, ReadOp,
              LoadOp, GatherOp, WarpReduceOp, StoreOp>(
            [&](auto known) { return visit(known); })
        .Default([](Operation *) { return success(); });
  }

  // C4
  LogicalResult visit(ClusterArriveOp op) {
    if (arrived)
      return op.emitOpError("must not follow a cluster_arrive without a "
                            "cluster_wait between");
    arrived = true;
    if (op.getRelease()) {
      std::swap(released, loadedScalars);
      releasedBuffers = collected;
    }
    return success();
  }

  LogicalResult visit(ClusterWaitOp op) {
    if (!arrived)
      return op.emitOpError("must follow a cluster_arrive");
    arrived = false;
    peersReady = true;
    // A slice's cluster waits for none but itself.
    if (kernel.getPlan().getSlices() == 1)
      released.clear();
    free(releasedBuffers);
    return success();
  }

  // C10
  LogicalResult visit(ClusterInitOp op) {
    for (auto [offset, bytes] :
         llvm::zip(op.getBarrierOffsets(), op.getExpectedBytes()))
      expectedBytes[offset] = bytes;
    return success();
  }

  LogicalResult visit(AllocExchangeOp op) {
    if (!op.getBarrierOffset())
      return success();
    int64_t buffers = countExchangeBuffers(kernel.getPlan());
    for (int64_t i = 0; i < countExchangeBarriers(buffers); ++i) {
      auto expected = expectedBytes.find(*op.getBarrierOffset() + i * mbarrierBytes);
      if (expected == expectedBytes.end())
        return op.emitOpError("must come after the cluster_init of its mbarrier");
      int64_t bytes = i < buffers ? op.getBytes() : 0;
      if (expected->second != bytes)
        return op.emitOpError("must have the bytes that its mbarrier expects, ")
               << expected->second << ", got " << bytes;
    }
    return success();
  }

  // C5
  LogicalResult visit(PublishOp op) {
    if (isRemote(op.getBuffer()) && !peersReady)
      return op.emitOpError("to peers must come after a cluster_wait: their "
                            "mbarriers may not be initialised yet");
    if (!publishedForTile.insert(bufferOf(op.getBuffer())).second)
      return op.emitOpError("must be the only one to its buffer, which may "
                            "still be read: allocate another");
    if (!published.insert(bufferOf(op.getBuffer())).second)
      return op.emitOpError("for the next tile must come after a ")
             << (isRemote(op.getBuffer())
                     ? "cluster_arrive release and its cluster_wait"
                     : "barrier")
             << " that follows the collect from its buffer, which may still be "
                "read";
    return success();
  }

  LogicalResult visit(BarrierOp) {
    for (Buffer buffer : published)
      if (!isRemote(buffer.first))
        ready.insert(buffer);
    if (kernel.getPlan().getCtasPerRow() == 1)
      loadedScalars.clear();
    llvm::SmallDenseSet<Buffer> local;
    for (Buffer buffer : collected)
      if (!isRemote(buffer.first))
        local.insert(buffer);
    free(local);
    return success();
  }

  LogicalResult visit(ExchangeWaitOp op) {
    if (!published.contains(bufferOf(op.getBuffer())))
      return op.emitOpError("must follow the publish to its buffer");
    ready.insert(bufferOf(op.getBuffer()));
    return success();
  }

  LogicalResult visit(CollectOp op) {
    collected.insert(bufferOf(op.getBuffer()));
    if (ready.contains(bufferOf(op.getBuffer()))) {
      meet(op.getPartials());
      return success();
    }
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

  // C18
  LogicalResult visit(LoadOp op) {
    loadedScalars.insert(op.getSource());
    return success();
  }

  // C19
  LogicalResult visit(GatherOp op) {
    gathered.push_back(op);
    return success();
  }

  /// Where a row's threads are lanes of one warp, they have all shuffled.
  LogicalResult visit(WarpReduceOp op) {
    if (kernel.getPlan().getThreadsPerRow() <= warpSize)
      meet(op.getSources());
    return success();
  }

  /// All threads of the row have what `values` need.
  void meet(ValueRange values) {
    llvm::erase_if(gathered, [&](GatherOp gather) {
      return dependsOn(values, [&](Operation *op) { return op == gather; });
    });
  }

  LogicalResult visit(StoreOp op) {
    unsigned number = cast<BlockArgument>(op.getTarget()).getArgNumber();
    bool sharesRow = kernel.getPlan().getThreadsPerRow() > 1;
    for (GatherOp gather : gathered)
      if (unsigned read = cast<BlockArgument>(gather.getSource()).getArgNumber();
          arePlaced && sharesRow &&
          mayShareMemory(kernel.getFunctionType(), kernel.getOperandSpecs(), read, number))
        return op.emitOpError("of a row must come after all threads of the row have "
                              "combined what a gather reads, which may lie there");
    bool isLoaded = loadedScalars.contains(op.getTarget()) ||
                    released.contains(op.getTarget());
    if (!arePlaced || !isLoaded ||
        kernel.getOperandAttr(number).getRole() != Role::scalar)
      return success();
    StringRef meeting = kernel.getPlan().getCtasPerRow() == 1
                            ? "barrier"
                            : "cluster_arrive release and its cluster_wait";
    return op.emitOpError("of a scalar must come after the ")
           << meeting << " that follows its load, which all threads of a row do";
  }

  /// All have read `buffers`.
  void free(const llvm::SmallDenseSet<Buffer> &buffers) {
    for (Buffer buffer : buffers)
      for (auto *set : {&published, &ready, &collected})
        set->erase(buffer);
  }

  static bool isRemote(Value buffer) {
    return buffer.getDefiningOp<AllocExchangeOp>().getBarrierOffset().has_value();
  }

  KernelOp kernel;
  bool arePlaced = false, arrived = false, peersReady = false;
  /// The number of the tile that is visited, where tiles overlap.
  int64_t turn = 0;
  /// Operands that some thread may yet have to load; those before the release.
  llvm::SmallDenseSet<Value> loadedScalars, released;
  /// Gathers that some thread may yet have to make.
  SmallVector<GatherOp> gathered;
  llvm::SmallDenseSet<Buffer> published, publishedForTile, ready;
  llvm::SmallDenseSet<Value> arrivedStages;
  /// Buffers that have been read, and those that all of a cluster have once
  /// they have met.
  llvm::SmallDenseSet<Buffer> collected, releasedBuffers;
  llvm::SmallDenseMap<int64_t, int64_t> expectedBytes;
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
  // Sums meet one after the other, in the same place.
  AccumulateOp widest;
  for (auto sum : kernel.getBody().front().getOps<AccumulateOp>())
    if (sum.getGatherAt() &&
        (!widest || sum.getGatherBytes() > widest.getGatherBytes()))
      widest = sum;
  if (widest)
    add(widest.getGatherAt(), widest.getGatherBytes(), widest);
  for (Operation &op : kernel.getBody().front()) {
    if (auto alloc = dyn_cast<AllocExchangeOp>(op)) {
      int64_t buffers = countExchangeBuffers(kernel.getPlan());
      add(alloc.getOffset(), buffers * alloc.getBytes(), alloc);
      add(alloc.getBarrierOffset(), countExchangeBarriers(buffers) * mbarrierBytes, alloc);
    } else if (auto topk = dyn_cast<TopKOp>(op)) {
      add(topk.getOffset(), topk.getSharedBytes(), topk);
    } else if (auto save = dyn_cast<SaveTopKOp>(op)) {
      add(save.getOffset(), save.getSharedBytes(), save);
    } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
      add(scatter.getOffset(), scatter.getSharedBytes(), scatter);
    } else if (auto stage = dyn_cast<StageOp>(op)) {
      RankedTensorType tile = stage.getStaged().getType().getTile();
      add(stage.getOffset(),
          countStageBuffers(kernel.getPlan()) * getCtaElements(tile) *
              tile.getElementTypeBitWidth() / 8,
          stage);
      add(stage.getBarrierOffset(), mbarrierBytes, stage);
    } else if (auto load = dyn_cast<LoadOp>(op); load && load.getFirstRead() == load) {
      add(load.getKeptAt(),
          kernel.getPlan().getThreads() * load.getKept().value_or(0) *
              load.getType().getElementTypeBitWidth() / 8,
          load);
    }
  }
  llvm::stable_sort(ranges, [](const SharedRange &lhs, const SharedRange &rhs) {
    return lhs.begin < rhs.begin;
  });
  return ranges;
}

/// C9: what waits in shared memory that is laid out has its place in it.
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
  for (Operation &op : kernel.getBody().front()) {
    bool isPlaced = llvm::TypeSwitch<Operation *, bool>(&op)
                        .Case<TopKOp, SaveTopKOp, ScatterOp>([](auto picks) {
                          return picks.getOffset().has_value();
                        })
                        .Default([](Operation *) { return true; });
    if (!isPlaced)
      return op.emitOpError(
          "must have an offset, as the kernel's shared memory is laid out");
  }
  for (auto load : kernel.getBody().front().getOps<LoadOp>())
    if (load.getKept() && (!load.getKeptAt() ||
                           load.getKeptAt() != load.getFirstRead().getKeptAt()))
      return load.emitOpError("must say where its elements are kept, as the kernel's "
                              "shared memory is laid out, and all loads of an operand "
                              "the same");
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

/// C17: columns that do not exist change no reduction.
static LogicalResult verifyPadding(KernelOp kernel, Operation *reduction,
                                   ValueRange sources, ArrayAttr kinds,
                                   ArrayAttr identities) {
  for (auto [index, source] : llvm::enumerate(sources)) {
    // A partial of threads is not the row's element.
    TileShape shape = getTileShape(source.getType());
    bool isRow = shape.columns == kernel.getPlan().getPaddedColumns(kernel.getColumns());
    if (!isRow || shape.columns <= kernel.getColumns())
      continue;
    auto mask = source.getDefiningOp<MaskOp>();
    Attribute identity =
        kinds.empty() ? identities[index]
                      : getIdentity(cast<ReduceKindAttr>(kinds[index]).getValue(),
                                    getElementTypeOrSelf(source.getType()));
    if (mask && mask.getIdentity() == identity)
      continue;
    InFlightDiagnostic error =
        reduction->emitOpError("must take a quack_tv.mask with identity ")
        << identity << ", since its tile has more columns than the row, got ";
    return mask ? error << mask.getIdentity() : error << "no mask";
  }
  return success();
}

/// C7: an operation that a tile program may hold.
static LogicalResult verifyBodyOp(Operation &op) {
  if (isa<QuackTVDialect>(op.getDialect()))
    return success();
  // C24
  auto isOfBytes = [](Type type) {
    return isByteFloat(getElementTypeOrSelf(type));
  };
  bool widens = op.getName().getStringRef() == "arith.extf";
  if (llvm::any_of(op.getResultTypes(), isOfBytes) ||
      (!widens && llvm::any_of(op.getOperandTypes(), isOfBytes)))
    return op.emitOpError("must not work on floats of 8 bits: widen them with "
                          "arith.extf, and store what quack_tv.narrow gives");
  bool elementwise = op.hasTrait<OpTrait::Elementwise>() &&
                     op.getNumRegions() == 0 && isMemoryEffectFree(&op);
  if (elementwise || op.hasTrait<OpTrait::ConstantLike>())
    return success();
  return op.emitOpError("must not stand in a quack_tv.kernel: expected a quack_tv, "
                        "constant or elementwise operation without side effects");
}

/// C12: a row program of as many operations as it may have, computed again in each pass.
static constexpr size_t maxOperations = 65536;

/// C13: tiles have the plan's slices.
static LogicalResult verifySlices(Operation &op, int64_t slices) {
  for (Type type : op.getResultTypes()) {
    if (auto staged = dyn_cast<StagedType>(type))
      type = staged.getTile();
    LayoutAttr layout = getLayoutAttr(type);
    if (layout && layout.getValue().size(Level::Slice) != slices)
      return op.emitOpError("must have the ")
             << slices << " slices of the kernel's plan, got "
             << layout.getValue().size(Level::Slice);
  }
  return success();
}

/// C15: what an operation accesses of a row's part of the workspace, from `offset`
/// to `end`, lies within it, at multiples of `alignment`.
static LogicalResult verifyInWorkspace(KernelOp kernel, Operation *op,
                                       int64_t offset, int64_t end,
                                       int64_t alignment) {
  int64_t workspace = kernel.getWorkspace().value_or(0);
  if (offset < 0 || end > workspace)
    return op->emitOpError("must lie in the workspace's ")
           << workspace << " bytes a row, got bytes " << offset << " to "
           << end;
  if (offset % alignment != 0 || workspace % alignment != 0)
    return op->emitOpError("must start at a multiple of ")
           << alignment
           << " bytes in each row's part of the workspace, got byte " << offset
           << " of " << workspace;
  return success();
}

/// C15 of slots, one for each of `slices`, with `values` values.
static LogicalResult verifySlots(KernelOp kernel, Operation *op, int64_t offset,
                                 int64_t slices, int64_t values) {
  int64_t slot = 4 * exchangeSlotWords(values);
  return verifyInWorkspace(kernel, op, offset, offset + slices * slot,
                           std::min(slot, maxAccessBytes));
}

/// C15 of what slices have picked.
static LogicalResult verifySavedPicks(KernelOp kernel, Operation *op,
                                      int64_t place, int64_t count,
                                      int64_t slices) {
  return verifyInWorkspace(kernel, op, place,
                           place + SavedPicks(count, slices).bytes,
                           maxAccessBytes);
}

/// C23: sums over rows stay within a partial's part of the workspace.
static LogicalResult verifyInPartial(KernelOp kernel, Operation *op,
                                     int64_t offset, int64_t bytes) {
  int64_t partial = kernel.getWorkspace().value_or(0);
  if (offset < 0 || offset + bytes > partial)
    return op->emitOpError("must lie in the workspace's ")
           << partial << " bytes a partial, got bytes " << offset << " to "
           << offset + bytes;
  if (offset % maxAccessBytes != 0 || partial % maxAccessBytes != 0)
    return op->emitOpError("must start at a multiple of ")
           << maxAccessBytes << " bytes in each partial, got byte " << offset
           << " of " << partial;
  return success();
}

static LogicalResult verifyWorkspace(KernelOp kernel, Operation &op) {
  if (auto sum = dyn_cast<AccumulateOp>(op); sum && sum.getOffset())
    return verifyInPartial(kernel, sum, *sum.getOffset(),
                           sum.getPartialBytes());
  if (auto fold = dyn_cast<FoldOp>(op))
    return verifyInPartial(kernel, fold, fold.getOffset(),
                           4 * fold.getColumns());
  if (auto save = dyn_cast<SaveOp>(op))
    return verifySlots(kernel, save, save.getOffset(),
                       kernel.getPlan().getSlices(), save.getValues().size());
  if (auto merge = dyn_cast<MergeOp>(op))
    return verifySlots(kernel, merge, merge.getOffset(), merge.getSlices(),
                       merge.getNumResults());
  if (auto save = dyn_cast<SaveTopKOp>(op))
    return verifySavedPicks(kernel, save, save.getPlace(), save.getCount(),
                            kernel.getPlan().getSlices());
  if (auto recall = dyn_cast<RecallOp>(op))
    return verifySavedPicks(kernel, recall, recall.getPlace(),
                            recall.getCount(), recall.getSlices());
  return success();
}

/// C16, C17
static LogicalResult verifyPadding(KernelOp kernel, Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](MaskOp mask) -> LogicalResult {
        // Padding begins where the row ends.
        if (static_cast<int64_t>(mask.getColumns()) == kernel.getColumns())
          return success();
        return mask.emitOpError("must begin where the kernel's rows end, at column ")
               << kernel.getColumns() << ", got " << mask.getColumns();
      })
      .Case([&](GroupReduceOp reduction) {
        return verifyPadding(kernel, reduction, reduction.getSource(),
                             ArrayAttr::get(kernel.getContext(), reduction.getKindAttr()),
                             ArrayAttr());
      })
      .Case<TopKOp, SaveTopKOp>([&](auto topk) -> LogicalResult {
        // What has been recalled ends with -inf.
        if (topk.getRow().template getDefiningOp<RecallOp>())
          return success();
        auto greatest =
            ReduceKindAttr::get(kernel.getContext(), ReduceKind::maximumf);
        SmallVector<Attribute> kinds(3, greatest);
        return verifyPadding(
            kernel, topk, {topk.getRow(), topk.getAgain(), topk.getRetry()},
            ArrayAttr::get(kernel.getContext(), kinds), ArrayAttr());
      })
      .Case<ReduceOp, ThreadReduceOp>([&](auto reduction) {
        return verifyPadding(kernel, reduction, reduction.getSources(),
                             reduction.getKinds(), reduction.getIdentities());
      })
      .Default([](Operation *) { return success(); });
}

/// C21, C22: what a kernel that folds, or whose clusters stay, is made of.
static LogicalResult verifyTiles(KernelOp kernel) {
  bool isFold = kernel.isFold(), hasBegun = false;
  bool stays = !isFold && kernel.getPlan().getPartials() > 0;
  for (auto sum : kernel.getBody().getOps<AccumulateOp>())
    if (kernel.getSharedBytes() &&
        (!sum.getOffset() || (sum.getGatherBytes() > 0 && !sum.getGatherAt())))
      return sum.emitOpError(
          "must say where its sums meet, as the kernel's shared "
          "memory is laid out");
  for (Operation &op : kernel.getBody().front()) {
    if (isFold && !isa<FoldOp>(op))
      return op.emitOpError("must not stand in a kernel that folds");
    if (auto stage = dyn_cast<StageOp>(op);
        stage && stays && stage.getForm() == Hold::bulk)
      return op.emitOpError("must be by async where clusters stay and work on one tile "
                            "after the other");
    if (isa<EachTileOp>(op)) {
      if (hasBegun || !stays)
        return op.emitOpError(
            "must stand once in a kernel whose plan has 'partials', and in "
            "no other");
      hasBegun = true;
      continue;
    }
    bool isFirst = isa<ClusterInitOp, ClusterArriveOp, ClusterWaitOp>(op);
    if (auto load = dyn_cast<LoadOp>(op))
      isFirst = kernel.getOperandAttr(cast<BlockArgument>(load.getSource()).getArgNumber())
                    .getRole() == Role::columns;
    if (kernel.getSharedBytes() && stays && !hasBegun && !isFirst)
      return op.emitOpError("must come after the each_tile of a kernel whose plan has "
                            "'partials'");
  }
  return success();
}

/// Whether `op` needs what a thread keeps of its row, but by way of an exchange: a
/// reduction, or a row that was loaded into registers.
static bool needsKept(KernelOp kernel, Operation *op) {
  bool found = false;
  walkProducers(op->getOperands(), [&](Operation *source) {
    found |= isa<ThreadReduceOp, WarpReduceOp>(source);
    if (auto load = dyn_cast<LoadOp>(source)) {
      unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
      found |= kernel.getOperandAttr(number).getRole() == Role::row;
    }
    return !isa<CollectOp>(source);
  });
  return found;
}

/// C25
static LogicalResult verifyOverlap(KernelOp kernel) {
  PlanAttr plan = kernel.getPlan();
  bool overlaps = plan.overlapsTiles() && !kernel.isFold();
  if (overlaps && (plan.getPartials() == 0 || plan.getCluster() == 1))
    return kernel.emitOpError("plan with 'overlap' must have 'partials' and a 'cluster', "
                              "got partials = ")
           << plan.getPartials() << ", cluster = " << plan.getCluster();
  TileBeforeOp before;
  for (Operation &op : kernel.getBody().front()) {
    if (auto next = dyn_cast<TileBeforeOp>(op)) {
      if (before || !overlaps || !kernel.getSharedBytes())
        return op.emitOpError("must stand once in a kernel whose plan has 'overlap', with "
                              "barriers placed, and in no other");
      before = next;
      continue;
    }
    if (!before)
      continue;
    bool stays = isa<CollectOp, StoreOp, AccumulateOp, ExchangeWaitOp, ClusterArriveOp>(op);
    if (!stays && !isMemoryEffectFree(&op))
      return op.emitOpError("must come before the tile_before: what follows only collects "
                            "and stores");
    if (isa<StoreOp, AccumulateOp>(op) && needsKept(kernel, &op))
      return op.emitOpError("must not use what a thread keeps from before the tile_before: "
                            "hold the kernel's rows by async");
  }
  if (overlaps && kernel.getSharedBytes() && !before)
    return kernel.emitOpError("must have a tile_before, as its plan has 'overlap'");
  return success();
}

/// C20
static LogicalResult verifyPartials(KernelOp kernel) {
  PlanAttr plan = kernel.getPlan();
  bool hasSums =
      kernel.isFold() || !kernel.getBody().getOps<AccumulateOp>().empty();
  if (hasSums && plan.getPartials() == 0)
    return kernel.emitOpError("plan must have 'partials' in a kernel that accumulates");
  if (plan.getPartials() > 0 && plan.getSlices() > 1)
    return kernel.emitOpError("plan must have 'partials' or 'split', got partials = ")
           << plan.getPartials() << ", split = " << plan.getSlices();
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  if (size_t size = getBody().front().getOperations().size(); size > maxOperations)
    return emitOpError("must hold at most ")
           << maxOperations << " operations, got " << size;
  for (Operation &op : getBody().front())
    if (failed(verifyBodyOp(op)) ||
        failed(verifySlices(op, getPlan().getSlices())) ||
        failed(verifyWorkspace(*this, op)) || failed(verifyPadding(*this, op)))
      return failure();
  if (failed(verifyPartials(*this)) || failed(verifyTiles(*this)) ||
      failed(verifyOverlap(*this)))
    return failure();
  if (failed(ProtocolChecker(*this).check()) || failed(verifyPlacement(*this)))
    return failure();
  return verifySharedMemory(*this);
}

} // namespace quack::tv
