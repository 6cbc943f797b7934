//===- TileBuilder.cpp - one row program to one tile program ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TileBuilder.h for what a pass is and what is kept.
//
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"
#include "quack/Dialect/Quack/KernelOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quack;

TileBuilder::TileBuilder(KernelOp kernel, tv::PlanAttr plan)
    : kernel(kernel), plan(plan), b(kernel),
      layout(plan.getLayout(kernel.getColumns())),
      shape{plan.getRows(), plan.getPaddedColumns(kernel.getColumns())} {}

LogicalResult TileBuilder::build() {
  if (failed(checkGroups()))
    return failure();
  target = tv::KernelOp::create(
      b, kernel.getLoc(), kernel.getSymName(), kernel.getFunctionType(),
      kernel.getOperandSpecs(), plan, IntegerAttr(), kernel.getOtherwiseAttr(),
      /*workspace=*/IntegerAttr(),
      /*next=*/FlatSymbolRefAttr());
  Block *body = &target.getBody().emplaceBlock();
  for (BlockArgument arg : kernel.getBody().getArguments())
    body->addArgument(arg.getType(), arg.getLoc());
  b.setInsertionPointToEnd(body);
  createEarlyLoads();
  SmallVector<StoreOp> late;
  int64_t pass = 0; ///< that of the last reduction's result
  for (Operation &op : kernel.getBody().front()) {
    // Reductions are made in program order, whoever uses them first.
    if (auto topk = dyn_cast<TopKOp>(op)) {
      if (failed(createTopK(topk)))
        return failure();
    } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
      createScatter(scatter);
    } else if (getPassCount(&op) > 0) {
      if (!get(op.getResult(0), 0))
        return failure();
      pass = std::max(pass, passOf(op.getResult(0)));
    } else if (auto sum = dyn_cast<AccumulateOp>(op)) {
      if (failed(createAccumulate(sum, std::max(pass, passOf(sum.getValue())))))
        return failure();
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      if (isStoredLast(store))
        late.push_back(store);
      else if (failed(createStores(store, passOf(store.getValue()))))
        return failure();
    }
  }
  return createStores(late, lastPass());
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

int64_t TileBuilder::passOf(Value value) {
  if (auto it = passes.find(value); it != passes.end())
    return it->second;
  int64_t pass = 0;
  if (Operation *op = value.getDefiningOp()) {
    for (Value operand : op->getOperands())
      pass = std::max(pass, passOf(operand));
    pass += getPassCount(op);
  }
  return passes[value] = pass;
}

int64_t TileBuilder::lastPass() {
  int64_t last = 0;
  for (StoreOp store : kernel.getBody().front().getOps<StoreOp>())
    last = std::max(last, passOf(store.getValue()));
  for (AccumulateOp sum : kernel.getBody().front().getOps<AccumulateOp>())
    last = std::max(last, passOf(sum.getValue()));
  return last;
}

tv::Hold TileBuilder::holdOf(LoadOp load) {
  auto arg = cast<BlockArgument>(load.getSource());
  StringRef name = kernel.getOperandAttr(arg.getArgNumber()).getName();
  return plan.holdOf(name).value_or(tv::Hold::registers);
}

bool TileBuilder::isRecomputed(Value value) {
  if (auto it = recomputed.find(value); it != recomputed.end())
    return it->second;
  bool result = false;
  Operation *op = value.getDefiningOp();
  if (op && isa<RankedTensorType>(value.getType()) && !isa<BroadcastOp>(op)) {
    if (auto load = dyn_cast<LoadOp>(op))
      result = holdOf(load) != tv::Hold::registers;
    else
      result = llvm::any_of(op->getOperands(),
                            [&](Value operand) { return isRecomputed(operand); });
  }
  return recomputed[value] = result;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

RankedTensorType TileBuilder::scalarType(Type element) {
  return tv::getTileType({shape.rows, 1}, element, layout.projectColumns(shape),
                         b.getContext());
}

RankedTensorType TileBuilder::tileType(Type type) {
  auto row = dyn_cast<RankedTensorType>(type);
  if (!row)
    return scalarType(type);
  RankedTensorType tile =
      tv::getTileType(shape, row.getElementType(), layout, b.getContext());
  if (GroupsAttr groups = getGroups(row))
    return tv::getGroupTileType(tile,
                                std::min(groups.getSize(), shape.columns));
  return tile;
}

Value TileBuilder::convert(Location loc, Value tile, Type element) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getElementType() == element)
    return tile;
  RankedTensorType result = type.clone(element);
  bool widens = type.getElementTypeBitWidth() < element.getIntOrFloatBitWidth();
  if (isa<FloatType>(element)) {
    if (widens)
      return arith::ExtFOp::create(b, loc, result, tile);
    if (isByteFloat(element)) {
      if (!type.getElementType().isF32())
        tile = arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), tile);
      return tv::NarrowOp::create(b, loc, result, tile);
    }
    // bf16 <-> f16 have no direct conversion: through f32, which holds both.
    if (type.getElementTypeBitWidth() == element.getIntOrFloatBitWidth())
      tile = arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), tile);
    return arith::TruncFOp::create(b, loc, result, tile);
  }
  if (widens)
    return arith::ExtSIOp::create(b, loc, result, tile);
  return arith::TruncIOp::create(b, loc, result, tile);
}

