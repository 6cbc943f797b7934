//===- lib/Transforms/PlaceBarriers.cpp -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quack-tv-place-barriers: gives exchanges and stages their shared memory, and
// puts the barriers where they are needed: as late and as few as is right.
// Where tiles overlap, tile_before comes between an exchange's publish and its
// wait.
//
// Invariants. No buffer is used twice for a tile, so none is overwritten while
// it is read; for the next tile it is when all of its readers have met.
// mbarriers are initialised by the first operation; peers store only after the
// cluster_wait that follows. Every thread waits for all bytes of each exchange,
// so no CTA leaves while a store to it is in flight. A scalar that is updated is
// stored after all threads of its row have loaded it.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/KernelOperands.h"
#include "quack/Dialect/QuackTV/Exchange.h"
#include "quack/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "quack-tv-place-barriers"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKTVPLACEBARRIERS
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

namespace {

class PlaceBarriersPass
    : public quack::impl::QuackTVPlaceBarriersBase<PlaceBarriersPass> {
public:
  using QuackTVPlaceBarriersBase::QuackTVPlaceBarriersBase;
  void runOnOperation() override;
};

/// Works on one kernel.
class BarrierPlacer {
public:
  explicit BarrierPlacer(tv::KernelOp kernel) : kernel(kernel), b(kernel) {}
  void run();

private:
  int64_t allocate(int64_t bytes, int64_t alignment) {
    int64_t offset = llvm::alignTo(sharedBytes, alignment);
    sharedBytes = offset + bytes;
    return offset;
  }
  int64_t allocateBarrier(int64_t expectedBytes) {
    barrierOffsets.push_back(allocate(tv::mbarrierBytes, tv::mbarrierBytes));
    expected.push_back(expectedBytes);
    return barrierOffsets.back();
  }
  void placeStage(tv::StageOp stage);
  void placeKept(tv::LoadOp load);
  void placeAwait(tv::StageOp stage);
  template <typename StepOp> void placeExchange(StepOp step, bool remote);
  bool isUpdatedScalar(Value operand);
  void placeScalarStore(tv::StoreOp store);
  void placeRowStore(tv::StoreOp store);
  void meetInCluster(tv::StoreOp store);
  void placeClusterInit();
  void placeGather();
  void placeTiles();
  bool hasManyTiles() { return kernel.getPlan().getPartials() > 0; }
  bool overlapsTiles() { return kernel.getPlan().overlapsTiles(); }

  tv::KernelOp kernel;
  OpBuilder b;
  int64_t sharedBytes = 0;
  SmallVector<int64_t> barrierOffsets, expected;
  bool hasRemotePublish = false;
  /// The first at which CTAs of the cluster rely on each other.
  Operation *firstMeeting = nullptr;
  bool haveScalarsMet = false; ///< since the last load of one
  bool haveGathersMet = false; ///< before rows are stored
  tv::AwaitOp firstBulkAwait;
};

} // namespace

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void BarrierPlacer::placeStage(tv::StageOp stage) {
  RankedTensorType tile = stage.getStaged().getType().getTile();
  int64_t bytes = tv::countStageBuffers(kernel.getPlan()) * tv::getCtaElements(tile) *
                  (tile.getElementTypeBitWidth() / 8);
  stage.setOffset(allocate(bytes, 128));
  if (stage.getForm() == tv::Hold::bulk)
    stage.setBarrierOffset(allocateBarrier(/*expectedBytes=*/0));
  placeAwait(stage);
}

/// Elements that are kept have places of each thread's own.
void BarrierPlacer::placeKept(tv::LoadOp load) {
  tv::LoadOp first = load.getFirstRead();
  if (!load.getKept())
    return;
  if (first != load)
    return load.setKeptAt(first.getKeptAt());
  int64_t bytes = load.getType().getElementTypeBitWidth() / 8;
  load.setKeptAt(allocate(kernel.getPlan().getThreads() * *load.getKept() * bytes, 16));
}

