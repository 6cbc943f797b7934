//===- Program.cpp - from a kernel to steps over rows ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step for each operation of the kernel. Each SSA value has a lane of N
// numbers or of one.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "Combiner.h"
#include "RowReductions.h"

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
    auto row = dyn_cast<RankedTensorType>(value.getType());
    lane.resize(row ? row.getDimSize(0) : 1);
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
// Sums over rows
//===----------------------------------------------------------------------===//

void RunningSum::add(const RunningSum &other) {
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] += other.values[i];
    magnitudes[i] += other.magnitudes[i];
    errors[i] += other.errors[i];
  }
}

void Program::addAccumulate(AccumulateOp op) {
  unsigned index = cast<BlockArgument>(op.getTarget()).getArgNumber();
  unsigned value = laneOf(op.getValue());
  initial.sums.resize(operands.size());
  initial.sums[index] = RunningSum(initial.lanes[value].size());
  steps.push_back([=](Frame &frame, const Buffers &) {
    const Lane &from = frame.lanes[value];
    RunningSum &sum = frame.sums[index];
    for (size_t i = 0, n = from.size(); i < n; ++i) {
      sum.values[i] += from.values[i];
      sum.magnitudes[i] += std::fabs(from.values[i]);
      sum.errors[i] += from.errors[i];
    }
  });
}

