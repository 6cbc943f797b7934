//===- Unaligned.cpp - rows that start at any element ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's columns are the layout's, wherever the row lies. Memory is still
// accessed in aligned windows, of 16 bytes where a run has them, each once: a
// load gets the window after its run from the next lane and shifts the run's
// bytes out of both; a store gets the end of the run before from the lane
// before and shifts both into one window. A window that the row does not fill is
// accessed element by element: nothing outside the row is touched.
//
//     columns        |  run of lane 0  |  run of lane 1  |
//     windows     |  w0  :     |  w1  :       |  w2  :       |
//                 <-> skew: the row's first byte in its window
//
// Pieces form a chain where each begins where the last lane's run of the one
// before ends: then the last lane's next window is lane 0's of the next piece.
// Only after the last piece of a chain lane 0 accesses one window more.
//
#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Windows that the row does not fill
//===----------------------------------------------------------------------===//

Value ThreadBuilder::clampTo(Value value, int64_t least, int64_t most) {
  value = arith::MaxSIOp::create(b, loc, value, i32(least));
  return arith::MinSIOp::create(b, loc, value, i32(most));
}

/// Whether element `index` of a window is one of those from `from` to `to`.
static Value isBetween(OpBuilder &b, Location loc, Value index, Value from,
                       Value to) {
  Value after = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, index, from);
  Value before = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, to);
  return arith::AndIOp::create(b, loc, after, before);
}

/// Returns whether, for some thread and some skew, the window of `count` elements
/// that is `begin` elements from the thread's first column contains the row's end
/// and something before it.
bool ThreadBuilder::mayContainEnd(const Fragment &fragment, int64_t begin,
                                  int64_t count) {
  int64_t end = kernel.getColumns();
  return llvm::any_of(llvm::seq(end - count + 1, end + count), [&](int64_t column) {
    return isThreadColumn(fragment, column - begin);
  });
}

/// Returns which elements exist of the window `begin` elements from the thread's
/// first column.
ThreadBuilder::Span ThreadBuilder::spanOf(const Skew &skew, const Fragment &fragment,
                                          int64_t begin) {
  int64_t count = fragment.windowBytes() / fragment.elementBytes();
  int64_t columns = kernel.getColumns();
  Span span;
  if (greatestThreadColumn(fragment) + begin + count <= columns)
    return span;
  // The window's columns are those from `first` on.
  Value first = arith::SubIOp::create(b, loc, threadCoord(fragment).second,
                                      skew.elements);
  if (mayContainEnd(fragment, begin, count))
    span.to = clampTo(arith::SubIOp::create(b, loc, i32(columns - begin), first), 0,
                      count);
  else
    span.exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, first,
                                        i32(columns - begin - count));
  return span;
}

/// Turns a span with a bound into predicates: of the whole window, of a part.
std::pair<Predicate, Predicate>
ThreadBuilder::splitSpan(Span &span, const Fragment &fragment, Predicate wanted) {
  int64_t count = fragment.windowBytes() / fragment.elementBytes();
  if (!span.from)
    span.from = i32(0);
  if (!span.to)
    span.to = i32(count);
  Value size = arith::SubIOp::create(b, loc, span.to, span.from);
  wanted = both(wanted, span.exists);
  return {both(wanted, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size,
                                             i32(count))),
          both(wanted, isBetween(b, loc, size, i32(1), i32(count)))};
}

/// Leaves out of a chain's first window (of the one `beyond` its last run) what
/// another chain has, which may be another warp's.
void ThreadBuilder::keepToChain(Span &span, const Skew &skew, const Fragment &fragment,
                                bool beyond) {
  if (beyond) {
    span.to = span.to ? Value(arith::MinSIOp::create(b, loc, span.to, skew.elements))
                      : skew.elements;
    return;
  }
  Predicate isFirst = isAtEdge(fragment, /*first=*/true);
  span.from = isFirst ? Value(arith::SelectOp::create(b, loc, isFirst, skew.elements,
                                                      i32(0)))
                      : skew.elements;
}

/// Loads the elements of a window that `span` has; the others are of `fill`.
SmallVector<Value> ThreadBuilder::loadElements(Address address,
                                               const Fragment &fragment,
                                               StringRef space, Value policy,
                                               const Span &span, uint32_t fill) {
  int64_t bytes = fragment.elementBytes(), window = fragment.windowBytes();
  SmallVector<Value> elements;
  for (int64_t at = 0; at < window; at += bytes) {
    Value exists = isBetween(b, loc, i32(at / bytes), span.from, span.to);
    loadVector({address.base, address.offset + at}, bytes, space,
               {exists, Predicate(), 0, fill}, policy, elements);
  }
  return elements;
}

