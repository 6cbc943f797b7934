//===- Unaligned.cpp - rows that start at any element ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's columns are the layout's, wherever the row lies. Memory is still
// accessed in aligned windows, of 16 bytes where a run has them: a load takes
// the two windows that a run touches and shifts its bytes out of them; a store
// takes the run of the lane before and shifts both into one window. A window
// that the row does not fill is accessed element by element: nothing outside
// the row is touched.
//
//     columns        |  run of lane 0  |  run of lane 1  |
//     windows     |  w0  :     |  w1  :       |  w2  :       |
//                 <-> skew: the row's first byte in its window
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace quack;

bool ThreadBuilder::isUnaligned(const Fragment &fragment) {
  return kernel.getPlan().getAlignment() == tv::Alignment::element &&
         fragment.shape.columns > 1 && fragment.run > 1;
}

/// The window's bytes: 16, or all of a shorter run's.
static int64_t windowBytes(const Fragment &fragment) {
  return std::min(tv::maxAccessBytes, fragment.run * fragment.elementBytes());
}

//===----------------------------------------------------------------------===//
// Skew
//===----------------------------------------------------------------------===//

/// Runs begin at multiples of the window from the row's start, so that all
/// threads of a row have the row's skew.
ThreadBuilder::Skew ThreadBuilder::skewOf(Value operand, const Fragment &fragment,
                                          int64_t index) {
  int64_t window = windowBytes(fragment), bytes = fragment.elementBytes();
  Value start = globalAddress(operand, fragment, index).base;
  std::string key =
      "skew" + std::to_string(cast<BlockArgument>(operand).getArgNumber()) + "|" +
      std::to_string(fragment.offset(index).row) + "|" + fragment.layout->str();
  auto i32Type = b.getI32Type();
  auto part = [&](StringRef name, function_ref<Value()> make) {
    return once((key + name).str(), make);
  };
  Skew skew;
  skew.bytes = part("bytes", [&]() -> Value {
    Value low = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), start);
    low = arith::TruncIOp::create(b, loc, i32Type, low);
    return arith::AndIOp::create(b, loc, low, i32(window - 1));
  });
  skew.base = part("base", [&]() -> Value {
    Value back = arith::SubIOp::create(b, loc, i32(0), skew.bytes);
    return LLVM::GEPOp::create(b, loc, start.getType(), b.getI8Type(), start,
                               ArrayRef<LLVM::GEPArg>{back});
  });
  skew.elements = part("elements", [&]() -> Value {
    return arith::ShRUIOp::create(b, loc, skew.bytes, i32(llvm::Log2_64(bytes)));
  });
  skew.isSome = part("some", [&]() -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, skew.bytes,
                                 i32(0));
  });
  for (int64_t words = 1; 4 * words < window; words *= 2)
    skew.words.push_back(part("words" + std::to_string(words), [&]() -> Value {
      Value bit = arith::AndIOp::create(b, loc, skew.bytes, i32(4 * words));
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, i32(0));
    }));
  if (bytes < 4)
    skew.bits = part("bits", [&]() -> Value {
      Value low = arith::AndIOp::create(b, loc, skew.bytes, i32(3));
      return arith::ShLIOp::create(b, loc, low, i32(3));
    });
  return skew;
}

/// Moves what stands `skew` bytes up in `words` to their start; `count` words of
/// it.
SmallVector<Value> ThreadBuilder::shiftDown(SmallVector<Value> words,
                                            const Skew &skew, int64_t count) {
  for (size_t i = skew.words.size(); i-- > 0;) {
    size_t distance = size_t(1) << i;
    for (size_t j = 0; j + distance < words.size(); ++j)
      words[j] = arith::SelectOp::create(b, loc, skew.words[i], words[j + distance],
                                         words[j]);
    words.resize(words.size() - distance);
  }
  for (int64_t j = 0; skew.bits && j < count; ++j)
    words[j] = LLVM::FshrOp::create(b, loc, words[j + 1], words[j], skew.bits);
  words.resize(count);
  return words;
}

