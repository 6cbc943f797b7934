//===- Memory.cpp - global memory -------------------------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the pieces of an operand lie, and when a piece exists: whole, or at the
// row's end its first columns only.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "quack/Dialect/QuackTV/PlanNumbers.h"

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

Value ThreadBuilder::rowAddress(Value operand, const Fragment &fragment,
                                int64_t rowOffset) {
  unsigned number = cast<BlockArgument>(operand).getArgNumber();
  Value pointer = func.getArgument(launchArgument[number]);
  if (isSharedByRows(kernel.getOperandAttr(number).getRole()))
    return pointer;
  std::string key = "row" + std::to_string(number) + "|" +
                    std::to_string(rowOffset) + "|" + fragment.layout->str();
  return once(key, [&]() -> Value {
    Value elements = arith::MulIOp::create(
        b, loc, globalRow(fragment, rowOffset),
        func.getArgument(launchArgument[number] + 1));
    return LLVM::GEPOp::create(b, loc, pointer.getType(),
                               b.getIntegerType(fragment.elementBytes() * 8), pointer,
                               ArrayRef<LLVM::GEPArg>{elements});
  });
}

/// An operand's row starts at base + row * stride; a piece lies at a constant
/// distance from the thread's first column.
ThreadBuilder::Address ThreadBuilder::globalAddress(Value operand,
                                                    const Fragment &fragment,
                                                    int64_t index) {
  unsigned number = cast<BlockArgument>(operand).getArgNumber();
  Coord offset = fragment.offset(index);
  int64_t bytes = fragment.elementBytes();
  Value row = rowAddress(operand, fragment, offset.row);
  if (fragment.shape.columns == 1)
    return {row, offset.column * bytes};
  bool isShared = kernel.getOperandAttr(number).getRole() == Role::columns;
  std::string key = "address" + std::to_string(number) + "|" +
                    std::to_string(isShared ? 0 : offset.row) + "|" +
                    fragment.layout->str();
  Value base = once(key, [&]() -> Value {
    Value column = arith::ExtUIOp::create(b, loc, b.getI64Type(),
                                          threadCoord(fragment).second);
    return LLVM::GEPOp::create(b, loc, row.getType(), b.getIntegerType(bytes * 8),
                               row, ArrayRef<LLVM::GEPArg>{column});
  });
  return {base, offset.column * bytes};
}

StringRef quack::loadSpace(tv::LoadPolicy policy) {
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
    return fromWords(loadUnaligned(load, index), fragment);
  Part part = partOf(fragment, index);
  part.fill = fillOf(load);
  return fromLoaded(loadWords(address, bytes, space, part, policy), fragment);
}

Value ThreadBuilder::fromLoaded(ArrayRef<Value> words, const Fragment &to) {
  if (to.elementBytes() == 1 && to.run == 1)
    return arith::TruncIOp::create(b, loc, b.getI8Type(), words.front());
  return fromWords(words, to);
}

/// All threads of the row read the same element: one access of the warp.
Value ThreadBuilder::gatherPiece(tv::GatherOp gather, int64_t index) {
  Fragment fragment = fragmentOf(gather.getType());
  Value column = piece(gather.getColumn(), index);
  loc = gather.getLoc();
  int64_t rowOffset = fragment.offset(index).row;
  Value row = rowAddress(gather.getSource(), fragment, rowOffset);
  // As an unsigned number a negative column is too great.
  Value end = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(column.getType(), kernel.getColumns()));
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, column, end);
  if (column.getType().isInteger(32))
    column = arith::ExtUIOp::create(b, loc, b.getI64Type(), column);
  Value address = LLVM::GEPOp::create(
      b, loc, row.getType(), b.getIntegerType(fragment.elementBytes() * 8), row,
      ArrayRef<LLVM::GEPArg>{column});
  unsigned number = cast<BlockArgument>(gather.getSource()).getArgNumber();
  hasGathered |= mayBeStored(kernel.getFunctionType(), kernel.getOperandSpecs(), number);
  Part part{both(rowExists(fragment, rowOffset), exists), Predicate(), 0};
  return fromLoaded(loadWords({address, 0}, fragment.elementBytes(),
                              loadSpace(tv::LoadPolicy::cached), part, Value()),
                    fragment);
}

/// Returns how many pieces `load` finds in shared memory, where the operand's first
/// load has put them.
static int64_t piecesFound(tv::LoadOp load, const Fragment &fragment) {
  return load.getFirstRead() == load ? 0 : load.getKept().value_or(0) / fragment.run;
}

/// Issues the accesses of a piece that is not kept. What must be shifted waits for
/// them, so that is left to who needs the piece.
void ThreadBuilder::issueLoad(tv::LoadOp load, int64_t index) {
  if (index < piecesFound(load, fragmentOf(load.getType())))
    return;
  if (isUnaligned(fragmentOf(load.getType())))
    issueUnaligned(load, index);
  else if (!loaded.contains({load.getResult(), index}))
    loaded[{load.getResult(), index}] = loadPiece(load, index);
}

/// Issues the accesses of several pieces. Where a chain leaves others' elements alone,
/// the windows at its ends take many accesses: those come last.
void ThreadBuilder::issueLoads(tv::LoadOp load, ArrayRef<int64_t> indices) {
  Fragment fragment = fragmentOf(load.getType());
  if (isUnaligned(fragment) && mayBeOverwritten(load))
    for (int64_t index : indices)
      if (fragment.continuesChain(index) && index >= piecesFound(load, fragment))
        issueWindows(load, index);
  for (int64_t index : indices)
    issueLoad(load, index);
}

/// Loads that are used later: all are issued here, before any waits.
void ThreadBuilder::visitLoad(tv::LoadOp load) {
  if (load.getAtUse())
    return;
  int64_t count = fragmentOf(load.getType()).pieces;
  issueLoads(load, llvm::to_vector(llvm::seq(count)));
}

Value ThreadBuilder::loadAtUse(tv::LoadOp load, int64_t index) {
  Fragment fragment = fragmentOf(load.getType());
  // What is not kept is under way while what is kept is used.
  int64_t kept = piecesFound(load, fragment);
  int64_t from = std::max(index, kept);
  int64_t ahead = tv::runsAhead(operandsAtUse);
  if (int64_t to = std::min(from + ahead, fragment.pieces); from < to)
    issueLoads(load, llvm::to_vector(llvm::seq(from, to)));
  if (index < kept)
    return keptPiece(load, index);
  auto made = loaded.find({load.getResult(), index});
  Value piece = made == loaded.end() ? loadPiece(load, index) : made->second;
  if (load.getFirstRead() == load)
    keepPiece(load, index, piece);
  return piece;
}

StringRef quack::storeSpace(tv::StorePolicy policy) {
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
    return storeUnaligned(store, index, toWords(value, fragment));
  Part part = partOf(fragment, index);
  part.whole = both(part.whole, isCanonicalCopy(fragment));
  Address address = globalAddress(store.getTarget(), fragment, index);
  int64_t bytes = fragment.run * fragment.elementBytes();
  if (bytes == 1)
    value = arith::ExtUIOp::create(b, loc, b.getI16Type(), value);
  SmallVector<Value> words =
      bytes == 1 ? SmallVector<Value>{value} : toWords(value, fragment);
  storeWords(address, words, bytes, storeSpace(store.getPolicy()), part);
}