/// Puts the await just before the first read of `stage`.
void BarrierPlacer::placeAwait(tv::StageOp stage) {
  Operation *first = nullptr;
  for (Operation *user : stage.getStaged().getUsers())
    if (isa<tv::ReadOp>(user) && (!first || user->isBeforeInBlock(first)))
      first = user;
  if (!first)
    return;
  b.setInsertionPoint(first);
  auto await = tv::AwaitOp::create(b, stage.getLoc(), stage.getStaged());
  if (stage.getForm() != tv::Hold::bulk)
    return;
  if (!firstBulkAwait || await->isBeforeInBlock(firstBulkAwait))
    firstBulkAwait = await;
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// block_reduce    ->  publish, barrier, collect
/// cluster_reduce  ->  publish to all CTAs, exchange_wait, collect
template <typename StepOp>
void BarrierPlacer::placeExchange(StepOp step, bool remote) {
  Location loc = step.getLoc();
  Type partials = step.getSources().front().getType();
  TileShape shape = tv::getTileShape(partials);
  int64_t slots =
      shape.rows * tv::getLayoutAttr(partials).getValue().sliceColumns(shape);
  int64_t bytes = slots * 4 * tv::exchangeSlotWords(step.getSources().size());
  b.setInsertionPoint(step);
  IntegerAttr barrier;
  int64_t buffers = tv::countExchangeBuffers(kernel.getPlan());
  int64_t offset = allocate(buffers * bytes, 16);
  if (remote) {
    barrier = b.getI64IntegerAttr(allocateBarrier(bytes));
    for (int64_t i = 1; i < tv::countExchangeBarriers(buffers); ++i)
      allocateBarrier(i < buffers ? bytes : 0);
  }
  auto alloc = tv::AllocExchangeOp::create(
      b, loc, b.getI64IntegerAttr(offset), b.getI64IntegerAttr(bytes), barrier);
  auto publish = tv::PublishOp::create(b, loc, step.getSources(), alloc);
  if (remote) {
    hasRemotePublish = true;
    if (!firstMeeting)
      firstMeeting = publish;
    if (overlapsTiles())
      tv::TileBeforeOp::create(b, loc);
    tv::ExchangeWaitOp::create(b, loc, alloc);
  } else {
    tv::BarrierOp::create(b, loc);
  }
  auto collect = tv::CollectOp::create(b, loc, step.getResultTypes(),
                                       step.getKinds(), step.getIdentities(),
                                       alloc, step.getSources());
  collect.getCombiner().takeBody(step.getCombiner());
  step->replaceAllUsesWith(collect.getResults());
  step->erase();
}

/// mbarriers first; the cluster's wait as late as its first user allows.
void BarrierPlacer::placeClusterInit() {
  if (barrierOffsets.empty())
    return;
  Location loc = kernel.getLoc();
  b.setInsertionPointToStart(&kernel.getBody().front());
  tv::ClusterInitOp::create(b, loc, barrierOffsets, expected);
  if (hasRemotePublish) {
    tv::ClusterArriveOp::create(b, loc, /*release=*/false);
    if (!hasManyTiles())
      b.setInsertionPoint(firstMeeting);
    tv::ClusterWaitOp::create(b, loc);
  }
  if (firstBulkAwait) {
    // Waiters must see the mbarrier that thread 0 has initialised.
    b.setInsertionPoint(firstBulkAwait);
    tv::BarrierOp::create(b, loc);
  }
}

//===----------------------------------------------------------------------===//
// One tile after the other
//===----------------------------------------------------------------------===//

/// Sums over rows meet after the last tile, in memory of their own.
void BarrierPlacer::placeGather() {
  int64_t bytes = 0;
  for (auto sum : kernel.getBody().front().getOps<tv::AccumulateOp>())
    bytes = std::max(bytes, sum.getGatherBytes());
  if (bytes == 0)
    return;
  int64_t at = allocate(bytes, 16);
  for (auto sum : kernel.getBody().front().getOps<tv::AccumulateOp>())
    if (sum.getGatherBytes() > 0)
      sum.setGatherAt(at);
}

/// Puts each_tile after what is done once, and the meetings by which a buffer
/// is free for the next tile.
void BarrierPlacer::placeTiles() {
  Location loc = kernel.getLoc();
  Block &block = kernel.getBody().front();
  Operation *first = &block.front();
  while (isa<tv::ClusterInitOp, tv::ClusterArriveOp, tv::ClusterWaitOp>(first))
    first = first->getNextNode();
  b.setInsertionPoint(first);
  auto eachTile = tv::EachTileOp::create(b, loc);
  // Weights that are held are loaded for all tiles; windows of those that start anywhere
  // are shifted where they are used.
  for (auto load : llvm::make_early_inc_range(block.getOps<tv::LoadOp>())) {
    unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
    if (kernel.getOperandAttr(number).getRole() == Role::columns && !load.getAtUse() &&
        !kernel.getPlan().startsAnywhere())
      load->moveBefore(eachTile);
  }
  auto collects = llvm::to_vector(block.getOps<tv::CollectOp>());
  if (collects.empty())
    return;
  if (hasRemotePublish) {
    // They meet anyway where a scalar is stored after the last collect.
    for (Operation *op = collects.back(); op; op = op->getNextNode())
      if (auto arrive = dyn_cast<tv::ClusterArriveOp>(op); arrive && arrive.getRelease())
        return;
    // The peers have long arrived where the tile's stores have been issued.
    b.setInsertionPointAfter(collects.back());
    tv::ClusterArriveOp::create(b, loc, /*release=*/true);
    if (overlapsTiles()) {
      tv::PublishOp publish = *block.getOps<tv::PublishOp>().begin();
      // What is first read of the tile before has come by then.
      for (auto await : llvm::make_early_inc_range(block.getOps<tv::AwaitOp>()))
        if (publish->isBeforeInBlock(await))
          await->moveBefore(publish);
      b.setInsertionPoint(publish);
    } else {
      b.setInsertionPointToEnd(&block);
    }
    tv::ClusterWaitOp::create(b, loc);
  } else if (collects.size() == 1) {
    // With more, another exchange's barrier lies between collect and publish.
    b.setInsertionPoint(*block.getOps<tv::PublishOp>().begin());
    tv::BarrierOp::create(b, loc);
  }
}

//===----------------------------------------------------------------------===//
// Scalars that are updated
//===----------------------------------------------------------------------===//

bool BarrierPlacer::isUpdatedScalar(Value operand) {
  OperandAttr spec =
      kernel.getOperandAttr(cast<BlockArgument>(operand).getArgNumber());
  return spec.getRole() == Role::scalar && spec.getDirection() == Direction::inout;
}

/// All threads of a row load its scalars, and one stores: an inout scalar must
/// not be stored while another thread, perhaps of a peer, has yet to load it.
void BarrierPlacer::placeScalarStore(tv::StoreOp store) {
  if (!isUpdatedScalar(store.getTarget()) || haveScalarsMet)
    return;
  haveScalarsMet = true;
  b.setInsertionPoint(store);
  if (kernel.getPlan().getCluster() == 1) {
    tv::BarrierOp::create(b, store.getLoc());
    return;
  }
  meetInCluster(store);
}

/// What the CTAs of a cluster have read comes before `store`.
void BarrierPlacer::meetInCluster(tv::StoreOp store) {
  b.setInsertionPoint(store);
  auto arrive = tv::ClusterArriveOp::create(b, store.getLoc(), /*release=*/true);
  tv::ClusterWaitOp::create(b, store.getLoc());
  if (!firstMeeting)
    firstMeeting = arrive;
}

/// All threads of a row gather an element of it, and one stores it. Within a CTA the
/// exchange that the element is part of orders these; what goes to peers orders nothing
/// but itself (PTX ISA, st.async).
void BarrierPlacer::placeRowStore(tv::StoreOp store) {
  if (kernel.getPlan().getCluster() == 1 || haveGathersMet)
    return;
  unsigned written = cast<BlockArgument>(store.getTarget()).getArgNumber();
  auto mayChange = [&](tv::GatherOp gather) {
    unsigned read = cast<BlockArgument>(gather.getSource()).getArgNumber();
    return mayShareMemory(kernel.getFunctionType(), kernel.getOperandSpecs(), read,
                          written);
  };
  if (llvm::none_of(kernel.getBody().front().getOps<tv::GatherOp>(), mayChange))
    return;
  haveGathersMet = true;
  meetInCluster(store);
}

void BarrierPlacer::run() {
  // Barriers are placed once.
  if (kernel.getSharedBytes())
    return;
  // A copy that nobody awaits would be in flight when the CTA leaves.
  for (auto stage :
       llvm::make_early_inc_range(kernel.getBody().front().getOps<tv::StageOp>()))
    if (stage.getStaged().use_empty())
      stage.erase();
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front())
    ops.push_back(&op);
  for (Operation *op : ops)
    if (auto stage = dyn_cast<tv::StageOp>(op))
      placeStage(stage);
    else if (auto load = dyn_cast<tv::LoadOp>(op))
      placeKept(load);
  for (Operation *op : ops) {
    if (auto step = dyn_cast<tv::BlockReduceOp>(op))
      placeExchange(step, /*remote=*/false);
    else if (auto step = dyn_cast<tv::ClusterReduceOp>(op))
      placeExchange(step, /*remote=*/true);
    else if (auto store = dyn_cast<tv::StoreOp>(op))
      placeScalarStore(store), placeRowStore(store);
    else if (auto topk = dyn_cast<tv::TopKOp>(op))
      topk.setOffset(allocate(topk.getSharedBytes(), 16));
    else if (auto save = dyn_cast<tv::SaveTopKOp>(op))
      save.setOffset(allocate(save.getSharedBytes(), 16));
    else if (auto scatter = dyn_cast<tv::ScatterOp>(op))
      scatter.setOffset(allocate(scatter.getSharedBytes(), 16));
    else if (auto load = dyn_cast<tv::LoadOp>(op))
      haveScalarsMet &= !isUpdatedScalar(load.getSource());
  }
  placeClusterInit();
  if (kernel.isFold())
    allocate(tv::getFoldBytes(kernel), 16);
  else if (hasManyTiles()) {
    placeGather();
    placeTiles();
  }
  kernel.setSharedBytes(sharedBytes);
}

void PlaceBarriersPass::runOnOperation() {
  for (tv::KernelOp kernel : getOperation().getOps<tv::KernelOp>())
    BarrierPlacer(kernel).run();
}
