//===- Tiles.cpp - sums over the rows of many tiles --------------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cluster that stays works on one tile after the other: a loop around what other
// kernels do once. Each thread's sums are carried by the loop, in
// registers. After it, the threads of a CTA that hold the same columns of
// different rows meet in shared memory, and the cluster's partial sum goes to
// the workspace.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Returns, for each piece, which of the thread's sums it is added to: those of
/// other rows have the same.
static SmallVector<int64_t> sumIndices(const Fragment &fragment,
                                       int64_t &count) {
  SmallVector<int64_t> indices;
  llvm::SmallDenseMap<int64_t, int64_t> byColumn;
  for (int64_t index = 0; index < fragment.pieces; ++index)
    indices.push_back(
        byColumn.try_emplace(fragment.offset(index).column, byColumn.size())
            .first->second);
  count = byColumn.size();
  return indices;
}

void ThreadBuilder::restartPrologue() {
  if (prologueEnd)
    prologueEnd->erase();
  singles.clear();
  // Marks where `once` puts what it makes.
  prologueEnd = LLVM::ReturnOp::create(b, loc, ValueRange());
  b.setInsertionPointToEnd(prologueEnd->getBlock());
}

/// Returns the number of tiles (i64), without a sum that may overflow.
Value ThreadBuilder::countTiles() {
  int64_t rows = kernel.getPlan().getRows();
  Value launched = func.getArgument(rowsArgument);
  Value tiles = arith::DivUIOp::create(b, loc, launched, i64(rows));
  Value rest = arith::RemUIOp::create(b, loc, launched, i64(rows));
  Value hasRest =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rest, i64(0));
  return arith::AddIOp::create(
      b, loc, tiles, arith::ExtUIOp::create(b, loc, b.getI64Type(), hasRest));
}

void ThreadBuilder::beginTiles() {
  Value first = clusterIndex(), tiles = countTiles();
  for (auto sum : kernel.getBody().getOps<tv::AccumulateOp>()) {
    Fragment fragment = fragmentOf(sum.getValue().getType());
    int64_t count = 0;
    sumIndices(fragment, count);
    Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    sums[sum] = Values(count * fragment.run, zero);
  }
  if (kernel.getPlan().overlapsTiles())
    return beginOverlap(first, tiles);
  Values carried = listSums();
  carried.push_back(i32(0));
  restartPrologue();
  Value hasTile =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, first, tiles);
  Value zeroth = i32(0);
  restartPrologue();
  for (auto stage : kernel.getBody().getOps<tv::StageOp>())
    stageTile(stage, {first, zeroth, Value(), zeroth, hasTile});
  int64_t partials = kernel.getPlan().getPartials();
  auto loop = scf::ForOp::create(b, loc, first, tiles, i64(partials), carried);
  b.setInsertionPointToEnd(loop.getBody());
  Block::BlockArgListType arguments = loop.getRegionIterArgs();
  if (!kernel.getBody().getOps<tv::StageOp>().empty()) {
    Value next = arith::AddIOp::create(b, loc, loop.getInductionVar(), i64(partials));
    Value exists =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, next, tiles);
    Value parity = arith::XOrIOp::create(b, loc, arguments.back(), i32(1));
    ahead = {next, parity, Value(), parity, exists};
  }
  restartPrologue();
  turn = {loop.getInductionVar(), arguments.back(), Value(), arguments.back(), Predicate()};
  setSums(ValueRange(arguments.drop_back()));
}

/// `once` forgets, meanwhile, what it has made for the loop's tile.
void ThreadBuilder::stageTile(tv::StageOp stage, const Turn &other) {
  loc = stage.getLoc();
  llvm::StringMap<Value> others;
  Turn before = turn;
  std::swap(others, singles);
  turn = other;
  stageAsync(stage);
  turn = before;
  std::swap(others, singles);
}

