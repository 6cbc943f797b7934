//===- PickRanks.cpp - the order of what is picked --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates wait in shared memory in any order. The rank of one is the number
// of those with greater keys, which are all different.
//
//===----------------------------------------------------------------------===//

#include "Picker.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace quack;

using IntPredicate = arith::CmpIPredicate;

/// What is picked of a slice goes to the slice's part of what the row saves.
void ThreadBuilder::Picker::savePick(Value rank, Value number, Value column) {
  tv::SavedPicks saved(picks, t.kernel.getPlan().getSlices());
  auto place = static_cast<int64_t>(save.getPlace());
  Value row = t.globalRow(fragment, 0), slice = t.sliceIndex();
  Value at = make<arith::AddIOp>(make<arith::MulIOp>(slice, i32(picks)), rank);
  Value before = make<arith::MulIOp>(slice, i32(fragment.sliceColumns()));
  LLVM::StoreOp::create(b, loc, number,
                        t.slotAddress(row, place + saved.values, at, 1));
  LLVM::StoreOp::create(b, loc, make<arith::AddIOp>(before, column),
                        t.slotAddress(row, place + saved.columns, at, 1));
}

void ThreadBuilder::Picker::storePick(Value rank, Value number, Value column) {
  if (save)
    return savePick(rank, number, column);
  Type stored = getElementTypeOrSelf(topk.getValues().getType());
  if (number) {
    if (!stored.isF32())
      number = arith::TruncFOp::create(b, loc, stored, number);
    LLVM::StoreOp::create(b, loc, number,
                          t.pickAddress(topk.getValues(), fragment, rank));
  }
  if (!column)
    return;
  if (Value named = topk.getNamed()) {
    auto recall = named.getDefiningOp<tv::RecallOp>();
    tv::SavedPicks saved(recall.getCount(), recall.getSlices());
    Value from = t.slotAddress(
        t.globalRow(fragment, 0),
        static_cast<int64_t>(recall.getPlace()) + saved.columns, column, 1);
    column = LLVM::LoadOp::create(b, loc, b.getI32Type(), from);
  }
  if (getElementTypeOrSelf(topk.getColumns().getType()).isInteger(64))
    column = wide(column);
  LLVM::StoreOp::create(b, loc, column,
                        t.pickAddress(topk.getColumns(), fragment, rank));
}

Value ThreadBuilder::Picker::load(int64_t offset, Type type, Value index) {
  return LLVM::LoadOp::create(b, loc, type, place(offset, type, index));
}

void ThreadBuilder::Picker::store(Value value, int64_t offset, Value index) {
  LLVM::StoreOp::create(b, loc, value, place(offset, value.getType(), index));
}

/// Adds to `rank` how many keys from `from` to `to` of those at `offset` are
/// greater.
Value ThreadBuilder::Picker::countGreater(Value own, int64_t offset, Value from,
                                          Value to, Value rank) {
  auto others = scf::ForOp::create(b, loc, from, to, i32(1), ValueRange{rank});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(others.getBody());
  Value other = load(offset, b.getI64Type(), others.getInductionVar());
  Value before = make<arith::AddIOp>(
      others.getRegionIterArg(0),
      arith::ExtUIOp::create(b, loc, b.getI32Type(),
                             is(IntPredicate::ugt, other, own)));
  scf::YieldOp::create(b, loc, ValueRange{before});
  return others.getResult(0);
}

/// Stores candidate `index`, whose key is `key`, if its rank is that of a pick.
void ThreadBuilder::Picker::storeRanked(Value rank, Value key, Value index) {
  Predicate exists = t.rowExists(fragment, 0);
  t.ifThen(t.both(is(IntPredicate::ult, rank, i32(picks)), exists), [&] {
    Value number = load(layout.candidates, b.getF32Type(),
                        make<arith::ShLIOp>(index, i32(1)));
    Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), key);
    Value column = make<arith::XOrIOp>(low, i32(0xFFFFFFFFu));
    if (task.softmax)
      store(number, layout.sorted, rank);
    storePick(rank, task.softmax ? Value() : number, column);
  });
}

/// Gives each candidate its key.
void ThreadBuilder::Picker::makeKeys(Value total) {
  auto pair = VectorType::get({2}, b.getI32Type());
  eachOf(total, [&](Value index) {
    auto words = vector::ToElementsOp::create(
        b, loc, load(layout.candidates, pair, index));
    Value number =
        LLVM::BitcastOp::create(b, loc, b.getF32Type(), words.getResult(0));
    store(fullKey(keyOf(number), words.getResult(1)), layout.keys, index);
  });
  t.syncRow();
}

void ThreadBuilder::Picker::rankAll(Value total) {
  eachOf(total, [&](Value index) {
    Value own = load(layout.keys, b.getI64Type(), index);
    storeRanked(countGreater(own, layout.keys, i32(0), total, i32(0)), own,
                index);
  });
}

