//===- Padding.cpp - columns beyond the row's end ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mask gives columns that do not exist the identity of what consumes them. It
// is free where the load already left it there, and where a reduction skips a
// whole piece; else it is a select for each element.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// What loads leave
//===----------------------------------------------------------------------===//

/// Returns the load or read whose elements, perhaps widened, `tile` has.
static Value loadBehind(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (isa_and_nonnull<tv::WidenOp, arith::ExtFOp, arith::ExtSIOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<tv::LoadOp, tv::ReadOp>(op) ? op->getResult(0) : Value();
}

/// Returns whether no reduction sees columns of `tile` that do not exist.
static bool isMaskedEverywhere(Value tile) {
  return llvm::all_of(tile.getUsers(), [](Operation *user) {
    if (isa<tv::MaskOp, tv::StoreOp>(user))
      return true;
    return !isa<tv::ThreadReduceOp>(user) &&
           llvm::all_of(user->getResults(), isMaskedEverywhere);
  });
}

/// Returns the element as a word's bits, repeated; nothing if `identity` is none
/// of the storage type's values.
static std::optional<uint32_t> fillWord(TypedAttr identity, Type storage) {
  unsigned width = storage.getIntOrFloatBitWidth();
  if (width > 32)
    return std::nullopt;
  APInt bits(width, 0);
  if (auto number = dyn_cast<FloatAttr>(identity)) {
    APFloat value = number.getValue();
    bool losesInfo = false;
    if (!isa<FloatType>(storage))
      return std::nullopt;
    value.convert(cast<FloatType>(storage).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
    if (losesInfo)
      return std::nullopt;
    bits = value.bitcastToAPInt();
  } else {
    APInt value = cast<IntegerAttr>(identity).getValue();
    if (!value.isSignedIntN(width))
      return std::nullopt;
    bits = value.sextOrTrunc(width);
  }
  return static_cast<uint32_t>(APInt::getSplat(32, bits).getZExtValue());
}

/// The first mask of a load decides what the load leaves in columns that do not
/// exist. cp.async leaves zero.
uint32_t ThreadBuilder::fillOf(Value load) {
  if (auto it = fills.find(load); it != fills.end())
    return it->second;
  auto again = load.getDefiningOp<tv::LoadOp>();
  if (again && again.getKept() && again.getFirstRead() != again)
    return fills[load] = fillOf(again.getFirstRead().getResult());
  uint32_t fill = 0;
  auto read = load.getDefiningOp<tv::ReadOp>();
  bool isAsync = read && read.getStaged().getDefiningOp<tv::StageOp>().getForm() ==
                             tv::Hold::async;
  // Later loads of the operand may hand its elements on.
  bool isMasked = llvm::all_of(
      kernel.getBody().getOps<tv::LoadOp>(), [&](tv::LoadOp later) {
        return !later.getKept() || later.getFirstRead().getResult() != load ||
               isMaskedEverywhere(later.getResult());
      });
  if (!isAsync && isMasked && isMaskedEverywhere(load))
    kernel.getBody().walk([&](tv::MaskOp mask) {
      std::optional<uint32_t> word =
          fillWord(mask.getIdentity(), getElementTypeOrSelf(load.getType()));
      if (loadBehind(mask.getSource()) != load || !word)
        return WalkResult::advance();
      fill = *word;
      return WalkResult::interrupt();
    });
  return fills[load] = fill;
}

bool ThreadBuilder::isFilledWith(tv::MaskOp mask) {
  Value load = loadBehind(mask.getSource());
  return load && fillWord(mask.getIdentity(), getElementTypeOrSelf(load.getType())) ==
                     fillOf(load);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value ThreadBuilder::createMask(tv::MaskOp mask, int64_t index) {
  Fragment fragment = fragmentOf(mask.getType());
  Value source = piece(mask.getSource(), index);
  int64_t column = fragment.offset(index).column;
  Predicate exists = columnsExist(fragment, column);
  if (!exists || isFilledWith(mask))
    return source;
  loc = mask.getLoc();
  Value identity = constant(mask.getIdentity(), fragment.pieceType());
  return selectExisting(fragment, column, source, identity);
}

/// Of a run that the row's end cuts, the first columns exist.
Value ThreadBuilder::selectExisting(const Fragment &fragment, int64_t column,
                                    Value value, Value otherwise) {
  Predicate exists = columnsExist(fragment, column);
  if (Predicate tail = isTail(fragment, column)) {
    Value some = arith::OrIOp::create(b, loc, exists, tail);
    SmallVector<Value> flags(fragment.run, exists);
    std::fill_n(flags.begin(), tailColumns(fragment), some);
    exists = vector::FromElementsOp::create(
        b, loc, VectorType::get({fragment.run}, b.getI1Type()), flags);
  }
  return arith::SelectOp::create(b, loc, exists, value, otherwise);
}

/// Returns the product that a sum adds up as `source`, if it is one.
static arith::MulFOp productOf(Value source, Attribute kind) {
  auto sum = dyn_cast_or_null<ReduceKindAttr>(kind);
  if (!sum || sum.getValue() != ReduceKind::addf)
    return nullptr;
  return source.getDefiningOp<arith::MulFOp>();
}

/// A masked piece that exists or does not as a whole is skipped: a predicate on the
/// combining instruction, where the identity would take one more for each element.
/// Products are added unrounded, whatever masks them: a row's bits follow from the tree.
void ThreadBuilder::accumulate(tv::ThreadReduceOp reduce, Values &sums, int64_t index) {
  if (sums.empty()) {
    for (Value source : reduce.getSources())
      sums.push_back(piece(source, index));
    return;
  }
  // All masks begin at the row's end.
  Fragment fragment = fragmentOf(reduce.getSource().getType());
  int64_t column = fragment.offset(index).column;
  Predicate exists = columnsExist(fragment, column);
  bool isWhole = exists && !isTail(fragment, column);
  bool isSkipped = false;
  Combiner combiner = combinerOf(reduce);
  Values values, added(sums.size());
  for (auto [i, source] : llvm::enumerate(reduce.getSources())) {
    auto mask = source.getDefiningOp<tv::MaskOp>();
    bool isCut = mask && exists && !isFilledWith(mask);
    bool skips = isCut && isWhole;
    isSkipped |= skips;
    Attribute kind = combiner.region->empty() ? combiner.kinds[i] : Attribute();
    if (auto product = productOf(mask ? mask.getSource() : source, kind)) {
      Value lhs = piece(product.getLhs(), index), rhs = piece(product.getRhs(), index);
      loc = reduce.getLoc();
      added[i] = math::FmaOp::create(b, loc, lhs, rhs, sums[i]);
      if (isCut && !skips)
        added[i] = selectExisting(fragment, column, added[i], sums[i]);
      values.push_back(sums[i]);
      continue;
    }
    values.push_back(piece(skips ? mask.getSource() : source, index));
  }
  Values combined = combine(combiner, sums, values, reduce.getLoc());
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value next = added[i] ? added[i] : combined[i];
    sum = isSkipped ? arith::SelectOp::create(b, reduce.getLoc(), exists, next, sum)
                    : next;
  }
}