/// Joins elements of a window, in registers of their own, to words.
SmallVector<Value> ThreadBuilder::joinElements(ArrayRef<Value> elements,
                                               int64_t bytes) {
  if (bytes >= 4)
    return Values(elements);
  Values words;
  for (auto [index, element] : llvm::enumerate(elements)) {
    int64_t shift = index * bytes % 4 * 8;
    Value wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), element);
    if (shift == 0)
      words.push_back(wide);
    else
      words.back() =
          arith::OrIOp::create(b, loc, words.back(),
                               arith::ShLIOp::create(b, loc, wide, i32(shift)));
  }
  return words;
}

void ThreadBuilder::storeElements(Address address, const Fragment &fragment,
                                  StringRef space, ArrayRef<Value> words,
                                  const Span &span) {
  int64_t bytes = fragment.elementBytes(), window = fragment.windowBytes();
  for (int64_t at = 0; at < window; at += bytes) {
    Values element(words.slice(at / 4, std::max<int64_t>(1, bytes / 4)));
    if (bytes < 4) {
      Value &word = element.front();
      if (at % 4)
        word = arith::ShRUIOp::create(b, loc, word, i32(at % 4 * 8));
      word = arith::TruncIOp::create(b, loc, b.getI16Type(), word);
    }
    storeVector({address.base, address.offset + at}, element, bytes, space,
                {isBetween(b, loc, i32(at / bytes), span.from, span.to), Predicate(),
                 0});
  }
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Loads, where it is `wanted`, what `span` has of the window `begin` elements from the
/// thread's first column.
SmallVector<Value> ThreadBuilder::loadWindow(tv::LoadOp load, const Skew &skew,
                                             const Fragment &fragment,
                                             int64_t begin, Span span,
                                             Predicate wanted) {
  StringRef space = loadSpace(load.getPolicy());
  Value policy = evictionPolicy(load.getPolicy());
  uint32_t fill = fillOf(load);
  int64_t window = fragment.windowBytes();
  Address address{skew.base, begin * fragment.elementBytes()};
  SmallVector<Value> words;
  if (!span.from && !span.to) {
    loadVector(address, window, space,
               {both(wanted, span.exists), Predicate(), 0, fill}, policy, words);
    return words;
  }
  auto [isWhole, isCut] = splitSpan(span, fragment, wanted);
  loadVector(address, window, space, {isWhole, Predicate(), 0, fill}, policy, words);
  // The branch only loads: what it did with its elements would wait for them, and
  // hold up the accesses that come after.
  int64_t bytes = fragment.elementBytes();
  SmallVector<Type> types(window / std::min<int64_t>(4, bytes),
                          b.getIntegerType(bytes < 4 ? 16 : 32));
  auto branch = scf::IfOp::create(b, loc, types, isCut, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc,
                         loadElements(address, fragment, space, policy, span, fill));
    b.setInsertionPointToStart(branch.elseBlock());
    Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(types.front()));
    scf::YieldOp::create(b, loc, Values(types.size(), none));
  }
  Values joined = joinElements(Values(branch.getResults()), bytes);
  for (auto [word, cut] : llvm::zip_equal(words, joined))
    word = arith::SelectOp::create(b, loc, isCut, cut, word);
  return words;
}

/// Issues the accesses of the windows that begin in piece `index`; with `beyond`, of
/// the first window after it.
ThreadBuilder::Windows &ThreadBuilder::issueWindows(tv::LoadOp load, int64_t index,
                                                    bool beyond) {
  auto [it, isNew] = windows.try_emplace(
      std::make_pair(load.getResult(), beyond ? -1 - index : index));
  Windows &issued = it->second;
  if (!isNew)
    return issued;
  loc = load.getLoc();
  Fragment fragment = fragmentOf(load.getType());
  Skew skew = skewOf(load.getSource(), fragment, index);
  Coord offset = fragment.offset(index);
  Predicate wanted = rowExists(fragment, offset.row);
  int64_t count = fragment.windowBytes() / fragment.elementBytes();
  int64_t first = offset.column, end = first + fragment.run;
  // What another warp has of a window may be stored while this one reads it.
  bool startsChain = !beyond && !fragment.continuesChain(index);
  bool keeps = (beyond || startsChain) && mayBeOverwritten(load);
  bool isEdge = keeps && sharesEdges(fragment);
  if (beyond && isEdge) {
    issued.edge = loadEdge(load, skew, fragment, edgeBeyond(skew, fragment, index));
    return issued;
  }
  if (beyond) {
    first += fragment.neighbours() * fragment.run;
    end = first + count;
    wanted = both(both(wanted, isAtEdge(fragment, /*first=*/true)), skew.isSome);
  }
  for (int64_t begin = first; begin < end; begin += count) {
    Span span = spanOf(skew, fragment, begin);
    Predicate inWindow = wanted;
    if (begin == first && isEdge) {
      issued.edge =
          loadEdge(load, skew, fragment, firstEdge(skew, fragment, index));
      inWindow = both(wanted, isNotFirstLane(fragment));
    } else if (begin == first && keeps) {
      keepToChain(span, skew, fragment, beyond);
    } else if (begin == 0) {
      Value isStart = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            threadCoord(fragment).second, i32(0));
      span.from = arith::SelectOp::create(b, loc, isStart, skew.elements, i32(0));
    }
    llvm::append_range(issued.words,
                       loadWindow(load, skew, fragment, begin, span, inWindow));
  }
  return issued;
}

