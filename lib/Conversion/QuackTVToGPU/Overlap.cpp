//===- Overlap.cpp - tiles that overlap --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop of a cluster whose tiles overlap: each turn does what stands before the
// tile_before for one tile, then what follows it for the tile before. The first turn
// has no tile before, the last one no other: both parts are branches, which all
// threads of a cluster take alike. Where CTAs meet, they do so in either branch.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "quack/Dialect/QuackTV/Exchange.h"
#include "quack/Support/Dependence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace quack;

/// Returns the row scalars, and other single numbers, that are loaded for a tile and
/// needed when it is the one before.
static SmallVector<tv::LoadOp> numbersNeededLater(tv::KernelOp kernel) {
  SmallVector<Value> needed;
  for (Operation *op = *kernel.getBody().getOps<tv::TileBeforeOp>().begin(); op;
       op = op->getNextNode())
    if (!isa<tv::CollectOp>(op))
      llvm::append_range(needed, op->getOperands());
  llvm::SmallPtrSet<Operation *, 32> seen;
  walkProducers(needed, [&](Operation *op) {
    return !isa<tv::CollectOp>(op) && seen.insert(op).second;
  });
  SmallVector<tv::LoadOp> loads;
  for (auto load : kernel.getBody().getOps<tv::LoadOp>())
    if (seen.contains(load) && tv::getTileShape(load.getType()).columns == 1)
      loads.push_back(load);
  return loads;
}

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

/// Returns the offset of the last mbarrier of the exchange, at which a cluster's warps meet.
int64_t ThreadBuilder::meetingOffset() {
  tv::AllocExchangeOp alloc = *kernel.getBody().getOps<tv::AllocExchangeOp>().begin();
  int64_t buffers = tv::countExchangeBuffers(kernel.getPlan());
  return *alloc.getBarrierOffset() + buffers * tv::mbarrierBytes;
}

/// What releases to a cluster waits until all that was stored before has reached L2, by
/// the cluster's barrier as by an mbarrier: a fifth of the time, for nothing. Only what
/// was read of shared memory must come before what peers store there; a fence that is
/// restricted to it costs little (PTX ISA 8.6, fence.sync_restrict). Each warp arrives at
/// an mbarrier of each CTA: lane i at that of CTA i, for all lanes; once in some tiles,
/// as a fence waits for what else is under way, too.
void ThreadBuilder::arriveInTurn() {
  NVVM::SyncWarpOp::create(b, loc, i32(-1));
  Value isPeer = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, lane(),
                                       i32(kernel.getPlan().getCluster()));
  Value barrier = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), sharedPointer(meetingOffset()));
  ifThen(isPeer, [&] {
    std::string fence = "fence.release.sync_restrict::shared::cta.cluster; ";
    std::string semantics = hasRestrictedFences() ? "relaxed" : "release";
    inlinePTX((hasRestrictedFences() ? fence : "") +
                  "{ .reg .b32 peer; mapa.shared::cluster.u32 peer, $0, $1; mbarrier.arrive." +
                  semantics + ".cluster.shared::cluster.b64 _, [peer]; }",
              "r,r,~{memory}", Type(), {barrier, lane()});
  });
}

/// Arrivals of one meeting are a phase; those of the meeting before are waited for. The
/// first has none before it: the phase before an mbarrier's first is over.
void ThreadBuilder::waitForMeeting(Value meeting) {
  Turn now = turn;
  turn.parity =
      arith::AndIOp::create(b, loc, arith::AddIOp::create(b, loc, meeting, i32(1)), i32(1));
  waitMBarrier(sharedPointer(meetingOffset()), /*cluster=*/true, loc, hasRestrictedFences());
  if (hasRestrictedFences())
    inlinePTX("fence.acquire.sync_restrict::shared::cluster.cluster;", "~{memory}", Type(), {});
  turn = now;
}

