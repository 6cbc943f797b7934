//===- lib/Raise/Reductions.cpp - reductions of a group ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the body of a reduction, which merges one element into a partial result, to an
// operation on the row. What the partial result begins with is merged once, at the end.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include "quack/Dialect/Quack/KernelOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quack;
using namespace quack::raise;

//===----------------------------------------------------------------------===//
// Named kinds
//===----------------------------------------------------------------------===//

std::optional<ReduceKind> raise::kindOf(Operation *op) {
  StringRef name = op->getName().getStringRef();
  // Kinds are named after arith's operations.
  return name.consume_front("arith.") ? symbolizeReduceKind(name) : std::nullopt;
}

/// Returns whether a signed number that is extended keeps what `kind` makes of it, rather
/// than an unsigned one.
static bool isSignedKind(ReduceKind kind) {
  return kind == ReduceKind::maxsi || kind == ReduceKind::minsi;
}

/// Returns whether `init`, held for `type`, changes nothing.
static bool isIdentity(ReduceKind kind, Type type, Value init) {
  Attribute number;
  if (!matchPattern(init, m_Constant(&number)))
    return false;
  if (auto given = dyn_cast<FloatAttr>(number)) {
    APFloat identity =
        cast<FloatAttr>(getIdentity(kind, init.getType())).getValue();
    // Either zero leaves a sum unchanged, but for the sign of a zero.
    return given.getValue().bitwiseIsEqual(identity) ||
           (kind == ReduceKind::addf && given.getValue().isZero());
  }
  return number == getIdentity(kind, type);
}

Value KernelBuilder::reduce(Location loc, ReduceKind kind, Type type, Value value,
                            Value init) {
  bool isFloat = isa<FloatType>(type);
  bool rounds = kind == ReduceKind::addf || kind == ReduceKind::mulf;
  if (rounds && !type.isF32())
    return emit.fail("it rounds to a narrow type at each step, where a kernel's sums and "
                     "products are kept in f32");
  if (!isFloat && type.getIntOrFloatBitWidth() > 32)
    return emit.fail("it combines integers of more than 32 bits");
  if (emit.isUnrounded(value))
    return emit.fail("it combines floats of 8 bits that the group rounds");
  Value row = emit.asRow(loc, value);
  SmallVector<Value, 1> inits;
  if (!isIdentity(kind, type, init))
    inits.push_back(init);
  bool isSigned = isSignedKind(kind);
  Type i32 = b.getI32Type();
  if (!isFloat) {
    row = emit.resized(loc, row, i32, isSigned);
    for (Value &first : inits)
      first = emit.resized(loc, first, i32, isSigned);
  }
  Value result = ReduceOp::create(b, loc, getElementTypeOrSelf(row),
                                  ReduceKindAttr::get(b.getContext(), kind),
                                  b.getArrayAttr({}), row, inits)
                     .getResult(0);
  return isFloat ? result : emit.resized(loc, result, type);
}

LogicalResult KernelBuilder::emitReductions(const Member &member, linalg::LinalgOp op) {
  Block &block = *op.getBlock();
  SmallVector<Value> inits;
  SmallVector<std::pair<Operation *, Value>> merges; // and what is merged
  llvm::SmallPtrSet<Operation *, 4> except;
  auto partials = block.getArguments().take_back(op.getNumDpsInits());
  for (BlockArgument partial : partials) {
    inits.push_back(locals.lookup(partial));
    locals.erase(partial);
  }
  for (auto [partial, yielded] :
       llvm::zip_equal(partials, block.getTerminator()->getOperands())) {
    Operation *merge = yielded.getDefiningOp();
    bool isMerge = merge && kindOf(merge) && partial.hasOneUse() &&
                   *partial.user_begin() == merge;
    if (!isMerge && member.sumsRows)
      return emit.fail("it combines rows, which kernels can only add up"), failure();
    if (!isMerge)
      return emitExtreme(member, op, inits);
    merges.push_back({merge, merge->getOperand(merge->getOperand(0) == partial ? 1 : 0)});
    except.insert(merge);
  }
  if (failed(emitBody(member, block, except)))
    return failure();
  for (auto [merge, init, result] : llvm::zip_equal(merges, inits, op->getResults())) {
    Value value = lower(merge.second);
    if (!value)
      return failure();
    emitted[result] = member.sumsRows
                          ? addRow(member, merge.first, value)
                          : reduce(op.getLoc(), *kindOf(merge.first),
                                   merge.first->getResult(0).getType(), value, init);
    if (!emitted[result])
      return failure();
  }
  return success();
}

