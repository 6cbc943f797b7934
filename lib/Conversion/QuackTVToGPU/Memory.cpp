//===- Memory.cpp - global memory -------------------------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the pieces of an operand lie, and when a piece exists: whole, or at the
// row's end its first columns only.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

ThreadBuilder::Part ThreadBuilder::partOf(const Fragment &fragment,
                                          int64_t index) {
  Coord offset = fragment.offset(index);
  Predicate row = rowExists(fragment, offset.row);
  if (fragment.shape.columns == 1)
    return {row, Predicate(), 0};
  Part part{both(row, columnsExist(fragment, offset.column)), Predicate(), 0};
  if (Predicate tail = isTail(fragment, offset.column)) {
    part.tail = both(row, tail);
    part.tailBytes = tailColumns(fragment) * fragment.elementBytes();
  }
  return part;
}

/// An operand's row starts at base + row * stride; a piece lies at a constant
/// distance from the thread's first column.
ThreadBuilder::Address ThreadBuilder::globalAddress(Value operand,
                                                    const Fragment &fragment,
                                                    int64_t index) {
  unsigned number = cast<BlockArgument>(operand).getArgNumber();
  Role role = kernel.getOperandAttr(number).getRole();
  Coord offset = fragment.offset(index);
  int64_t bytes = fragment.elementBytes();
  std::string key = "address" + std::to_string(number) + "|" +
                    std::to_string(role == Role::columns ? 0 : offset.row) + "|" +
                    fragment.layout->str();
  Value base = once(key, [&]() -> Value {
    Value pointer = func.getArgument(launchArgument[number]);
    Value elements;
    if (role != Role::columns)
      elements = arith::MulIOp::create(
          b, loc, globalRow(fragment, offset.row),
          func.getArgument(launchArgument[number] + 1));
    if (fragment.shape.columns > 1) {
      Value column = arith::ExtUIOp::create(b, loc, b.getI64Type(),
                                            threadCoord(fragment).second);
      elements = elements
                     ? Value(arith::AddIOp::create(b, loc, elements, column))
                     : column;
    }
    if (!elements)
      return pointer;
    return LLVM::GEPOp::create(b, loc, pointer.getType(),
                               b.getIntegerType(bytes * 8), pointer,
                               ArrayRef<LLVM::GEPArg>{elements});
  });
  return {base, offset.column * bytes};
}

static StringRef loadSpace(tv::LoadPolicy policy) {
  switch (policy) {
  case tv::LoadPolicy::cached:
    return "global";
  case tv::LoadPolicy::no_allocate:
    return "global.L1::no_allocate";
  case tv::LoadPolicy::evict_first:
  case tv::LoadPolicy::evict_last:
    return "global.L2::cache_hint";
  }
  llvm_unreachable("unknown load policy");
}

Value ThreadBuilder::loadPiece(tv::LoadOp load, int64_t index) {
  loc = load.getLoc();
  Fragment fragment = fragmentOf(load.getType());
  Address address = globalAddress(load.getSource(), fragment, index);
  int64_t bytes = fragment.run * fragment.elementBytes();
  StringRef space = loadSpace(load.getPolicy());
  Value policy = evictionPolicy(load.getPolicy());
  if (isUnaligned(fragment))
    return fromWords(loadUnaligned(skewOf(load.getSource(), fragment, index),
                                   fragment, index, space, policy),
                     fragment);
  SmallVector<Value> words =
      loadWords(address, bytes, space, partOf(fragment, index), policy);
  if (fragment.element.isInteger(8) && bytes == 1)
    return arith::TruncIOp::create(b, loc, b.getI8Type(), words.front());
  return fromWords(words, fragment);
}

/// Loads that are used later: all are issued here, before any waits.
void ThreadBuilder::visitLoad(tv::LoadOp load) {
  if (load.getAtUse())
    return;
  int64_t count = fragmentOf(load.getType()).pieces;
  for (int64_t index = 0; index < count; ++index)
    pieces[{load.getResult(), index}] = loadPiece(load, index);
}

/// Accesses made together when one of them is needed: enough that their
/// latencies overlap, few enough that registers stay free.
static constexpr int64_t loadsAhead = 4;

Value ThreadBuilder::loadAtUse(tv::LoadOp load, int64_t index) {
  int64_t count = fragmentOf(load.getType()).pieces;
  Value first = loadPiece(load, index);
  for (int64_t i = index + 1; i < std::min(index + loadsAhead, count); ++i)
    if (!pieces.contains({load.getResult(), i}))
      pieces[{load.getResult(), i}] = loadPiece(load, i);
  return first;
}

static StringRef storeSpace(tv::StorePolicy policy) {
  switch (policy) {
  case tv::StorePolicy::write_back:
    return "global";
  case tv::StorePolicy::streaming:
    return "global.cs";
  case tv::StorePolicy::skip_l1:
    return "global.L1::no_allocate";
  }
  llvm_unreachable("unknown store policy");
}

void ThreadBuilder::storePiece(tv::StoreOp store, int64_t index) {
  Fragment fragment = fragmentOf(store.getValue().getType());
  Value value = piece(store.getValue(), index);
  loc = store.getLoc();
  if (isUnaligned(fragment))
    return storeUnaligned(skewOf(store.getTarget(), fragment, index), fragment,
                          index, storeSpace(store.getPolicy()),
                          toWords(value, fragment));
  Part part = partOf(fragment, index);
  if (fragment.shape.columns == 1)
    part.whole = both(part.whole, isCanonicalCopy(fragment));
  Address address = globalAddress(store.getTarget(), fragment, index);
  int64_t bytes = fragment.run * fragment.elementBytes();
  if (bytes == 1)
    value = arith::ExtUIOp::create(b, loc, b.getI16Type(), value);
  SmallVector<Value> words =
      bytes == 1 ? SmallVector<Value>{value} : toWords(value, fragment);
  storeWords(address, words, bytes, storeSpace(store.getPolicy()), part);
}