Value TileBuilder::splat(Location loc, TypedAttr value, RankedTensorType type) {
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, value));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void TileBuilder::createEarlyLoads() {
  for (LoadOp load : kernel.getBody().front().getOps<LoadOp>()) {
    auto arg = cast<BlockArgument>(load.getSource());
    OperandAttr spec = kernel.getOperandAttr(arg.getArgNumber());
    tv::Hold hold = holdOf(load);
    Value operand = target.getBody().getArgument(arg.getArgNumber());
    if (hold == tv::Hold::reload || held.contains(operand))
      continue;
    Type storage = cast<MemRefType>(arg.getType()).getElementType();
    GroupsAttr groups = getGroups(load.getResult().getType());
    RankedTensorType type =
        isOneNumber(spec.getRole())
            ? scalarType(storage)
            : tileType(RankedTensorType::get({1}, storage, groups));
    if (hold == tv::Hold::async || hold == tv::Hold::bulk) {
      held[operand] = tv::StageOp::create(
          b, load.getLoc(), tv::StagedType::get(b.getContext(), type), operand,
          tv::HoldAttr::get(b.getContext(), hold), IntegerAttr(), IntegerAttr());
      continue;
    }
    auto policy = tv::LoadPolicyAttr::get(
        b.getContext(), plan.loadPolicyOf(spec.getName())
                            .value_or(tv::LoadPolicy::cached));
    held[operand] = tv::LoadOp::create(b, load.getLoc(), type, operand, policy,
                                       IntegerAttr(), UnitAttr(), IntegerAttr(),
                                       IntegerAttr());
  }
}

Value TileBuilder::createLoad(LoadOp load, int64_t pass) {
  auto arg = cast<BlockArgument>(load.getSource());
  Location loc = load.getLoc();
  Value operand = target.getBody().getArgument(arg.getArgNumber());
  Type storage = cast<MemRefType>(arg.getType()).getElementType();
  Type compute = getElementTypeOrSelf(load.getResult().getType());
  OperandAttr spec = kernel.getOperandAttr(arg.getArgNumber());
  switch (holdOf(load)) {
  case tv::Hold::registers:
    return convert(loc, held[operand], compute);
  case tv::Hold::packed:
    if (isa<FloatType>(storage) && storage.getIntOrFloatBitWidth() < 32 &&
        compute.isF32())
      return tv::WidenOp::create(b, loc, held[operand], pass);
    return convert(loc, held[operand], compute);
  case tv::Hold::async:
  case tv::Hold::bulk:
    return convert(loc, tv::ReadOp::create(b, loc, held[operand], pass), compute);
  case tv::Hold::reload: {
    auto policy = tv::LoadPolicyAttr::get(
        b.getContext(), plan.loadPolicyOf(spec.getName())
                            .value_or(tv::LoadPolicy::cached));
    bool isKept = plan.getKept() > 0 && spec.getRole() == Role::row;
    auto kept = isKept ? b.getI64IntegerAttr(plan.getKept()) : IntegerAttr();
    Value tile = tv::LoadOp::create(
        b, loc, tileType(RankedTensorType::get({1}, storage)), operand, policy,
        b.getI64IntegerAttr(pass), b.getUnitAttr(), kept, IntegerAttr());
    return convert(loc, tile, compute);
  }
  }
  llvm_unreachable("unknown hold");
}