/// Returns all sums, in order.
ThreadBuilder::Values ThreadBuilder::listSums() {
  Values list;
  for (auto &[op, ofOne] : sums)
    llvm::append_range(list, ofOne);
  return list;
}

/// Takes up the sums, in order.
void ThreadBuilder::setSums(ValueRange values) {
  for (auto &[op, list] : sums) {
    llvm::copy(values.take_front(list.size()), list.begin());
    values = values.drop_front(list.size());
  }
}

/// The additions are inline PTX, which stays where it is: as the sums are
/// needed at the loop's end alone, LLVM would add there, and keep what is added
/// until then. Products are added unrounded.
void ThreadBuilder::accumulateRows(tv::AccumulateOp op, int64_t index) {
  Fragment fragment = fragmentOf(op.getValue().getType());
  auto product = op.getValue().getDefiningOp<arith::MulFOp>();
  Value value = piece(product ? product.getLhs() : op.getValue(), index);
  Value factor = product ? piece(product.getRhs(), index) : Value();
  loc = op.getLoc();
  SmallVector<Value> elements = elementsOf(value), factors;
  if (factor)
    factors = elementsOf(factor);
  int64_t count = 0, first = sumIndices(fragment, count)[index] * fragment.run;
  Predicate exists = rowExists(fragment, fragment.offset(index).row);
  for (auto [i, element] : llvm::enumerate(elements)) {
    Value &sum = sums[op][first + i];
    Value next = factor ? inlinePTX("fma.rn.f32 $0, $1, $2, $3;", "=f,f,f,f",
                                    b.getF32Type(), {element, factors[i], sum})
                        : inlinePTX("add.rn.f32 $0, $1, $2;", "=f,f,f",
                                    b.getF32Type(), {sum, element});
    sum = exists ? arith::SelectOp::create(b, loc, exists, next, sum) : next;
  }
}

/// Ends the loop, whose turn hands on `carried`; what follows comes after it.
void ThreadBuilder::closeLoop(ValueRange carried) {
  Operation *loop = b.getInsertionBlock()->getParentOp();
  scf::YieldOp::create(b, loc, carried);
  prologueEnd->erase();
  prologueEnd = nullptr;
  b.setInsertionPointAfter(loop);
  restartPrologue();
  // No copy is in flight when the CTA leaves.
  if (ahead.tile)
    NVVM::CpAsyncWaitGroupOp::create(b, loc, 0);
  turn = ahead = Turn();
  setSums(loop->getResults());
}

void ThreadBuilder::endTiles() {
  loc = kernel.getLoc();
  if (kernel.getPlan().overlapsTiles()) {
    endOverlap();
  } else {
    Values carried = listSums();
    // mbarriers go from phase to phase, whose parities alternate.
    carried.push_back(arith::XOrIOp::create(b, loc, turn.parity, i32(1)));
    closeLoop(carried);
  }
  bool hasMet = false;
  for (auto &[op, list] : sums) {
    auto sum = cast<tv::AccumulateOp>(op);
    if (sum.getGroups() == 1) {
      savePartial(sum);
      continue;
    }
    // Sums meet in one place.
    if (hasMet)
      NVVM::Barrier0Op::create(b, loc);
    hasMet = true;
    gatherPartial(sum);
  }
}

//===----------------------------------------------------------------------===//
// Partial sums
//===----------------------------------------------------------------------===//

/// Returns where the cluster's partial of `sum` begins.
Value ThreadBuilder::partialAddress(int64_t offset) {
  Value pointer = func.getArgument(workspaceArgument);
  Value bytes = arith::MulIOp::create(b, loc, clusterIndex(),
                                      i64(*kernel.getWorkspace()));
  bytes = arith::AddIOp::create(b, loc, bytes, i64(offset));
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

/// Returns the address of number `index` (i32) from `base` on.
static Value wordAddress(OpBuilder &b, Location loc, Value base, Value index) {
  Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), index);
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getF32Type(), base,
                             ArrayRef<LLVM::GEPArg>{wide});
}

