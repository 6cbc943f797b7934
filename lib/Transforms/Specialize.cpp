//===- lib/Transforms/Specialize.cpp - quack-specialize ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fixes N, groups and the storage types of generic kernels. Early in the pipeline:
// after it a kernel is concrete but for M. Compute types are never touched.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/KernelOperands.h"
#include "quack/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/BitVector.h"
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
  /// For all float row and columns operands but those of 8 bits, whose numbers
  /// are scaled to their range; null if not given.
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
  /// Gives the groups of columns of `kernel` the size of `wanted`, and says in
  /// `hasGroups` if there are any.
  LogicalResult regroup(KernelOp kernel, GroupsAttr wanted, bool &hasGroups);
  /// Takes out optional operands that nobody names.
  LogicalResult takeOut(KernelOp kernel, const StorageTypes &storage);
  LogicalResult specialize(KernelOp kernel, const StorageTypes &storage);
  /// Sets the columns of an operand with role picks.
  LogicalResult choosePicks(KernelOp kernel, OperandAttr spec, int64_t &count);
};

} // namespace

static Type parseStorageType(StringRef name, MLIRContext *context) {
  Builder b(context);
  return llvm::StringSwitch<Type>(name)
      .Case("f32", b.getF32Type())
      .Case("bf16", b.getBF16Type())
      .Case("f16", b.getF16Type())
      .Case("f8E4M3FN", b.getType<Float8E4M3FNType>())
      .Case("f8E5M2", b.getType<Float8E5M2Type>())
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
      return op->emitError("storage type must be f32, bf16, f16, f8E4M3FN, "
                           "f8E5M2, i8, i32 or i64, "
                           "got '")
             << item << "'";
    if (isNamed ? result.named.contains(name) : bool(result.common))
      return op->emitError("storage must be given once for each operand, and once for "
                           "all others, got '")
             << item << "' in '" << text << "'";
    if (isNamed)
      result.named[name] = type;
    else if (!isa<FloatType>(type))
      return op->emitError(
                 "storage without an operand's name must be f32, bf16, "
                 "f16, f8E4M3FN or f8E5M2, got '")
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
  bool isWide = spec.getRole() == Role::row ||
                spec.getRole() == Role::columns ||
                spec.getRole() == Role::picks;
  if (storage.common && isWide && isa<FloatType>(memref.getElementType()) &&
      !isByteFloat(memref.getElementType()))
    return storage.common;
  return memref.getElementType();
}

/// Gives `?` columns of a row tensor the extent `columns`.
static Type withColumns(Type type, int64_t columns) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || columns == 0 || !tensor.isDynamicDim(0))
    return type;
  GroupsAttr groups = getGroups(type);
  return RankedTensorType::get({groups ? groups.getCount(columns) : columns},
                               tensor.getElementType(), tensor.getEncoding());
}

LogicalResult SpecializePass::regroup(KernelOp kernel, GroupsAttr wanted,
                                      bool &hasGroups) {
  GroupsAttr first;
  for (Operation &op : kernel.getBody().front())
    for (OpResult result : op.getResults()) {
      GroupsAttr has = getGroups(result.getType());
      if (!has)
        continue;
      if (!ShapedType::isDynamic(kernel.getColumns()))
        return kernel.emitOpError("has ")
               << kernel.getColumns()
               << " columns and cannot be specialised to groups=" << wanted.getSize()
               << ": only kernels with ? columns are generic";
      first = first ? first : has;
      if (has != first)
        return kernel.emitOpError("has groups of ")
               << first.getSize() << " and of " << has.getSize()
               << " columns and cannot be specialised to groups=" << wanted.getSize()
               << ": only kernels with groups of one size are generic";
      auto row = cast<RankedTensorType>(result.getType());
      result.setType(
          RankedTensorType::get(row.getShape(), row.getElementType(), wanted));
      hasGroups = true;
    }
  return success();
}

/// Returns the columns of an operand in a kernel of `columns` columns; 0:
/// unchanged.
static int64_t columnsOf(BlockArgument arg, Role role, int64_t columns) {
  if (role == Role::row || role == Role::columns)
    return columns;
  if (role != Role::groups || columns == 0)
    return 0;
  // The kernel's verifier has seen an access.
  for (Operation *user : arg.getUsers())
    for (Type type :
         {user->getOperand(0).getType(),
          user->getNumResults() ? user->getResult(0).getType() : Type()})
      if (GroupsAttr groups = type ? getGroups(type) : GroupsAttr())
        return groups.getCount(columns);
  return 0;
}

