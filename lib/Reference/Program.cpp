//===- Program.cpp - from a kernel to steps over rows ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step for each operation of the kernel. Each SSA value has a lane of N
// numbers or of one.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quack;
using namespace quack::reference;

using Buffers = std::vector<OperandBuffers>;

unsigned Program::laneOf(Value value) {
  auto [it, isNew] = laneOfValue.try_emplace(value, initial.lanes.size());
  if (isNew) {
    Lane &lane = initial.lanes.emplace_back();
    lane.resize(isa<RankedTensorType>(value.getType()) ? columns : 1);
  }
  return it->second;
}

Frame Program::makeFrame() const { return initial; }

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

void Program::addLoad(LoadOp op) {
  unsigned index = cast<BlockArgument>(op.getSource()).getArgNumber();
  unsigned result = laneOf(op.getResult());
  int64_t n = columns;
  // Widening changes no value; a narrower float type rounds.
  Type compute = getElementTypeOrSelf(op.getResult().getType());
  FloatTraits traits = getTraits(
      isa<FloatType>(compute) ? getFloatFormat(compute) : FloatFormat::f64);
  steps.push_back([=](Frame &frame, const Buffers &buffers) {
    const double *from =
        buffers[index].input + buffers[index].rowOffset(frame.row, n);
    Lane &to = frame.lanes[result];
    for (size_t i = 0, e = to.size(); i < e; ++i)
      to.set(i, {roundTo(traits, from[i]), 0.0});
  });
}

void Program::addStore(StoreOp op) {
  unsigned index = cast<BlockArgument>(op.getTarget()).getArgNumber();
  unsigned value = laneOf(op.getValue());
  int64_t n = columns;
  steps.push_back([=](Frame &frame, const Buffers &buffers) {
    const OperandBuffers &operand = buffers[index];
    int64_t offset = operand.rowOffset(frame.row, n);
    const Lane &from = frame.lanes[value];
    std::copy(from.values.begin(), from.values.end(), operand.output + offset);
    std::copy(from.errors.begin(), from.errors.end(), operand.bound + offset);
  });
}

//===----------------------------------------------------------------------===//
// Broadcast, reduce, constants
//===----------------------------------------------------------------------===//

void Program::addBroadcast(BroadcastOp op) {
  unsigned source = laneOf(op.getSource()), result = laneOf(op.getResult());
  steps.push_back([=](Frame &frame, const Buffers &) {
    Number scalar = frame.lanes[source][0];
    Lane &row = frame.lanes[result];
    std::fill(row.values.begin(), row.values.end(), scalar.value);
    std::fill(row.errors.begin(), row.errors.end(), scalar.error);
  });
}

void Program::addReduce(ReduceOp op) {
  unsigned source = laneOf(op.getSource()), result = laneOf(op.getResult());
  ReduceKind kind = op.getKind();
  unsigned width = op.getResult().getType().getIntOrFloatBitWidth();
  steps.push_back([=](Frame &frame, const Buffers &) {
    frame.lanes[result].set(0, reduceLane(kind, width, frame.lanes[source]));
  });
  if (!op.getInit())
    return;
  // The init joins once, by the operation that the kind is named after.
  unsigned init = laneOf(op.getInit());
  ElementwiseLoop combine =
      lookupElementwise(("arith." + stringifyReduceKind(kind)).str());
  OpContext context;
  context.inputWidth = context.resultWidth = width;
  steps.push_back([=](Frame &frame, const Buffers &) {
    Lane &total = frame.lanes[result];
    combine(context, {&total, &frame.lanes[init]}, total);
  });
}