Value KernelBuilder::addRow(const Member &member, Operation *merge, Value value) {
  Type type = merge->getResult(0).getType();
  if (*kindOf(merge) != ReduceKind::addf)
    return emit.fail("it combines rows, which kernels can only add up");
  if (!type.isF32())
    return emit.fail("it rounds to a narrow type at each step, where a kernel's sums are kept "
                     "in f32");
  if (emit.isUnrounded(value))
    return emit.fail("it combines floats of 8 bits that the group rounds");
  Location loc = merge->getLoc();
  bool hasColumns = group.space.roleOf(group.labelsOf(member.view.results.front(),
                                                      member.loops)) == Role::columns;
  if (hasColumns)
    return emit.asRow(loc, value);
  if (group.combines(member, /*columns=*/true))
    return ReduceOp::create(b, loc, type,
                            ReduceKindAttr::get(b.getContext(), ReduceKind::addf),
                            b.getArrayAttr({}), emit.asRow(loc, value), ValueRange())
        .getResult(0);
  if (isa<RankedTensorType>(value.getType()))
    return emit.fail("its result depends on columns that it does not have");
  return value;
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

LogicalResult KernelBuilder::emitSoftmax(const Member &member, linalg::SoftmaxOp op) {
  Location loc = op.getLoc();
  Value value = read(member.view.reads.front(), member.loops);
  if (!value)
    return failure();
  Type type = op.getInput().getType().getElementType();
  if (!type.isF32() && !type.isBF16() && !type.isF16())
    return emit.fail("it is a softmax of neither f32, bf16 nor f16"), failure();
  auto reduceTo = [&](ReduceKind kind, Value row) {
    Value number = ReduceOp::create(b, loc, b.getF32Type(),
                                    ReduceKindAttr::get(b.getContext(), kind),
                                    b.getArrayAttr({}), row, ValueRange())
                       .getResult(0);
    return emit.asRow(loc, number);
  };
  // The operation does not say in what precision it is computed: one rounding is the best.
  value = emit.asRow(loc, value);
  Value max = reduceTo(ReduceKind::maximumf, value);
  Value shifted = arith::SubFOp::create(b, loc, value, max);
  Value power = math::ExpOp::create(b, loc, shifted);
  Value sum = reduceTo(ReduceKind::addf, power);
  Value result = arith::DivFOp::create(b, loc, power, sum);
  Type rounded = cast<ShapedType>(op->getResult(0).getType()).getElementType();
  emitted[op->getResult(0)] = emit.rounded(loc, result, rounded);
  return success();
}

//===----------------------------------------------------------------------===//
// The greatest element and its place
//===----------------------------------------------------------------------===//

/// Returns whether each column has a number of its own in `type`, and none a negative one:
/// then signs and widths do not matter to the order of places.
static bool holdsColumns(Type type, int64_t columns) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return true;
  unsigned bits = element.getIntOrFloatBitWidth();
  // No kernel has 2^31 columns.
  return bits >= 32 || (!ShapedType::isDynamic(columns) && columns <= int64_t(1) << (bits - 1));
}

/// Returns whether `value` is the row of column numbers, whatever its width.
static bool areColumnNumbers(Value value, int64_t columns) {
  while (Operation *op = value.getDefiningOp()) {
    if (!holdsColumns(value.getType(), columns))
      return false;
    if (isa<IndexOp>(op))
      return true;
    if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

LogicalResult KernelBuilder::emitExtreme(const Member &member, linalg::LinalgOp op,
                                         ValueRange inits) {
  auto fail = [&](const Twine &why) { return emit.fail(why), failure(); };
  Block &block = *op.getBlock();
  auto partials = block.getArguments().take_back(op.getNumDpsInits());
  static constexpr llvm::StringLiteral unknown =
      "what it does with an element and a partial result is no reduction that kernels have";
  if (partials.size() != 2)
    return fail(unknown);
  bool valueFirst = isa<FloatType>(partials[0].getType());
  BlockArgument best = partials[valueFirst ? 0 : 1], bestPlace = partials[valueFirst ? 1 : 0];
  if (!isa<FloatType>(best.getType()) || isa<FloatType>(bestPlace.getType()))
    return fail(unknown);
  // The element is an input, its place another one or the loop's number.
  Value element, place;
  for (BlockArgument arg : block.getArguments().drop_back(2)) {
    if (arg.use_empty())
      continue;
    Value &is = isa<FloatType>(arg.getType()) ? element : place;
    if (is)
      return fail(unknown);
    is = arg;
  }
  for (auto index : block.getOps<linalg::IndexOp>()) {
    if (place || !member.view.combines(index.getDim()))
      return fail(unknown);
    place = index;
  }
  if (!element || !place)
    return fail(unknown);
  Value places = locals.lookup(place);
  if (auto index = place.getDefiningOp<linalg::IndexOp>())
    places = emitIndex(member, index);
  int64_t columns = group.space.columns();
  if (!places || !areColumnNumbers(places, columns) ||
      !holdsColumns(bestPlace.getType(), columns))
    return fail("it finds the place of an element, but not by its column, or in a type that "
                "has not all columns");
  Extreme extreme = findExtreme(block, element, place, best, bestPlace);
  if (extreme == Extreme::none)
    return fail("it finds an element and its place, but not as argmax and argmin of a "
                "kernel do: the first of equal ones, and a NaN before all others");
  bool isMax = extreme == Extreme::greatest;
  // All columns are no better than what it begins with only if they are equal to it.
  auto numberOf = [&](Value init) {
    Attribute number;
    return init && matchPattern(init, m_Constant(&number)) ? number : Attribute();
  };
  auto least = dyn_cast_or_null<FloatAttr>(numberOf(inits[valueFirst ? 0 : 1]));
  auto first = dyn_cast_or_null<IntegerAttr>(numberOf(inits[valueFirst ? 1 : 0]));
  if (!least || !least.getValue().isInfinity() || least.getValue().isNegative() != isMax ||
      !first || !first.getValue().isZero())
    return fail("it finds an element and its place, but does not begin with an infinity "
                "in column 0");
  Location loc = op.getLoc();
  Value row = emit.asRow(loc, locals.lookup(element));
  Operation *found = isMax ? ArgMaxOp::create(b, loc, b.getF32Type(), b.getI32Type(), row)
                           : ArgMinOp::create(b, loc, b.getF32Type(), b.getI32Type(), row)
                                 .getOperation();
  Type placeType = Emitter::heldType(bestPlace.getType());
  emitted[op->getResult(valueFirst ? 0 : 1)] = found->getResult(0);
  emitted[op->getResult(valueFirst ? 1 : 0)] = emit.resized(loc, found->getResult(1), placeType);
  return success();
}
