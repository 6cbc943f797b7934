//===- lib/Dialect/Quack/Ops.cpp - syntax and verifiers ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembly and constraints of the row-program operations. Constraint numbers
// are those of dialects/Quack/QuackOps.td.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/Combiners.h"
#include "quack/Dialect/Quack/KernelOperands.h"
#include "quack/Dialect/Quack/RowMeaning.h"
#include "quack/Support/Dependence.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace quack;

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
  if (auto row = dyn_cast<RankedTensorType>(type)) {
    GroupsAttr groups = getGroups(row);
    return row.getRank() == 1 &&
           row.getDimSize(0) == (groups ? groups.getCount(columns) : columns) &&
           (groups || !row.getEncoding()) &&
           isComputeType(row.getElementType());
  }
  return isComputeType(type);
}

/// C6: an operation that a row program may hold.
static LogicalResult verifyBodyOp(KernelOp kernel, Operation &op) {
  bool ours = isa<QuackDialect>(op.getDialect()) && !isa<KernelOp, YieldOp>(op);
  bool elementwise = op.hasTrait<OpTrait::Elementwise>();
  bool constant = op.hasTrait<OpTrait::ConstantLike>();
  if (!ours && !elementwise && !constant)
    return op.emitOpError("must not stand in a quack.kernel: expected a quack, "
                          "constant or elementwise operation without side "
                          "effects");
  if (elementwise && failed(verifyElementwise(&op, KernelOp::getOperationName())))
    return failure();
  bool takesGroups = !isa<QuackDialect>(op.getDialect()) ||
                     isa<LoadOp, StoreOp, BroadcastOp, GroupReduceOp, GroupBroadcastOp>(op);
  auto hasGroups = [](Type type) { return bool(getGroups(type)); };
  if (!takesGroups && (llvm::any_of(op.getOperandTypes(), hasGroups) ||
                       llvm::any_of(op.getResultTypes(), hasGroups)))
    return op.emitOpError("must not work on a row with an element for each group of "
                          "columns");
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

/// C16: groups are those of the first access.
static LogicalResult verifyGroups(KernelOp kernel, BlockArgument arg) {
  OperandAttr spec = kernel.getOperandAttr(arg.getArgNumber());
  if (spec.getRole() != Role::groups)
    return success();
  GroupsAttr first;
  for (Operation *user : arg.getUsers()) {
    GroupsAttr groups;
    if (auto load = dyn_cast<LoadOp>(user))
      groups = getGroups(load.getResult().getType());
    if (auto store = dyn_cast<StoreOp>(user))
      groups = getGroups(store.getValue().getType());
    if (first && groups && groups != first)
      return kernel.emitOpError("operand '")
             << spec.getName().getValue()
             << "' must be accessed in groups of one size, got "
             << groups.getSize() << " and " << first.getSize();
    first = first ? first : groups;
  }
  if (!first)
    return kernel.emitOpError("operand '")
           << spec.getName().getValue()
           << "' has role groups and must be loaded or stored";
  return success();
}

/// C7: loads and stores agree with the directions.
static LogicalResult verifyAccesses(KernelOp kernel) {
  for (BlockArgument arg : kernel.getBody().getArguments()) {
    OperandAttr spec = kernel.getOperandAttr(arg.getArgNumber());
    unsigned loads = 0, stores = 0;
    for (Operation *user : arg.getUsers()) {
      auto scatter = dyn_cast<ScatterOp>(user);
      bool isScattered = scatter && scatter.getTarget() == arg;
      loads += isa<LoadOp>(user) || (scatter && !isScattered);
      stores += isa<StoreOp, AccumulateOp, TopKOp>(user) || isScattered;
    }
    bool isSum = isSharedByRows(spec.getRole());
    Direction direction = spec.getDirection();
    if (direction == Direction::out && loads != 0)
      return kernel.emitOpError("operand '")
             << spec.getName().getValue() << "' is out and must not be loaded";
    // Other operands are refused by the store, or the accumulate, itself.
    if (direction != Direction::in && stores != 1)
      return kernel.emitOpError("operand '")
             << spec.getName().getValue() << "' is "
             << stringifyDirection(direction) << " and must be "
             << (isSum ? "accumulated" : "stored") << " exactly once, got "
             << stores << (isSum ? " times" : " stores");
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
  for (BlockArgument arg : getBody().getArguments())
    if (failed(verifyGroups(*this, arg)))
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
  // C1
  if (spec.getRole() == Role::picks)
    return op->emitOpError("must not access operand '")
           << spec.getName().getValue()
           << "', which has role picks: quack.topk stores it, or quack.scatter "
              "loads it";
  // C2
  Type expected = value;
  auto row = dyn_cast<RankedTensorType>(value);
  if (isOneNumber(spec.getRole()) && row)
    return op->emitOpError("'")
           << what << "' must be a scalar since operand '"
           << spec.getName().getValue() << "' has role "
           << stringifyRole(spec.getRole()) << ", got " << value;
  GroupsAttr groups = getGroups(value);
  if (spec.getRole() == Role::groups && !groups)
    return op->emitOpError("'")
           << what
           << "' must have an element a group, as #quack.groups<size> says, "
           << "since operand '" << spec.getName().getValue()
           << "' has role groups, got " << value;
  if (!isOneNumber(spec.getRole())) {
    expected = RankedTensorType::get(
        {memref.getShape().back()}, getElementTypeOrSelf(value),
        spec.getRole() == Role::groups ? groups : Attribute());
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
  // C4
  if (isByteFloat(memref.getElementType()) && compute.isF64())
    return emitOpError("to ") << memref.getElementType()
                              << " must take f32, bf16 or f16, got f64; round "
                                 "it with arith.truncf";
  return success();
}

LogicalResult AccumulateOp::verify() {
  // C1
  OperandAttr spec = verifyIsSumOperand(*this, getTarget(), "target");
  if (!spec)
    return failure();
  // C2, C3
  Type value = getValue().getType();
  if (failed(verifyTransfer(*this, spec,
                            cast<MemRefType>(getTarget().getType()), value,
                            "value")))
    return failure();
  // C3
  if (Type element = getElementTypeOrSelf(value); !element.isF32())
    return emitOpError("'value' must be f32, in which sums are kept, got ")
           << element;
  return success();
}

//===----------------------------------------------------------------------===//
// max_finite
//===----------------------------------------------------------------------===//

LogicalResult MaxFiniteOp::verify() {
  // C1
  if (!verifyIsKernelOperand(*this, getOperand(), "operand"))
    return failure();
  // C2
  Type element = cast<MemRefType>(getOperand().getType()).getElementType();
  if (!isa<FloatType>(element) && !element.isInteger(8))
    return emitOpError("'operand' must hold floats or i8, got ")
           << element << ": f32 does not have its greatest number";
  return success();
}

double MaxFiniteOp::getNumber() {
  Type element = cast<MemRefType>(getOperand().getType()).getElementType();
  if (auto type = dyn_cast<FloatType>(element))
    return APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  return APInt::getSignedMaxValue(element.getIntOrFloatBitWidth())
      .signedRoundToDouble();
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

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> sources, inits;
  SmallVector<Type> types, resultTypes;
  ReduceKindAttr kind;
  if (failed(parser.parseOptionalKeyword("combine"))) {
    if (parseReduceKind(parser, kind))
      return failure();
    result.addAttribute(getKindAttrName(result.name), kind);
  }
  if (parser.parseOperandList(sources) ||
      parseIdentities(parser, getIdentitiesAttrName(result.name), result))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("init")) && parser.parseOperandList(inits))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseTypeList(types) || parser.parseArrow() ||
      parser.parseTypeList(resultTypes))
    return failure();
  // The inits have the results' types: only those are written.
  ArrayRef<Type> initTypes = resultTypes;
  if (inits.empty())
    initTypes = {};
  if (parser.resolveOperands(sources, types, loc, result.operands) ||
      parser.resolveOperands(inits, initTypes, loc, result.operands))
    return failure();
  auto &segments = result.getOrAddProperties<Properties>().operandSegmentSizes;
  segments = {static_cast<int32_t>(sources.size()), static_cast<int32_t>(inits.size())};
  result.addTypes(resultTypes);
  return parseCombiner(parser, result);
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << ' ' << (getKind() ? stringifyReduceKind(*getKind()) : "combine") << ' '
          << getSources();
  if (!getIdentities().empty())
    printer << " identity " << getIdentities();
  if (!getInits().empty())
    printer << " init " << getInits();
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getKindAttrName(), getIdentitiesAttrName(),
                                 getOperandSegmentSizesAttrName()});
  printer << " : ";
  llvm::interleaveComma(getSources().getTypes(), printer);
  printer << " -> ";
  llvm::interleaveComma(getResultTypes(), printer);
  printCombiner(printer, getCombiner());
}