/// Returns the words of windows, issued now if they are not yet.
ArrayRef<Value> ThreadBuilder::windowsOf(tv::LoadOp load, int64_t index, bool beyond) {
  Windows &issued = issueWindows(load, index, beyond);
  if (issued.edge.empty())
    return issued.words;
  loc = load.getLoc();
  Fragment fragment = fragmentOf(load.getType());
  Values edge = joinEdge(fragment, issued.edge);
  issued.edge.clear();
  if (issued.words.empty())
    return issued.words = edge;
  Values first(ArrayRef(issued.words).take_front(edge.size()));
  llvm::copy(selectAtEdge(fragment, /*first=*/true, edge, first),
             issued.words.begin());
  return issued.words;
}

/// Pieces whose shifts share the branches that `perSkew` makes.
static constexpr int64_t piecesPerBranch = 4;

/// Returns the words of piece `index`, shifted out of its windows and the next
/// lane's first.
SmallVector<Value> ThreadBuilder::loadUnaligned(tv::LoadOp load, int64_t index) {
  if (auto it = shifted.find({load.getResult(), index}); it != shifted.end())
    return it->second;
  Fragment fragment = fragmentOf(load.getType());
  int64_t count = fragment.run * fragment.elementBytes() / 4, end = index + 1;
  while (end < index + piecesPerBranch && fragment.continuesChain(end))
    ++end;
  // By piece, and what comes after the last one.
  SmallVector<Values> raw;
  for (int64_t i = index; i < end; ++i)
    raw.push_back(Values(windowsOf(load, i)));
  raw.push_back(Values(fragment.continuesChain(end)
                           ? windowsOf(load, end)
                           : windowsOf(load, end - 1, /*beyond=*/true)));
  loc = load.getLoc();
  Skew skew = skewOf(load.getSource(), fragment, index);
  Values all = perSkew(skew, fragment, count * (end - index), [&](int64_t known) {
    int64_t beyond = skew.wordsBeyond(known);
    Values made;
    for (int64_t i = 0; i < end - index; ++i) {
      Values words = raw[i];
      llvm::append_range(
          words, fromNeighbour(selectAtEdge(fragment, /*first=*/true,
                                            ArrayRef(raw[i + 1]).take_front(beyond),
                                            ArrayRef(raw[i]).take_front(beyond)),
                               fragment, 1));
      llvm::append_range(made, shiftDown(words, skew, known, count));
    }
    return made;
  });
  for (int64_t i = index; i < end; ++i)
    shifted[{load.getResult(), i}] = Values(ArrayRef(all).slice((i - index) * count, count));
  return shifted[{load.getResult(), index}];
}