/// Where the program says: what is computed again is, in that pass, so that a
/// row to be added shares the pass over the row with the reductions after it.
LogicalResult TileBuilder::createAccumulate(AccumulateOp sum, int64_t pass) {
  Value tile = get(sum.getValue(), pass);
  if (!tile)
    return failure();
  unsigned number = cast<BlockArgument>(sum.getTarget()).getArgNumber();
  tv::AccumulateOp::create(
      b, sum.getLoc(), tile, target.getBody().getArgument(number),
      /*offset=*/IntegerAttr(), /*gather_at=*/IntegerAttr());
  return success();
}

/// Where rows are read again, or single elements of them, a row that is stored may be
/// one of them: all of its reads must come first. What is computed again need not wait
/// for its store.
bool TileBuilder::isStoredLast(StoreOp store) {
  auto isReadAgain = [&](LoadOp load) {
    return isa<RankedTensorType>(load.getResult().getType()) &&
           holdOf(load) == tv::Hold::reload;
  };
  Block &body = kernel.getBody().front();
  return isa<RankedTensorType>(store.getValue().getType()) &&
         (isRecomputed(store.getValue()) ||
          llvm::any_of(body.getOps<LoadOp>(), isReadAgain) ||
          llvm::any_of(body.getOps<ExtractOp>(), mustMeet));
}

