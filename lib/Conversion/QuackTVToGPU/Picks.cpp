//===- Picks.cpp - the K greatest elements of a row -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of groups of a row's elements the greatest ones bound its Kth element from
// below: if K groups have one that is not less than t, so has the row K
// elements. The greatest such t is found nearly, by bisection, in registers.
// Then
//
//     candidates   elements not less than t wait in shared memory: few more
//     than K retry        where they are too many for it (equal elements, or a
//     few groups that
//                  have most of them), t is raised by counting elements.
//                  Elements and columns together are all different, so that
//                  some t fits
//     rank         as many candidates are before one as are greater
//
// An element's key is a u32 whose order is that of floats, NaN the greatest; a
// candidate's is its element's key, and below it the column's complement. So
// the row is passed over twice, thrice and more for few inputs only, and equal
// elements are in the order of their columns whoever finds them.
//
//===----------------------------------------------------------------------===//

#include "Picker.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <tuple>

using namespace mlir;
using namespace quack;

using IntPredicate = arith::CmpIPredicate;

void ThreadBuilder::withOwnPieces(function_ref<void()> body) {
  auto before = std::make_tuple(pieces, loaded, windows, shifted, singles);
  body();
  std::tie(pieces, loaded, windows, shifted, singles) = std::move(before);
}

ThreadBuilder::Picker::Picker(ThreadBuilder &thread, tv::TopKOp topk)
    : Picker(thread, Task{topk.getRow(), topk.getAgain(), topk.getRetry(),
                          topk.getCount(), topk.getSoftmax(),
                          static_cast<int64_t>(*topk.getOffset()),
                          topk.getLoc()}) {
  this->topk = topk;
}

ThreadBuilder::Picker::Picker(ThreadBuilder &thread, tv::SaveTopKOp save)
    : Picker(thread, Task{save.getRow(), save.getAgain(), save.getRetry(),
                          static_cast<int64_t>(save.getCount()),
                          /*softmax=*/false,
                          static_cast<int64_t>(*save.getOffset()),
                          save.getLoc()}) {
  this->save = save;
}

ThreadBuilder::Picker::Picker(ThreadBuilder &thread, Task task)
    : t(thread), b(thread.b), loc(task.loc), task(task),
      fragment(thread.fragmentOf(task.row.getType())), picks(task.count),
      threads(thread.kernel.getPlan().getThreadsPerRow()),
      warps(threads / warpSize), layout(picks, warps, task.softmax) {
  t.loc = loc;
  bool isWarp = threads == warpSize;
  this->thread = isWarp ? t.lane() : t.threadId();
  buffer = t.sharedPointer(task.offset);
  if (isWarp)
    buffer =
        LLVM::GEPOp::create(b, loc, buffer.getType(), b.getI8Type(), buffer,
                            ArrayRef<LLVM::GEPArg>{make<arith::MulIOp>(
                                t.warp(), i32(layout.bytes))});
}

//===----------------------------------------------------------------------===//
// Small helpers
//===----------------------------------------------------------------------===//

