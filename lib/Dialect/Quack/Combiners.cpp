//===- lib/Dialect/Quack/Combiners.cpp --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/Combiners.h"

#include "quack/Dialect/Quack/RowMeaning.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

ParseResult quack::parseIdentities(OpAsmParser &parser, StringAttr name,
                                   OperationState &result) {
  ArrayAttr identities = parser.getBuilder().getArrayAttr({});
  if (succeeded(parser.parseOptionalKeyword("identity")) &&
      parser.parseAttribute(identities))
    return failure();
  result.addAttribute(name, identities);
  return success();
}

ParseResult quack::parseCombiner(OpAsmParser &parser, OperationState &result) {
  Region *region = result.addRegion();
  OptionalParseResult parsed = parser.parseOptionalRegion(*region);
  return parsed.has_value() ? *parsed : success();
}

void quack::printCombiner(OpAsmPrinter &printer, Region &combiner) {
  if (combiner.empty())
    return;
  printer << ' ';
  printer.printRegion(combiner);
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

static LogicalResult verifyBody(Operation *op, Block &body, StringRef yield) {
  if (body.empty() || body.back().getName().getStringRef() != yield)
    return op->emitOpError("combiner must end with ") << yield;
  for (Operation &inner : body.without_terminator()) {
    bool isAllowed = inner.hasTrait<OpTrait::Elementwise>() ||
                     inner.hasTrait<OpTrait::ConstantLike>();
    bool isOfScalars = llvm::none_of(inner.getResultTypes(), llvm::IsaPred<ShapedType>);
    if (!isAllowed || !isOfScalars || !isMemoryEffectFree(&inner) ||
        inner.getNumRegions() != 0)
      return inner.emitOpError("must not stand in a combiner: expected an elementwise "
                               "or constant operation on scalars without side effects "
                               "or regions");
    if (inner.hasTrait<OpTrait::Elementwise>() &&
        failed(verifyElementwise(&inner, "combiner")))
      return failure();
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != &body)
        return inner.emitOpError("must not use a value from outside its combiner");
  }
  for (Value operand : body.back().getOperands())
    if (operand.getParentBlock() != &body)
      return body.back().emitOpError("must not use a value from outside its combiner");
  return success();
}

LogicalResult quack::verifyCombiner(Operation *op, Region &combiner,
                                    ArrayAttr identities, TypeRange types,
                                    StringRef yield) {
  SmallVector<Type> once(types), twice(types);
  twice.append(once);
  if (combiner.getArgumentTypes() != TypeRange(twice))
    return op->emitOpError("combiner must take ")
           << twice << ", got " << combiner.getArgumentTypes();
  if (failed(verifyBody(op, combiner.front(), yield)))
    return failure();
  Operation &last = combiner.front().back();
  if (last.getOperandTypes() != types)
    return op->emitOpError("combiner must yield ")
           << once << ", got " << last.getOperandTypes();
  bool matches = identities.size() == once.size();
  for (auto [identity, type] : llvm::zip(identities, once)) {
    auto typed = dyn_cast<TypedAttr>(identity);
    matches &= typed && typed.getType() == type;
  }
  if (!matches)
    return op->emitOpError("must have one identity for each of ")
           << once << ", got " << identities;
  return success();
}

//===----------------------------------------------------------------------===//
// Use
//===----------------------------------------------------------------------===//

/// Returns `type` with the shape of `like`.
static Type withShape(Type type, Type like) {
  auto shaped = dyn_cast<ShapedType>(like);
  return shaped ? Type(shaped.clone(type)) : type;
}

SmallVector<Value> quack::inlineCombiner(OpBuilder &b, Region &combiner,
                                         ValueRange lhs, ValueRange rhs) {
  Block &block = combiner.front();
  IRMapping mapping;
  mapping.map(block.getArguments().take_front(lhs.size()), lhs);
  mapping.map(block.getArguments().drop_front(lhs.size()), rhs);
  Type like = lhs.front().getType();
  for (Operation &op : block.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && isa<ShapedType>(like)) {
      auto type = cast<ShapedType>(withShape(constant.getType(), like));
      mapping.map(constant.getResult(),
                  arith::ConstantOp::create(
                      b, op.getLoc(), DenseElementsAttr::get(type, constant.getValue()))
                      .getResult());
      continue;
    }
    Operation *clone = b.clone(op, mapping);
    for (OpResult result : clone->getResults())
      result.setType(withShape(result.getType(), like));
  }
  return llvm::map_to_vector(block.getTerminator()->getOperands(), [&](Value value) {
    return mapping.lookup(value);
  });
}

namespace {
/// Numbers the values of a combiner so that equal numbers mean equal bits, once with
/// its partials as they stand and once swapped.
class Numbering {
public:
  /// Returns the numbers of the block's values, where argument i is `argument(i)`.
  llvm::DenseMap<Value, unsigned> number(Block &block,
                                         function_ref<unsigned(unsigned)> argument) {
    llvm::DenseMap<Value, unsigned> numbers;
    for (BlockArgument arg : block.getArguments())
      numbers[arg] = argument(arg.getArgNumber());
    for (Operation &op : block.without_terminator()) {
      SmallVector<unsigned> operands = llvm::map_to_vector(
          op.getOperands(), [&](Value value) { return numbers.lookup(value); });
      if (op.hasTrait<OpTrait::IsCommutative>())
        llvm::sort(operands);
      for (OpResult result : op.getResults())
        numbers[result] =
            known
                .try_emplace({op.getName().getAsOpaquePointer(),
                              op.getDiscardableAttrDictionary().getAsOpaquePointer(),
                              op.getPropertiesAsAttribute().getAsOpaquePointer(),
                              result.getType().getAsOpaquePointer(),
                              result.getResultNumber(), operands},
                             known.size() + block.getNumArguments())
                .first->second;
    }
    return numbers;
  }

private:
  using Key = std::tuple<const void *, const void *, const void *, const void *, unsigned,
                         SmallVector<unsigned>>;
  std::map<Key, unsigned> known;
};
} // namespace

bool quack::isSymmetric(Region &combiner) {
  Block &block = combiner.front();
  unsigned count = block.getNumArguments();
  Numbering numbering;
  auto straight = numbering.number(block, [](unsigned index) { return index; });
  auto swapped = numbering.number(
      block, [&](unsigned index) { return (index + count / 2) % count; });
  return llvm::all_of(block.getTerminator()->getOperands(), [&](Value value) {
    return straight.lookup(value) == swapped.lookup(value);
  });
}
