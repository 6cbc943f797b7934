//===- lib/Transforms/OnlinePair.cpp ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018),
// above the thread only: a thread knows its own maximum m before it sums
// exp(v - m), so no element pays for a rescaling, and partial pairs (m, s) merge
// as
//
//     M = max(m0, m1)     S = s0 * exp(m0 - c(M)) + s1 * exp(m1 - c(M))
//
// where c(M) = M, but 0 for an infinite M. With it a thread, warp or CTA that saw
// only -inf contributes exactly 0 instead of NaN, and +inf gives inf. What the
// program subtracts in place of c(M), call it p(M), comes in at the end as a
// factor exp(c(M) - p(M)): exactly 1 for a finite M; NaN for a row of -inf where
// p(M) = M, as in the unfused program; 1 where the program itself replaces an
// infinite maximum by 0.
//
//===----------------------------------------------------------------------===//

#include "OnlinePair.h"
#include "quack/Dialect/QuackTV/QuackTV.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

namespace {

/// A reduction lowered to steps: thread_reduce, then single-value steps.
struct Chain {
  tv::ThreadReduceOp thread;
  SmallVector<Operation *> steps;

  Value result() {
    return steps.empty() ? Value(thread.getResult()) : steps.back()->getResult(0);
  }
};

struct OnlinePair {
  Chain max, sum;
  /// The exponential whose sum is taken, its v - p(M), and v there.
  Operation *exp;
  arith::SubFOp difference;
  /// p(M), as a row scalar.
  Value subtracted;
};

} // namespace

static bool isSingleStep(Operation *op) {
  return isa<tv::WarpReduceOp, tv::BlockReduceOp, tv::ClusterReduceOp,
             tv::GridReduceOp>(op) &&
         op->getNumOperands() == 1 && op->getRegion(0).empty();
}

/// Follows the steps after `thread` while nobody else uses the partials.
static Chain followChain(tv::ThreadReduceOp thread) {
  Chain chain{thread, {}};
  Value value = thread.getResult();
  while (value.hasOneUse() && isSingleStep(*value.user_begin())) {
    chain.steps.push_back(*value.user_begin());
    value = chain.steps.back()->getResult(0);
  }
  return chain;
}

static Value skipMask(Value value) {
  if (auto mask = value.getDefiningOp<tv::MaskOp>())
    return mask.getSource();
  return value;
}

using ValuePairs = llvm::SmallDenseSet<std::pair<Value, Value>>;

/// Returns whether both values are the same, computed in whatever pass.
static bool isSameUpToPass(Value lhs, Value rhs, ValuePairs &seen) {
  // A pair that is being compared, or was and differed, has ended the search.
  if (lhs == rhs || !seen.insert({lhs, rhs}).second)
    return true;
  Operation *left = lhs.getDefiningOp(), *right = rhs.getDefiningOp();
  if (!left || !right || left->getName() != right->getName() ||
      left->getNumOperands() != right->getNumOperands() ||
      lhs.getType() != rhs.getType() || left->getNumRegions() != 0 ||
      !isMemoryEffectFree(left))
    return false;
  NamedAttrList leftAttrs(left->getAttrDictionary()),
      rightAttrs(right->getAttrDictionary());
  leftAttrs.erase("pass");
  rightAttrs.erase("pass");
  // Loads of one pass may be made early, of another at their use.
  leftAttrs.erase("at_use");
  rightAttrs.erase("at_use");
  return leftAttrs.getDictionary(left->getContext()) ==
             rightAttrs.getDictionary(right->getContext()) &&
         llvm::all_of(llvm::zip(left->getOperands(), right->getOperands()),
                      [&](auto pair) {
                        return isSameUpToPass(std::get<0>(pair),
                                              std::get<1>(pair), seen);
                      });
}