Value ThreadBuilder::Picker::place(int64_t offset, Type type, Value index) {
  Value start =
      LLVM::GEPOp::create(b, loc, buffer.getType(), b.getI8Type(), buffer,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  if (!index)
    return start;
  return LLVM::GEPOp::create(b, loc, buffer.getType(), type, start,
                             ArrayRef<LLVM::GEPArg>{index});
}

Value ThreadBuilder::Picker::sharedBase(int64_t offset) {
  Value base = t.sharedAddress(task.offset + offset);
  if (warps > 1)
    return base;
  return make<arith::AddIOp>(base,
                             make<arith::MulIOp>(t.warp(), i32(layout.bytes)));
}

SmallVector<Value> ThreadBuilder::Picker::loopWhile(
    ValueRange start, function_ref<Value(ValueRange)> condition,
    function_ref<SmallVector<Value>(ValueRange)> next) {
  SmallVector<Type> types(start.getTypes());
  SmallVector<Location> locs(types.size(), loc);
  auto loop = scf::WhileOp::create(b, loc, types, start);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locs);
  Value again = condition(before->getArguments());
  scf::ConditionOp::create(b, loc, again, before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locs);
  scf::YieldOp::create(b, loc, next(after->getArguments()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// For the thread's share of the numbers below `count`.
void ThreadBuilder::Picker::eachOf(Value count,
                                   function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, loc, thread, count, i32(threads));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

ThreadBuilder::Values ThreadBuilder::Picker::elementsOf(Value row,
                                                        int64_t piece) {
  Value value = t.piece(row, piece);
  t.loc = loc;
  return t.elementsOf(value);
}

/// The column within the slice.
Value ThreadBuilder::Picker::columnOf(int64_t piece, int64_t element) {
  Value first = t.sliceLocalColumn(fragment);
  if (opaque)
    first = make<arith::AddIOp>(first, opaque);
  return make<arith::AddIOp>(first,
                             i32(fragment.offset(piece).column + element));
}

/// Equal numbers have one key: -0 + 0 is +0.
Value ThreadBuilder::Picker::keyOf(Value number) {
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, number, number);
  Value bits = LLVM::BitcastOp::create(b, loc, b.getI32Type(),
                                       make<arith::AddFOp>(number, f32(0)));
  Value sign = make<arith::ShRSIOp>(bits, i32(31));
  Value flip = make<arith::OrIOp>(sign, i32(0x80000000u));
  return choose(isNaN, i32(0xFFFFFFFFu), make<arith::XOrIOp>(bits, flip));
}

/// The least number whose key is not less, or NaN.
Value ThreadBuilder::Picker::numberOf(Value key) {
  Value isPositive = is(IntPredicate::slt, key, i32(0));
  Value bits = choose(isPositive, make<arith::XOrIOp>(key, i32(0x80000000u)),
                      make<arith::XOrIOp>(key, i32(0xFFFFFFFFu)));
  return LLVM::BitcastOp::create(b, loc, b.getF32Type(), bits);
}

Value ThreadBuilder::Picker::fullKey(Value key, Value column) {
  Value high = make<arith::ShLIOp>(wide(key), i64(32));
  return make<arith::OrIOp>(
      high, wide(make<arith::XOrIOp>(column, i32(0xFFFFFFFFu))));
}

//===----------------------------------------------------------------------===//
// Threads of a row
//===----------------------------------------------------------------------===//

Value ThreadBuilder::Picker::redux(Value own, NVVM::ReduxKind kind) {
  return NVVM::ReduxOp::create(b, loc, b.getI32Type(), own, kind, i32(-1),
                               false, false);
}

/// Leaves the warp's number at the place of its `offset` and `first` (i32).
void ThreadBuilder::Picker::leave(Value ofWarp, int64_t offset, Value first) {
  t.ifThen(is(IntPredicate::eq, t.lane(), i32(0)), [&] {
    store(ofWarp, offset, make<arith::AddIOp>(first, t.warp()));
  });
}

/// Combines what the warps have left, after they have met.
Value ThreadBuilder::Picker::combineWarps(int64_t offset, Value first,
                                          NVVM::ReduxKind kind, Value neutral) {
  Value isThere = is(IntPredicate::ult, t.lane(), i32(warps));
  Value from = make<arith::AddIOp>(first, choose(isThere, t.lane(), i32(0)));
  return redux(choose(isThere, load(offset, b.getI32Type(), from), neutral),
               kind);
}

/// Adds up over the row. Turns alternate, so that who counts next does not
/// overwrite what others have yet to read.
Value ThreadBuilder::Picker::count(Value own, Value turn) {
  Value ofWarp = redux(own, NVVM::ReduxKind::ADD);
  if (warps == 1)
    return ofWarp;
  Value first =
      choose(is(IntPredicate::eq, make<arith::AndIOp>(turn, i32(1)), i32(0)),
             i32(0), i32(warps));
  leave(ofWarp, layout.counts[0], first);
  t.syncRow();
  return combineWarps(layout.counts[0], first, NVVM::ReduxKind::ADD, i32(0));
}

//===----------------------------------------------------------------------===//
// Groups and bounds
//===----------------------------------------------------------------------===//

/// As large as leaves four times as many groups as elements are picked: then
/// most candidates are picks.
void ThreadBuilder::Picker::formGroups() {
  int64_t wanted = llvm::divideCeil(4 * picks, threads);
  int64_t perGroup = std::max<int64_t>(1, fragment.pieces / wanted);
  int64_t parts = 1;
  while (perGroup == 1 && parts < fragment.run &&
         fragment.pieces * parts < wanted)
    parts *= 2;
  for (int64_t piece = 0; piece < fragment.pieces; piece += perGroup)
    for (int64_t part = 0; part < parts; ++part) {
      Group &group = groups.emplace_back();
      for (int64_t i = piece; i < std::min(piece + perGroup, fragment.pieces);
           ++i)
        group.pieces.push_back(i);
      group.from = fragment.run * part / parts;
      group.to = fragment.run * (part + 1) / parts;
    }
}

void ThreadBuilder::Picker::findGreatest() {
  for (Group &group : groups) {
    Value greatest;
    for (int64_t piece : group.pieces) {
      Values elements = elementsOf(task.row, piece);
      for (int64_t i = group.from; i < group.to; ++i)
        greatest = greatest ? make<arith::MaximumFOp>(greatest, elements[i])
                            : elements[i];
    }
    group.key = keyOf(greatest);
  }
}

Value ThreadBuilder::Picker::between(Value low, Value high, Value turn) {
  Value half = make<arith::ShRUIOp>(make<arith::SubIOp>(high, low), i32(1));
  Value ofKeys = make<arith::AddIOp>(low, half);
  Value middle =
      make<arith::AddFOp>(make<arith::MulFOp>(numberOf(low), f32(0.5)),
                          make<arith::MulFOp>(numberOf(high), f32(0.5)));
  Value ofNumbers = keyOf(middle);
  ofNumbers = make<arith::MaxUIOp>(ofNumbers, make<arith::AddIOp>(low, i32(1)));
  ofNumbers =
      make<arith::MinUIOp>(ofNumbers, make<arith::SubIOp>(high, i32(1)));
  // Numbers of one size are found sooner by the first, others at all by the
  // second.
  Value isOdd = is(IntPredicate::ne, make<arith::AndIOp>(turn, i32(1)), i32(0));
  return choose(isOdd, ofKeys, ofNumbers);
}

ThreadBuilder::Picker::Bound ThreadBuilder::Picker::findBound() {
  Value greatest, least;
  for (Group &group : groups) {
    greatest = greatest ? make<arith::MaxUIOp>(greatest, group.key) : group.key;
    least = least ? make<arith::MinUIOp>(least, group.key) : group.key;
  }
  greatest = redux(greatest, NVVM::ReduxKind::UMAX);
  least = redux(least, NVVM::ReduxKind::UMIN);
  if (warps > 1) {
    leave(greatest, layout.greatest, i32(0));
    leave(least, layout.least, i32(0));
    t.syncRow();
    greatest =
        combineWarps(layout.greatest, i32(0), NVVM::ReduxKind::UMAX, i32(0));
    least = combineWarps(layout.least, i32(0), NVVM::ReduxKind::UMIN, i32(-1));
  }
  auto all = static_cast<int64_t>(groups.size()) * threads;
  // At least `picks` groups are not below `low`, fewer not below `high`.
  Value isLast = is(IntPredicate::eq, greatest, i32(-1));
  Value high = choose(isLast, greatest, make<arith::AddIOp>(greatest, i32(1)));
  int64_t enough = picks + std::max<int64_t>(picks / 4, 4);
  if (all <= enough)
    return {least, greatest};
  SmallVector<Value> found = loopWhile(
      {least, high, i32(all), i32(0)},
      [&](ValueRange state) -> Value {
        Value isMany = is(IntPredicate::ugt, state[2], i32(enough));
        Value isOpen = is(IntPredicate::ugt,
                          make<arith::SubIOp>(state[1], state[0]), i32(1));
        return make<arith::AndIOp>(isMany, isOpen);
      },
      [&](ValueRange state) -> SmallVector<Value> {
        Value middle = between(state[0], state[1], state[3]);
        Value own = i32(0);
        for (Group &group : groups)
          own = make<arith::AddIOp>(
              own,
              arith::ExtUIOp::create(b, loc, b.getI32Type(),
                                     is(IntPredicate::uge, group.key, middle)));
        Value total = count(own, state[3]);
        Value isEnough = is(IntPredicate::uge, total, i32(picks));
        return {choose(isEnough, middle, state[0]),
                choose(isEnough, state[1], middle),
                choose(isEnough, total, state[2]),
                make<arith::AddIOp>(state[3], i32(1))};
      });
  return {found[0], greatest};
}

/// First whether equal elements are the reason; then among these by how their
/// columns are spread, evenly if need be.
Value ThreadBuilder::Picker::between64(Value low, Value high, Value above,
                                       Value below, Value turn, Value key) {
  Value distance = make<arith::SubIOp>(high, low);
  Value half = make<arith::AddIOp>(low, make<arith::ShRUIOp>(distance, i64(1)));
  auto real = [&](Value value) -> Value {
    return arith::UIToFPOp::create(b, loc, b.getF32Type(), value);
  };
  Value target = i32((picks + layout.capacity) / 2);
  Value share = make<arith::DivFOp>(real(make<arith::SubIOp>(above, target)),
                                    real(make<arith::SubIOp>(above, below)));
  Value part = arith::FPToUIOp::create(
      b, loc, b.getI64Type(), make<arith::MulFOp>(real(distance), share));
  Value even = make<arith::AddIOp>(low, part);
  Value isOdd = is(IntPredicate::ne, make<arith::AndIOp>(turn, i32(1)), i32(0));
  Value middle = choose(isOdd, even, half);
  Value next =
      make<arith::ShLIOp>(make<arith::AddIOp>(wide(key), i64(1)), i64(32));
  middle = choose(is(IntPredicate::eq, turn, i32(0)), next, middle);
  middle = make<arith::MaxUIOp>(middle, make<arith::AddIOp>(low, i64(1)));
  return make<arith::MinUIOp>(middle, make<arith::SubIOp>(high, i64(1)));
}

/// Calls `body` for each piece of the row and its elements, which are made
/// anew: neither LLVM nor ptxas can keep those, and what depends on them, in
/// registers from one `turn` (i32) to the next. Each piece waits for the number
/// that `body` has returned for the one before, so that few are wide at a time.
void ThreadBuilder::Picker::inRetry(
    Value turn, function_ref<Value(int64_t, ArrayRef<Value>)> body) {
  t.withOwnPieces([&] {
    Value before = opaque;
    for (int64_t piece = 0; piece < fragment.pieces; ++piece) {
      opaque = make<arith::MulIOp>(t.opaqueZero(1), turn);
      t.singles["opaque2"] = opaque;
      Values elements = elementsOf(task.retry, piece);
      for (Value &element : elements) {
        Value bits = LLVM::BitcastOp::create(b, loc, b.getI32Type(), element);
        element = LLVM::BitcastOp::create(b, loc, b.getF32Type(),
                                          make<arith::XOrIOp>(bits, opaque));
      }
      turn = body(piece, elements);
    }
    opaque = before;
  });
}

/// Every other turn halves the distance of two keys of 64 bits.
static constexpr int64_t mostTurns = 192;

/// Returns a full key that at least `picks` elements are not below, and no more
/// than candidates have room; `total` are not below the bound.
Value ThreadBuilder::Picker::raiseBound(Bound bound, Value total) {
  int64_t columns = fragment.sliceColumns();
  Value low = fullKey(bound.key, i32(columns - 1));
  Value high = fullKey(bound.greatest, i32(0));
  SmallVector<Value> found = loopWhile(
      {low, high, total, i32(0), i32(0)},
      [&](ValueRange state) -> Value {
        return make<arith::AndIOp>(
            is(IntPredicate::ugt, state[2], i32(layout.capacity)),
            is(IntPredicate::ult, state[4], i32(mostTurns)));
      },
      [&](ValueRange state) -> SmallVector<Value> {
        Value middle = between64(state[0], state[1], state[2], state[3],
                                 state[4], bound.key);
        Value own = i32(0);
        inRetry(state[4], [&](int64_t piece, ArrayRef<Value> elements) {
          for (auto [i, element] : llvm::enumerate(elements)) {
            Value key = fullKey(keyOf(element), columnOf(piece, i));
            own = make<arith::AddIOp>(
                own,
                arith::ExtUIOp::create(b, loc, b.getI32Type(),
                                       is(IntPredicate::uge, key, middle)));
          }
          return own;
        });
        Value now = count(own, state[4]);
        Value isEnough = is(IntPredicate::uge, now, i32(picks));
        return {choose(isEnough, middle, state[0]),
                choose(isEnough, state[1], middle),
                choose(isEnough, now, state[2]),
                choose(isEnough, state[3], now),
                make<arith::AddIOp>(state[4], i32(1))};
      });
  return found[0];
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

Value ThreadBuilder::Picker::append(int64_t piece, ArrayRef<Value> elements,
                                    int64_t from, int64_t to, Test test) {
  Type word = b.getI32Type();
  SmallVector<std::tuple<Value, Value, Value>> found;
  Value own = i32(0);
  for (int64_t i = from; i < to; ++i) {
    Value column = columnOf(piece, i), isCandidate = test(elements[i], column);
    found.push_back({isCandidate, elements[i], column});
    own = make<arith::AddIOp>(
        own, arith::ExtUIOp::create(b, loc, word, isCandidate));
  }
  t.ifThen(is(IntPredicate::ne, own, i32(0)), [&] {
    Value at =
        t.inlinePTX("atom.shared.add.u32 $0, [$1], $2;", "=r,r,r,~{memory}",
                    word, {sharedBase(layout.number), own});
    Value end = make<arith::AddIOp>(at, own);
    t.ifThen(is(IntPredicate::ule, end, i32(layout.capacity)), [&] {
      Value address = make<arith::AddIOp>(sharedBase(layout.candidates),
                                          make<arith::ShLIOp>(at, i32(3)));
      for (auto [isCandidate, element, column] : found) {
        t.inlinePTX("@$0 st.shared.v2.b32 [$1], {$2, $3};", "b,r,f,r,~{memory}",
                    Type(), {isCandidate, address, element, column});
        address =
            make<arith::AddIOp>(address, choose(isCandidate, i32(8), i32(0)));
      }
    });
  });
  return own;
}

Value ThreadBuilder::Picker::finishCollecting() {
  t.syncRow();
  return LLVM::LoadOp::create(b, loc, b.getI32Type(),
                              place(layout.number, b.getI32Type()));
}

void ThreadBuilder::Picker::build() {
  Type word = b.getI32Type();
  auto restart = [&] {
    t.ifThen(is(IntPredicate::eq, thread, i32(0)), [&] {
      LLVM::StoreOp::create(b, loc, i32(0), place(layout.number, word));
    });
    t.syncRow();
  };
  restart();
  formGroups();
  findGreatest();
  Bound bound = findBound();
  Value number = numberOf(bound.key);
  for (Group &group : groups)
    for (int64_t piece : group.pieces) {
      Values elements = elementsOf(task.again, piece);
      t.ifThen(is(IntPredicate::uge, group.key, bound.key), [&] {
        append(piece, elements, group.from, group.to,
               [&](Value element, Value) -> Value {
                 // What cannot be compared may be a candidate.
                 return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE,
                                              element, number);
               });
      });
    }
  Value total = finishCollecting();
  // Of a row that does not exist each pass may see another one.
  if (Predicate exists = t.rowExists(fragment, 0))
    total = choose(exists, total, i32(0));
  // There may be more candidates than have room.
  if (fragment.sliceColumns() > layout.capacity) {
    auto retry = scf::IfOp::create(
        b, loc, TypeRange{word},
        is(IntPredicate::ugt, total, i32(layout.capacity)), true);
    b.setInsertionPointToStart(retry.thenBlock());
    Value least = raiseBound(bound, total);
    t.syncRow();
    restart();
    inRetry(total, [&](int64_t piece, ArrayRef<Value> elements) {
      return append(piece, elements, 0, fragment.run,
                    [&](Value element, Value column) {
                      return is(IntPredicate::uge,
                                fullKey(keyOf(element), column), least);
                    });
    });
    scf::YieldOp::create(b, loc, ValueRange{finishCollecting()});
    b.setInsertionPointToStart(retry.elseBlock());
    scf::YieldOp::create(b, loc, ValueRange{total});
    // More than have room are there only if somebody has changed the row
    // meanwhile.
    b.setInsertionPointAfter(retry);
    total = make<arith::MinUIOp>(retry.getResult(0), i32(layout.capacity));
  }
  makeKeys(total);
  if (layout.buckets > 0)
    rankInBuckets(total, bound);
  else
    rankAll(total);
  if (task.softmax)
    storeShares();
}

void ThreadBuilder::visitTopK(tv::TopKOp topk) { Picker(*this, topk).build(); }

void ThreadBuilder::visitSaveTopK(tv::SaveTopKOp save) {
  Picker(*this, save).build();
}

/// Of a piece all elements have been saved, or none.
Value ThreadBuilder::recallPiece(tv::RecallOp recall, int64_t index) {
  loc = recall.getLoc();
  Fragment fragment = fragmentOf(recall.getValues().getType());
  Coord offset = fragment.offset(index);
  Value first = threadCoord(fragment).second;
  Predicate exists = rowExists(fragment, offset.row);
  int64_t end = recall.getTotal() - offset.column;
  if (greatestThreadColumn(fragment) >= end)
    exists = both(exists, arith::CmpIOp::create(b, loc, IntPredicate::slt,
                                                first, i32(end)));
  Value address = slotAddress(globalRow(fragment, offset.row),
                              recall.getPlace(), first, /*slotWords=*/1);
  Part part{exists, Predicate(), 0, /*fill=*/0xFF800000u};
  return fromLoaded(loadWords({address, 4 * offset.column}, 4 * fragment.run,
                              loadSpace(tv::LoadPolicy::cached), part, Value()),
                    fragment);
}
