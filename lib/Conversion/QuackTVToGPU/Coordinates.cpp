//===- Coordinates.cpp - which elements are this thread's -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a layout's cta, warp and lane modes with run-time indices, and the
// predicates that follow: does this row exist, does this column, is this the
// copy that stores. What a layout makes certain costs nothing.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace quack;

Value ThreadBuilder::threadId() {
  return once("tid", [&]() -> Value {
    return NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  });
}

Value ThreadBuilder::lane() {
  return once("lane", [&]() -> Value {
    return arith::AndIOp::create(b, loc, threadId(), i32(warpSize - 1));
  });
}

Value ThreadBuilder::warp() {
  return once("warp", [&]() -> Value {
    return arith::ShRUIOp::create(b, loc, threadId(), i32(5));
  });
}

Predicate ThreadBuilder::isFirstThread() {
  return once("first", [&]() -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, threadId(),
                                 i32(0));
  });
}

Value ThreadBuilder::ctaRank() {
  return once("rank", [&]() -> Value {
    return NVVM::ClusterId::create(b, loc, b.getI32Type());
  });
}

Value ThreadBuilder::clusterIndex() {
  return once("cluster", [&]() -> Value {
    Value index;
    if (kernel.getPlan().getCluster() == 1)
      index = NVVM::BlockIdXOp::create(b, loc, b.getI32Type());
    else
      index = NVVM::ClusterIdXOp::create(b, loc, b.getI32Type());
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), index);
  });
}

Value ThreadBuilder::sliceIndex() {
  int64_t slices = kernel.getPlan().getSlices();
  if (slices == 1)
    return i32(0);
  return once("slice", [&]() -> Value {
    Value index =
        arith::TruncIOp::create(b, loc, b.getI32Type(), clusterIndex());
    return arith::RemUIOp::create(b, loc, index, i32(slices));
  });
}

Value ThreadBuilder::tileIndex() {
  if (turn.tile)
    return turn.tile;
  int64_t slices = kernel.getPlan().getSlices();
  if (slices == 1)
    return clusterIndex();
  return once("tile", [&]() -> Value {
    Value index =
        arith::TruncIOp::create(b, loc, b.getI32Type(), clusterIndex());
    Value tile = arith::DivUIOp::create(b, loc, index, i32(slices));
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), tile);
  });
}

Value ThreadBuilder::sliceLocalColumn(const Fragment &fragment) {
  Value column = threadCoord(fragment).second;
  if (fragment.sliceColumns() == fragment.shape.columns)
    return column;
  Value first =
      arith::MulIOp::create(b, loc, sliceIndex(), i32(fragment.sliceColumns()));
  return arith::SubIOp::create(b, loc, column, first);
}

/// Adds `digit * step` to `sum`.
static void addScaled(OpBuilder &b, Location loc, Value &sum, Value digit,
                      int64_t step) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  Value term = step == 1 ? digit
                         : Value(arith::MulIOp::create(b, loc, digit,
                                                       constant(step)));
  sum = sum ? Value(arith::AddIOp::create(b, loc, sum, term)) : term;
}

/// Splits `index` over `modes` and calls `use` with each mode and its digit.
/// Digits of size-1 modes are 0 and left out.
static void forEachDigit(OpBuilder &b, Location loc, const Modes &modes,
                         Value index, function_ref<void(Mode, Value)> use) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  int64_t last = -1;
  for (auto [i, mode] : llvm::enumerate(modes))
    if (mode.size > 1)
      last = i;
  Value rest = index;
  for (auto [i, mode] : llvm::enumerate(modes)) {
    if (mode.size == 1)
      continue;
    if (static_cast<int64_t>(i) == last) {
      use(mode, rest);
      return;
    }
    use(mode, arith::RemUIOp::create(b, loc, rest, constant(mode.size)));
    rest = arith::DivUIOp::create(b, loc, rest, constant(mode.size));
  }
}

void ThreadBuilder::addDigits(const Modes &modes, const TVLayout &layout,
                              TileShape shape, Value index, Value &row,
                              Value &column) {
  forEachDigit(b, loc, modes, index, [&](Mode mode, Value digit) {
    if (layout.isColumnMode(mode, shape))
      addScaled(b, loc, column, digit, mode.stride);
    else if (layout.isRowMode(mode, shape))
      addScaled(b, loc, row, digit, mode.stride / shape.columns);
  });
}

/// A name for what depends on layout and shape, for `once`.
static std::string keyOf(StringRef what, const Fragment &fragment) {
  return (what + fragment.layout->str() + "|" + Twine(fragment.shape.columns)).str();
}

std::pair<Value, Value> ThreadBuilder::threadCoord(const Fragment &fragment) {
  const TVLayout &layout = *fragment.layout;
  auto compute = [&](bool wantRow) {
    return once(keyOf(wantRow ? "row" : "column", fragment), [&]() -> Value {
      Value row, column;
      addDigits(layout.modes(Level::Lane), layout, fragment.shape, lane(), row,
                column);
      if (layout.size(Level::Warp) > 1)
        addDigits(layout.modes(Level::Warp), layout, fragment.shape, warp(), row,
                  column);
      if (layout.size(Level::Cta) > 1)
        addDigits(layout.modes(Level::Cta), layout, fragment.shape, ctaRank(),
                  row, column);
      if (layout.size(Level::Slice) > 1)
        addDigits(layout.modes(Level::Slice), layout, fragment.shape,
                  sliceIndex(), row, column);
      Value wanted = wantRow ? row : column;
      return wanted ? wanted : i32(0);
    });
  };
  return {compute(true), compute(false)};
}