/// Returns the maximum that `subtracted` is, or that it replaces by 0 under some
/// condition; null if it is neither.
static Value underlyingMaximum(Value subtracted) {
  auto select = subtracted.getDefiningOp<arith::SelectOp>();
  if (!select)
    return subtracted;
  if (matchPattern(select.getTrueValue(), m_AnyZeroFloat()))
    return select.getFalseValue();
  if (matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
    return select.getTrueValue();
  return Value();
}

/// Finds the chain whose result is `maximum`.
static std::optional<Chain> chainOf(Value maximum) {
  SmallVector<Operation *> steps;
  Operation *op = maximum.getDefiningOp();
  while (op && isSingleStep(op)) {
    steps.push_back(op);
    op = op->getOperand(0).getDefiningOp();
  }
  auto thread = dyn_cast_or_null<tv::ThreadReduceOp>(op);
  if (!thread)
    return std::nullopt;
  std::reverse(steps.begin(), steps.end());
  return Chain{thread, steps};
}

/// Returns whether padding is harmless to the pair: it adds 0 to the sum, and no
/// element that the maximum leaves out is summed.
static bool masksAgree(tv::ThreadReduceOp max, tv::ThreadReduceOp sum) {
  auto maxMask = max.getSource().getDefiningOp<tv::MaskOp>();
  auto sumMask = sum.getSource().getDefiningOp<tv::MaskOp>();
  if (sumMask && !cast<FloatAttr>(sumMask.getIdentity()).getValue().isZero())
    return false;
  return !maxMask || (sumMask && sumMask.getColumns() <= maxMask.getColumns());
}

/// Matches a sum whose terms are exp(v - p(max v)).
static std::optional<OnlinePair> match(tv::ThreadReduceOp thread) {
  if (thread.getKind() != ReduceKind::addf)
    return std::nullopt;
  OnlinePair pair;
  pair.sum = followChain(thread);
  pair.exp = skipMask(thread.getSource()).getDefiningOp();
  if (pair.sum.steps.empty() || !pair.exp ||
      !isa<math::ExpOp, math::Exp2Op>(pair.exp))
    return std::nullopt;
  pair.difference = pair.exp->getOperand(0).getDefiningOp<arith::SubFOp>();
  if (!pair.difference)
    return std::nullopt;
  auto spread = pair.difference.getRhs().getDefiningOp<tv::BroadcastOp>();
  if (!spread)
    return std::nullopt;
  pair.subtracted = spread.getSource();
  Value maximum = underlyingMaximum(pair.subtracted);
  std::optional<Chain> max = maximum ? chainOf(maximum) : std::nullopt;
  if (!max || max->steps.size() != pair.sum.steps.size())
    return std::nullopt;
  pair.max = *max;
  // maxnumf has no identity that a pair could carry along: NaN spoils the sum.
  bool isMaximum = pair.max.thread.getKind() == ReduceKind::maximumf;
  bool sameSteps = llvm::all_of(
      llvm::zip(pair.max.steps, pair.sum.steps), [](auto steps) {
        return std::get<0>(steps)->getName() == std::get<1>(steps)->getName();
      });
  ValuePairs seen;
  if (!isMaximum || !sameSteps || !masksAgree(pair.max.thread, thread) ||
      !isSameUpToPass(skipMask(pair.max.thread.getSource()),
                      pair.difference.getLhs(), seen))
    return std::nullopt;
  // Partials of the maximum are replaced: nobody else may use them.
  Value partial = pair.max.thread.getResult();
  for (Operation *step : pair.max.steps) {
    if (!partial.hasOneUse())
      return std::nullopt;
    partial = step->getResult(0);
  }
  return pair;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Builds c(m): m, but 0 where m is infinite. Scalars or tiles.
static Value createFinite(OpBuilder &b, Location loc, Value m) {
  auto constant = [&](const APFloat &value) -> Value {
    TypedAttr attr = FloatAttr::get(getElementTypeOrSelf(m.getType()), value);
    if (auto tile = dyn_cast<RankedTensorType>(m.getType()))
      attr = DenseElementsAttr::get(tile, attr);
    return arith::ConstantOp::create(b, loc, attr);
  };
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementTypeOrSelf(m.getType())).getFloatSemantics();
  Value magnitude = math::AbsFOp::create(b, loc, m);
  Value isInfinite =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, magnitude,
                            constant(APFloat::getInf(semantics)));
  return arith::SelectOp::create(b, loc, isInfinite,
                                 constant(APFloat::getZero(semantics)), m);
}

/// Builds exp (or exp2, as `like` is) of `value`.
static Value createExp(OpBuilder &b, Location loc, Operation *like, Value value) {
  if (isa<math::Exp2Op>(like))
    return math::Exp2Op::create(b, loc, value);
  return math::ExpOp::create(b, loc, value);
}

