//===- Edges.cpp - the ends of a warp's stretch of a row --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of the windows at the ends of a warp's stretch only some elements are the warp's.
// Both are lane 0's, but each lane accesses one element, which shuffles bring to
// lane 0 or from there: one access and no branch, not one access an element.
//
//     window      |  neighbour's  :  e3  e4  e5  e6  e7  |
//     accessed by                   lane 3, 4, 5, 6, 7
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Which element, and where
//===----------------------------------------------------------------------===//

/// Returns how far this lane's element of lane 0's window lies from the same place
/// in its own window, in elements.
static Value elementsFromOwn(OpBuilder &b, Location loc, Value lane,
                             const Fragment &fragment) {
  Value distance = arith::ConstantOp::create(
      b, loc, b.getI32IntegerAttr(1 - fragment.run));
  return arith::MulIOp::create(b, loc, lane, distance);
}

ThreadBuilder::Address ThreadBuilder::edgeAddress(const Skew &skew,
                                                  const Fragment &fragment,
                                                  int64_t begin) {
  int64_t bytes = fragment.elementBytes();
  Value distance = arith::MulIOp::create(
      b, loc, elementsFromOwn(b, loc, lane(), fragment), i32(bytes));
  Value base =
      LLVM::GEPOp::create(b, loc, skew.base.getType(), b.getI8Type(), skew.base,
                          ArrayRef<LLVM::GEPArg>{distance});
  return {base, begin * bytes};
}

Predicate ThreadBuilder::edgeExists(const Skew &skew, const Fragment &fragment,
                                    const Edge &edge) {
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  };
  int64_t count = fragment.windowBytes() / fragment.elementBytes();
  int64_t columns = kernel.getColumns();
  Predicate exists = compare(arith::CmpIPredicate::slt, lane(),
                             edge.to ? edge.to : i32(count));
  if (edge.from)
    exists = both(exists, compare(arith::CmpIPredicate::sge, lane(), edge.from));
  if (greatestThreadColumn(fragment) + edge.begin + count > columns) {
    Value column = arith::AddIOp::create(b, loc, threadCoord(fragment).second,
                                         elementsFromOwn(b, loc, lane(), fragment));
    column = arith::SubIOp::create(b, loc, column, skew.elements);
    exists = both(exists, compare(arith::CmpIPredicate::slt, column,
                                  i32(columns - edge.begin)));
  }
  return both(rowExists(fragment, edge.row), exists);
}

ThreadBuilder::Edge ThreadBuilder::firstEdge(const Skew &skew,
                                             const Fragment &fragment,
                                             int64_t index) {
  Coord offset = fragment.offset(index);
  return {offset.row, offset.column, skew.elements, Value()};
}

ThreadBuilder::Edge ThreadBuilder::edgeBeyond(const Skew &skew,
                                              const Fragment &fragment,
                                              int64_t index) {
  Coord offset = fragment.offset(index);
  return {offset.row, offset.column + fragment.neighbours() * fragment.run, Value(),
          skew.elements};
}

Predicate ThreadBuilder::isNotFirstLane(const Fragment &fragment) {
  return once("notfirst", [&]() -> Value {
    Value always = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    return arith::XOrIOp::create(b, loc, isAtEdge(fragment, /*first=*/true), always);
  });
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Returns `value`, an i32, of lane `from`.
static Value valueOfLane(OpBuilder &b, Location loc, Value value, int64_t from) {
  auto i32 = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(v));
  };
  return NVVM::ShflOp::create(b, loc, b.getI32Type(), i32(-1), value, i32(from),
                              i32(warpSize - 1), NVVM::ShflKind::idx, UnitAttr());
}

/// Returns the bits by which this lane's element stands above a word's lowest.
static Value bitsInWord(OpBuilder &b, Location loc, Value lane, int64_t bytes) {
  auto i32 = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(v));
  };
  Value digit = arith::AndIOp::create(b, loc, lane, i32(4 / bytes - 1));
  return arith::MulIOp::create(b, loc, digit, i32(bytes * 8));
}

SmallVector<Value> ThreadBuilder::loadEdge(tv::LoadOp load, const Skew &skew,
                                           const Fragment &fragment,
                                           const Edge &edge) {
  Values element;
  loadVector(edgeAddress(skew, fragment, edge.begin), fragment.elementBytes(),
             loadSpace(load.getPolicy()),
             {edgeExists(skew, fragment, edge), Predicate(), 0, fillOf(load)},
             evictionPolicy(load.getPolicy()), element);
  return element;
}

SmallVector<Value> ThreadBuilder::joinEdge(const Fragment &fragment, Values element) {
  int64_t bytes = fragment.elementBytes(), window = fragment.windowBytes();
  Values words;
  if (bytes < 4) {
    Value word = arith::ExtUIOp::create(b, loc, b.getI32Type(), element.front());
    word = arith::ShLIOp::create(b, loc, word, bitsInWord(b, loc, lane(), bytes));
    // A word's elements meet in each of their lanes.
    for (int64_t distance = 1; distance < 4 / bytes; distance *= 2) {
      Value other = NVVM::ShflOp::create(b, loc, b.getI32Type(), i32(-1), word,
                                         i32(distance), i32(warpSize - 1),
                                         NVVM::ShflKind::bfly, UnitAttr());
      word = arith::OrIOp::create(b, loc, word, other);
    }
    element.front() = word;
  }
  for (int64_t at = 0; at < window; at += 4)
    words.push_back(
        valueOfLane(b, loc, element[bytes > 4 ? at % bytes / 4 : 0], at / bytes));
  return words;
}

/// Returns the one of `values` whose number is `index`, an i32.
static Value choose(OpBuilder &b, Location loc, SmallVector<Value> values,
                    Value index) {
  for (int64_t bit = 1; values.size() > 1; bit *= 2) {
    Value mask = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(bit));
    Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    Value isOdd = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, loc, index, mask), zero);
    SmallVector<Value> half;
    for (size_t i = 0; i < values.size(); i += 2)
      half.push_back(
          arith::SelectOp::create(b, loc, isOdd, values[i + 1], values[i]));
    values = std::move(half);
  }
  return values.front();
}

void ThreadBuilder::storeEdge(tv::StoreOp store, const Skew &skew,
                              const Fragment &fragment, const Edge &edge,
                              ArrayRef<Value> words) {
  int64_t bytes = fragment.elementBytes();
  Values ofFirst, element;
  for (Value word : words)
    ofFirst.push_back(valueOfLane(b, loc, word, 0));
  if (bytes < 4) {
    Value index =
        arith::ShRUIOp::create(b, loc, lane(), i32(llvm::Log2_64(4 / bytes)));
    Value word = choose(b, loc, ofFirst, index);
    word = arith::ShRUIOp::create(b, loc, word, bitsInWord(b, loc, lane(), bytes));
    element.push_back(arith::TruncIOp::create(b, loc, b.getI16Type(), word));
  }
  for (int64_t part = 0; part < bytes / 4; ++part) {
    Values choices;
    for (size_t i = part; i < ofFirst.size(); i += bytes / 4)
      choices.push_back(ofFirst[i]);
    element.push_back(choose(b, loc, choices, lane()));
  }
  storeVector(edgeAddress(skew, fragment, edge.begin), element, bytes,
              storeSpace(store.getPolicy()),
              {edgeExists(skew, fragment, edge), Predicate(), 0});
}