/// Candidates fall into buckets by the upper bits of their keys' distance from
/// the bound. The rank of one is the number of those in higher buckets, and of
/// greater ones in its own.
void ThreadBuilder::Picker::rankInBuckets(Value total, Bound bound) {
  Type word = b.getI32Type(), full = b.getI64Type();
  int64_t bits = llvm::Log2_64(layout.buckets);
  Value range = make<arith::SubIOp>(bound.greatest, bound.key);
  Value zeros = math::CountLeadingZerosOp::create(b, loc, range);
  Value shift =
      make<arith::MaxSIOp>(make<arith::SubIOp>(i32(32 - bits), zeros), i32(0));
  auto bucketOf = [&](Value key) -> Value {
    Value high = arith::TruncIOp::create(b, loc, word,
                                         make<arith::ShRUIOp>(key, i64(32)));
    Value bucket =
        make<arith::ShRUIOp>(make<arith::SubIOp>(high, bound.key), shift);
    return make<arith::MinUIOp>(bucket, i32(layout.buckets - 1));
  };
  eachOf(i32(layout.buckets),
         [&](Value bucket) { store(i32(0), layout.bucketCounts, bucket); });
  t.syncRow();
  eachOf(total, [&](Value index) {
    Value bucket = bucketOf(load(layout.keys, full, index));
    Value address = make<arith::AddIOp>(sharedBase(layout.bucketCounts),
                                        make<arith::ShLIOp>(bucket, i32(2)));
    Value before = t.inlinePTX("atom.shared.add.u32 $0, [$1], 1;",
                               "=r,r,~{memory}", word, {address});
    store(before, layout.placeInBucket, index);
  });
  t.syncRow();
  startBuckets();
  t.syncRow();
  eachOf(total, [&](Value index) {
    Value key = load(layout.keys, full, index);
    Value at =
        make<arith::AddIOp>(load(layout.bucketStarts, word, bucketOf(key)),
                            load(layout.placeInBucket, word, index));
    store(key, layout.keysByBucket, at);
    store(index, layout.candidateAt, at);
  });
  t.syncRow();
  eachOf(total, [&](Value at) {
    Value key = load(layout.keysByBucket, full, at), bucket = bucketOf(key);
    Value start = load(layout.bucketStarts, word, bucket);
    Value end =
        make<arith::AddIOp>(start, load(layout.bucketCounts, word, bucket));
    storeRanked(countGreater(key, layout.keysByBucket, start, end, start), key,
                load(layout.candidateAt, word, at));
  });
}

/// The first warp adds up what is in higher buckets: lane 0 has the highest
/// ones.
void ThreadBuilder::Picker::startBuckets() {
  Type word = b.getI32Type();
  t.ifThen(is(IntPredicate::ult, thread, i32(warpSize)), [&] {
    int64_t each = layout.buckets / warpSize;
    Value first = make<arith::MulIOp>(
        make<arith::SubIOp>(i32(warpSize - 1), t.lane()), i32(each));
    Values counts(each);
    Value sum = i32(0);
    for (int64_t i = 0; i < each; ++i) {
      counts[i] =
          load(layout.bucketCounts, word, make<arith::AddIOp>(first, i32(i)));
      sum = make<arith::AddIOp>(sum, counts[i]);
    }
    Value higher = sum;
    for (int64_t distance = 1; distance < warpSize; distance *= 2) {
      Value other =
          NVVM::ShflOp::create(b, loc, word, i32(-1), higher, i32(distance),
                               i32(0), NVVM::ShflKind::up, UnitAttr());
      Value isThere = is(IntPredicate::uge, t.lane(), i32(distance));
      higher = make<arith::AddIOp>(higher, choose(isThere, other, i32(0)));
    }
    higher = make<arith::SubIOp>(higher, sum);
    for (int64_t i = each - 1; i >= 0; --i) {
      store(higher, layout.bucketStarts, make<arith::AddIOp>(first, i32(i)));
      higher = make<arith::AddIOp>(higher, counts[i]);
    }
  });
}

/// The softmax of what is sorted.
void ThreadBuilder::Picker::storeShares() {
  t.syncRow();
  Value greatest = LLVM::LoadOp::create(b, loc, b.getF32Type(),
                                        place(layout.sorted, b.getF32Type()));
  auto term = [&](Value index) -> Value {
    Value number = LLVM::LoadOp::create(
        b, loc, b.getF32Type(), place(layout.sorted, b.getF32Type(), index));
    return math::ExpOp::create(b, loc, make<arith::SubFOp>(number, greatest));
  };
  auto loop = scf::ForOp::create(b, loc, thread, i32(picks), i32(threads),
                                 ValueRange{f32(0)});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value own = make<arith::AddFOp>(loop.getRegionIterArg(0),
                                    term(loop.getInductionVar()));
    scf::YieldOp::create(b, loc, ValueRange{own});
  }
  Value total = sum(loop.getResult(0));
  t.ifThen(t.rowExists(fragment, 0), [&] {
    eachOf(i32(picks), [&](Value index) {
      storePick(index, make<arith::DivFOp>(term(index), total), Value());
    });
  });
}

/// Adds up floats: lanes as a tree, then warps in their order.
Value ThreadBuilder::Picker::sum(Value own) {
  for (int64_t distance = warpSize / 2; distance > 0; distance /= 2) {
    Value other = NVVM::ShflOp::create(b, loc, b.getF32Type(), i32(-1), own,
                                       i32(distance), i32(warpSize - 1),
                                       NVVM::ShflKind::bfly, UnitAttr());
    own = make<arith::AddFOp>(own, other);
  }
  if (warps == 1)
    return own;
  t.ifThen(is(IntPredicate::eq, t.lane(), i32(0)), [&] {
    LLVM::StoreOp::create(b, loc, own,
                          place(layout.greatest, b.getF32Type(), t.warp()));
  });
  t.syncRow();
  Value total = LLVM::LoadOp::create(b, loc, b.getF32Type(),
                                     place(layout.greatest, b.getF32Type()));
  for (int64_t i = 1; i < warps; ++i)
    total = make<arith::AddFOp>(
        total,
        LLVM::LoadOp::create(b, loc, b.getF32Type(),
                             place(layout.greatest, b.getF32Type(), i32(i))));
  return total;
}
