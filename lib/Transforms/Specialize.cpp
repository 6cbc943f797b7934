//===- lib/Transforms/Specialize.cpp - quack-specialize ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fixes N and the storage types of generic kernels. First pass of the pipeline;
// after it a kernel is concrete but for M. Compute types are never touched.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/KernelOperands.h"
#include "quack/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#define DEBUG_TYPE "quack-specialize"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKSPECIALIZE
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

namespace {

/// The parsed `storage` option.
struct StorageTypes {
  /// For all float row and columns operands; null if not given.
  Type common;
  /// By operand name.
  llvm::MapVector<StringRef, Type> named;

  static FailureOr<StorageTypes> parse(StringRef text, Operation *op);
};

class SpecializePass : public quack::impl::QuackSpecializeBase<SpecializePass> {
public:
  using QuackSpecializeBase::QuackSpecializeBase;
  void runOnOperation() override;

private:
  LogicalResult specialize(KernelOp kernel, const StorageTypes &storage);
};

} // namespace

static Type parseStorageType(StringRef name, MLIRContext *context) {
  Builder b(context);
  return llvm::StringSwitch<Type>(name)
      .Case("f32", b.getF32Type())
      .Case("bf16", b.getBF16Type())
      .Case("f16", b.getF16Type())
      .Case("i8", b.getI8Type())
      .Case("i32", b.getI32Type())
      .Case("i64", b.getI64Type())
      .Default(Type());
}

FailureOr<StorageTypes> StorageTypes::parse(StringRef text, Operation *op) {
  StorageTypes result;
  if (text.empty())
    return result;
  for (StringRef item : llvm::split(text, ',')) {
    item = item.trim();
    auto [name, typeName] = item.split(':');
    bool isNamed = item.contains(':');
    Type type = parseStorageType(isNamed ? typeName : name, op->getContext());
    if (!type)
      return op->emitError("storage type must be f32, bf16, f16, i8, i32 or i64, "
                           "got '")
             << item << "'";
    if (isNamed ? result.named.contains(name) : bool(result.common))
      return op->emitError("storage must be given once for each operand, and once for "
                           "all others, got '")
             << item << "' in '" << text << "'";
    if (isNamed)
      result.named[name] = type;
    else if (!isa<FloatType>(type))
      return op->emitError("storage without an operand's name must be f32, bf16 "
                           "or f16, got '")
             << item << "'; write name:" << item;
    else
      result.common = type;
  }
  return result;
}

/// Returns the storage type that operand `spec` of type `memref` gets.
static Type chooseStorage(OperandAttr spec, MemRefType memref,
                          const StorageTypes &storage) {
  if (auto it = storage.named.find(spec.getName().getValue());
      it != storage.named.end())
    return it->second;
  bool isWide = spec.getRole() == Role::row || spec.getRole() == Role::columns;
  if (storage.common && isWide && isa<FloatType>(memref.getElementType()))
    return storage.common;
  return memref.getElementType();
}

/// Gives `?` columns of a row tensor the extent `columns`.
static Type withColumns(Type type, int64_t columns) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || columns == 0 || !tensor.isDynamicDim(0))
    return type;
  return RankedTensorType::get({columns}, tensor.getElementType());
}

LogicalResult SpecializePass::specialize(KernelOp kernel,
                                         const StorageTypes &storage) {
  bool isGeneric = ShapedType::isDynamic(kernel.getColumns());
  if (columns != 0 && !isGeneric && kernel.getColumns() != columns)
    return kernel.emitOpError("has ")
           << kernel.getColumns()
           << " columns and cannot be specialised to columns=" << columns.getValue()
           << ": only kernels with ? columns are generic";
  SmallVector<Type> types;
  for (BlockArgument arg : kernel.getBody().getArguments()) {
    OperandAttr spec = kernel.getOperandAttr(arg.getArgNumber());
    auto memref = dyn_cast<MemRefType>(arg.getType());
    Type type = arg.getType();
    if (memref) {
      Type element = chooseStorage(spec, memref, storage);
      if (isa<FloatType>(element) != isa<FloatType>(memref.getElementType()))
        return kernel.emitOpError("operand '")
               << spec.getName().getValue() << "' stores "
               << memref.getElementType() << " and cannot be stored as "
               << element;
      SmallVector<int64_t> shape(memref.getShape());
      bool hasColumns =
          spec.getRole() == Role::row || spec.getRole() == Role::columns;
      if (hasColumns && isGeneric && columns != 0)
        shape.back() = columns;
      type = MemRefType::get(shape, element);
    }
    arg.setType(type);
    types.push_back(type);
  }
  kernel.setFunctionType(FunctionType::get(&getContext(), types, {}));
  for (Operation &op : kernel.getBody().front())
    for (OpResult result : op.getResults())
      result.setType(withColumns(result.getType(), columns));
  return success();
}

void SpecializePass::runOnOperation() {
  ModuleOp module = getOperation();
  if (columns < 0 || columns > maxColumns) {
    module.emitError("columns must be 1 to ")
        << maxColumns << ", got " << columns.getValue();
    return signalPassFailure();
  }
  FailureOr<StorageTypes> parsed = StorageTypes::parse(storage, module);
  if (failed(parsed))
    return signalPassFailure();
  llvm::SmallDenseSet<StringRef> known;
  for (KernelOp kernel : module.getOps<KernelOp>()) {
    for (OperandAttr spec : kernel.getOperandSpecs().getAsRange<OperandAttr>())
      if (spec.getRole() != Role::value)
        known.insert(spec.getName().getValue());
    if (failed(specialize(kernel, *parsed)))
      return signalPassFailure();
  }
  for (auto &[name, type] : parsed->named)
    if (!known.contains(name)) {
      module.emitError("storage names '")
          << name << "', but no kernel has a memref operand of that name";
      return signalPassFailure();
    }
}
