//===- lib/Dialect/QuackTV/Ops.cpp - syntax and inference -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembly, builders and type inference of the tile-program operations.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/Combiners.h"
#include "quack/Dialect/QuackTV/QuackTV.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace quack::tv {

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

/// Parses a bare keyword of an enum attribute.
template <typename Enum, typename EnumAttr>
static ParseResult parseKeywordEnum(OpAsmParser &parser, EnumAttr &attr,
                                    std::optional<Enum> (*symbolize)(StringRef),
                                    StringRef expected) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Enum> value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc, "expected ")
           << expected << ", got '" << keyword << "'";
  attr = EnumAttr::get(parser.getContext(), *value);
  return success();
}

static ParseResult parseLoadPolicy(OpAsmParser &parser, LoadPolicyAttr &attr) {
  return parseKeywordEnum<LoadPolicy>(
      parser, attr, symbolizeLoadPolicy,
      "cached, no_allocate, evict_first or evict_last");
}
static void printLoadPolicy(OpAsmPrinter &printer, Operation *,
                            LoadPolicyAttr attr) {
  printer << stringifyLoadPolicy(attr.getValue());
}
static ParseResult parseStorePolicy(OpAsmParser &parser, StorePolicyAttr &attr) {
  return parseKeywordEnum<StorePolicy>(parser, attr, symbolizeStorePolicy,
                                       "write_back, streaming or skip_l1");
}
static void printStorePolicy(OpAsmPrinter &printer, Operation *,
                             StorePolicyAttr attr) {
  printer << stringifyStorePolicy(attr.getValue());
}
static ParseResult parseHold(OpAsmParser &parser, HoldAttr &attr) {
  return parseKeywordEnum<Hold>(parser, attr, symbolizeHold, "async or bulk");
}
static void printHold(OpAsmPrinter &printer, Operation *, HoldAttr attr) {
  printer << stringifyHold(attr.getValue());
}

//===----------------------------------------------------------------------===//
// kernel
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<Attribute> specs;
  PlanAttr plan;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parseKernelOperands(parser, args, specs) || parser.parseKeyword("plan") ||
      parser.parseAttribute(plan, getPlanAttrName(result.name),
                            result.attributes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("shared"))) {
    IntegerAttr bytes;
    if (parser.parseAttribute(bytes, parser.getBuilder().getI64Type(),
                              getSharedBytesAttrName(result.name),
                              result.attributes))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("workspace"))) {
    IntegerAttr bytes;
    if (parser.parseAttribute(bytes, parser.getBuilder().getI64Type(),
                              getWorkspaceAttrName(result.name),
                              result.attributes))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("next"))) {
    StringAttr next;
    if (parser.parseSymbolName(next))
      return failure();
    result.addAttribute(getNextAttrName(result.name),
                        FlatSymbolRefAttr::get(next));
  }
  return parseKernelBody(parser, result, args, specs);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printKernelOperands(printer, getBody().front(), getOperandSpecs());
  printer << " plan " << getPlan();
  if (std::optional<uint64_t> bytes = getSharedBytes())
    printer << " shared " << *bytes;
  if (std::optional<uint64_t> bytes = getWorkspace())
    printer << " workspace " << *bytes;
  if (std::optional<StringRef> next = getNext()) {
    printer << " next ";
    printer.printSymbolName(*next);
  }
  printKernelBody(printer, *this, getOtherwiseAttr(),
                  {getPlanAttrName(), getSharedBytesAttrName(),
                   getWorkspaceAttrName(), getNextAttrName()});
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  suggestKernelOperandNames(region, getOperandSpecs(), setName);
}

int64_t KernelOp::getColumns() {
  return getKernelColumns(getFunctionType(), getOperandSpecs());
}

int64_t countFixedCtas(KernelOp kernel) {
  PlanAttr plan = kernel.getPlan();
  int64_t ctas = 0;
  for (auto fold : kernel.getBody().getOps<FoldOp>())
    ctas += llvm::divideCeil(fold.getColumns(), foldColumns);
  return ctas > 0 ? ctas : plan.getPartials() * plan.getCluster();
}

