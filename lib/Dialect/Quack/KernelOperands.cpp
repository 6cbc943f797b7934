//===- lib/Dialect/Quack/KernelOperands.cpp - operand lists -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Syntax and rules of a kernel's operands, shared by both kernel operations.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/KernelOperands.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// Parses one of the keywords of an enum.
template <typename Enum>
static ParseResult parseEnumKeyword(OpAsmParser &parser, Enum &value,
                                    std::optional<Enum> (*symbolize)(StringRef),
                                    StringRef expected) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword)))
    if (std::optional<Enum> parsed = symbolize(keyword)) {
      value = *parsed;
      return success();
    }
  InFlightDiagnostic error = parser.emitError(loc, "expected ") << expected;
  if (!keyword.empty())
    error << ", got '" << keyword << "'";
  return error;
}

ParseResult quack::parsePresence(AsmParser &parser, Presence &presence,
                                 Attribute &substitute) {
  presence = Presence::required;
  if (succeeded(parser.parseOptionalKeyword("absent"))) {
    presence = Presence::absent;
    return success();
  }
  if (failed(parser.parseOptionalKeyword("optional")))
    return success();
  presence = Presence::optional;
  OptionalParseResult parsed = parser.parseOptionalAttribute(substitute);
  return parsed.has_value() ? *parsed : success();
}

void quack::printPresence(AsmPrinter &printer, OperandAttr spec) {
  if (spec.getPresence() == Presence::required)
    return;
  printer << ' ' << stringifyPresence(spec.getPresence());
  if (!spec.getSubstitute())
    return;
  printer << ' ';
  // What is no decimal number needs its type to be read back.
  auto number = dyn_cast<FloatAttr>(spec.getSubstitute());
  if (number && !number.getValue().isFinite())
    printer << spec.getSubstitute();
  else
    printer.printAttributeWithoutType(spec.getSubstitute());
}

ParseResult
quack::parseKernelOperands(OpAsmParser &parser,
                           SmallVectorImpl<OpAsmParser::Argument> &args,
                           SmallVectorImpl<Attribute> &specs) {
  auto parseOne = [&]() -> ParseResult {
    OpAsmParser::Argument &arg = args.emplace_back();
    if (parser.parseArgument(arg, /*allowType=*/true))
      return failure();
    Direction direction = Direction::in;
    Role role = Role::value;
    SMLoc loc = parser.getCurrentLocation();
    if (!isa<MemRefType>(arg.type)) {
      for (StringRef direction : {"in", "out", "inout"})
        if (succeeded(parser.parseOptionalKeyword(direction)))
          return parser.emitError(loc, "expected a direction after a memref of known "
                                       "rank only, got '")
                 << direction << "' after " << arg.type;
    } else {
      if (parseEnumKeyword<Direction>(parser, direction, symbolizeDirection,
                                      "a direction (in, out or inout)") ||
          parseEnumKeyword<Role>(
              parser, role, symbolizeRole,
              "a role (row, columns, scalar, single, groups or "
              "picks)"))
        return failure();
    }
    Presence presence = Presence::required;
    Attribute substitute;
    if (parsePresence(parser, presence, substitute))
      return failure();
    StringRef name = arg.ssaName.name.drop_front();
    specs.push_back(OperandAttr::get(parser.getContext(),
                                     parser.getBuilder().getStringAttr(name),
                                     direction, role, presence, substitute));
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne);
}

