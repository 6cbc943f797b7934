//===- lib/Raise/Emitter.cpp - from scalars to rows -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "quack/Dialect/Quack/KernelOperands.h"
#include "quack/Dialect/Quack/RowMeaning.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace quack;
using namespace quack::raise;

std::string raise::textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static bool isHalf(Type type) { return type.isBF16() || type.isF16(); }

Type Emitter::heldType(Type type) {
  if (type.isF32() || isHalf(type) || isByteFloat(type))
    return Float32Type::get(type.getContext());
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  bool isKnown = type.isSignlessInteger() &&
                 llvm::is_contained({1u, 8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth());
  return isKnown ? type : Type();
}

/// Returns `element`, or a row of it if `like` is a row.
static Type shapedLike(Value like, Type element) {
  auto row = dyn_cast<RankedTensorType>(like.getType());
  return row ? Type(row.clone(element)) : element;
}

//===----------------------------------------------------------------------===//
// Rows, constants, integers
//===----------------------------------------------------------------------===//

Value Emitter::asRow(Location loc, Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return value;
  Value &row = rows[value];
  if (row)
    return row;
  RankedTensorType type = rowOf(value.getType());
  Attribute number;
  if (!ShapedType::isDynamic(columns) && matchPattern(value, m_Constant(&number)))
    row = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, number));
  else
    row = BroadcastOp::create(b, loc, type, value);
  return row;
}

Value Emitter::constant(Location loc, Attribute value, Type type) {
  Type held = heldType(type);
  if (auto number = dyn_cast<FloatAttr>(value); number && held) {
    APFloat exact = number.getValue();
    bool losesInfo;
    exact.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(exact.convertToFloat()));
  }
  if (auto number = dyn_cast<IntegerAttr>(value); number && held)
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(held, number.getValue()));
  return fail("it has a constant that kernels cannot have");
}

Value Emitter::columnNumbers(Location loc) {
  Value numbers = IndexOp::create(b, loc, rowOf(b.getI32Type()));
  return resized(loc, numbers, b.getI64Type());
}

Value Emitter::resized(Location loc, Value value, Type type, bool isSigned) {
  unsigned has = getElementTypeOrSelf(value).getIntOrFloatBitWidth(),
           wanted = type.getIntOrFloatBitWidth();
  Type shaped = shapedLike(value, type);
  if (has == wanted)
    return value;
  if (has > wanted)
    return b.createOrFold<arith::TruncIOp>(loc, shaped, value);
  return isSigned ? b.createOrFold<arith::ExtSIOp>(loc, shaped, value)
                  : b.createOrFold<arith::ExtUIOp>(loc, shaped, value);
}

//===----------------------------------------------------------------------===//
// Floats that are narrower than f32
//===----------------------------------------------------------------------===//

Value Emitter::rounded(Location loc, Value value, Type type) {
  if (!isHalf(type))
    return value;
  Value narrow = arith::TruncFOp::create(b, loc, shapedLike(value, type), value);
  return arith::ExtFOp::create(b, loc, value.getType(), narrow);
}

Value Emitter::beforeRounding(Value value, Type type) {
  auto widened = value.getDefiningOp<arith::ExtFOp>();
  auto narrowed =
      widened ? widened.getIn().getDefiningOp<arith::TruncFOp>() : arith::TruncFOp();
  bool isSame = narrowed && getElementTypeOrSelf(narrowed.getType()) == type;
  return isSame ? narrowed.getIn() : value;
}

/// The greatest number that is rounded to 448, the greatest of f8E4M3FN: half way to what
/// would be the next one, 480, and to even.
static constexpr float lastBelowNaN = 464;

Value Emitter::toByteFloat(Location loc, Value value, Type type) {
  // What is out of range becomes NaN in arith, but saturates in a store.
  if (!isa<Float8E4M3FNType>(type))
    return fail("it rounds to f8E5M2, which has infinities where a kernel's stores "
                "saturate");
  auto like = [&](float number) {
    Value scalar = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(number));
    return isa<RankedTensorType>(value.getType()) ? asRow(loc, scalar) : scalar;
  };
  Value size = math::AbsFOp::create(b, loc, value);
  Value isOut = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, size,
                                      like(lastBelowNaN));
  Value nan = like(std::numeric_limits<float>::quiet_NaN());
  Value result = arith::SelectOp::create(b, loc, isOut, nan, value);
  unrounded.insert(result);
  return result;
}