/// C2
static LogicalResult verifyIsReducible(ReduceOp op, Type element) {
  if (element.isF32() || element.isInteger(32))
    return success();
  InFlightDiagnostic error =
      op.emitOpError("source must have element type f32 or i32, got ") << element;
  if (isa<FloatType>(element))
    error.attachNote() << (element.getIntOrFloatBitWidth() < 32
                               ? "widen it with arith.extf first: sums are kept in f32"
                               : "narrow it with arith.truncf first: sums are kept "
                                 "in f32");
  return error;
}

/// C4: what a slot of an exchange holds.
static constexpr size_t maxSources = 8;

LogicalResult ReduceOp::verify() {
  SmallVector<Type> elements = llvm::map_to_vector(
      getSources().getTypes(), [](Type type) { return getElementTypeOrSelf(type); });
  // C4
  size_t count = elements.size();
  bool byKind = getCombiner().empty();
  if (byKind ? !getKind() || count != 1 : getKind() || count < 1 || count > maxSources)
    return emitOpError("must have a kind and one source, or a combiner and 1 to ")
           << maxSources << " sources; got " << (getKind() ? "a kind, " : "")
           << (byKind ? "" : "a combiner, ") << count << " sources";
  if (!llvm::all_equal(llvm::map_range(getSources().getTypes(), [](Type type) {
        return cast<RankedTensorType>(type).getDimSize(0);
      })))
    return emitOpError("sources must be of one length, got ") << getSources().getTypes();
  // C1
  if (byKind && !fitsElementType(*getKind(), elements.front()))
    return emitOpError("kind ")
           << stringifyReduceKind(*getKind()) << " must not be used on "
           << elements.front()
           << ": kinds that end in f take floats, the others integers";
  for (Type element : elements)
    if (failed(verifyIsReducible(*this, element)))
      return failure();
  // C3
  if (getResultTypes() != TypeRange(elements))
    return emitOpError("result must be ") << elements << ", got " << getResultTypes();
  if (!getInits().empty() && getInits().getTypes() != TypeRange(elements))
    return emitOpError("'init' must be ")
           << elements << ", got " << getInits().getTypes();
  // C5, C6
  return byKind ? success()
                : verifyCombiner(*this, getCombiner(), getIdentities(), elements,
                                 YieldOp::getOperationName());
}

//===----------------------------------------------------------------------===//
// Passes over the row
//===----------------------------------------------------------------------===//

int64_t quack::getPassCount(Operation *op) {
  if (auto extract = dyn_cast<ExtractOp>(op))
    return mustMeet(extract) ? 1 : 0;
  if (isa<ArgMaxOp, ArgMinOp, MomentsOp>(op))
    return 2;
  return isa<ReduceOp>(op) ? 1 : 0;
}

bool quack::mustMeet(ExtractOp extract) {
  auto kernel = extract->getParentOfType<KernelOp>();
  return dependsOn(extract.getSource(), [&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    return load && isa<RankedTensorType>(load.getType()) &&
           mayBeStored(kernel.getFunctionType(), kernel.getOperandSpecs(),
                       cast<BlockArgument>(load.getSource()).getArgNumber());
  });
}