/// Fills `region` with the merge of two partial pairs.
static void buildCombiner(OpBuilder b, Location loc, Region &region,
                          const OnlinePair &pair, Type element) {
  Block &block = region.emplaceBlock();
  SmallVector<Location> locs(4, loc);
  block.addArguments({element, element, element, element}, locs);
  b.setInsertionPointToStart(&block);
  Value m0 = block.getArgument(0), s0 = block.getArgument(1);
  Value m1 = block.getArgument(2), s1 = block.getArgument(3);
  Value m = createCombine(b, loc, ReduceKind::maximumf, m0, m1);
  Value finite = createFinite(b, loc, m);
  auto rescaled = [&](Value mi, Value si) -> Value {
    Value difference = arith::SubFOp::create(b, loc, mi, finite);
    return arith::MulFOp::create(b, loc, si,
                                 createExp(b, loc, pair.exp, difference));
  };
  Value left = rescaled(m0, s0), right = rescaled(m1, s1);
  Value s = arith::AddFOp::create(b, loc, left, right);
  tv::YieldOp::create(b, loc, ValueRange{m, s});
}

/// Creates a step of the kind of `like` over both partials.
static Operation *createPairStep(OpBuilder &b, Operation *like, ValueRange sources,
                                 const OnlinePair &pair) {
  Type element = getElementTypeOrSelf(sources.front().getType());
  ArrayAttr identities = b.getArrayAttr(
      {getIdentity(ReduceKind::maximumf, element), getIdentity(ReduceKind::addf, element)});
  ArrayAttr none = b.getArrayAttr({});
  Location loc = like->getLoc();
  Operation *step;
  if (isa<tv::WarpReduceOp>(like))
    step = tv::WarpReduceOp::create(b, loc, none, identities, sources);
  else if (isa<tv::BlockReduceOp>(like))
    step = tv::BlockReduceOp::create(b, loc, none, identities, sources);
  else if (isa<tv::ClusterReduceOp>(like))
    step = tv::ClusterReduceOp::create(b, loc, none, identities, sources);
  else
    step = tv::GridReduceOp::create(b, loc, none, identities, sources);
  buildCombiner(b, loc, step->getRegion(0), pair, element);
  return step;
}

/// The thread's own sum: exp(v - c(m)) for its own m.
static Value createThreadSum(OpBuilder &b, const OnlinePair &pair) {
  tv::ThreadReduceOp max = pair.max.thread, sum = pair.sum.thread;
  Location loc = pair.exp->getLoc();
  Value finite = createFinite(b, loc, max.getResult());
  arith::SubFOp original = pair.difference;
  Value spread =
      tv::BroadcastOp::create(b, loc, original.getType(), finite);
  Value difference = arith::SubFOp::create(b, loc, original.getLhs(), spread);
  Value term = createExp(b, loc, pair.exp, difference);
  if (auto mask = sum.getSource().getDefiningOp<tv::MaskOp>())
    term = tv::MaskOp::create(b, mask.getLoc(), term, mask.getColumns(),
                              mask.getIdentity());
  return tv::ThreadReduceOp::create(b, sum.getLoc(), ReduceKind::addf, term)
      .getResult();
}

bool quack::fuseOnlinePair(Block &block) {
  for (auto thread : llvm::make_early_inc_range(block.getOps<tv::ThreadReduceOp>())) {
    std::optional<OnlinePair> pair = match(thread);
    if (!pair)
      continue;
    OpBuilder b(thread);
    SmallVector<Value> values{pair->max.thread.getResult(),
                              createThreadSum(b, *pair)};
    for (Operation *like : pair->max.steps)
      values = llvm::to_vector(llvm::map_range(
          createPairStep(b, like, values, *pair)->getResults(),
          [](OpResult result) -> Value { return result; }));
    // S * exp(c(M) - p(M)), with p applied to the new maximum.
    Location loc = thread.getLoc();
    Value maximum = pair->max.result(), sum = pair->sum.result();
    maximum.replaceAllUsesWith(values[0]);
    Value subtracted = pair->subtracted == maximum ? values[0] : pair->subtracted;
    Value rest = arith::SubFOp::create(b, loc, createFinite(b, loc, values[0]),
                                       subtracted);
    Value fixedSum = arith::MulFOp::create(
        b, loc, values[1], createExp(b, loc, pair->exp, rest));
    sum.replaceAllUsesWith(fixedSum);
    for (Chain *chain : {&pair->sum, &pair->max})
      for (Operation *step : llvm::reverse(chain->steps))
        step->erase();
    thread.erase();
    sortTopologically(&block);
    return true;
  }
  return false;
}