ParseResult quack::parseKernelBody(OpAsmParser &parser, OperationState &result,
                                   ArrayRef<OpAsmParser::Argument> args,
                                   ArrayRef<Attribute> specs) {
  if (succeeded(parser.parseOptionalKeyword("otherwise"))) {
    FlatSymbolRefAttr other;
    if (parser.parseAttribute(other, "otherwise", result.attributes))
      return failure();
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Builder &builder = parser.getBuilder();
  auto types = llvm::map_to_vector(
      args, [](const OpAsmParser::Argument &arg) { return arg.type; });
  result.addAttribute("function_type",
                      TypeAttr::get(builder.getFunctionType(types, {})));
  result.addAttribute("operand_specs", builder.getArrayAttr(specs));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, args))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void quack::printKernelBody(OpAsmPrinter &printer, Operation *kernel,
                            FlatSymbolRefAttr otherwise,
                            ArrayRef<StringRef> elided) {
  if (otherwise)
    printer << " otherwise " << otherwise;
  SmallVector<StringRef> names(elided);
  names.append({"sym_name", "function_type", "operand_specs", "otherwise"});
  printer.printOptionalAttrDictWithKeyword(kernel->getAttrs(), names);
  printer << ' ';
  printer.printRegion(kernel->getRegion(0), /*printEntryBlockArgs=*/false);
}

void quack::printKernelOperands(OpAsmPrinter &printer, Block &block,
                                ArrayAttr specs) {
  printer << '(';
  llvm::interleaveComma(
      llvm::zip_equal(block.getArguments(), specs.getAsRange<OperandAttr>()),
      printer, [&](auto pair) {
        auto [arg, spec] = pair;
        printer << arg << ": " << arg.getType();
        if (spec.getRole() != Role::value)
          printer << ' ' << stringifyDirection(spec.getDirection()) << ' '
                  << stringifyRole(spec.getRole());
        printPresence(printer, spec);
      });
  printer << ')';
}

void quack::suggestKernelOperandNames(Region &region, ArrayAttr specs,
                                      OpAsmSetValueNameFn setName) {
  if (region.empty() || region.getNumArguments() != specs.size())
    return;
  for (auto [arg, spec] :
       llvm::zip(region.getArguments(), specs.getAsRange<OperandAttr>()))
    setName(arg, spec.getName());
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static bool isStorageType(Type type) {
  return type.isF32() || type.isBF16() || type.isF16() || isByteFloat(type) ||
         type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

/// C1: the form of the type that `role` demands; null if `type` has it.
static const char *violatedForm(Role role, Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (role == Role::value)
    return memref || !(type.isF32() || type.isSignlessInteger(32) ||
                       type.isSignlessInteger(64))
               ? "f32, i32 or i64"
               : nullptr;
  bool identity =
      memref && memref.getLayout().isIdentity() && !memref.getMemorySpace();
  switch (role) {
  case Role::row:
    return identity && memref.getRank() == 2 && memref.isDynamicDim(0)
               ? nullptr
               : "memref<?xNxT>";
  case Role::groups:
  case Role::picks:
    return identity && memref.getRank() == 2 && memref.isDynamicDim(0)
               ? nullptr
               : "memref<?xKxT>";
  case Role::columns:
    return identity && memref.getRank() == 1 ? nullptr : "memref<NxT>";
  case Role::single:
    return identity && memref.getRank() == 0 ? nullptr : "memref<T>";
  default:
    return identity && memref.getRank() == 1 && memref.isDynamicDim(0)
               ? nullptr
               : "memref<?xT>";
  }
}

/// C1: what to do about a memref that has not the form of its role; empty if nothing
/// but another type will do.
static StringRef adviceOnForm(Role role, Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return "";
  if (role == Role::value)
    return ": a number in memory has the role single";
  if (memref.getMemorySpace())
    return ": operands lie in global memory, without a memory space";
  if (!memref.getLayout().isIdentity())
    return ": columns lie side by side, and the row stride is an argument of the "
           "launch";
  if ((role == Role::row || hasOwnColumns(role)) && memref.getRank() == 2)
    return ": the number of rows is an argument of the launch, write ?";
  if (role == Role::scalar && memref.getRank() == 1)
    return ": there is one for each row, write ?";
  return "";
}

/// C11: a name that `%name` can print, and read back unchanged.
static bool isPrintableName(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) {
           return llvm::isAlnum(c) || StringRef("$._-").contains(c);
         });
}