/// Side by side and after all that they store, so that the stores of a piece follow
/// its reads.
LogicalResult TileBuilder::createStores(ArrayRef<StoreOp> stores, int64_t pass) {
  SmallVector<Value> stored;
  for (StoreOp store : stores) {
    Value tile = get(store.getValue(), pass);
    if (!tile)
      return failure();
    Type storage = cast<MemRefType>(store.getTarget().getType()).getElementType();
    stored.push_back(convert(store.getLoc(), tile, storage));
  }
  for (auto [index, tile] : llvm::enumerate(stored)) {
    StoreOp store = stores[index];
    unsigned number = cast<BlockArgument>(store.getTarget()).getArgNumber();
    StringRef name = kernel.getOperandAttr(number).getName();
    tv::StoreOp::create(b, store.getLoc(), tile, target.getBody().getArgument(number),
                        tv::StorePolicyAttr::get(
                            b.getContext(),
                            plan.storePolicyOf(name).value_or(
                                tv::StorePolicy::write_back)));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value TileBuilder::get(Value value, int64_t pass) {
  int64_t key = isRecomputed(value) ? pass : -1;
  if (auto it = tiles.find({value, key}); it != tiles.end())
    return it->second;
  Value tile;
  if (Operation *op = value.getDefiningOp())
    tile = create(op, value, pass);
  else
    // A plain scalar of the launch: each row has the same.
    tile = tv::BroadcastOp::create(
        b, value.getLoc(), scalarType(value.getType()),
        target.getBody().getArgument(cast<BlockArgument>(value).getArgNumber()));
  return tiles[{value, key}] = tile;
}

Value TileBuilder::create(Operation *op, Value value, int64_t pass) {
  if (auto load = dyn_cast<LoadOp>(op))
    return createLoad(load, pass);
  if (isa<ReduceOp, ArgMaxOp, ArgMinOp, MomentsOp>(op)) {
    SmallVector<Value> made =
        llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
            .Case([&](ReduceOp reduce) { return createReduce(reduce); })
            .Case([&](MomentsOp moments) { return createMoments(moments); })
            .Default([&](Operation *) { return createArg(op, isa<ArgMaxOp>(op)); });
    for (auto [result, tile] : llvm::zip(op->getResults(), made))
      tiles[{result, -1}] = tile;
    return made.empty() ? Value() : made[cast<OpResult>(value).getResultNumber()];
  }
  if (auto extract = dyn_cast<ExtractOp>(op))
    return createExtract(extract);
  if (isa<IndexOp>(op))
    return tv::IndexOp::create(b, op->getLoc(), tileType(value.getType()));
  if (auto reduce = dyn_cast<GroupReduceOp>(op))
    return createGroupReduce(reduce, pass);
  if (op->hasTrait<OpTrait::ConstantLike>())
    return createConstant(op);
  if (auto greatest = dyn_cast<MaxFiniteOp>(op))
    return splat(op->getLoc(), b.getF32FloatAttr(greatest.getNumber()),
                 scalarType(b.getF32Type()));
  if (isa<ColumnsOp>(op))
    return splat(op->getLoc(), b.getI32IntegerAttr(kernel.getColumns()),
                 scalarType(b.getI32Type()));
  if (isa<BroadcastOp, GroupBroadcastOp>(op)) {
    Value source = get(op->getOperand(0), pass);
    return source ? spread(op->getLoc(), tileType(value.getType()), source)
                  : Value();
  }
  return createElementwise(cast<OpResult>(value), pass);
}

Value TileBuilder::createConstant(Operation *op) {
  Attribute attr;
  matchPattern(op, m_Constant(&attr));
  RankedTensorType type = tileType(op->getResult(0).getType());
  if (auto elements = dyn_cast<DenseElementsAttr>(attr)) {
    if (!elements.isSplat()) {
      op->emitOpError("must be the same in all columns: pass a row of constants "
                      "as a columns operand");
      return Value();
    }
    attr = elements.getSplatValue<Attribute>();
  }
  if (!isa<IntegerAttr, FloatAttr>(attr)) {
    op->emitOpError("must be a dense splat or a scalar, got ") << attr;
    return Value();
  }
  return splat(op->getLoc(), cast<TypedAttr>(attr), type);
}

Value TileBuilder::createElementwise(OpResult value, int64_t pass) {
  Operation *op = value.getOwner();
  if (auto div = dyn_cast<arith::DivFOp>(op)) {
    Operation *divisor = div.getRhs().getDefiningOp();
    auto row = dyn_cast<RankedTensorType>(div.getType());
    if (isa_and_nonnull<BroadcastOp, GroupBroadcastOp>(divisor) && row &&
        !getGroups(row) && row.getElementType().isF32()) {
      Value dividend = get(div.getLhs(), pass),
            by = get(divisor->getOperand(0), pass);
      return dividend && by ? createDivideByScalar(op->getLoc(), dividend, by)
                            : Value();
    }
  }
  bool isRow = isa<RankedTensorType>(op->getResult(0).getType());
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value tile = get(operand, pass);
    if (!tile)
      return Value();
    // A scalar condition of a select over rows.
    if (isRow && !isa<RankedTensorType>(operand.getType()))
      tile = tv::BroadcastOp::create(
          b, op->getLoc(),
          tileType(RankedTensorType::get(
              {1}, operand.getType(), getGroups(op->getResult(0).getType()))),
          tile);
    mapping.map(operand, tile);
  }
  Operation *clone = b.clone(*op, mapping);
  for (OpResult result : clone->getResults())
    result.setType(tileType(result.getType()));
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
    tiles[{from, isRecomputed(from) ? pass : -1}] = to;
  return clone->getResult(value.getResultNumber());
}

/// x / s becomes (x * k) * (1 / (s * k)) with k a power of two that brings s
/// where its reciprocal neither overflows nor loses bits. k is 1 for all but
/// extreme s; scaling by it is exact where it matters: a quotient that it makes
/// over- or underflow does so anyway.
Value TileBuilder::createDivideByScalar(Location loc, Value row, Value divisor) {
  auto type = cast<RankedTensorType>(divisor.getType());
  auto constant = [&](double value) {
    return splat(loc, b.getF32FloatAttr(value), type);
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value lhs, double rhs) {
    return arith::CmpFOp::create(b, loc, predicate, lhs, constant(rhs));
  };
  Value magnitude = math::AbsFOp::create(b, loc, divisor);
  Value isTiny = compare(arith::CmpFPredicate::OLT, magnitude, 0x1p-100);
  Value isHuge = compare(arith::CmpFPredicate::OGT, magnitude, 0x1p100);
  Value scale = arith::SelectOp::create(
      b, loc, isTiny, constant(0x1p64),
      arith::SelectOp::create(b, loc, isHuge, constant(0x1p-64), constant(1.0)));
  Value scaled = arith::MulFOp::create(b, loc, divisor, scale);
  Value reciprocal = arith::DivFOp::create(b, loc, constant(1.0), scaled);
  auto rowType = cast<RankedTensorType>(row.getType());
  Value product =
      arith::MulFOp::create(b, loc, row, spread(loc, rowType, scale));
  return arith::MulFOp::create(b, loc, product,
                               spread(loc, rowType, reciprocal));
}
