//===- lib/Transforms/FuseReductions.cpp ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quack-tv-fuse-reductions: fewer trips up the pyramid. Dependent pairs (max,
// sum of exp(v - max)) become one (OnlinePair.cpp); steps that do not depend on
// each other and stand at the same place share one exchange (here).
//
//===----------------------------------------------------------------------===//

#include "OnlinePair.h"
#include "quack/Support/Dependence.h"
#include "quack/Dialect/Quack/Combiners.h"
#include "quack/Dialect/Quack/KernelOperands.h"
#include "quack/Transforms/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

#define DEBUG_TYPE "quack-tv-fuse-reductions"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKTVFUSEREDUCTIONS
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

namespace {
class FuseReductionsPass
    : public quack::impl::QuackTVFuseReductionsBase<FuseReductionsPass> {
public:
  using QuackTVFuseReductionsBase::QuackTVFuseReductionsBase;
  void runOnOperation() override;
};
} // namespace

/// Returns whether `user` needs a result of `producer`, also indirectly.
static bool needs(Operation *user, Operation *producer) {
  return dependsOn(user->getOperands(),
                   [&](Operation *op) { return op == producer; });
}

//===----------------------------------------------------------------------===//
// Sharing an exchange
//===----------------------------------------------------------------------===//

/// Returns whether two steps of one kind can travel together.
template <typename StepOp> static bool canShare(StepOp first, StepOp second) {
  Value lhs = first.getSources().front(), rhs = second.getSources().front();
  auto left = cast<RankedTensorType>(lhs.getType());
  auto right = cast<RankedTensorType>(rhs.getType());
  return left.getShape() == right.getShape() &&
         left.getEncoding() == right.getEncoding() && !needs(second, first) &&
         !needs(first, second);
}

/// Combines what `step` does: one partial and another of each of its values.
template <typename StepOp>
static void appendCombination(OpBuilder &b, StepOp step, ValueRange lhs, ValueRange rhs,
                              SmallVectorImpl<Value> &combined) {
  if (!step.getCombiner().empty()) {
    llvm::append_range(combined, inlineCombiner(b, step.getCombiner(), lhs, rhs));
    return;
  }
  for (auto [kind, l, r] :
       llvm::zip(step.getKinds().template getAsRange<ReduceKindAttr>(), lhs, rhs))
    combined.push_back(createCombine(b, step.getLoc(), kind.getValue(), l, r));
}

/// Fills the combiner of `both` with those of the two steps that it replaces.
template <typename StepOp>
static void buildCombiner(StepOp both, StepOp first, StepOp second) {
  Block &block = both.getCombiner().emplaceBlock();
  SmallVector<Type> types = llvm::map_to_vector(
      both.getSources().getTypes(), [](Type type) { return getElementTypeOrSelf(type); });
  SmallVector<Location> locs(types.size(), both.getLoc());
  block.addArguments(types, locs);
  block.addArguments(types, locs);
  ValueRange lhs = block.getArguments().take_front(types.size());
  ValueRange rhs = block.getArguments().drop_front(types.size());
  OpBuilder b(both.getContext());
  b.setInsertionPointToStart(&block);
  SmallVector<Value> combined;
  size_t split = first.getNumResults();
  appendCombination(b, first, lhs.take_front(split), rhs.take_front(split), combined);
  appendCombination(b, second, lhs.drop_front(split), rhs.drop_front(split), combined);
  tv::YieldOp::create(b, both.getLoc(), combined);
}

/// Returns what leaves each of the step's partials unchanged.
template <typename StepOp> static SmallVector<Attribute> identitiesOf(StepOp step) {
  if (!step.getCombiner().empty())
    return llvm::to_vector(step.getIdentities().getValue());
  SmallVector<Attribute> identities;
  for (auto [kind, source] : llvm::zip(
           step.getKinds().template getAsRange<ReduceKindAttr>(), step.getSources()))
    identities.push_back(
        getIdentity(kind.getValue(), getElementTypeOrSelf(source.getType())));
  return identities;
}

/// step k %a; step l %b  ->  step k, l %a, %b; with a combiner where one of them has one
template <typename StepOp> static void share(StepOp first, StepOp second) {
  OpBuilder b(second);
  SmallVector<Value> sources(first.getSources());
  llvm::append_range(sources, second.getSources());
  bool byKinds = first.getCombiner().empty() && second.getCombiner().empty();
  SmallVector<Attribute> kinds, identities;
  if (byKinds) {
    kinds = llvm::to_vector(first.getKinds().getValue());
    llvm::append_range(kinds, second.getKinds());
  } else {
    identities = identitiesOf(first);
    llvm::append_range(identities, identitiesOf(second));
  }
  auto both = StepOp::create(b, second.getLoc(), b.getArrayAttr(kinds),
                             b.getArrayAttr(identities), sources);
  if (!byKinds)
    buildCombiner(both, first, second);
  size_t split = first.getNumResults();
  first->replaceAllUsesWith(both.getResults().take_front(split));
  second->replaceAllUsesWith(both.getResults().drop_front(split));
  first.erase();
  second.erase();
}

/// Joins one pair of steps, if there is one.
template <typename StepOp> static bool shareOne(Block &block) {
  SmallVector<StepOp> steps(block.getOps<StepOp>());
  for (size_t i = 0; i < steps.size(); ++i)
    for (size_t j = i + 1; j < steps.size(); ++j)
      if (canShare(steps[i], steps[j])) {
        share(steps[i], steps[j]);
        // Users of the first step's results may stand before the joined step.
        sortTopologically(&block);
        return true;
      }
  return false;
}

/// Erases what fusion has left without a use.
static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && op.getNumResults() > 0 && isMemoryEffectFree(&op))
      op.erase();
}

static bool isOfRow(Value operand) {
  auto kernel = cast<tv::KernelOp>(operand.getParentBlock()->getParentOp());
  unsigned number = cast<BlockArgument>(operand).getArgNumber();
  return kernel.getOperandAttr(number).getRole() == Role::row;
}

/// Joining steps moves what needs their results, but no store. Where rows are read
/// again, a row that is stored may be one of them: it is stored after all reads.
static void storeRowsLast(Block &block) {
  bool readsAgain = llvm::any_of(block.getOps<tv::LoadOp>(), [](tv::LoadOp load) {
    return load.getAtUse() && isOfRow(load.getSource());
  });
  if (!readsAgain)
    return;
  for (auto store : llvm::to_vector(block.getOps<tv::StoreOp>()))
    if (isOfRow(store.getTarget()))
      store->moveBefore(&block, block.end());
}

void FuseReductionsPass::runOnOperation() {
  for (tv::KernelOp kernel : getOperation().getOps<tv::KernelOp>()) {
    Block &block = kernel.getBody().front();
    while (fuseOnlinePair(block))
      ++onlinePairs;
    while (shareOne<tv::WarpReduceOp>(block) ||
           shareOne<tv::BlockReduceOp>(block) ||
           shareOne<tv::ClusterReduceOp>(block) ||
           shareOne<tv::GridReduceOp>(block))
      ++sharedExchanges;
    storeRowsLast(block);
    eraseDead(block);
  }
}