/// Makes what `store` rounds to a float of 8 bits an integer of 8 bits: the nearest, half
/// to even, from -127 to 127; 0 for NaN.
static void storeAsInteger(StoreOp store) {
  OpBuilder b(store);
  Location loc = store.getLoc();
  Value value = store.getValue();
  Type type = value.getType();
  auto limit = [&](double number) -> Value {
    Type element = getElementTypeOrSelf(type);
    Value scalar =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(element, number));
    return isa<RankedTensorType>(type) ? BroadcastOp::create(b, loc, type, scalar)
                                       : scalar;
  };
  value = math::RoundEvenOp::create(b, loc, value);
  value = arith::MinimumFOp::create(b, loc, value, limit(127));
  value = arith::MaximumFOp::create(b, loc, value, limit(-127));
  Type integer = b.getI8Type();
  if (auto row = dyn_cast<RankedTensorType>(type))
    integer = row.clone(integer);
  store.getValueMutable().assign(
      arith::FPToSIOp::create(b, loc, integer, value).getResult());
}

/// Puts the number that stands for an absent `in` operand in the place of its elements.
static void substitute(KernelOp kernel, BlockArgument arg) {
  OperandAttr spec = kernel.getOperandAttr(arg.getArgNumber());
  auto constant = [&](OpBuilder &b, Location loc, Type type) -> Value {
    Attribute number = spec.getSubstitute();
    TypedAttr value = b.getZeroAttr(type);
    if (auto real = dyn_cast<FloatAttr>(number))
      value = b.getFloatAttr(type, real.getValueAsDouble());
    else
      value = b.getIntegerAttr(type, cast<IntegerAttr>(number).getInt());
    return arith::ConstantOp::create(b, loc, value);
  };
  if (!isa<MemRefType>(arg.getType())) {
    OpBuilder b = OpBuilder::atBlockBegin(arg.getOwner());
    return arg.replaceAllUsesWith(constant(b, arg.getLoc(), arg.getType()));
  }
  for (Operation *user : llvm::make_early_inc_range(arg.getUsers())) {
    OpBuilder b(user);
    Type type = user->getResult(0).getType();
    Value value = constant(b, user->getLoc(), getElementTypeOrSelf(type));
    if (isa<RankedTensorType>(type))
      value = BroadcastOp::create(b, user->getLoc(), type, value);
    user->replaceAllUsesWith(ValueRange(value));
    user->erase();
  }
}

/// Returns what x * y + z is where a factor is 1, or z is -0: one operation, or none.
static Value simplify(OpBuilder &b, math::FmaOp fma) {
  Value x = fma.getA(), y = fma.getB(), z = fma.getC();
  if (matchPattern(z, m_NegZeroFloat()))
    return b.createOrFold<arith::MulFOp>(fma.getLoc(), x, y);
  if (matchPattern(x, m_OneFloat()))
    std::swap(x, y);
  if (matchPattern(y, m_OneFloat()))
    return b.createOrFold<arith::AddFOp>(fma.getLoc(), x, z);
  return Value();
}

