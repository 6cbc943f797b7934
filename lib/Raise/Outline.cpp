//===- lib/Raise/Outline.cpp - a call in the place of a group ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of a call are MxN, M, N or a number: tensors of other shapes are collapsed
// before it, and expanded after it.
//
//===----------------------------------------------------------------------===//

#include "Outline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace quack;
using namespace quack::raise;

namespace {
/// Converts tensors between their own shapes and those of a call's operands.
class Shaper {
public:
  Shaper(const Group &group, const KernelBuilder &builder, OpBuilder &b, Location loc)
      : group(group), builder(builder), b(b), loc(loc),
        rows(group.space.all(/*areColumns=*/false)),
        columns(group.space.all(/*areColumns=*/true)), dependents(group.dependents()) {}

  Value collapse(const KernelOperand &operand);
  Value expand(Value value, const KernelOperand &operand);
  /// Returns or creates what a result is written to, in the call's shape.
  Value createInit(const KernelOperand &operand);

private:
  /// Returns the destination of a member's result if it is more than a shape, and there
  /// before the group.
  Value findPlace(Value result) const;
  /// Returns the dimensions of `operand` that make each dimension of the call's shape, but
  /// for the 1 of a single row.
  SmallVector<ReassociationIndices> groupsOf(const KernelOperand &operand) const;
  bool isOneRow(const KernelOperand &operand) const {
    return rows.empty() && (operand.role == Role::row || operand.role == Role::scalar);
  }
  /// Returns the call's shape.
  SmallVector<OpFoldResult> shapeOf(const KernelOperand &operand);
  /// Returns the extent of `axes`, from a tensor that has a dimension of them if it is ?.
  OpFoldResult extentOf(ArrayRef<unsigned> axes);

  const Group &group;
  const KernelBuilder &builder;
  OpBuilder &b;
  Location loc;
  Axes rows, columns;
  llvm::SetVector<Operation *> dependents;
};
} // namespace

/// Returns an input that has a dimension that runs over `axes`, and the dimension.
static std::optional<std::pair<Value, int64_t>>
findDimension(const Group &group, const KernelBuilder &builder, ArrayRef<unsigned> axes) {
  for (const KernelOperand &input : builder.inputs)
    for (auto [dim, label] : llvm::enumerate(input.labels))
      if (group.space.leaves(label) == Axes(axes))
        return std::pair(input.value, static_cast<int64_t>(dim));
  return std::nullopt;
}

bool raise::canOutline(const Group &group, const KernelBuilder &builder) {
  for (bool areColumns : {false, true})
    for (unsigned axis : group.space.all(areColumns))
      if (ShapedType::isDynamic(group.space.extentOf({axis})) &&
          !findDimension(group, builder, {axis}))
        return false;
  return true;
}

OpFoldResult Shaper::extentOf(ArrayRef<unsigned> axes) {
  int64_t extent = group.space.extentOf(axes);
  if (!ShapedType::isDynamic(extent))
    return b.getIndexAttr(extent);
  if (auto found = findDimension(group, builder, axes))
    return tensor::getMixedSize(b, loc, found->first, found->second);
  Value product;
  for (unsigned axis : axes) {
    auto found = findDimension(group, builder, {axis});
    Value size = found ? getValueOrCreateConstantIndexOp(
                             b, loc, tensor::getMixedSize(b, loc, found->first, found->second))
                       : arith::ConstantIndexOp::create(b, loc, group.space.extentOf({axis}));
    product = product ? arith::MulIOp::create(b, loc, product, size) : size;
  }
  return product;
}

SmallVector<ReassociationIndices> Shaper::groupsOf(const KernelOperand &operand) const {
  int64_t rank = operand.labels.size(), split = rank;
  bool hasBoth = operand.role == Role::row && !rows.empty();
  for (int64_t dim = rank - 1; hasBoth && dim >= 0; --dim)
    if (Axes axes = group.space.leaves(operand.labels[dim]);
        !axes.empty() && group.space.isColumn(axes.front()))
      split = dim;
  SmallVector<ReassociationIndices> groups;
  bool isNumber = operand.role == Role::single || (rows.empty() && operand.role == Role::scalar);
  if (isNumber)
    return groups;
  groups.emplace_back(llvm::to_vector(llvm::seq<int64_t>(0, split)));
  if (hasBoth)
    groups.emplace_back(llvm::to_vector(llvm::seq<int64_t>(split, rank)));
  return groups;
}

/// Collapses `value`. A tensor without dimensions has no groups that its type could be
/// inferred from.
static Value createCollapse(OpBuilder &b, Location loc, Value value,
                            ArrayRef<ReassociationIndices> groups) {
  auto type = cast<RankedTensorType>(value.getType());
  if (groups.empty())
    return tensor::CollapseShapeOp::create(b, loc, type.clone(ArrayRef<int64_t>()), value,
                                           groups);
  return tensor::CollapseShapeOp::create(b, loc, value, groups);
}

Value Shaper::collapse(const KernelOperand &operand) {
  Value value = operand.value;
  if (operand.role == Role::value)
    return value;
  SmallVector<ReassociationIndices> groups = groupsOf(operand);
  int64_t wanted = groups.size() + isOneRow(operand);
  auto type = cast<RankedTensorType>(value.getType());
  // A single row that is 1xN already.
  if (type.getRank() == wanted && (!isOneRow(operand) || type.getDimSize(0) == 1))
    return value;
  if (type.getRank() != static_cast<int64_t>(groups.size()))
    value = createCollapse(b, loc, value, groups);
  if (!isOneRow(operand))
    return value;
  type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, type.getShape());
  SmallVector<ReassociationIndices> unit;
  if (type.getRank() == 1)
    unit.push_back({0, 1});
  return tensor::ExpandShapeOp::create(b, loc, type.clone(shape), value, unit);
}