/// Checks one operand by itself (C1, C3, C5, C8, C11).
static LogicalResult verifyOperand(Operation *kernel, OperandAttr spec,
                                   Type type) {
  auto error = [&]() {
    return kernel->emitOpError("operand '") << spec.getName().getValue() << "' ";
  };
  // C11
  if (!isPrintableName(spec.getName()))
    return error() << "must have a name of letters, digits, '_', '$', '.' and "
                      "'-' that does not begin with a digit";
  // C1
  if (const char *form = violatedForm(spec.getRole(), type))
    return error() << "has role " << stringifyRole(spec.getRole())
                   << " and must be " << form << ", got " << type
                   << adviceOnForm(spec.getRole(), type);
  // C5
  bool isShared = isSharedByRows(spec.getRole());
  bool isLegal = spec.getDirection() == Direction::in ||
                 (isShared ? spec.getDirection() == Direction::out
                           : spec.getRole() != Role::value);
  if (!isLegal)
    return error() << "has role " << stringifyRole(spec.getRole())
                   << " and must be in" << (isShared ? " or out" : "")
                   << ", got " << stringifyDirection(spec.getDirection());
  if (hasOwnColumns(spec.getRole()) && spec.getDirection() == Direction::inout)
    return error() << "has role " << stringifyRole(spec.getRole())
                   << " and must be in or out, got inout";
  auto memref = dyn_cast<MemRefType>(type);
  // C8
  if (memref && !isStorageType(memref.getElementType()))
    return error() << "must have element type f32, bf16, f16, f8E4M3FN, "
                      "f8E5M2, i8, i32 or i64, "
                      "got "
                   << memref.getElementType();
  // C3
  bool hasColumns =
      spec.getRole() == Role::row || spec.getRole() == Role::columns;
  int64_t columns = hasColumns ? memref.getShape().back() : 1;
  if (columns == 0)
    return error() << "must have at least 1 column, got 0";
  if (!ShapedType::isDynamic(columns) && columns > maxColumns)
    return error() << "must have at most " << maxColumns << " columns, got "
                   << columns;
  return success();
}

/// C15
static LogicalResult verifyPresence(Operation *kernel, OperandAttr spec, Type type) {
  auto error = [&]() {
    return kernel->emitOpError("operand '") << spec.getName().getValue() << "' ";
  };
  Direction direction = spec.getDirection();
  Attribute substitute = spec.getSubstitute();
  if (spec.getPresence() == Presence::absent && direction != Direction::out)
    return error() << "must be out to be absent, got " << stringifyDirection(direction);
  if (spec.getPresence() == Presence::optional && direction == Direction::inout)
    return error() << "is inout and must not be optional";
  bool needs = spec.getPresence() == Presence::optional && direction == Direction::in;
  if (!needs && substitute)
    return error() << "must have no number that stands for its elements, got "
                   << substitute << ": only an optional in operand has one";
  if (!needs)
    return success();
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(type));
  bool fits = isFloat ? isa_and_nonnull<FloatAttr>(substitute)
                      : isa_and_nonnull<IntegerAttr>(substitute);
  if (fits)
    return success();
  InFlightDiagnostic diagnostic = error();
  diagnostic << "is optional and must have " << (isFloat ? "a float" : "an integer")
             << " that stands for its elements where it is absent, got ";
  return substitute ? diagnostic << substitute : diagnostic << "none";
}

/// C17
static LogicalResult verifyPicks(Operation *kernel, FunctionType type,
                                 ArrayAttr specs) {
  OperandAttr first;
  int64_t count = 0, columns = getKernelColumns(type, specs);
  for (auto [spec, input] :
       llvm::zip(specs.getAsRange<OperandAttr>(), type.getInputs())) {
    if (spec.getRole() != Role::picks)
      continue;
    auto error = [&, name = spec.getName().getValue()]() {
      return kernel->emitOpError("operand '")
             << name << "' has role picks and must ";
    };
    if (spec.getPresence() != Presence::required)
      return error() << "be there, got "
                     << stringifyPresence(spec.getPresence());
    int64_t extent = cast<MemRefType>(input).getShape().back();
    bool isStatic = !ShapedType::isDynamic(extent);
    if (isStatic && (extent < 1 || extent > maxPicks))
      return error() << "have 1 to " << maxPicks << " columns, got " << extent;
    if (isStatic && !ShapedType::isDynamic(columns) && extent > columns)
      return error() << "have at most the row's " << columns << " columns, got "
                     << extent;
    if (first && extent != count)
      return error() << "have as many columns as operand '"
                     << first.getName().getValue() << "', got " << input;
    first = spec;
    count = extent;
  }
  return success();
}

