//===- lib/Dialect/Quack/Call.cpp - launching a kernel ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints and effects of quack.call.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/KernelOperands.h"

using namespace mlir;
using namespace quack;

namespace {
/// What a kernel, of either dialect, says of its operands.
struct Callee {
  FunctionType type;
  ArrayAttr specs;

  static std::optional<Callee> lookup(CallOp call, SymbolTableCollection &symbols);

  OperandAttr spec(unsigned index) const { return cast<OperandAttr>(specs[index]); }
  /// Returns the indices of the `in` operands, or of the others.
  SmallVector<unsigned> select(bool isIn) const {
    SmallVector<unsigned> indices;
    for (unsigned index = 0; index < specs.size(); ++index)
      if ((spec(index).getDirection() == Direction::in) == isIn)
        indices.push_back(index);
    return indices;
  }
};
} // namespace

std::optional<Callee> Callee::lookup(CallOp call, SymbolTableCollection &symbols) {
  Operation *kernel = symbols.lookupNearestSymbolFrom(call, call.getKernelAttr());
  if (!kernel)
    return std::nullopt;
  // A quack.kernel, or the tile program that it has become.
  auto type = kernel->getAttrOfType<TypeAttr>("function_type");
  auto specs = kernel->getAttrOfType<ArrayAttr>("operand_specs");
  if (!type || !specs || !isa<FunctionType>(type.getValue()))
    return std::nullopt;
  return Callee{cast<FunctionType>(type.getValue()), specs};
}

/// Returns whether a call's operand has the shape of a kernel operand of type `memref`,
/// whose M is `?`.
static bool fitsShape(ShapedType given, MemRefType memref) {
  if (given.getRank() != memref.getRank())
    return false;
  return llvm::all_of(llvm::zip(given.getShape(), memref.getShape()), [](auto pair) {
    auto [has, wanted] = pair;
    return has == wanted || ShapedType::isDynamic(has) || ShapedType::isDynamic(wanted);
  });
}

/// Returns whether an operand with this role has a first dimension of M.
static bool hasRows(Role role) {
  return role != Role::value && !isSharedByRows(role);
}

/// C6: whether elements of the last dimension may lie side by side.
static bool mayHaveUnitStride(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.getRank() == 0 ||
         (succeeded(type.getStridesAndOffset(strides, offset)) &&
          (strides.back() == 1 || ShapedType::isDynamic(strides.back())));
}

/// Checks one operand of the call against the kernel's operand `index` (C4, C6).
static LogicalResult verifyOperand(CallOp call, const Callee &callee, unsigned index,
                                   Type given) {
  OperandAttr spec = callee.spec(index);
  Type wanted = callee.type.getInput(index);
  auto error = [&]() {
    return call.emitOpError("operand for '")
           << spec.getName().getValue() << "' of " << call.getKernelAttr() << " ";
  };
  auto memref = dyn_cast<MemRefType>(wanted);
  auto shaped = dyn_cast<ShapedType>(given);
  bool fits = memref ? shaped && fitsShape(shaped, memref) &&
                           shaped.getElementType() == memref.getElementType()
                     : given == wanted;
  if (!fits)
    return error() << "has role " << stringifyRole(spec.getRole())
                   << " and must have the shape and elements of " << wanted << ", got "
                   << given;
  // A row's scalars, and all but the columns of a row, may lie at any distance.
  auto buffer = dyn_cast<MemRefType>(given);
  if (buffer && spec.getRole() != Role::scalar && !mayHaveUnitStride(buffer))
    return error() << "must have columns that lie side by side, got " << given;
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // C1
  std::optional<Callee> callee = Callee::lookup(*this, symbols);
  if (!callee)
    return emitOpError("must name a kernel, got ") << getKernelAttr();
  // C2
  for (OperandAttr spec : callee->specs.getAsRange<OperandAttr>())
    if (spec.getPresence() != Presence::required)
      return emitOpError("must name a kernel that has all of its operands, but '")
             << spec.getName().getValue() << "' of " << getKernelAttr() << " is "
             << stringifyPresence(spec.getPresence())
             << "; quack-specialize takes out what is";
  // C3
  SmallVector<unsigned> ins = callee->select(/*isIn=*/true),
                        others = callee->select(/*isIn=*/false);
  if (ins.size() != getInputs().size() || others.size() != getInits().size())
    return emitOpError("must have ")
           << ins.size() << " inputs and " << others.size() << " outs for "
           << getKernelAttr() << ", got " << getInputs().size() << " and "
           << getInits().size();
  // C4, C5, C6
  SmallVector<unsigned> indices(ins);
  indices.append(others);
  std::optional<int64_t> rows;
  bool hasTensors = false, hasMemRefs = false;
  for (auto [index, type] : llvm::zip_equal(indices, getOperandTypes())) {
    if (failed(verifyOperand(*this, *callee, index, type)))
      return failure();
    hasTensors |= isa<TensorType>(type);
    hasMemRefs |= isa<MemRefType>(type);
    if (!hasRows(callee->spec(index).getRole()))
      continue;
    int64_t extent = cast<ShapedType>(type).getDimSize(0);
    if (ShapedType::isDynamic(extent))
      continue;
    if (rows && *rows != extent)
      return emitOpError("must have one number of rows, got ")
             << *rows << " and, for '" << callee->spec(index).getName().getValue()
             << "', " << extent;
    rows = extent;
  }
  // C6
  if (hasTensors && hasMemRefs)
    return emitOpError("must work on tensors or on memrefs, got both");
  return success();
}

void CallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  auto add = [&](OpOperand &operand, MemoryEffects::Effect *effect) {
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(effect, &operand);
  };
  for (OpOperand &input : getInputsMutable())
    add(input, MemoryEffects::Read::get());
  // The kernel's directions say whether an init is read: here all may be.
  for (OpOperand &init : getInitsMutable()) {
    add(init, MemoryEffects::Read::get());
    add(init, MemoryEffects::Write::get());
  }
}
