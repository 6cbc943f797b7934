//===- lib/Transforms/HoistFactors.cpp - quack-hoist-factors ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An extreme of |u s|, where s is one number of the row that a reduction gives, would wait
// for that reduction: threads would meet once more. |u| meets together with it, since
// rounding keeps order: max fl(|u| |s|) = fl(max |u| |s|). After quack-specialize, before
// the plan counts exchanges.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/Quack.h"
#include "quack/Support/Dependence.h"
#include "quack/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

#define DEBUG_TYPE "quack-hoist-factors"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKHOISTFACTORS
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

namespace {
class HoistFactorsPass : public quack::impl::QuackHoistFactorsBase<HoistFactorsPass> {
public:
  using QuackHoistFactorsBase::QuackHoistFactorsBase;
  void runOnOperation() override;
};

/// |u s| or |u / s|.
struct Scaled {
  Value row;      ///< u
  Value factor;   ///< s
  bool isDivided;

  /// Returns what `extreme` takes the largest of, if it is that.
  static std::optional<Scaled> match(ReduceOp extreme);
};
} // namespace

std::optional<Scaled> Scaled::match(ReduceOp extreme) {
  bool isPlain = extreme.getKind() == ReduceKind::maximumf && extreme.getInits().empty();
  auto magnitude =
      isPlain ? extreme.getSources().front().getDefiningOp<math::AbsFOp>() : nullptr;
  Operation *op = magnitude ? magnitude.getOperand().getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op))
    return std::nullopt;
  bool isDivided = isa<arith::DivFOp>(op);
  auto spread = op->getOperand(1).getDefiningOp<BroadcastOp>();
  Value row = op->getOperand(0);
  if (!spread && !isDivided) {
    spread = op->getOperand(0).getDefiningOp<BroadcastOp>();
    row = op->getOperand(1);
  }
  if (!spread)
    return std::nullopt;
  return Scaled{row, spread.getSource(), isDivided};
}

/// Returns whether all of the row must meet before `value` is known.
static bool needsReduction(Value value) {
  return dependsOn(value, [](Operation *op) { return getPassCount(op) > 0; });
}

/// max |u s|  ->  max |u| |s|
/// Where |s| is infinite (of a quotient: zero) a zero among u gives NaN beside numbers
/// that give infinity, so the smallest |u| is looked at, too.
static void hoist(ReduceOp extreme, const Scaled &scaled) {
  OpBuilder b(extreme);
  Location loc = extreme.getLoc();
  Type type = extreme.getResult(0).getType();
  Value magnitude = math::AbsFOp::create(b, loc, scaled.row);
  auto extremeOf = [&](ReduceKind kind) {
    return ReduceOp::create(b, loc, type, ReduceKindAttr::get(b.getContext(), kind),
                            b.getArrayAttr({}), magnitude, ValueRange())
        .getResult(0);
  };
  auto constant = [&](double number) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, number));
  };
  auto equals = [&](Value value, double number) -> Value {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, value,
                                 constant(number));
  };
  Value largest = extremeOf(ReduceKind::maximumf);
  Value smallest = extremeOf(ReduceKind::minimumf);
  Value factor = math::AbsFOp::create(b, loc, scaled.factor);
  Value result = scaled.isDivided
                     ? arith::DivFOp::create(b, loc, largest, factor).getResult()
                     : arith::MulFOp::create(b, loc, largest, factor).getResult();
  double infinity = std::numeric_limits<double>::infinity();
  Value isExtreme = equals(factor, scaled.isDivided ? 0 : infinity);
  Value hasZero = equals(smallest, 0);
  Value hasNaN = arith::AndIOp::create(b, loc, isExtreme, hasZero);
  double nan = std::numeric_limits<double>::quiet_NaN();
  result = arith::SelectOp::create(b, loc, hasNaN, constant(nan), result);
  extreme.getResult(0).replaceAllUsesWith(result);
  Value before = extreme.getSources().front();
  extreme.erase();
  if (before.use_empty())
    before.getDefiningOp()->erase();
}

void HoistFactorsPass::runOnOperation() {
  SmallVector<ReduceOp> extremes;
  getOperation().walk([&](ReduceOp op) { extremes.push_back(op); });
  for (ReduceOp extreme : extremes) {
    std::optional<Scaled> scaled = Scaled::match(extreme);
    // Otherwise nobody waits, or waits all the same.
    if (!scaled || !needsReduction(scaled->factor) || needsReduction(scaled->row))
      continue;
    hoist(extreme, *scaled);
    ++hoisted;
  }
}