/// Issues the accesses of piece `index`, without a wait for them.
void ThreadBuilder::issueUnaligned(tv::LoadOp load, int64_t index) {
  issueWindows(load, index);
  if (!fragmentOf(load.getType()).continuesChain(index + 1))
    issueWindows(load, index, /*beyond=*/true);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Stores the elements of a window that `span` has.
void ThreadBuilder::storeWindow(tv::StoreOp store, Address address,
                                const Fragment &fragment, ArrayRef<Value> words,
                                Predicate wanted, Span span) {
  StringRef space = storeSpace(store.getPolicy());
  int64_t window = fragment.windowBytes();
  if (!span.from && !span.to)
    return storeVector(address, words, window, space,
                       {both(wanted, span.exists), Predicate(), 0});
  auto [isWhole, isCut] = splitSpan(span, fragment, wanted);
  storeVector(address, words, window, space, {isWhole, Predicate(), 0});
  ifThen(isCut, [&, isCut = isCut] {
    storeElements(address, fragment, space, words, span);
  });
}

/// Stores the windows that begin in piece `index`, which are `words`.
void ThreadBuilder::storeWindows(tv::StoreOp store, int64_t index,
                                 ArrayRef<Value> words) {
  Fragment fragment = fragmentOf(store.getValue().getType());
  Skew skew = skewOf(store.getTarget(), fragment, index);
  Coord offset = fragment.offset(index);
  int64_t window = fragment.windowBytes(), count = window / fragment.elementBytes();
  for (int64_t at = 0; at < fragment.run; at += count) {
    int64_t begin = offset.column + at;
    Span span = spanOf(skew, fragment, begin);
    ArrayRef<Value> stored = words.slice(at / count * (window / 4), window / 4);
    Predicate wanted = rowExists(fragment, offset.row);
    bool startsChain = at == 0 && !fragment.continuesChain(index);
    if (startsChain && sharesEdges(fragment)) {
      storeEdge(store, skew, fragment,
                firstEdge(skew, fragment, index), stored);
      wanted = both(wanted, isNotFirstLane(fragment));
    } else if (startsChain) {
      keepToChain(span, skew, fragment, /*beyond=*/false);
    }
    storeWindow(store, {skew.base, begin * fragment.elementBytes()}, fragment, stored,
                wanted, span);
  }
}

/// Stores what is left of the last run of the chain that ends with piece `index`:
/// the first elements of the window after it, `words`.
void ThreadBuilder::storeChainEnd(tv::StoreOp store, int64_t index,
                                  ArrayRef<Value> words) {
  Fragment fragment = fragmentOf(store.getValue().getType());
  Skew skew = skewOf(store.getTarget(), fragment, index);
  if (sharesEdges(fragment))
    return storeEdge(store, skew, fragment, edgeBeyond(skew, fragment, index), words);
  Coord offset = fragment.offset(index);
  int64_t begin = offset.column + fragment.neighbours() * fragment.run;
  Span span = spanOf(skew, fragment, begin);
  keepToChain(span, skew, fragment, /*beyond=*/true);
  storeWindow(store, {skew.base, begin * fragment.elementBytes()}, fragment, words,
              both(rowExists(fragment, offset.row),
                   isAtEdge(fragment, /*first=*/true)),
              span);
}

/// Shifts the waiting pieces of a store, of which `last` is the last, into windows
/// and stores these.
void ThreadBuilder::flushStore(tv::StoreOp store, int64_t last) {
  Fragment fragment = fragmentOf(store.getValue().getType());
  PendingStore &pending = pendingStores[store];
  int64_t count = fragment.run * fragment.elementBytes() / 4;
  int64_t windowWords = fragment.windowBytes() / 4;
  int64_t pieces = pending.pieces.size(), first = last + 1 - pieces;
  bool endsChain = !fragment.continuesChain(last + 1);
  Skew skew = skewOf(store.getTarget(), fragment, last);
  Values all = perSkew(
      skew, fragment, count * pieces + (endsChain ? windowWords : 0),
      [&](int64_t known) {
        int64_t beyond = skew.wordsBeyond(known);
        Values made, before = pending.before;
        for (const Values &words : pending.pieces) {
          // What lies before this run in its first window, then the run.
          ArrayRef<Value> end = ArrayRef(words).take_back(beyond);
          Values source = fromNeighbour(
              before.empty() ? Values(end)
                             : selectAtEdge(fragment, /*first=*/false,
                                            ArrayRef(before).take_back(beyond), end),
              fragment, -1);
          llvm::append_range(source, words);
          llvm::append_range(made, shiftUp(source, skew, known, count));
          before = words;
        }
        if (endsChain) {
          Values source =
              fromNeighbour(Values(ArrayRef(before).take_back(beyond)), fragment, -1);
          source.append(windowWords, i32(0));
          llvm::append_range(made, shiftUp(source, skew, known, windowWords));
        }
        return made;
      });
  for (int64_t i = 0; i < pieces; ++i)
    storeWindows(store, first + i, ArrayRef(all).slice(i * count, count));
  if (endsChain)
    storeChainEnd(store, last, ArrayRef(all).take_back(windowWords));
  pending.before = endsChain ? Values() : pending.pieces.back();
  pending.pieces.clear();
}

/// Stores piece `index`, or has it wait for others of its chain. The pieces of a
/// chain come in order.
void ThreadBuilder::storeUnaligned(tv::StoreOp store, int64_t index, Values words) {
  Fragment fragment = fragmentOf(store.getValue().getType());
  PendingStore &pending = pendingStores[store];
  pending.pieces.push_back(std::move(words));
  if (int64_t(pending.pieces.size()) == piecesPerBranch ||
      !fragment.continuesChain(index + 1))
    flushStore(store, index);
}