SmallVector<OpFoldResult> Shaper::shapeOf(const KernelOperand &operand) {
  SmallVector<OpFoldResult> shape;
  if (operand.role == Role::row || operand.role == Role::scalar)
    shape.push_back(extentOf(rows));
  if (operand.role == Role::row || operand.role == Role::columns)
    shape.push_back(extentOf(columns));
  return shape;
}

Value Shaper::findPlace(Value result) const {
  auto op = result.getDefiningOp<DestinationStyleOpInterface>();
  // What is there is added to a sum over rows, after it.
  if (!op || group.sumsRows(result))
    return Value();
  Value place = op.getTiedOpOperand(cast<OpResult>(result))->get();
  Operation *producer = place.getDefiningOp();
  bool isThere = !producer || (!group.lookup(producer) && !dependents.contains(producer));
  bool isPlace = !isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(producer) &&
                 !matchPattern(place, m_Constant());
  return isThere && isPlace ? place : Value();
}

Value Shaper::createInit(const KernelOperand &operand) {
  // A place that the program has for the result is its place still.
  if (Value place = findPlace(operand.value))
    return collapse({place, operand.role, operand.labels});
  Type element = cast<RankedTensorType>(operand.value.getType()).getElementType();
  return tensor::EmptyOp::create(b, loc, shapeOf(operand), element);
}

Value Shaper::expand(Value value, const KernelOperand &operand) {
  auto type = cast<RankedTensorType>(operand.value.getType());
  auto has = cast<RankedTensorType>(value.getType());
  SmallVector<ReassociationIndices> groups = groupsOf(operand);
  if (has.getShape() == type.getShape())
    return value;
  if (isOneRow(operand)) {
    SmallVector<ReassociationIndices> unit;
    if (has.getRank() == 2)
      unit.push_back({0, 1});
    value = createCollapse(b, loc, value, unit);
    has = cast<RankedTensorType>(value.getType());
  }
  if (has.getRank() != type.getRank()) {
    SmallVector<OpFoldResult> shape;
    for (const Axes &label : operand.labels)
      shape.push_back(extentOf(group.space.leaves(label)));
    return tensor::ExpandShapeOp::create(b, loc, type, value, groups, shape);
  }
  // Only what is known of the extents differs.
  return has == type ? value : tensor::CastOp::create(b, loc, type, value);
}

/// Returns whether `init` is a tensor of zeros, of either sign.
static bool isZero(Value init) {
  auto isZeroNumber = [](Attribute number) {
    auto real = dyn_cast_or_null<FloatAttr>(number);
    return real && real.getValue().isZero();
  };
  Attribute number;
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs()[0], m_Constant(&number)) && isZeroNumber(number);
  return isSplat(init, &number) && isZeroNumber(number);
}

/// Adds what a sum over rows begins with.
static Value addInit(OpBuilder &b, Location loc, Value sum, OpResult result) {
  auto op = cast<DestinationStyleOpInterface>(result.getOwner());
  Value init = op.getTiedOpOperand(result)->get();
  if (isZero(init))
    return sum;
  // In the place that it began with, which a loop around it may carry.
  return linalg::AddOp::create(b, loc, TypeRange(init.getType()), ValueRange{init, sum},
                               ValueRange(init))
      .getResult(0);
}

void raise::eraseDead(ArrayRef<Operation *> candidates,
                      llvm::function_ref<void(Operation *)> onErase) {
  llvm::SetVector<Operation *> work(candidates.begin(), candidates.end());
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && !op->isAncestor(producer))
          work.insert(producer);
    });
    onErase(op);
    op->erase();
  }
}

void raise::outline(const Group &group, const KernelBuilder &builder, KernelOp kernel,
                    llvm::function_ref<void(Operation *)> onErase) {
  SmallVector<Operation *> ops = group.inOrder();
  OpBuilder b(ops.back()->getContext());
  Location loc = group.anchor->getLoc();
  Shaper shaper(group, builder, b, loc);
  // What needs the group goes behind it, in its order.
  Operation *behind = ops.back();
  for (Operation *other : group.dependents()) {
    other->moveAfter(behind);
    behind = other;
  }
  b.setInsertionPointAfter(ops.back());
  SmallVector<Value> inputs, inits;
  for (const KernelOperand &input : builder.inputs)
    inputs.push_back(shaper.collapse(input));
  for (const KernelOperand &output : builder.outputs)
    inits.push_back(shaper.createInit(output));
  auto call = CallOp::create(b, loc, TypeRange(ValueRange(inits)),
                             FlatSymbolRefAttr::get(kernel.getSymNameAttr()), inputs, inits);
  for (auto [output, result] : llvm::zip_equal(builder.outputs, call.getResults())) {
    Value value = shaper.expand(result, output);
    Value old = output.value;
    if (group.sumsRows(old))
      value = addInit(b, loc, value, cast<OpResult>(old));
    old.replaceAllUsesWith(value);
  }
  // From the last one, so that users go before what they use.
  eraseDead(ops, onErase);
}