Value Emitter::convertFloat(Operation *op, Value value) {
  Type to = op->getResult(0).getType();
  if (isa<arith::ExtFOp>(op))
    return value;
  auto truncate = cast<arith::TruncFOp>(op);
  if (truncate.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
      arith::RoundingMode::to_nearest_even)
    return fail("it rounds in a mode that kernels do not have");
  return isByteFloat(to) ? toByteFloat(op->getLoc(), value, to)
                         : rounded(op->getLoc(), value, to);
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

/// Returns whether the lowering of kernels knows `op`.
static bool isLowered(Operation *op) {
  if (isa<arith::ArithDialect>(op->getDialect()))
    return !isa<arith::RemFOp>(op);
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CosOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp,
             math::ErfOp, math::ExpOp, math::Exp2Op, math::ExpM1Op, math::FloorOp,
             math::FmaOp, math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::LogOp,
             math::Log10Op, math::Log1pOp, math::Log2Op, math::RoundOp, math::RoundEvenOp,
             math::RsqrtOp, math::SinOp, math::SqrtOp, math::TanhOp, math::TruncOp>(op);
}

/// Returns whether `op` gives, of numbers of a narrow type, only such numbers.
static bool staysNarrow(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
             arith::NegFOp, arith::SelectOp, math::AbsFOp, math::CopySignOp, math::FloorOp,
             math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(op);
}

/// Returns why `op` must not be computed in f32 instead of the type that it has; empty if
/// it may be. Sums, products, quotients and roots of f32 have digits enough that a second
/// rounding changes nothing.
static StringRef violatedWidening(Operation *op) {
  auto isNarrow = [](Type type) { return isHalf(type) || isByteFloat(type); };
  if (llvm::none_of(op->getOperandTypes(), isNarrow) &&
      llvm::none_of(op->getResultTypes(), isNarrow))
    return isa<arith::BitcastOp>(op) && op->getOperand(0).getType().getIntOrFloatBitWidth() != 32
               ? "it reads the bits of a number that is not held in 32 bits"
               : "";
  if (isa<arith::BitcastOp>(op))
    return "it reads the bits of a number that is not held in 32 bits";
  if (isa<math::FmaOp>(op))
    return "it multiplies and adds with one rounding to a narrow type";
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) &&
      op->getOperand(0).getType().getIntOrFloatBitWidth() > 16)
    return "it rounds an integer to a narrow type at once";
  return "";
}

Value Emitter::clone(Operation *op, ValueRange operands) {
  bool hasRow = llvm::any_of(operands.getTypes(), llvm::IsaPred<RankedTensorType>);
  SmallVector<Value> inputs;
  for (Value operand : operands)
    inputs.push_back(hasRow ? asRow(op->getLoc(), operand) : operand);
  Type held = heldType(op->getResult(0).getType());
  Operation *copy = b.clone(*op);
  copy->setOperands(inputs);
  copy->getResult(0).setType(hasRow ? Type(rowOf(held)) : held);
  // What the program allows to be inexact is computed exactly.
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(copy))
    copy->setAttr(fast.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(b.getContext(), arith::FastMathFlags::none));
  SmallVector<Value> folded;
  if (succeeded(b.tryFold(copy, folded)) && folded.size() == 1 &&
      folded.front() != copy->getResult(0)) {
    copy->erase();
    return folded.front();
  }
  return copy->getResult(0);
}

Value Emitter::emitMeaning(Operation *op, ValueRange operands) {
  // Of scalars first, in the types of the program: what is rounded is decided then, as for
  // operations that the program had itself.
  Block scalars;
  SmallVector<Location> places(op->getNumOperands(), op->getLoc());
  scalars.addArguments(op->getOperandTypes(), places);
  OpBuilder inner(op->getContext());
  inner.setInsertionPointToEnd(&scalars);
  std::string why;
  FailureOr<SmallVector<Value>> meaning = failure();
  {
    // What is wrong with it is no error: the program stays as it is.
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diagnostic) {
      if (why.empty())
        why = diagnostic.str();
      return success();
    });
    meaning =
        expandMeaning(cast<RowMeaningOpInterface>(op), inner, scalars.getArguments());
  }
  if (failed(meaning))
    return fail(why);
  llvm::DenseMap<Value, Value> emitted;
  for (auto [argument, operand] : llvm::zip_equal(scalars.getArguments(), operands))
    emitted[argument] = operand;
  for (Operation &part : scalars) {
    SmallVector<Value> inputs = llvm::map_to_vector(
        part.getOperands(), [&](Value value) { return emitted.lookup(value); });
    Attribute number;
    Value value = matchPattern(&part, m_Constant(&number))
                      ? constant(op->getLoc(), number, part.getResult(0).getType())
                      : elementwise(&part, inputs);
    if (!value)
      return value;
    emitted[part.getResult(0)] = value;
  }
  return emitted.lookup(meaning->front());
}

Value Emitter::elementwise(Operation *op, ValueRange operands) {
  auto name = [&]() { return op->getName().getStringRef(); };
  bool isElementwise = op->hasTrait<OpTrait::Elementwise>() && op->getNumRegions() == 0 &&
                       op->getNumResults() == 1 && isMemoryEffectFree(op);
  if (isElementwise && isa<RowMeaningOpInterface>(op))
    return emitMeaning(op, operands);
  bool isIndexCast = isa<arith::IndexCastOp, arith::IndexCastUIOp>(op);
  if (!isElementwise || !isLowered(op))
    return fail("it computes " + name() + ", which kernels cannot");
  SmallVector<Type> types(op->getOperandTypes());
  types.push_back(op->getResult(0).getType());
  for (Type type : types)
    if (!heldType(type))
      return fail("it computes in " + textOf(type) + ", which kernels cannot");
  if (llvm::any_of(operands, [&](Value value) { return isUnrounded(value); }))
    return fail("it computes with floats of 8 bits that the group rounds");
  if (StringRef why = violatedWidening(op); !why.empty())
    return fail(why);
  Location loc = op->getLoc();
  Type result = op->getResult(0).getType();
  if (isIndexCast)
    return resized(loc, operands[0], heldType(result), isa<arith::IndexCastOp>(op));
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return convertFloat(op, operands[0]);
  Value value = clone(op, operands);
  return staysNarrow(op) ? value : rounded(loc, value, result);
}