bool KernelOp::isFold() { return !getBody().getOps<FoldOp>().empty(); }

OperandAttr KernelOp::getOperandAttr(unsigned index) {
  return cast<OperandAttr>(getOperandSpecs()[index]);
}

//===----------------------------------------------------------------------===//
// Inferred results
//===----------------------------------------------------------------------===//

/// Returns `tile` with the element type f32.
static RankedTensorType widenedType(Type tile) {
  auto tensor = cast<RankedTensorType>(tile);
  return tensor.clone(Float32Type::get(tile.getContext()));
}

void ReadOp::build(OpBuilder &builder, OperationState &state, Value staged,
                   int64_t pass) {
  build(builder, state, cast<StagedType>(staged.getType()).getTile(), staged,
        builder.getI64IntegerAttr(pass));
}

void WidenOp::build(OpBuilder &builder, OperationState &state, Value source,
                    int64_t pass) {
  build(builder, state, widenedType(source.getType()), source,
        builder.getI64IntegerAttr(pass));
}

/// Parses `%x ... : type` where the result type follows from the operand's.
static ParseResult parseInferred(OpAsmParser &parser, OperationState &result,
                                 function_ref<Type(Type)> infer,
                                 OpAsmParser::UnresolvedOperand operand,
                                 StringRef expected = "a tile with a quack_tv.layout") {
  Type type;
  SMLoc loc;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.getCurrentLocation(&loc) || parser.parseType(type) ||
      parser.resolveOperand(operand, type, result.operands))
    return failure();
  Type resultType = infer(type);
  if (!resultType)
    return parser.emitError(loc, "must be ") << expected << ", got " << type;
  result.addTypes(resultType);
  return success();
}

static bool isTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 2 && getLayoutAttr(type);
}

/// Parses `%x pass N`.
static ParseResult parsePass(OpAsmParser &parser, OperationState &result,
                             StringAttr name,
                             OpAsmParser::UnresolvedOperand &operand) {
  IntegerAttr pass;
  return failure(parser.parseOperand(operand) || parser.parseKeyword("pass") ||
                 parser.parseAttribute(pass, parser.getBuilder().getI64Type(),
                                       name, result.attributes));
}

/// Prints what `parsePass` and `parseInferred` take.
static void printPass(OpAsmPrinter &printer, Operation *op, uint64_t pass,
                      StringRef name) {
  printer << ' ' << op->getOperand(0) << " pass " << pass;
  printer.printOptionalAttrDict(op->getAttrs(), {name});
  printer << " : " << op->getOperand(0).getType();
}

ParseResult ReadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand operand;
  if (parsePass(parser, result, getPassAttrName(result.name), operand))
    return failure();
  return parseInferred(
      parser, result,
      [](Type type) -> Type {
        auto staged = dyn_cast<StagedType>(type);
        return staged ? staged.getTile() : Type();
      },
      operand, "a quack_tv.staged");
}

void ReadOp::print(OpAsmPrinter &printer) {
  printPass(printer, *this, getPass(), getPassAttrName());
}

ParseResult WidenOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand operand;
  if (parsePass(parser, result, getPassAttrName(result.name), operand))
    return failure();
  return parseInferred(
      parser, result,
      [](Type type) -> Type { return isTile(type) ? widenedType(type) : Type(); },
      operand);
}

void WidenOp::print(OpAsmPrinter &printer) {
  printPass(printer, *this, getPass(), getPassAttrName());
}

//===----------------------------------------------------------------------===//
// Reductions and their steps
//===----------------------------------------------------------------------===//