Predicate ThreadBuilder::both(Predicate lhs, Predicate rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(b, loc, lhs, rhs);
}

Predicate ThreadBuilder::isCanonicalCopy(const Fragment &fragment,
                                         ArrayRef<Level> levels) {
  const TVLayout &layout = *fragment.layout;
  auto hasCopies = [&](Level level) {
    return llvm::any_of(layout.modes(level), [](Mode mode) {
      return mode.isCopy() && mode.size > 1;
    });
  };
  if (llvm::none_of(levels, hasCopies))
    return Predicate();
  std::string key = "copy";
  for (Level level : levels)
    key += stringifyLevel(level).str() + " ";
  key = keyOf(key, fragment);
  return once(key, [&]() -> Value {
    Value digits;
    for (Level level : levels) {
      if (!hasCopies(level))
        continue;
      Value index = level == Level::Lane ? lane()
                    : level == Level::Warp ? warp()
                    : level == Level::Cta  ? ctaRank()
                                           : sliceIndex();
      forEachDigit(
          b, loc, layout.modes(level), index, [&](Mode mode, Value digit) {
            if (mode.isCopy())
              digits = digits
                           ? Value(arith::OrIOp::create(b, loc, digits, digit))
                           : digit;
          });
    }
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, digits, i32(0));
  });
}

Value ThreadBuilder::globalRow(const Fragment &fragment, int64_t rowOffset) {
  std::string key = keyOf("global" + std::to_string(rowOffset) + "|", fragment);
  return once(key, [&]() -> Value {
    Value first = tileIndex();
    if (fragment.shape.rows == 1)
      return first;
    first = arith::MulIOp::create(b, loc, first, i64(fragment.shape.rows));
    Value local = arith::ExtUIOp::create(b, loc, b.getI64Type(),
                                         threadCoord(fragment).first);
    Value row = arith::AddIOp::create(b, loc, first, local);
    return rowOffset ? arith::AddIOp::create(b, loc, row, i64(rowOffset)) : row;
  });
}

Predicate ThreadBuilder::rowExists(const Fragment &fragment, int64_t rowOffset) {
  // The grid has ceil(M / R) clusters: one row each always exists.
  if (fragment.shape.rows == 1)
    return turn.exists;
  std::string key = keyOf("exists" + std::to_string(rowOffset) + "|", fragment);
  return once(key, [&]() -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                 globalRow(fragment, rowOffset),
                                 func.getArgument(rowsArgument));
  });
}

int64_t ThreadBuilder::greatestThreadColumn(const Fragment &fragment) {
  int64_t column = 0;
  for (Level level : {Level::Lane, Level::Warp, Level::Cta, Level::Slice})
    for (Mode mode : fragment.layout->modes(level))
      if (fragment.layout->isColumnMode(mode, fragment.shape))
        column += (mode.size - 1) * mode.stride;
  return column;
}

bool ThreadBuilder::isThreadColumn(const Fragment &fragment, int64_t column) {
  Modes modes;
  for (Level level : {Level::Lane, Level::Warp, Level::Cta, Level::Slice})
    for (Mode mode : fragment.layout->modes(level))
      if (fragment.layout->isColumnMode(mode, fragment.shape))
        modes.push_back(mode);
  llvm::sort(modes, [](Mode a, Mode b) { return a.stride > b.stride; });
  // No two threads share a column, so that a digit is worth more than all of the
  // narrower modes together.
  for (Mode mode : modes)
    column -= std::clamp<int64_t>(column / mode.stride, 0, mode.size - 1) * mode.stride;
  return column == 0;
}

Predicate ThreadBuilder::columnsExist(const Fragment &fragment,
                                      int64_t columnOffset) {
  int64_t columns = columnsOf(fragment);
  if (greatestThreadColumn(fragment) + columnOffset + fragment.run <= columns)
    return Predicate();
  std::string key =
      keyOf("column" + std::to_string(columnOffset) + "|", fragment);
  return once(key, [&]() -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                                 threadCoord(fragment).second,
                                 i32(columns - columnOffset - fragment.run));
  });
}

int64_t ThreadBuilder::tailColumns(const Fragment &fragment) {
  return kernel.getColumns() % fragment.run;
}

Predicate ThreadBuilder::isTail(const Fragment &fragment, int64_t columnOffset) {
  int64_t tail = tailColumns(fragment);
  int64_t column = kernel.getColumns() - tail - columnOffset;
  if (tail == 0 || !isThreadColumn(fragment, column))
    return Predicate();
  std::string key = keyOf("tail" + std::to_string(columnOffset) + "|", fragment);
  return once(key, [&]() -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                 threadCoord(fragment).second, i32(column));
  });
}