/// C12: a name that PTX and launchers can use (PTX ISA, identifiers).
static LogicalResult verifyKernelName(Operation *kernel) {
  StringRef name =
      kernel->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  bool isIdentifier =
      !name.empty() && !llvm::isDigit(name.front()) && name != "_" &&
      name != "$" && name != "WARP_SZ" &&
      llvm::all_of(name, [](char c) {
        return llvm::isAlnum(c) || c == '_' || c == '$';
      });
  if (isIdentifier)
    return success();
  return kernel->emitOpError("must have a name of letters, digits, '_' and '$' "
                             "that does not begin with a digit, got '")
         << name << "'";
}

LogicalResult quack::verifyKernelOperands(Operation *kernel, FunctionType type,
                                          ArrayAttr specs) {
  if (failed(verifyKernelName(kernel)))
    return failure();
  // C10
  if (specs.size() != type.getNumInputs() || type.getNumResults() != 0)
    return kernel->emitOpError("must have one operand entry for each of its ")
           << type.getNumInputs() << " operands and no results, got "
           << specs.size() << " entries and " << type.getNumResults()
           << " results";
  llvm::StringMap<unsigned> seen;
  std::optional<int64_t> columns;
  StringRef columnsFrom;
  bool hasRow = false;
  for (auto [spec, input] :
       llvm::zip(specs.getAsRange<OperandAttr>(), type.getInputs())) {
    if (failed(verifyOperand(kernel, spec, input)) ||
        failed(verifyPresence(kernel, spec, input)))
      return failure();
    StringRef name = spec.getName().getValue();
    // C4
    if (!seen.try_emplace(name, seen.size()).second)
      return kernel->emitOpError("operand name '")
             << name << "' must be unique, got it twice";
    if (spec.getRole() != Role::row && spec.getRole() != Role::columns)
      continue;
    hasRow |= spec.getRole() == Role::row;
    int64_t extent = cast<MemRefType>(input).getShape().back();
    // C2
    if (columns && *columns != extent) {
      auto text = [](int64_t n) {
        return ShapedType::isDynamic(n) ? std::string("?") : std::to_string(n);
      };
      return kernel->emitOpError("operand '")
             << name << "' must have the " << text(*columns)
             << " columns of operand '" << columnsFrom << "', got "
             << text(extent);
    }
    columns = extent;
    columnsFrom = name;
  }
  // C9
  if (!hasRow)
    return kernel->emitOpError("must have an operand with role row");
  return verifyPicks(kernel, type, specs);
}

int64_t quack::getKernelColumns(FunctionType type, ArrayAttr specs) {
  for (auto [spec, input] :
       llvm::zip(specs.getAsRange<OperandAttr>(), type.getInputs()))
    if (spec.getRole() == Role::row)
      return cast<MemRefType>(input).getShape().back();
  return ShapedType::kDynamic;
}

bool quack::mayShareMemory(FunctionType type, ArrayAttr specs, unsigned read,
                           unsigned written) {
  auto spec = [&](unsigned index) { return cast<OperandAttr>(specs[index]); };
  auto width = [&](unsigned index) {
    return getElementTypeOrSelf(type.getInput(index)).getIntOrFloatBitWidth();
  };
  if (read == written)
    return spec(read).getDirection() == Direction::inout;
  return spec(read).getRole() == Role::row && spec(written).getRole() == Role::row &&
         spec(written).getDirection() == Direction::out && width(read) == width(written);
}