/// Returns the last `count` of `words` after all of them move `skew` bytes up.
SmallVector<Value> ThreadBuilder::shiftUp(SmallVector<Value> words, const Skew &skew,
                                          int64_t count) {
  for (size_t i = skew.words.size(); i-- > 0;) {
    size_t distance = size_t(1) << i;
    SmallVector<Value> moved;
    for (size_t j = distance; j < words.size(); ++j)
      moved.push_back(arith::SelectOp::create(b, loc, skew.words[i],
                                              words[j - distance], words[j]));
    words = moved;
  }
  SmallVector<Value> result;
  for (size_t j = words.size() - count; j < words.size(); ++j)
    result.push_back(skew.bits ? Value(LLVM::FshlOp::create(b, loc, words[j],
                                                            words[j - 1], skew.bits))
                               : words[j]);
  return result;
}

//===----------------------------------------------------------------------===//
// Windows
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

/// Loads the elements from `from` to `to` of a window; the others are zero.
SmallVector<Value> ThreadBuilder::loadElements(Address address,
                                               const Fragment &fragment,
                                               StringRef space, Value policy,
                                               Value from, Value to) {
  int64_t bytes = fragment.elementBytes(), window = windowBytes(fragment);
  SmallVector<Value> words;
  for (int64_t at = 0; at < window; at += bytes) {
    SmallVector<Value> element;
    Value exists = isBetween(b, loc, i32(at / bytes), from, to);
    loadVector({address.base, address.offset + at}, bytes, space,
               {exists, Predicate(), 0}, policy, element);
    if (bytes >= 4) {
      llvm::append_range(words, element);
      continue;
    }
    Value wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), element.front());
    if (at % 4 == 0)
      words.push_back(wide);
    else
      words.back() = arith::OrIOp::create(
          b, loc, words.back(),
          arith::ShLIOp::create(b, loc, wide, i32(at % 4 * 8)));
  }
  return words;
}

void ThreadBuilder::storeElements(Address address, const Fragment &fragment,
                                  StringRef space, ArrayRef<Value> words, Value from,
                                  Value to) {
  int64_t bytes = fragment.elementBytes(), window = windowBytes(fragment);
  for (int64_t at = 0; at < window; at += bytes) {
    Values element(words.slice(at / 4, std::max<int64_t>(1, bytes / 4)));
    if (bytes < 4) {
      Value &word = element.front();
      if (at % 4)
        word = arith::ShRUIOp::create(b, loc, word, i32(at % 4 * 8));
      word = arith::TruncIOp::create(b, loc, b.getI16Type(), word);
    }
    storeVector({address.base, address.offset + at}, element, bytes, space,
                {isBetween(b, loc, i32(at / bytes), from, to), Predicate(), 0});
  }
}

/// Loads window `number` of the run that lies `columnOffset` from the thread's
/// first column.
SmallVector<Value> ThreadBuilder::loadWindow(const Skew &skew,
                                             const Fragment &fragment,
                                             int64_t columnOffset, int64_t number,
                                             Predicate row, StringRef space,
                                             Value policy) {
  int64_t window = windowBytes(fragment), columns = kernel.getColumns();
  int64_t count = window / fragment.elementBytes();
  int64_t begin = columnOffset + number * count;
  Address address{skew.base, begin * fragment.elementBytes()};
  // A run that begins with a window does not reach into one more.
  bool isOneMore = number * count == fragment.run;
  Predicate wanted = isOneMore ? both(row, skew.isSome) : row;
  bool cutsStart = begin == 0;
  bool cutsEnd = greatestThreadColumn(fragment) + begin + count > columns;
  SmallVector<Value> words;
  if (!cutsStart && !cutsEnd) {
    loadVector(address, window, space, {wanted, Predicate(), 0}, policy, words);
    return words;
  }
  // The window's columns are those from `first` on.
  Value first = arith::AddIOp::create(b, loc, threadCoord(fragment).second,
                                      i32(begin));
  first = arith::SubIOp::create(b, loc, first, skew.elements);
  Value from = i32(0), to = i32(count);
  if (cutsStart)
    from = clampTo(arith::SubIOp::create(b, loc, i32(0), first), 0, count);
  if (cutsEnd)
    to = clampTo(arith::SubIOp::create(b, loc, i32(columns), first), 0, count);
  Value size = arith::SubIOp::create(b, loc, to, from);
  Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size,
                                        i32(count));
  Value isCut = isBetween(b, loc, size, i32(1), i32(count));
  SmallVector<Type> types(window / 4, b.getI32Type());
  auto branch = scf::IfOp::create(b, loc, types, both(wanted, isCut),
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc,
                         loadElements(address, fragment, space, policy, from, to));
    b.setInsertionPointToStart(branch.elseBlock());
    loadVector(address, window, space, {both(wanted, isWhole), Predicate(), 0},
               policy, words);
    scf::YieldOp::create(b, loc, words);
  }
  return llvm::to_vector(
      llvm::map_range(branch.getResults(), [](OpResult r) -> Value { return r; }));
}