/// Folds what absent operands make trivial (x * 1, x + -0, a choice that is made), so
/// that nobody counts it, and erases what has no use then.
static void fold(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  OpBuilder b(kernel.getContext());
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (op.getNumResults() != 1 || op.hasTrait<OpTrait::ConstantLike>())
      continue;
    b.setInsertionPoint(&op);
    SmallVector<Value> folded;
    auto fma = dyn_cast<math::FmaOp>(op);
    if (Value simple = fma ? simplify(b, fma) : Value())
      op.replaceAllUsesWith(ValueRange(simple));
    else if (succeeded(b.tryFold(&op, folded)) && folded.size() == 1)
      op.replaceAllUsesWith(folded);
    else if (auto broadcast = dyn_cast<BroadcastOp>(op))
      if (Attribute value; matchPattern(broadcast.getSource(), m_Constant(&value)))
        if (auto row = cast<RankedTensorType>(broadcast.getType()); row.hasStaticShape())
          broadcast.replaceAllUsesWith(
              arith::ConstantOp::create(b, op.getLoc(), DenseElementsAttr::get(row, value))
                  .getResult());
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

LogicalResult SpecializePass::takeOut(KernelOp kernel, const StorageTypes &storage) {
  SmallVector<Attribute> specs;
  SmallVector<Type> types;
  llvm::BitVector absent(kernel.getBody().getNumArguments());
  for (BlockArgument arg : kernel.getBody().getArguments()) {
    OperandAttr spec = kernel.getOperandAttr(arg.getArgNumber());
    if (spec.getPresence() != Presence::optional) {
      specs.push_back(spec);
      types.push_back(arg.getType());
      continue;
    }
    auto named = storage.named.find(spec.getName().getValue());
    bool isThere = named != storage.named.end();
    if (isThere && spec.getRole() == Role::value && named->second != arg.getType())
      return kernel.emitOpError("operand '")
             << spec.getName().getValue() << "' is " << arg.getType()
             << " and cannot be passed as " << named->second;
    if (!isThere && spec.getDirection() == Direction::in) {
      substitute(kernel, arg);
      absent.set(arg.getArgNumber());
      continue;
    }
    // An output that is absent is planned for, so that the others have the same bits.
    spec = OperandAttr::get(&getContext(), spec.getName(), spec.getDirection(),
                            spec.getRole(),
                            isThere ? Presence::required : Presence::absent, Attribute());
    specs.push_back(spec);
    types.push_back(arg.getType());
  }
  if (absent.any())
    fold(kernel);
  kernel.getBody().front().eraseArguments(absent);
  kernel.setOperandSpecsAttr(ArrayAttr::get(&getContext(), specs));
  kernel.setFunctionType(FunctionType::get(&getContext(), types, {}));
  return success();
}

LogicalResult SpecializePass::choosePicks(KernelOp kernel, OperandAttr spec,
                                          int64_t &count) {
  bool isGeneric = ShapedType::isDynamic(count);
  if (picks != 0 && !isGeneric && count != picks)
    return kernel.emitOpError("operand '")
           << spec.getName().getValue() << "' has " << count
           << " columns and cannot be specialised to picks=" << picks.getValue()
           << ": only ? columns are generic";
  if (picks == 0 && isGeneric && columns != 0)
    return kernel.emitOpError("operand '")
           << spec.getName().getValue()
           << "' has ? columns, as many as elements of a row are picked: say "
              "how many, "
              "picks=K";
  if (picks != 0)
    count = picks;
  return success();
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
  SmallVector<Operation *> quantised;
  for (BlockArgument arg : kernel.getBody().getArguments()) {
    OperandAttr spec = kernel.getOperandAttr(arg.getArgNumber());
    auto memref = dyn_cast<MemRefType>(arg.getType());
    Type type = arg.getType();
    if (memref) {
      Type element = chooseStorage(spec, memref, storage);
      bool isQuantised = spec.getDirection() == Direction::out &&
                         isByteFloat(memref.getElementType()) &&
                         element.isInteger(8);
      if (isQuantised)
        llvm::append_range(quantised, arg.getUsers());
      else if (isa<FloatType>(element) != isa<FloatType>(memref.getElementType()))
        return kernel.emitOpError("operand '")
               << spec.getName().getValue() << "' stores "
               << memref.getElementType() << " and cannot be stored as "
               << element;
      SmallVector<int64_t> shape(memref.getShape());
      if (spec.getRole() == Role::picks)
        if (failed(choosePicks(kernel, spec, shape.back())))
          return failure();
      if (int64_t count = columnsOf(arg, spec.getRole(), columns);
          count != 0 && isGeneric)
        shape.back() = count;
      type = MemRefType::get(shape, element);
    }
    arg.setType(type);
    types.push_back(type);
  }
  kernel.setFunctionType(FunctionType::get(&getContext(), types, {}));
  for (Operation *user : quantised)
    if (auto store = dyn_cast<StoreOp>(user))
      storeAsInteger(store);
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
  if (picks < 0 || picks > maxPicks) {
    module.emitError("picks must be 1 to ")
        << maxPicks << ", got " << picks.getValue();
    return signalPassFailure();
  }
  GroupsAttr wanted;
  if (groups != 0) {
    wanted = GroupsAttr::getChecked([&] { return module.emitError(); }, &getContext(),
                                    groups.getValue());
    if (!wanted)
      return signalPassFailure();
  }
  bool hasGroups = false;
  llvm::SmallDenseSet<StringRef> known;
  for (KernelOp kernel : module.getOps<KernelOp>()) {
    for (OperandAttr spec : kernel.getOperandSpecs().getAsRange<OperandAttr>())
      if (spec.getRole() != Role::value || spec.getPresence() != Presence::required)
        known.insert(spec.getName().getValue());
    if ((wanted && failed(regroup(kernel, wanted, hasGroups))) ||
        failed(specialize(kernel, *parsed)) || failed(takeOut(kernel, *parsed)))
      return signalPassFailure();
  }
  bool hasPicks = llvm::any_of(module.getOps<KernelOp>(), [](KernelOp kernel) {
    return llvm::any_of(
        kernel.getOperandSpecs().getAsRange<OperandAttr>(),
        [](OperandAttr spec) { return spec.getRole() == Role::picks; });
  });
  if (picks != 0 && !hasPicks) {
    module.emitError(
        "picks are given, but no kernel has an operand with role picks");
    return signalPassFailure();
  }
  if (wanted && !hasGroups) {
    module.emitError("groups are given, but no kernel has groups of columns");
    return signalPassFailure();
  }
  for (auto &[name, type] : parsed->named)
    if (!known.contains(name)) {
      module.emitError("storage names '")
          << name << "', but no kernel has a memref or optional operand of that name";
      return signalPassFailure();
    }
}