/// Stores this thread's sums from `address` on, which is its first column's.
void ThreadBuilder::storeSums(tv::AccumulateOp sum, Value address,
                              StringRef space, const Part &part) {
  Fragment fragment = fragmentOf(sum.getValue().getType());
  int64_t count = 0;
  llvm::SmallBitVector stored(fragment.pieces);
  for (auto [index, at] : llvm::enumerate(sumIndices(fragment, count))) {
    // Pieces of other rows have the same sums.
    if (stored.test(at))
      continue;
    stored.set(at);
    Values words;
    for (int64_t i = 0; i < fragment.run; ++i)
      words.push_back(LLVM::BitcastOp::create(
          b, loc, b.getI32Type(), sums[sum][at * fragment.run + i]));
    storeWords({address, 4 * fragment.offset(index).column}, words,
               4 * fragment.run, space, part);
  }
}

/// Each thread has columns of its own.
void ThreadBuilder::savePartial(tv::AccumulateOp sum) {
  loc = sum.getLoc();
  Fragment fragment = fragmentOf(sum.getValue().getType());
  Value base = partialAddress(*sum.getOffset());
  Part part;
  if (fragment.shape.columns == 1)
    part.whole = isCanonicalCopy(fragment);
  else
    base = wordAddress(b, loc, base, threadCoord(fragment).second);
  storeSums(sum, base, "global", part);
}

/// The groups of threads that have rows of their own put their sums side by
/// side; then each thread adds up some columns, in the order of the groups.
void ThreadBuilder::gatherPartial(tv::AccumulateOp sum) {
  loc = sum.getLoc();
  Fragment fragment = fragmentOf(sum.getValue().getType());
  int64_t columns = sum.getCtaColumns(), groups = sum.getGroups();
  bool isScalar = fragment.shape.columns == 1;
  bool isWide = !isScalar && fragment.layout->size(Level::Cta) > 1;
  auto [row, column] = threadCoord(fragment);
  if (isWide)
    column = arith::SubIOp::create(
        b, loc, column, arith::MulIOp::create(b, loc, ctaRank(), i32(columns)));
  Value element = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, row, i32(columns)), column);
  Value to =
      arith::AddIOp::create(b, loc, sharedAddress(*sum.getGatherAt()),
                            arith::MulIOp::create(b, loc, element, i32(4)));
  Part part;
  if (isScalar)
    part.whole = isCanonicalCopy(fragment, {Level::Lane, Level::Warp});
  storeSums(sum, to, "shared", part);
  NVVM::Barrier0Op::create(b, loc);
  Value base = partialAddress(*sum.getOffset());
  if (isWide)
    base = wordAddress(b, loc, base,
                       arith::MulIOp::create(b, loc, ctaRank(), i32(columns)));
  Value from = sharedPointer(*sum.getGatherAt());
  Type f32 = b.getF32Type();
  auto load = [&](Value column, Value group) -> Value {
    Value at = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, group, i32(columns)), column);
    return LLVM::LoadOp::create(b, loc, f32, wordAddress(b, loc, from, at), 4);
  };
  ifThen(isScalar ? isCanonicalCopy(fragment, {Level::Cta}) : Predicate(), [&] {
    auto loop = scf::ForOp::create(b, loc, threadId(), i32(columns),
                                   i32(kernel.getPlan().getThreads()));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value column = loop.getInductionVar();
    auto inner = scf::ForOp::create(b, loc, i32(1), i32(groups), i32(1),
                                    load(column, i32(0)));
    b.setInsertionPointToEnd(inner.getBody());
    Value total = arith::AddFOp::create(b, loc, inner.getRegionIterArg(0),
                                        load(column, inner.getInductionVar()));
    scf::YieldOp::create(b, loc, total);
    b.setInsertionPointAfter(inner);
    LLVM::StoreOp::create(b, loc, inner.getResult(0),
                          wordAddress(b, loc, base, column), 4);
  });
}