/// Returns the type that a step leaves of `tile`. A cluster step consumes the
/// warps too, where they are still there.
template <typename StepOp>
static RankedTensorType stepResultType(RankedTensorType tile) {
  if (std::is_same_v<StepOp, ReduceOp>)
    return getRowScalarType(tile);
  if (std::is_same_v<StepOp, ThreadReduceOp>)
    return reduceTileType(tile, Level::Value);
  if (std::is_same_v<StepOp, WarpReduceOp>)
    return reduceTileType(tile, Level::Lane);
  if (std::is_same_v<StepOp, GridReduceOp>)
    return reduceTileType(tile, Level::Slice);
  RankedTensorType joined = reduceTileType(tile, Level::Warp);
  return std::is_same_v<StepOp, BlockReduceOp>
             ? joined
             : reduceTileType(joined, Level::Cta);
}

/// Parses `combine` or a list of kinds.
static ParseResult parseKinds(OpAsmParser &parser, ArrayAttr &kinds) {
  SmallVector<Attribute> list;
  if (failed(parser.parseOptionalKeyword("combine"))) {
    if (parser.parseCommaSeparatedList([&]() -> ParseResult {
          ReduceKindAttr kind;
          if (parseReduceKind(parser, kind))
            return failure();
          list.push_back(kind);
          return success();
        }))
      return failure();
  }
  kinds = parser.getBuilder().getArrayAttr(list);
  return success();
}

static void printKinds(OpAsmPrinter &printer, ArrayAttr kinds) {
  if (kinds.empty())
    printer << " combine";
  else
    printer << ' ';
  llvm::interleaveComma(kinds.getAsRange<ReduceKindAttr>(), printer,
                        [&](ReduceKindAttr kind) {
                          printer << stringifyReduceKind(kind.getValue());
                        });
}

static void printTail(OpAsmPrinter &printer, Operation *op, ArrayAttr identities,
                      ArrayRef<StringRef> elided) {
  if (!identities.empty())
    printer << " identity " << identities;
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  printer << " : ";
}

template <typename StepOp>
static ParseResult parseStep(OpAsmParser &parser, OperationState &result) {
  ArrayAttr kinds;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  if (parseKinds(parser, kinds) || parser.parseOperandList(operands) ||
      parseIdentities(parser, StepOp::getIdentitiesAttrName(result.name), result) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseTypeList(types) ||
      parser.resolveOperands(operands, types, loc, result.operands))
    return failure();
  result.addAttribute(StepOp::getKindsAttrName(result.name), kinds);
  for (Type type : types) {
    if (!isTile(type))
      return parser.emitError(loc, "must be tiles with a quack_tv.layout, got ")
             << type;
    result.addTypes(stepResultType<StepOp>(cast<RankedTensorType>(type)));
  }
  return parseCombiner(parser, result);
}

template <typename StepOp>
static void printStep(OpAsmPrinter &printer, StepOp op) {
  printKinds(printer, op.getKinds());
  printer << ' ' << op.getSources();
  printTail(printer, op, op.getIdentities(),
            {op.getKindsAttrName(), op.getIdentitiesAttrName()});
  llvm::interleaveComma(op.getSources().getTypes(), printer);
  printCombiner(printer, op.getCombiner());
}

template <typename StepOp>
static void buildStep(OpBuilder &builder, OperationState &state, ArrayAttr kinds,
                      ArrayAttr identities, ValueRange sources) {
  state.addOperands(sources);
  state.addAttribute(StepOp::getKindsAttrName(state.name), kinds);
  state.addAttribute(StepOp::getIdentitiesAttrName(state.name), identities);
  for (Type type : sources.getTypes())
    state.addTypes(stepResultType<StepOp>(cast<RankedTensorType>(type)));
  state.addRegion();
}

static ArrayAttr kindsAttr(Builder &builder, ArrayRef<ReduceKind> kinds) {
  return builder.getArrayAttr(
      llvm::map_to_vector(kinds, [&](ReduceKind kind) -> Attribute {
        return ReduceKindAttr::get(builder.getContext(), kind);
      }));
}