void Program::storeSums(const Frame &total, double depth) const {
  for (auto [operand, sum] : llvm::zip(operands, total.sums))
    for (size_t i = 0, n = sum.values.size(); i < n; ++i) {
      Number rounded =
          settleSum(sum.values[i], sum.magnitudes[i], sum.errors[i], depth);
      operand.output[i] = rounded.value;
      operand.bound[i] = rounded.error;
    }
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

LogicalResult Program::addReduce(ReduceOp op) {
  if (!op.getKind())
    return addCombiner(op);
  unsigned source = laneOf(op.getSources().front()), result = laneOf(op.getResult(0));
  ReduceKind kind = *op.getKind();
  unsigned width = op.getResult(0).getType().getIntOrFloatBitWidth();
  steps.push_back([=](Frame &frame, const Buffers &) {
    frame.lanes[result].set(0, reduceLane(kind, width, frame.lanes[source]));
  });
  if (op.getInits().empty())
    return success();
  // The init joins once, by the operation that the kind is named after.
  unsigned init = laneOf(op.getInits().front());
  ElementwiseLoop combine =
      lookupElementwise(("arith." + stringifyReduceKind(kind)).str());
  OpContext context;
  context.inputWidth = context.resultWidth = width;
  steps.push_back([=](Frame &frame, const Buffers &) {
    Lane &total = frame.lanes[result];
    combine(context, {&total, &frame.lanes[init]}, total);
  });
  return success();
}

LogicalResult Program::addCombiner(ReduceOp op) {
  SmallVector<Type> types(op.getResultTypes());
  FailureOr<Combiner> built = Combiner::build(op, ArrayAttr(), op.getIdentities(),
                                              op.getCombiner(), types);
  if (failed(built))
    return failure();
  SmallVector<unsigned> sources, inits, results;
  for (Value source : op.getSources())
    sources.push_back(laneOf(source));
  for (Value init : op.getInits())
    inits.push_back(laneOf(init));
  for (Value result : op.getResults())
    results.push_back(laneOf(result));
  steps.push_back([=, combiner = *built](Frame &frame, const Buffers &) {
    SmallVector<const Lane *> rows;
    for (unsigned source : sources)
      rows.push_back(&frame.lanes[source]);
    // Rows run on several threads, and a combiner has places for what it computes.
    Combiner own = combiner;
    SmallVector<Number> total = combineRows(own, rows);
    if (!inits.empty()) {
      SmallVector<Number> first;
      for (unsigned init : inits)
        first.push_back(frame.lanes[init][0]);
      own.combine(first, total);
      total = first;
    }
    for (auto [result, number] : llvm::zip(results, total))
      frame.lanes[result].set(0, number);
  });
  return success();
}

void Program::addArg(Operation *op, bool isMax) {
  unsigned source = laneOf(op->getOperand(0)), value = laneOf(op->getResult(0)),
           column = laneOf(op->getResult(1));
  steps.push_back([=](Frame &frame, const Buffers &) {
    auto [extreme, at] = findExtreme(frame.lanes[source], isMax);
    frame.lanes[value].set(0, extreme);
    frame.lanes[column].set(0, at);
  });
}

void Program::addMoments(MomentsOp op) {
  unsigned source = laneOf(op.getSource()), mean = laneOf(op.getMean()),
           low = laneOf(op.getLow()), squares = laneOf(op.getSquares());
  steps.push_back([=](Frame &frame, const Buffers &) {
    Moments moments = computeMoments(frame.lanes[source]);
    frame.lanes[mean].set(0, moments.mean);
    frame.lanes[low].set(0, moments.low);
    frame.lanes[squares].set(0, moments.squares);
  });
}

void Program::addIndex(IndexOp op) {
  Lane &row = initial.lanes[laneOf(op)];
  for (size_t i = 0; i < row.size(); ++i)
    row.set(i, {static_cast<double>(i), 0.0});
}

void Program::addExtract(ExtractOp op) {
  unsigned source = laneOf(op.getSource()), column = laneOf(op.getColumn()),
           otherwise = laneOf(op.getOtherwise()), result = laneOf(op.getResult());
  steps.push_back([=](Frame &frame, const Buffers &) {
    const Lane &row = frame.lanes[source];
    Number at = frame.lanes[column][0];
    bool exists = at.value >= 0 && at.value < static_cast<double>(row.size());
    Number element = exists ? row[static_cast<size_t>(at.value)]
                            : frame.lanes[otherwise][0];
    // A column that is not known for sure may be any.
    if (at.error != 0)
      element.error = infinity;
    frame.lanes[result].set(0, element);
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
          arith::ExtFOp, arith::TruncFOp, math::FmaOp, BroadcastOp,
          GroupBroadcastOp>(op))
    return all();
  if (isa<GroupReduceOp>(op))
    return all() &&
           isa<FloatType>(getElementTypeOrSelf(op.getResult(0).getType()));
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() && all() && isa<FloatType>(reduce.getResult(0).getType());
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
  if (auto moments = dyn_cast<MomentsOp>(op))
    nonNegative.insert(moments.getSquares());
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](LoadOp load) { return addLoad(load), success(); })
      .Case([&](StoreOp store) { return addStore(store), success(); })
      .Case([&](AccumulateOp sum) { return addAccumulate(sum), success(); })
      .Case([&](BroadcastOp broadcast) {
        return addBroadcast(broadcast), success();
      })
      .Case([&](ReduceOp reduce) { return addReduce(reduce); })
      .Case([&](ArgMaxOp arg) { return addArg(arg, /*isMax=*/true), success(); })
      .Case([&](ArgMinOp arg) { return addArg(arg, /*isMax=*/false), success(); })
      .Case([&](MomentsOp moments) { return addMoments(moments), success(); })
      .Case([&](IndexOp index) { return addIndex(index), success(); })
      .Case([&](ExtractOp extract) { return addExtract(extract), success(); })
      .Case([&](GroupReduceOp reduce) {
        return addGroupReduce(reduce), success();
      })
      .Case([&](GroupBroadcastOp broadcast) {
        return addGroupBroadcast(broadcast), success();
      })
      .Case([&](TopKOp topk) { return addTopK(topk), success(); })
      .Case([&](ScatterOp scatter) { return addScatter(scatter), success(); })
      .Case([&](ColumnsOp count) {
        initial.lanes[laneOf(count)].set(0,
                                         {static_cast<double>(columns), 0.0});
        return success();
      })
      .Case([&](MaxFiniteOp greatest) {
        initial.lanes[laneOf(greatest)].set(0, {greatest.getNumber(), 0.0});
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
  program.operands =
      describeOperands(kernel.getFunctionType(), kernel.getOperandSpecs());
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