/// Loads the words of piece `index`.
SmallVector<Value> ThreadBuilder::loadUnaligned(const Skew &skew,
                                                const Fragment &fragment,
                                                int64_t index, StringRef space,
                                                Value policy) {
  Coord offset = fragment.offset(index);
  Predicate row = rowExists(fragment, offset.row);
  int64_t window = windowBytes(fragment);
  int64_t windows = fragment.run * fragment.elementBytes() / window;
  SmallVector<Value> words;
  for (int64_t i = 0; i <= windows; ++i)
    llvm::append_range(words, loadWindow(skew, fragment, offset.column, i, row,
                                         space, policy));
  // A funnel shift looks at one word more.
  words.push_back(i32(0));
  return shiftDown(words, skew, windows * window / 4);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// The lanes that hold neighbouring runs: 1, or the size of the first lane mode
/// where it steps from run to run.
static int64_t neighbours(const Fragment &fragment) {
  const Modes &lane = fragment.layout->modes(Level::Lane);
  bool isNext = !lane.empty() && lane.front().stride == fragment.run &&
                fragment.layout->isColumnMode(lane.front(), fragment.shape);
  return isNext ? lane.front().size : 1;
}

/// Stores `words` as a window whose elements from `from` to `to` are the row's
/// and known here.
void ThreadBuilder::storeWindow(Address address, const Fragment &fragment,
                                StringRef space, ArrayRef<Value> words,
                                Predicate row, Value from, Value to) {
  int64_t window = windowBytes(fragment);
  int64_t count = window / fragment.elementBytes();
  Value size = arith::SubIOp::create(b, loc, to, from);
  Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size,
                                        i32(count));
  storeVector(address, words, window, space, {both(row, isWhole), Predicate(), 0});
  ifThen(both(row, isBetween(b, loc, size, i32(1), i32(count))),
         [&] { storeElements(address, fragment, space, words, from, to); });
}

void ThreadBuilder::storeUnaligned(const Skew &skew, const Fragment &fragment,
                                   int64_t index, StringRef space,
                                   ArrayRef<Value> words) {
  Coord offset = fragment.offset(index);
  Predicate row = rowExists(fragment, offset.row);
  int64_t window = windowBytes(fragment), windowWords = window / 4;
  int64_t count = window / fragment.elementBytes();
  int64_t lanes = neighbours(fragment);
  Value digit = i32(0);
  if (lanes > 1)
    digit = arith::AndIOp::create(b, loc, lane(), i32(lanes - 1));
  // What the lane before holds of the first window, then this run.
  SmallVector<Value> all;
  for (Value word : words.take_back(windowWords)) {
    if (lanes > 1)
      word = NVVM::ShflOp::create(b, loc, b.getI32Type(), i32(-1), word, i32(1),
                                  i32(0), NVVM::ShflKind::up, UnitAttr());
    all.push_back(word);
  }
  llvm::append_range(all, words);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, digit,
                                        i32(0));
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, digit,
                                       i32(lanes - 1));
  Value column = arith::SubIOp::create(b, loc, threadCoord(fragment).second,
                                       skew.elements);
  int64_t windows = int64_t(words.size()) / windowWords;
  for (int64_t i = 0; i <= windows; ++i) {
    int64_t begin = offset.column + i * count;
    Value first = arith::AddIOp::create(b, loc, column, i32(begin));
    Value to = clampTo(arith::SubIOp::create(b, loc, i32(kernel.getColumns()), first),
                       0, count);
    Value from = i32(0);
    if (i == 0)
      from = arith::SelectOp::create(b, loc, isFirst, skew.elements, from);
    Predicate stores = row;
    SmallVector<Value> last(all.begin() + i * windowWords,
                            all.begin() + std::min<int64_t>((i + 2) * windowWords,
                                                            all.size()));
    if (i == windows) {
      // The next lane stores it, unless there is none.
      stores = both(row, isLast);
      to = arith::MinSIOp::create(b, loc, to, skew.elements);
      last.append(windowWords, i32(0));
    }
    // A funnel shift looks at one word more.
    last.insert(last.begin(), i32(0));
    storeWindow({skew.base, begin * fragment.elementBytes()}, fragment, space,
                shiftUp(last, skew, windowWords), stores, from, to);
  }
}
