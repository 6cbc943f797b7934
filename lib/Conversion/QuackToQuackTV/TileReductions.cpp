//===- TileReductions.cpp - reductions of a row -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction becomes one of the tile, whose columns that do not exist have its
// identity. What needs no more than the thread's own elements is ordinary tile code:
// an argmax has the thread's maximum first and then its column, moments the thread's
// mean and then the squares of what is left; a combiner merges them from the warp up.
//
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"
#include "quack/Dialect/Quack/Combiners.h"
#include "quack/Dialect/Quack/KernelOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace quack;

using Values = SmallVector<Value>;

Value TileBuilder::createMask(Location loc, Value tile, TypedAttr identity) {
  bool isRow = tv::getTileShape(tile.getType()).columns == shape.columns;
  if (!isRow || kernel.getColumns() >= shape.columns)
    return tile;
  return tv::MaskOp::create(b, loc, tile, kernel.getColumns(), identity);
}

SmallVector<Value> TileBuilder::combinePartials(
    Location loc, ValueRange partials, ArrayRef<Attribute> identities,
    function_ref<SmallVector<Value>(ValueRange, ValueRange)> build) {
  // Where a thread has one element, its partial is the row's, padding and all.
  Values sources;
  for (auto [partial, identity] : llvm::zip(partials, identities))
    sources.push_back(createMask(loc, partial, cast<TypedAttr>(identity)));
  auto reduce = tv::ReduceOp::create(b, loc, b.getArrayAttr({}),
                                     b.getArrayAttr(identities), sources);
  Block &block = reduce.getCombiner().emplaceBlock();
  SmallVector<Type> types = llvm::map_to_vector(
      partials, [](Value partial) { return getElementTypeOrSelf(partial.getType()); });
  SmallVector<Location> locs(types.size(), loc);
  block.addArguments(types, locs);
  block.addArguments(types, locs);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&block);
  ValueRange arguments = block.getArguments();
  Values yielded = build(arguments.take_front(partials.size()),
                         arguments.drop_front(partials.size()));
  tv::YieldOp::create(b, loc, yielded);
  return llvm::to_vector_of<Value>(reduce.getResults());
}

//===----------------------------------------------------------------------===//
// By kind or combiner
//===----------------------------------------------------------------------===//

SmallVector<Value> TileBuilder::createReduce(ReduceOp reduce) {
  Location loc = reduce.getLoc();
  int64_t pass = passOf(reduce.getResult(0)) - getPassCount(reduce);
  bool byKind = reduce.getKind().has_value();
  Values rows, inits, results;
  for (auto [index, source] : llvm::enumerate(reduce.getSources())) {
    Value row = get(source, pass);
    if (!row)
      return {};
    TypedAttr identity =
        byKind ? getIdentity(*reduce.getKind(), getElementTypeOrSelf(row.getType()))
               : cast<TypedAttr>(reduce.getIdentities()[index]);
    rows.push_back(createMask(loc, row, identity));
  }
  for (Value init : reduce.getInits())
    inits.push_back(get(init, 0));
  if (llvm::is_contained(inits, Value()))
    return {};
  if (byKind) {
    results = {tv::ReduceOp::create(b, loc, *reduce.getKind(), rows).getResult()};
    if (!inits.empty())
      results = {createCombine(b, loc, *reduce.getKind(), inits[0], results[0])};
    return results;
  }
  results = combinePartials(
      loc, rows, reduce.getIdentities().getValue(),
      [&](ValueRange lhs, ValueRange rhs) {
        return inlineCombiner(b, reduce.getCombiner(), lhs, rhs);
      });
  if (!inits.empty())
    results = inlineCombiner(b, reduce.getCombiner(), inits, results);
  return results;
}

//===----------------------------------------------------------------------===//
// argmax and argmin
//===----------------------------------------------------------------------===//