#define QUACK_TV_STEP(OP)                                                      \
  ParseResult OP::parse(OpAsmParser &parser, OperationState &result) {         \
    return parseStep<OP>(parser, result);                                      \
  }                                                                            \
  void OP::print(OpAsmPrinter &printer) { printStep(printer, *this); }         \
  void OP::build(OpBuilder &builder, OperationState &state,                    \
                 ArrayRef<ReduceKind> kinds, ValueRange sources) {             \
    buildStep<OP>(builder, state, kindsAttr(builder, kinds),                   \
                  builder.getArrayAttr({}), sources);                          \
  }                                                                            \
  void OP::build(OpBuilder &builder, OperationState &state, ArrayAttr kinds,   \
                 ArrayAttr identities, ValueRange sources) {                   \
    buildStep<OP>(builder, state, kinds, identities, sources);                 \
  }

QUACK_TV_STEP(ReduceOp)
QUACK_TV_STEP(ThreadReduceOp)
QUACK_TV_STEP(WarpReduceOp)
QUACK_TV_STEP(BlockReduceOp)
QUACK_TV_STEP(ClusterReduceOp)
QUACK_TV_STEP(GridReduceOp)
#undef QUACK_TV_STEP

//===----------------------------------------------------------------------===//
// collect
//===----------------------------------------------------------------------===//

ParseResult CollectOp::parse(OpAsmParser &parser, OperationState &result) {
  ArrayAttr kinds;
  OpAsmParser::UnresolvedOperand buffer;
  SmallVector<OpAsmParser::UnresolvedOperand> partials;
  SmallVector<Type> types;
  Type bufferType = ExchangeBufferType::get(parser.getContext());
  if (parseKinds(parser, kinds) || parser.parseOperand(buffer) ||
      parser.parseComma() || parser.parseOperandList(partials) ||
      parseIdentities(parser, getIdentitiesAttrName(result.name), result) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseTypeList(types) || parser.parseArrow() ||
      parser.parseTypeList(result.types) ||
      parser.resolveOperand(buffer, bufferType, result.operands) ||
      parser.resolveOperands(partials, types, loc, result.operands))
    return failure();
  result.addAttribute(getKindsAttrName(result.name), kinds);
  return parseCombiner(parser, result);
}

void CollectOp::print(OpAsmPrinter &printer) {
  printKinds(printer, getKinds());
  printer << ' ' << getBuffer() << ", " << getPartials();
  printTail(printer, *this, getIdentities(),
            {getKindsAttrName(), getIdentitiesAttrName()});
  llvm::interleaveComma(getPartials().getTypes(), printer);
  printer << " -> ";
  llvm::interleaveComma(getResultTypes(), printer);
  printCombiner(printer, getCombiner());
}

//===----------------------------------------------------------------------===//
// merge
//===----------------------------------------------------------------------===//

ParseResult MergeOp::parse(OpAsmParser &parser, OperationState &result) {
  ArrayAttr kinds;
  IntegerAttr slices, offset;
  Type i64 = parser.getBuilder().getI64Type();
  if (parseKinds(parser, kinds) || parser.parseKeyword("of") ||
      parser.parseAttribute(slices, i64, getSlicesAttrName(result.name),
                            result.attributes) ||
      parser.parseKeyword("at") ||
      parser.parseAttribute(offset, i64, getOffsetAttrName(result.name),
                            result.attributes) ||
      parseIdentities(parser, getIdentitiesAttrName(result.name), result) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonTypeList(result.types))
    return failure();
  result.addAttribute(getKindsAttrName(result.name), kinds);
  return parseCombiner(parser, result);
}

void MergeOp::print(OpAsmPrinter &printer) {
  printKinds(printer, getKinds());
  printer << " of " << getSlices() << " at " << getOffset();
  printTail(printer, *this, getIdentities(),
            {getKindsAttrName(), getIdentitiesAttrName(), getSlicesAttrName(),
             getOffsetAttrName()});
  llvm::interleaveComma(getResultTypes(), printer);
  printCombiner(printer, getCombiner());
}

} // namespace quack::tv

#define GET_OP_CLASSES
#include "dialects/QuackTV/QuackTVOps.cpp.inc"