LogicalResult Program::addConstant(Operation &op, Attribute value) {
  Lane &lane = initial.lanes[laneOf(op.getResult(0))];
  auto set = [&](size_t i, Attribute element) {
    std::optional<double> number = getConstantNumber(element);
    lane.set(i, {number.value_or(0), 0.0});
    return number.has_value();
  };
  auto dense = dyn_cast<DenseElementsAttr>(value);
  bool isKnown = true;
  if (!dense)
    isKnown = set(0, value);
  else
    for (auto [i, element] : llvm::enumerate(dense.getValues<Attribute>()))
      isKnown = isKnown && set(i, element);
  if (!isKnown)
    return op.emitOpError("must be a float, integer or dense constant for the "
                          "evaluator, got ")
           << value;
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

static bool isNonNegativeConstant(Value value) {
  FloatAttr constant;
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return false;
  if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
    attribute = splat.getSplatValue<Attribute>();
  constant = dyn_cast<FloatAttr>(attribute);
  return constant && !constant.getValue().isNegative();
}

/// Returns whether the result of `op` has no negative values whatever the
/// rounding errors of what it is computed from.
bool Program::isNonNegative(Operation &op) const {
  auto all = [&] {
    return llvm::all_of(op.getOperands(),
                        [&](Value v) { return nonNegative.contains(v); });
  };
  if (isa<math::ExpOp, math::Exp2Op, math::AbsFOp, math::SqrtOp, math::RsqrtOp>(
          op))
    return true;
  if (isa<arith::MulFOp>(op) && op.getOperand(0) == op.getOperand(1))
    return true;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return nonNegative.contains(op.getOperand(0)) ||
           nonNegative.contains(op.getOperand(1));
  if (isa<arith::AddFOp, arith::MulFOp, arith::DivFOp, arith::MinimumFOp,
          arith::ExtFOp, arith::TruncFOp, math::FmaOp, BroadcastOp>(op))
    return all();
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return all() && isa<FloatType>(reduce.getResult().getType());
  return false;
}

LogicalResult Program::addElementwise(Operation &op) {
  ElementwiseLoop loop = lookupElementwise(&op);
  if (!loop || op.getNumResults() != 1)
    return op.emitOpError("has no reference: the evaluator does not know it");
  OpContext context = getOpContext(&op);
  context.isNonNegative =
      op.getNumOperands() != 0 && nonNegative.contains(op.getOperand(0));
  llvm::SmallVector<unsigned> operandLanes;
  for (Value operand : op.getOperands())
    operandLanes.push_back(laneOf(operand));
  unsigned result = laneOf(op.getResult(0));
  steps.push_back([=](Frame &frame, const Buffers &) {
    llvm::SmallVector<const Lane *, 4> lanes;
    for (unsigned lane : operandLanes)
      lanes.push_back(&frame.lanes[lane]);
    loop(context, lanes, frame.lanes[result]);
  });
  return success();
}

LogicalResult Program::addOp(Operation &op) {
  for (Value value : op.getResults())
    if (!isKnownElementType(getElementTypeOrSelf(value.getType())))
      return op.emitOpError(
                 "must have element type f64, f32, bf16, f16 or an "
                 "integer of at most 64 bits for the evaluator, got ")
             << value.getType();
  Attribute constant;
  if (op.getNumResults() == 1 && matchPattern(&op, m_Constant(&constant))) {
    if (isNonNegativeConstant(op.getResult(0)))
      nonNegative.insert(op.getResult(0));
    return addConstant(op, constant);
  }
  if (op.getNumResults() == 1 && isNonNegative(op))
    nonNegative.insert(op.getResult(0));
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](LoadOp load) { return addLoad(load), success(); })
      .Case([&](StoreOp store) { return addStore(store), success(); })
      .Case([&](BroadcastOp broadcast) {
        return addBroadcast(broadcast), success();
      })
      .Case([&](ReduceOp reduce) { return addReduce(reduce), success(); })
      .Case([&](ColumnsOp count) {
        initial.lanes[laneOf(count)].set(0,
                                         {static_cast<double>(columns), 0.0});
        return success();
      })
      .Default([&](Operation *) { return addElementwise(op); });
}

FailureOr<Program> Program::build(KernelOp kernel) {
  Program program;
  program.columns = kernel.getColumns();
  if (ShapedType::isDynamic(program.columns))
    return kernel.emitOpError("must have a static number of columns to be "
                              "evaluated: run quack-specialize first");
  program.operands = describeOperands(kernel.getOperandSpecs());
  for (BlockArgument arg : kernel.getBody().getArguments()) {
    if (program.operands[arg.getArgNumber()].role != Role::value)
      continue;
    // A scalar of the launch is a lane that each row reads again.
    unsigned index = arg.getArgNumber(), lane = program.laneOf(arg);
    program.steps.push_back([=](Frame &frame, const Buffers &buffers) {
      frame.lanes[lane].set(0, {buffers[index].input[0], 0.0});
    });
  }
  for (Operation &op : kernel.getBody().front())
    if (failed(program.addOp(op)))
      return failure();
  return program;
}
