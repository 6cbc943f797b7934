//===- lib/Raise/KernelBuilder.cpp - from a group to a kernel ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands, elementwise bodies, and the kernel around them; reductions are in
// Reductions.cpp.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include "quack/Dialect/Quack/KernelOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace quack;
using namespace quack::raise;

bool raise::isStored(Type type) {
  return type.isF32() || type.isBF16() || type.isF16() || isByteFloat(type) ||
         type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

//===----------------------------------------------------------------------===//
// What is emitted
//===----------------------------------------------------------------------===//

void KernelBuilder::findOutputs() {
  Block *block = group.anchor->getBlock();
  SmallVector<Operation *> ops = group.inOrder();
  for (Operation *op : llvm::reverse(ops)) {
    const Member &member = *group.lookup(op);
    for (OpResult result : op->getResults()) {
      bool isOutput = false;
      for (Operation *user : result.getUsers()) {
        Operation *at = ancestorIn(block, user);
        isOutput |= !at || !group.owns(at);
      }
      // Others still have what is shared from the operation itself.
      if (!isOutput || member.isShared)
        continue;
      const Labels &labels = group.labelsOf(result);
      std::optional<Role> role = group.space.roleOf(labels);
      // With one row only, a number is one number a row.
      if (role == Role::single && group.space.all(/*areColumns=*/false).empty())
        role = Role::scalar;
      outputs.push_back({result, role, labels});
      needed.insert(op);
    }
    if (!needed.contains(op))
      continue;
    for (const Access &read : member.view.reads)
      if (group.produces(read.tensor))
        needed.insert(read.tensor.getDefiningOp());
  }
  std::reverse(outputs.begin(), outputs.end());
}

LogicalResult KernelBuilder::build() {
  findOutputs();
  b.setInsertionPointToStart(&body.emplaceBlock());
  auto fail = [&](Operation *op) {
    obstacle = {op, emit.whyNot};
    return failure();
  };
  for (Operation *op : group.inOrder()) {
    if (!needed.contains(op))
      continue;
    const Member &member = *group.lookup(op);
    locals.clear();
    if (failed(emitMember(member)))
      return fail(op);
    ++numOperations;
    numReductions += member.view.isReducing();
  }
  for (const KernelOperand &output : outputs)
    if (failed(store(output)))
      return fail(output.value.getDefiningOp());
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  if (numReductions == 0) {
    obstacle = {group.anchor, "nothing uses its result"};
    return failure();
  }
  return success();
}

LogicalResult KernelBuilder::emitMember(const Member &member) {
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(member.view.op))
    return emitSoftmax(member, softmax);
  if (auto linalg = dyn_cast<linalg::LinalgOp>(member.view.op))
    return emitLinalg(member, linalg);
  return emitReshape(member);
}

LogicalResult KernelBuilder::emitReshape(const Member &member) {
  Value value = read(member.view.reads.front(), member.loops);
  if (!value)
    return failure();
  emitted[member.view.results.front().tensor] = value;
  return success();
}

LogicalResult KernelBuilder::emitLinalg(const Member &member, linalg::LinalgOp op) {
  Block &block = *op.getBlock();
  for (const Access &access : member.view.reads) {
    if (access.extract)
      continue;
    // What a reduction begins with is combined once, at its end.
    Value value = read(access, member.loops);
    if (!value)
      return failure();
    locals[access.arg] = value;
  }
  for (OpOperand &operand : op->getOpOperands())
    if (!isa<ShapedType>(operand.get().getType())) {
      BlockArgument arg = op.getMatchingBlockArgument(&operand);
      if (arg.use_empty())
        continue;
      locals[arg] = lower(operand.get());
      if (!locals[arg])
        return failure();
    }
  if (member.view.isReducing())
    return emitReductions(member, op);
  if (failed(emitBody(member, block, llvm::SmallPtrSet<Operation *, 1>())))
    return failure();
  for (auto [result, yielded] :
       llvm::zip_equal(op->getResults(), block.getTerminator()->getOperands())) {
    Value value = lower(yielded);
    if (!value)
      return failure();
    emitted[result] = value;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

LogicalResult
KernelBuilder::emitBody(const Member &member, Block &block,
                        const llvm::SmallPtrSetImpl<Operation *> &except) {
  for (Operation &op : block.without_terminator()) {
    if (except.contains(&op) || op.hasTrait<OpTrait::ConstantLike>())
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      // The number of a row is known to accesses only, which take it from the loop.
      if (Value value = emitIndex(member, index))
        locals[index] = value;
      continue;
    }
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      locals[extract] = emitExtract(member, extract);
      if (!locals[extract])
        return failure();
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands()) {
      operands.push_back(lower(operand));
      if (!operands.back())
        return failure();
    }
    Value value = emit.elementwise(&op, operands);
    if (!value)
      return failure();
    locals[op.getResult(0)] = value;
  }
  return success();
}

Value KernelBuilder::emitIndex(const Member &member, linalg::IndexOp op) {
  Axes axes = group.space.leaves(member.loops[op.getDim()]);
  if (axes.empty())
    return emit.constant(op.getLoc(), b.getIndexAttr(0), b.getIndexType());
  bool isColumn = axes == group.space.all(/*areColumns=*/true);
  return isColumn ? emit.columnNumbers(op.getLoc()) : Value();
}

