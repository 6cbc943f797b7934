//===- Combiner.cpp - how two partials of a step merge ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes kinds or a region apart once; combining then touches no MLIR.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"

#include "quack/Dialect/Quack/KernelOperands.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace quack;
using namespace quack::reference;

void Combiner::addKind(ReduceKind kind, Type element, unsigned index,
                       unsigned count) {
  Step step;
  step.loop = lookupElementwise(("arith." + stringifyReduceKind(kind)).str());
  step.context.inputWidth = step.context.resultWidth =
      element.getIntOrFloatBitWidth();
  if (isa<FloatType>(element))
    step.context.traits = getTraits(getFloatFormat(element));
  step.operands = {index, count + index};
  step.result = addSlot();
  yielded.push_back(step.result);
  identity.push_back(
      getConstantNumber(quack::getIdentity(kind, element)).value_or(0));
  steps.push_back(step);
}

Combiner Combiner::build(ArrayRef<ReduceKind> kinds, ArrayRef<Type> elements) {
  Combiner combiner;
  for (size_t i = 0; i < 2 * kinds.size(); ++i)
    combiner.addSlot();
  for (auto [index, kind] : llvm::enumerate(kinds))
    combiner.addKind(kind, elements[index], index, kinds.size());
  return combiner;
}

LogicalResult Combiner::addRegion(Region &region) {
  llvm::DenseMap<Value, unsigned> slotOf;
  for (BlockArgument argument : region.getArguments())
    slotOf[argument] = addSlot();
  for (Operation &op : region.front().without_terminator()) {
    if (op.getNumResults() != 1)
      return op.emitOpError("in a combiner must have one result for the "
                            "evaluator");
    unsigned result = slotOf[op.getResult(0)] = addSlot();
    Attribute constant;
    if (matchPattern(&op, m_Constant(&constant))) {
      std::optional<double> number = getConstantNumber(constant);
      if (!number)
        return op.emitOpError("must be a float or integer for the evaluator");
      slots[result].set(0, {*number, 0.0});
      continue;
    }
    Step step;
    step.loop = lookupElementwise(&op);
    if (!step.loop)
      return op.emitOpError("has no reference: the evaluator does not know it");
    step.context = getOpContext(&op);
    step.result = result;
    for (Value operand : op.getOperands()) {
      auto found = slotOf.find(operand);
      if (found == slotOf.end())
        return op.emitOpError("in a combiner must use only its values");
      step.operands.push_back(found->second);
    }
    steps.push_back(step);
  }
  for (Value value : region.front().getTerminator()->getOperands())
    yielded.push_back(slotOf.lookup(value));
  return success();
}

FailureOr<Combiner> Combiner::build(Operation *op, ArrayAttr kinds,
                                    ArrayAttr identities, Region &region,
                                    ArrayRef<Type> elements) {
  if (region.empty())
    return build(llvm::to_vector(llvm::map_range(
                     kinds.getAsRange<ReduceKindAttr>(),
                     [](ReduceKindAttr kind) { return kind.getValue(); })),
                 elements);
  Combiner combiner;
  if (failed(combiner.addRegion(region)))
    return failure();
  for (Attribute attribute : identities) {
    std::optional<double> number = getConstantNumber(attribute);
    if (!number)
      return op->emitOpError("must have numbers as identities, got ")
             << attribute;
    combiner.identity.push_back(*number);
  }
  return combiner;
}

void Combiner::combine(SmallVectorImpl<Number> &total, ArrayRef<Number> next) {
  size_t count = total.size();
  for (size_t i = 0; i < count; ++i) {
    slots[i].set(0, total[i]);
    slots[count + i].set(0, next[i]);
  }
  for (const Step &step : steps) {
    SmallVector<const Lane *, 3> operands;
    for (unsigned operand : step.operands)
      operands.push_back(&slots[operand]);
    step.loop(step.context, operands, slots[step.result]);
  }
  for (size_t i = 0; i < count; ++i)
    total[i] = slots[yielded[i]][0];
}

void Combiner::combine(Partial &total, const Partial &next) {
  SmallVector<Number, 2> lhs, rhs;
  for (auto [left, right] : llvm::zip(total, next)) {
    lhs.push_back({left, 0.0});
    rhs.push_back({right, 0.0});
  }
  combine(lhs, rhs);
  for (auto [value, number] : llvm::zip(total, lhs))
    value = number.value;
}