bool quack::mayBeStored(FunctionType type, ArrayAttr specs, unsigned read) {
  return llvm::any_of(llvm::seq<unsigned>(0, specs.size()), [&](unsigned written) {
    return mayShareMemory(type, specs, read, written);
  });
}

void quack::dropAbsentOperands(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  SmallVector<Type> types;
  SmallVector<Attribute> specs;
  llvm::BitVector dropped(body.getNumArguments());
  for (BlockArgument arg : body.getArguments()) {
    OperandAttr spec = kernel.getOperandAttr(arg.getArgNumber());
    if (spec.getPresence() != Presence::absent) {
      types.push_back(arg.getType());
      specs.push_back(spec);
      continue;
    }
    for (Operation *store : llvm::make_early_inc_range(arg.getUsers()))
      store->erase();
    dropped.set(arg.getArgNumber());
  }
  if (dropped.none())
    return;
  body.eraseArguments(dropped);
  Builder builder(kernel.getContext());
  kernel.setFunctionType(builder.getFunctionType(types, {}));
  kernel.setOperandSpecsAttr(builder.getArrayAttr(specs));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

OperandAttr quack::verifyIsKernelOperand(Operation *op, Value value,
                                         StringRef what) {
  auto arg = dyn_cast<BlockArgument>(value);
  Operation *parent = op->getParentOp();
  // The kernel operation of the operation's own dialect.
  bool inKernel = parent && parent->getName().stripDialect() == "kernel" &&
                  parent->getDialect() == op->getDialect();
  auto specs = inKernel ? parent->getAttrOfType<ArrayAttr>("operand_specs")
                        : ArrayAttr();
  if (arg && specs && arg.getOwner() == op->getBlock() &&
      arg.getArgNumber() < specs.size())
    return cast<OperandAttr>(specs[arg.getArgNumber()]);
  op->emitOpError("'") << what << "' must be an operand of the kernel around it";
  return OperandAttr();
}

LogicalResult quack::verifyIsOperand(Operation *op, Value value, StringRef what,
                              Role role, Direction direction) {
  OperandAttr spec = verifyIsKernelOperand(op, value, what);
  if (!spec)
    return failure();
  if (spec.getRole() == role && spec.getDirection() == direction)
    return success();
  return op->emitOpError("'")
         << what << "' must be " << stringifyDirection(direction) << ' '
         << stringifyRole(role) << ", got operand '"
         << spec.getName().getValue() << "', "
         << stringifyDirection(spec.getDirection()) << ' '
         << stringifyRole(spec.getRole());
}

OperandAttr quack::verifyIsWritableOperand(Operation *op, Value value,
                                           StringRef what) {
  OperandAttr spec = verifyIsKernelOperand(op, value, what);
  if (!spec)
    return spec;
  StringRef name = spec.getName().getValue();
  if (spec.getDirection() == Direction::in)
    return op->emitOpError("'")
               << what << "' must be an out or inout operand, got '" << name
               << "', which is in",
           OperandAttr();
  if (isSharedByRows(spec.getRole()))
    return op->emitOpError("'")
               << what << "' must be a row or scalar operand, got '" << name
               << "' with role " << stringifyRole(spec.getRole())
               << ", which all rows share: accumulate it",
           OperandAttr();
  return spec;
}

OperandAttr quack::verifyIsSumOperand(Operation *op, Value value,
                                      StringRef what) {
  OperandAttr spec = verifyIsKernelOperand(op, value, what);
  if (!spec ||
      (spec.getDirection() == Direction::out && isSharedByRows(spec.getRole())))
    return spec;
  op->emitOpError("'")
      << what << "' must be an out operand with role columns or single, got '"
      << spec.getName().getValue() << "', which is "
      << stringifyDirection(spec.getDirection()) << " "
      << stringifyRole(spec.getRole());
  return OperandAttr();
}