Value KernelBuilder::emitExtract(const Member &member, tensor::ExtractOp op) {
  const Access *access = llvm::find_if(member.view.reads, [&](const Access &read) {
    return read.extract == op;
  });
  Value source = read(*access, member.loops);
  if (!source || access->gatherDim < 0)
    return source;
  Value column = lower(op.getIndices()[access->gatherDim]);
  if (!column)
    return column;
  if (isa<RankedTensorType>(column.getType()))
    return emit.fail("it gathers an element for each column");
  // An index outside of the tensor is undefined: any number will do.
  Type element = getElementTypeOrSelf(source);
  Value otherwise = arith::ConstantOp::create(b, op.getLoc(), b.getZeroAttr(element));
  if (!isa<RankedTensorType>(source.getType()))
    return source;
  return ExtractOp::create(b, op.getLoc(), element, source, column, otherwise);
}

Value KernelBuilder::lower(Value value) {
  if (auto it = locals.find(value); it != locals.end())
    return it->second;
  Attribute number;
  if (matchPattern(value, m_Constant(&number)))
    return emit.constant(value.getLoc(), number, value.getType());
  if (value.getDefiningOp<linalg::IndexOp>())
    return emit.fail("it computes with the number of a row");
  bool isLocal = value.getParentRegion()->getParentOp() != nullptr &&
                 isa<linalg::LinalgOp>(value.getParentRegion()->getParentOp());
  if (isLocal)
    return emit.fail("it computes with a partial result");
  Value &scalar = scalars[value];
  if (scalar)
    return scalar;
  Type type = value.getType();
  if (!type.isF32() && !type.isSignlessInteger(32) && !type.isSignlessInteger(64))
    return emit.fail("it uses a number of type " + textOf(type) +
                     ", which a kernel cannot be given");
  scalar = addInput(value, Role::value, {}, type);
  return scalar;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value KernelBuilder::addInput(Value value, Role role, const Labels &labels, Type type) {
  std::string name = "in" + std::to_string(inputs.size());
  inputs.push_back({value, role, labels});
  specs.push_back(OperandAttr::get(b.getContext(), b.getStringAttr(name), Direction::in, role));
  return body.front().addArgument(type, value.getLoc());
}

/// Returns the type that a kernel has for an operand with elements of type `element`.
static Type memrefFor(Role role, Type element, int64_t columns) {
  switch (role) {
  case Role::row:
    return MemRefType::get({ShapedType::kDynamic, columns}, element);
  case Role::columns:
    return MemRefType::get({columns}, element);
  case Role::scalar:
    return MemRefType::get({ShapedType::kDynamic}, element);
  default:
    return MemRefType::get({}, element);
  }
}

Value KernelBuilder::read(const Access &access, const Labels &loops) {
  if (auto it = emitted.find(access.tensor); it != emitted.end())
    return it->second;
  Attribute number;
  Type element = cast<RankedTensorType>(access.tensor.getType()).getElementType();
  if (isSplat(access.tensor, &number))
    return emit.constant(access.tensor.getLoc(), number, element);
  return load(access.tensor, group.labelsOf(access, loops), access.tensor.getLoc());
}

Value KernelBuilder::load(Value tensor, const Labels &labels, Location loc) {
  Role role = *group.space.roleOf(labels);
  Value &loaded = loads[{tensor, static_cast<unsigned>(role)}];
  if (loaded)
    return loaded;
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (tensor.getDefiningOp<tensor::EmptyOp>())
    return emit.fail("it reads a tensor that nobody has written");
  if (!isStored(element))
    return emit.fail("it reads elements of type " + textOf(element) +
                     ", which no operand of a kernel has");
  Value operand =
      addInput(tensor, role, labels, memrefFor(role, element, group.space.columns()));
  bool isRow = role == Role::row || role == Role::columns;
  Type held = Emitter::heldType(element);
  loaded = LoadOp::create(b, loc, isRow ? Type(emit.rowOf(held)) : held, operand);
  return loaded;
}

LogicalResult KernelBuilder::store(const KernelOperand &output) {
  Type element = cast<RankedTensorType>(output.value.getType()).getElementType();
  Location loc = output.value.getLoc();
  Value value = emitted.lookup(output.value);
  auto fail = [&](const Twine &why) { return emit.fail(why), failure(); };
  bool isSum = group.sumsRows(output.value);
  if (!output.role || isSharedByRows(*output.role) != isSum)
    return fail("others use its result, which is neither a row for each row nor one number");
  if (!isStored(element))
    return fail("others use its result, whose elements of type " + textOf(element) +
                " no operand of a kernel has");
  if (isa<Float8E5M2Type>(element))
    return fail("others use its result, whose infinities a kernel's stores do not keep");
  Role role = *output.role;
  if (role == Role::row)
    value = emit.asRow(loc, value);
  else if (!isSum && isa<RankedTensorType>(value.getType()))
    return fail("its result depends on columns that it does not have");
  std::string name = "out" + std::to_string(specs.size() - inputs.size());
  specs.push_back(OperandAttr::get(b.getContext(), b.getStringAttr(name), Direction::out, role));
  Value operand =
      body.front().addArgument(memrefFor(role, element, group.space.columns()), loc);
  if (isSum)
    AccumulateOp::create(b, loc, value, operand);
  else
    StoreOp::create(b, loc, Emitter::beforeRounding(value, element), operand);
  return success();
}

KernelOp KernelBuilder::create(OpBuilder &at, StringRef name) {
  auto type = at.getFunctionType(body.getArgumentTypes(), {});
  SmallVector<Attribute> attributes(specs.begin(), specs.end());
  auto kernel = KernelOp::create(at, group.anchor->getLoc(), name, type,
                                 at.getArrayAttr(attributes), Attribute(),
                                 FlatSymbolRefAttr());
  kernel.getBody().takeBody(body);
  return kernel;
}