/// Returns whether CTAs meet in this turn of the loop: in the first, and then in every
/// so many'th.
Value ThreadBuilder::meetsInTurn() {
  Value rest = arith::AndIOp::create(b, loc, turnsBefore, i32(tv::tilesOfMeeting - 1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, i32(0));
}

Value ThreadBuilder::meetingOf(Value turns) {
  return arith::ShRUIOp::create(b, loc, turns, i32(llvm::Log2_64(tv::tilesOfMeeting)));
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Has the branch's parts begin where nothing is known but what was loaded before the
/// loop.
void ThreadBuilder::beginBranch(Predicate exists, TypeRange results) {
  auto branch = scf::IfOp::create(b, loc, results, exists, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  pieces.clear();
  loaded = standing;
  restartPrologue();
}

/// Ends a branch that gives `made`, or `otherwise` where there is no tile: then CTAs
/// meet where `first` and the operations after it, up to `last`, have them meet.
ValueRange ThreadBuilder::endBranch(ValueRange made, ValueRange otherwise,
                                    Operation *first, Operation *last) {
  auto branch = cast<scf::IfOp>(b.getInsertionBlock()->getParentOp());
  scf::YieldOp::create(b, loc, made);
  b.setInsertionPointToStart(branch.elseBlock());
  restartPrologue();
  for (Operation *op = first; op != last; op = op->getNextNode())
    if (isa<tv::ClusterArriveOp, tv::ClusterWaitOp>(op))
      std::ignore = visit(*op);
  scf::YieldOp::create(b, loc, otherwise);
  b.setInsertionPointAfter(branch);
  restartPrologue();
  return branch.getResults();
}

void ThreadBuilder::beginOverlap(Value first, Value tiles) {
  standing = loaded;
  int64_t partials = kernel.getPlan().getPartials();
  auto isBelow = [&](Value tile) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, tile, tiles);
  };
  Values carried = listSums();
  for (tv::LoadOp load : numbersNeededLater(kernel)) {
    Fragment fragment = fragmentOf(load.getType());
    numbersBehind.push_back({load, Values()});
    for (int64_t index = 0; index < fragment.pieces; ++index)
      carried.push_back(
          arith::ConstantOp::create(b, loc, b.getZeroAttr(fragment.pieceType())));
  }
  // The buffers of the tile before, of this one and of the next; how many came before.
  for (int64_t number : {0, 1, 2, 0})
    carried.push_back(i32(number));
  Turn start{first, carried[carried.size() - 3], Value(), Value(), isBelow(first)};
  restartPrologue();
  for (auto stage : kernel.getBody().getOps<tv::StageOp>())
    stageTile(stage, start);
  // One turn before the first tile is the one before.
  Value begin = arith::SubIOp::create(b, loc, first, i64(partials));
  auto loop = scf::ForOp::create(b, loc, begin, tiles, i64(partials), carried);
  b.setInsertionPointToEnd(loop.getBody());
  auto arguments = ValueRange(loop.getRegionIterArgs());
  setSums(arguments);
  ValueRange rest = arguments.drop_front(listSums().size());
  for (auto &[load, values] : numbersBehind) {
    int64_t count = fragmentOf(load.getType()).pieces;
    values.assign(rest.begin(), rest.begin() + count);
    rest = rest.drop_front(count);
  }
  Value count = rest[3];
  auto after = [&](Value tile) -> Value {
    return arith::AddIOp::create(b, loc, tile, i64(partials));
  };
  int64_t slots = tv::countExchangeBuffers(kernel.getPlan());
  auto turnOf = [&](Value tile, Value buffer, Value count) -> Turn {
    Value slot = arith::AndIOp::create(b, loc, count, i32(slots - 1));
    Value phase = arith::ShRUIOp::create(b, loc, count, i32(llvm::Log2_64(slots)));
    return {tile, buffer, slot, arith::AndIOp::create(b, loc, phase, i32(1)), Predicate()};
  };
  Value before = loop.getInductionVar();
  behind = turnOf(before, rest[0], arith::SubIOp::create(b, loc, count, i32(1)));
  turn = turnOf(after(before), rest[1], count);
  Value next = after(turn.tile);
  ahead = {next, rest[2], Value(), Value(), isBelow(next)};
  turnsBefore = count;
  Values results = listSums();
  for (auto &[load, values] : numbersBehind)
    llvm::append_range(results, values);
  beginBranch(isBelow(turn.tile), ValueRange(results).getTypes());
}

void ThreadBuilder::takeTileBefore() {
  auto marker = *kernel.getBody().getOps<tv::TileBeforeOp>().begin();
  Operation *each = *kernel.getBody().getOps<tv::EachTileOp>().begin();
  // What was carried so far is given where there is no tile.
  auto loop = b.getInsertionBlock()->getParentOp()->getParentOfType<scf::ForOp>();
  Values made = listSums();
  size_t count = made.size();
  for (auto &[load, values] : numbersBehind)
    for (size_t index = 0; index < values.size(); ++index)
      made.push_back(piece(load.getResult(), index));
  ValueRange otherwise = ValueRange(loop.getRegionIterArgs()).take_front(made.size());
  ValueRange results = endBranch(made, otherwise, each, marker);
  setSums(results);
  numbersAhead.assign(results.begin() + count, results.end());
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, behind.tile, i64(0));
  std::swap(turn, behind);
  beginBranch(exists, ValueRange(listSums()).getTypes());
  for (auto &[load, values] : numbersBehind)
    for (auto [index, value] : llvm::enumerate(values))
      pieces[{load.getResult(), index}] = value;
  sumsBefore = listSums();
}

void ThreadBuilder::endOverlap() {
  Operation *marker = *kernel.getBody().getOps<tv::TileBeforeOp>().begin();
  ValueRange results = endBranch(listSums(), sumsBefore, marker, nullptr);
  setSums(results);
  Values carried = listSums();
  llvm::append_range(carried, numbersAhead);
  // The buffer of the tile before is free for the one that is staged next.
  for (Value buffer : {behind.buffer, ahead.buffer, turn.buffer})
    carried.push_back(buffer);
  carried.push_back(arith::AddIOp::create(b, loc, turnsBefore, i32(1)));
  Operation *loop = b.getInsertionBlock()->getParentOp();
  closeLoop(carried);
  // Nobody leaves while a peer's arrival at the last meeting is under way.
  Value last = meetingOf(
      arith::SubIOp::create(b, loc, loop->getResults().back(), i32(1)));
  waitForMeeting(arith::AddIOp::create(b, loc, last, i32(1)));
}
