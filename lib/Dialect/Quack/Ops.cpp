//===- lib/Dialect/Quack/Ops.cpp - syntax and verifiers ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembly and constraints of the row-program operations. Constraint numbers
// are those of dialects/Quack/QuackOps.td.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/KernelOperands.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

/// The type of `init` is the result's: only that one is written.
static ParseResult
parseInitType(OpAsmParser &parser, Type &initType, Type &resultType,
              const std::optional<OpAsmParser::UnresolvedOperand> &init) {
  if (parser.parseType(resultType))
    return failure();
  if (init)
    initType = resultType;
  return success();
}

static void printInitType(OpAsmPrinter &printer, Operation *, Type, Type resultType,
                          Value) {
  printer << resultType;
}

#define GET_OP_CLASSES
#include "dialects/Quack/QuackOps.cpp.inc"

//===----------------------------------------------------------------------===//
// kernel
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<Attribute> specs;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parseKernelOperands(parser, args, specs))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("plan"))) {
    Attribute plan;
    if (parser.parseAttribute(plan, getPlanAttrName(result.name),
                              result.attributes))
      return failure();
  }
  return parseKernelBody(parser, result, args, specs);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printKernelOperands(printer, getBody().front(), getOperandSpecs());
  if (Attribute plan = getPlanAttr())
    printer << " plan " << plan;
  printKernelBody(printer, *this, getOtherwiseAttr(), {getPlanAttrName()});
}

LogicalResult KernelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyOtherwise(*this, symbols);
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  suggestKernelOperandNames(region, getOperandSpecs(), setName);
}

int64_t KernelOp::getColumns() {
  return getKernelColumns(getFunctionType(), getOperandSpecs());
}

OperandAttr KernelOp::getOperandAttr(unsigned index) {
  return cast<OperandAttr>(getOperandSpecs()[index]);
}

BlockArgument KernelOp::lookupOperand(StringRef name) {
  for (BlockArgument arg : getBody().getArguments())
    if (getOperandAttr(arg.getArgNumber()).getName().getValue() == name)
      return arg;
  return BlockArgument();
}

LogicalResult KernelOp::verify() {
  if (failed(verifyKernelOperands(*this, getFunctionType(), getOperandSpecs())))
    return failure();
  // C10
  if (getBody().getArgumentTypes() != getFunctionType().getInputs())
    return emitOpError("body must take the kernel's operand types ")
           << getFunctionType().getInputs() << ", got "
           << getBody().getArgumentTypes();
  return success();
}

/// C14: beyond this, a thread's code takes minutes to compile and fits no cache.
static constexpr size_t maxOperations = 4096;