/// Returns `column` where `element` is the extremum, which is NaN if one is.
static Value columnIfExtreme(OpBuilder &b, Location loc, Value element, Value extreme,
                             Value column, Value none) {
  Value isEqual =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, element, extreme);
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, element, element);
  Value isIt = arith::OrIOp::create(b, loc, isEqual, isNaN);
  return arith::SelectOp::create(b, loc, isIt, column, none);
}

SmallVector<Value> TileBuilder::createArg(Operation *op, bool isMax) {
  Location loc = op->getLoc();
  ReduceKind kind = isMax ? ReduceKind::maximumf : ReduceKind::minimumf;
  int64_t pass = passOf(op->getResult(0)) - getPassCount(op);
  Value row = get(op->getOperand(0), pass);
  Value again = get(op->getOperand(0), pass + 1);
  if (!row || !again)
    return {};
  TypedAttr extreme = getIdentity(kind, b.getF32Type());
  TypedAttr none = getIdentity(ReduceKind::minsi, b.getI32Type());
  Value own = tv::ThreadReduceOp::create(b, loc, kind, createMask(loc, row, extreme))
                  .getResult();
  RankedTensorType columns = tileType(RankedTensorType::get({1}, b.getI32Type()));
  Value spread = tv::BroadcastOp::create(b, loc, again.getType(), own);
  Value column = columnIfExtreme(b, loc, again, spread,
                                 tv::IndexOp::create(b, loc, columns),
                                 splat(loc, none, columns));
  Value first = tv::ThreadReduceOp::create(b, loc, ReduceKind::minsi,
                                           createMask(loc, column, none))
                    .getResult();
  return combinePartials(
      loc, {own, first}, {extreme, none}, [&](ValueRange lhs, ValueRange rhs) -> Values {
        Value value = createCombine(b, loc, kind, lhs[0], rhs[0]);
        Value noColumn = arith::ConstantOp::create(b, loc, none);
        Value left = columnIfExtreme(b, loc, lhs[0], value, lhs[1], noColumn);
        Value right = columnIfExtreme(b, loc, rhs[0], value, rhs[1], noColumn);
        return {value, createCombine(b, loc, ReduceKind::minsi, left, right)};
      });
}

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

/// Returns `scalar`, or 0 where it is no finite number.
static Value createFinite(OpBuilder &b, Location loc, Value scalar) {
  auto type = cast<RankedTensorType>(scalar.getType());
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getF32FloatAttr(value)));
  };
  Value isFinite = arith::CmpFOp::create(
      b, loc, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, loc, scalar),
      constant(std::numeric_limits<float>::infinity()));
  return arith::SelectOp::create(b, loc, isFinite, scalar, constant(0));
}

/// Merges (first, mean, squares, count), in a form in which both sides are alike: `first`
/// is some element, and the mean that of the differences from it. A side without elements
/// changes nothing, whatever the other one is.
static Values mergeMoments(OpBuilder &b, Location loc, ValueRange lhs, ValueRange rhs) {
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  };
  auto multiply = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(b, loc, x, y);
  };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, loc, x, y);
  };
  auto zeroIfNone = [&](Value count, Value value) -> Value {
    Value isNone =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, count, constant(0));
    return arith::SelectOp::create(b, loc, isNone, constant(0), value);
  };
  Value first = createCombine(b, loc, ReduceKind::maximumf, lhs[0], rhs[0]);
  auto moved = [&](ValueRange side) -> Value {
    Value by = arith::SubFOp::create(b, loc, side[0], first);
    return zeroIfNone(side[3], add(side[1], by));
  };
  Value left = moved(lhs), right = moved(rhs);
  Value count = add(lhs[3], rhs[3]);
  Value reciprocal = arith::DivFOp::create(
      b, loc, constant(1), createCombine(b, loc, ReduceKind::maximumf, count, constant(1)));
  Value mean = multiply(add(multiply(lhs[3], left), multiply(rhs[3], right)), reciprocal);
  Value weight = multiply(multiply(lhs[3], rhs[3]), reciprocal);
  Value distance = arith::SubFOp::create(
      b, loc, createCombine(b, loc, ReduceKind::maximumf, left, right),
      createCombine(b, loc, ReduceKind::minimumf, left, right));
  Value between = zeroIfNone(weight, multiply(multiply(distance, weight), distance));
  return {first, mean, add(add(lhs[2], rhs[2]), between), count};
}