/// C6: what a row program may compute in.
static bool isComputeType(Type type) {
  if (type.isF32() || type.isF64() || type.isBF16() || type.isF16())
    return true;
  return type.isSignlessInteger() &&
         llvm::is_contained({1u, 8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth());
}

/// C6: a type that values of a row program may have.
static bool isRowProgramType(Type type, int64_t columns) {
  if (auto row = dyn_cast<RankedTensorType>(type))
    return row.getRank() == 1 && row.getDimSize(0) == columns &&
           !row.getEncoding() && isComputeType(row.getElementType());
  return isComputeType(type);
}

/// C6: an operation that a row program may hold.
static LogicalResult verifyBodyOp(KernelOp kernel, Operation &op) {
  bool ours = isa<LoadOp, StoreOp, ColumnsOp, BroadcastOp, ReduceOp>(op);
  bool elementwise = op.hasTrait<OpTrait::Elementwise>() &&
                     op.getNumRegions() == 0 && isMemoryEffectFree(&op);
  bool constant = op.hasTrait<OpTrait::ConstantLike>();
  if (!ours && !elementwise && !constant)
    return op.emitOpError("must not stand in a quack.kernel: expected a quack, "
                          "constant or elementwise operation without side "
                          "effects");
  int64_t columns = kernel.getColumns();
  auto verifyType = [&](Type type) -> LogicalResult {
    if (isa<MemRefType>(type) || isRowProgramType(type, columns))
      return success();
    InFlightDiagnostic error = op.emitOpError("must work on rows of the kernel's ");
    if (ShapedType::isDynamic(columns))
      error << "? columns";
    else
      error << columns << " columns";
    return error << " or on scalars, in f32, bf16, f16, f64, i1, i8, i16, i32 or "
                    "i64, got "
                 << type;
  };
  for (Type type : op.getOperandTypes())
    if (failed(verifyType(type)))
      return failure();
  for (Type type : op.getResultTypes())
    if (failed(verifyType(type)))
      return failure();
  return success();
}

/// C7: loads and stores agree with the directions.
static LogicalResult verifyAccesses(KernelOp kernel) {
  for (BlockArgument arg : kernel.getBody().getArguments()) {
    OperandAttr spec = kernel.getOperandAttr(arg.getArgNumber());
    unsigned loads = 0, stores = 0;
    for (Operation *user : arg.getUsers()) {
      loads += isa<LoadOp>(user);
      stores += isa<StoreOp>(user);
    }
    Direction direction = spec.getDirection();
    if (direction == Direction::out && loads != 0)
      return kernel.emitOpError("operand '")
             << spec.getName().getValue() << "' is out and must not be loaded";
    // A store to an `in` operand is refused by the store itself.
    if (direction != Direction::in && stores != 1)
      return kernel.emitOpError("operand '")
             << spec.getName().getValue() << "' is "
             << stringifyDirection(direction)
             << " and must be stored exactly once, got " << stores << " stores";
    if (direction == Direction::inout && loads == 0)
      return kernel.emitOpError("operand '")
             << spec.getName().getValue()
             << "' is inout and must be loaded; make it out";
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  // C14
  if (size_t size = getBody().front().getOperations().size(); size > maxOperations)
    return emitOpError("must hold at most ")
           << maxOperations << " operations, got " << size
           << ": split it into several kernels";
  for (Operation &op : getBody().front())
    if (failed(verifyBodyOp(*this, op)))
      return failure();
  return verifyAccesses(*this);
}

//===----------------------------------------------------------------------===//
// load, store
//===----------------------------------------------------------------------===//

/// Checks that `value` is a row or scalar, as the operand `memref` demands, and
/// that the conversion between both element types exists.
static LogicalResult verifyTransfer(Operation *op, OperandAttr spec,
                                    MemRefType memref, Type value,
                                    StringRef what) {
  // C2
  Type expected = value;
  auto row = dyn_cast<RankedTensorType>(value);
  if (spec.getRole() == Role::scalar && row)
    return op->emitOpError("'")
           << what << "' must be a scalar since operand '"
           << spec.getName().getValue() << "' has role scalar, got " << value;
  if (spec.getRole() != Role::scalar) {
    expected = RankedTensorType::get({memref.getShape().back()},
                                     getElementTypeOrSelf(value));
    if (expected != value)
      return op->emitOpError("'") << what << "' must be " << expected
                                  << " to match " << memref << ", got " << value;
  }
  // C3
  Type storage = memref.getElementType(), compute = getElementTypeOrSelf(value);
  if (isa<FloatType>(storage) != isa<FloatType>(compute))
    return op->emitOpError("must convert between floats or between integers, "
                           "got storage ")
           << storage << " and value " << compute;
  return success();
}

LogicalResult LoadOp::verify() {
  // C1
  OperandAttr spec = verifyIsKernelOperand(*this, getSource(), "source");
  if (!spec)
    return failure();
  auto memref = cast<MemRefType>(getSource().getType());
  if (failed(verifyTransfer(*this, spec, memref, getResult().getType(), "result")))
    return failure();
  Type compute = getElementTypeOrSelf(getResult().getType());
  if (isa<IntegerType>(compute) && compute.getIntOrFloatBitWidth() <
                                       memref.getElementTypeBitWidth())
    return emitOpError("must not narrow integers, got storage ")
           << memref.getElementType() << " and result " << compute;
  return success();
}

LogicalResult StoreOp::verify() {
  // C1
  OperandAttr spec = verifyIsWritableOperand(*this, getTarget(), "target");
  if (!spec)
    return failure();
  auto memref = cast<MemRefType>(getTarget().getType());
  if (failed(verifyTransfer(*this, spec, memref, getValue().getType(), "value")))
    return failure();
  Type compute = getElementTypeOrSelf(getValue().getType());
  if (isa<IntegerType>(compute) && compute.getIntOrFloatBitWidth() <
                                       memref.getElementTypeBitWidth())
    return emitOpError("must not widen integers, got value ")
           << compute << " and storage " << memref.getElementType()
           << "; extend it with arith.extsi or arith.extui";
  return success();
}

//===----------------------------------------------------------------------===//
// broadcast, reduce
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  // C1
  Type element = cast<RankedTensorType>(getResult().getType()).getElementType();
  if (element != getSource().getType())
    return emitOpError("result must have element type ")
           << getSource().getType() << ", got " << element;
  return success();
}

LogicalResult ReduceOp::verify() {
  Type element = cast<RankedTensorType>(getSource().getType()).getElementType();
  // C1
  if (!fitsElementType(getKind(), element))
    return emitOpError("kind ")
           << stringifyReduceKind(getKind()) << " must not be used on " << element
           << ": kinds that end in f take floats, the others integers";
  // C2
  if (!element.isF32() && !element.isInteger(32)) {
    InFlightDiagnostic error =
        emitOpError("source must have element type f32 or i32, got ") << element;
    if (isa<FloatType>(element))
      error.attachNote() << (element.getIntOrFloatBitWidth() < 32
                                 ? "widen it with arith.extf first: sums are kept in f32"
                                 : "narrow it with arith.truncf first: sums are kept "
                                   "in f32");
    return error;
  }
  // C3
  if (getResult().getType() != element)
    return emitOpError("result must be ") << element << ", got "
                                          << getResult().getType();
  if (getInit() && getInit().getType() != element)
    return emitOpError("'init' must be ") << element << ", got "
                                          << getInit().getType();
  return success();
}