/// Returns the thread's first element of each row of the tile; 0 where it has none.
Value TileBuilder::createFirst(Location loc, Value row) {
  TypedAttr zero = b.getF32FloatAttr(0);
  auto first = tv::ThreadReduceOp::create(b, loc, b.getArrayAttr({}),
                                          b.getArrayAttr({zero}),
                                          createMask(loc, row, zero));
  Block &block = first.getCombiner().emplaceBlock();
  block.addArguments({b.getF32Type(), b.getF32Type()}, {loc, loc});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&block);
  tv::YieldOp::create(b, loc, ValueRange(block.getArgument(0)));
  return first.getResult();
}

/// What is averaged are differences from a first element: means then are as small as the
/// row's spread is, and so are their rounding errors, in which a distance of two means
/// would otherwise be lost.
SmallVector<Value> TileBuilder::createMoments(MomentsOp moments) {
  Location loc = moments.getLoc();
  int64_t pass = passOf(moments.getMean()) - getPassCount(moments);
  Value row = get(moments.getSource(), pass);
  Value again = get(moments.getSource(), pass + 1);
  if (!row || !again)
    return {};
  TypedAttr zero = b.getF32FloatAttr(0);
  auto sumOfThread = [&](Value tile) -> Value {
    return tv::ThreadReduceOp::create(b, loc, ReduceKind::addf,
                                      createMask(loc, tile, zero))
        .getResult();
  };
  auto type = cast<RankedTensorType>(row.getType());
  auto spread = [&](Value partial) -> Value {
    return tv::BroadcastOp::create(b, loc, type, partial);
  };
  auto subtract = [&](Value x, Value y) -> Value {
    return arith::SubFOp::create(b, loc, x, y);
  };
  Value first = createFinite(b, loc, createFirst(loc, row));
  Value count = sumOfThread(splat(loc, b.getF32FloatAttr(1), type));
  Value sum = sumOfThread(subtract(row, spread(first)));
  auto partial = cast<RankedTensorType>(sum.getType());
  Value one = splat(loc, b.getF32FloatAttr(1), partial);
  Value atLeastOne = createCombine(b, loc, ReduceKind::maximumf, count, one);
  Value mean = arith::DivFOp::create(b, loc, sum, atLeastOne);
  // Deviations from what the mean is rounded to, which is d off: n d^2 too much.
  auto multiply = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(b, loc, x, y);
  };
  Value centre = arith::AddFOp::create(b, loc, first, mean);
  Value deviation = subtract(again, spread(centre));
  Value off = subtract(subtract(centre, first), mean);
  Value squares = subtract(sumOfThread(multiply(deviation, deviation)),
                           multiply(count, multiply(off, off)));
  squares = createCombine(b, loc, ReduceKind::maximumf, squares,
                          splat(loc, zero, partial));
  // Of a thread without elements the first one is none's.
  TypedAttr least = getIdentity(ReduceKind::maximumf, b.getF32Type());
  Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, count, one);
  first = arith::SelectOp::create(b, loc, isNone, splat(loc, least, partial), first);
  Values merged = combinePartials(
      loc, {first, mean, squares, count}, {least, zero, zero, zero},
      [&](ValueRange lhs, ValueRange rhs) { return mergeMoments(b, loc, lhs, rhs); });
  // The rounding error of a + b is (a - (s - v)) + (b - v) with v = s - a (Knuth).
  Value whole = arith::AddFOp::create(b, loc, merged[0], merged[1]);
  Value part = subtract(whole, merged[0]);
  Value low = arith::AddFOp::create(b, loc, subtract(merged[0], subtract(whole, part)),
                                    subtract(merged[1], part));
  return {whole, createFinite(b, loc, low), merged[2]};
}
