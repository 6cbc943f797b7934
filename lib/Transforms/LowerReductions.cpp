//===- lib/Transforms/LowerReductions.cpp -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quack-tv-lower-reductions: a whole-row reduction becomes one step for each
// level of the memory pyramid that its row crosses. Runs right after the tile
// program is made; fusion then works on the steps.
//
//===----------------------------------------------------------------------===//

#include "quack/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

#define DEBUG_TYPE "quack-tv-lower-reductions"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKTVLOWERREDUCTIONS
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

namespace {
class LowerReductionsPass
    : public quack::impl::QuackTVLowerReductionsBase<LowerReductionsPass> {
public:
  using QuackTVLowerReductionsBase::QuackTVLowerReductionsBase;
  void runOnOperation() override;
};
} // namespace

/// Returns whether `level` still spreads the columns of `tile`.
static bool spreadsColumns(Value tile, Level level) {
  const TVLayout &layout = tv::getLayoutAttr(tile.getType()).getValue();
  TileShape shape = tv::getTileShape(tile.getType());
  return llvm::any_of(layout.modes(level), [&](Mode mode) {
    return layout.isColumnMode(mode, shape);
  });
}

/// Creates the step of `reduce` that combines `values` over one level.
template <typename StepOp>
static void createStep(OpBuilder &b, tv::ReduceOp reduce, SmallVector<Value> &values) {
  auto step = StepOp::create(b, reduce.getLoc(), reduce.getKinds(),
                             reduce.getIdentities(), values);
  IRMapping mapping;
  reduce.getCombiner().cloneInto(&step.getCombiner(), mapping);
  values = llvm::to_vector_of<Value>(step.getResults());
}

/// reduce kind %x  ->  thread_reduce, warp_reduce, block_ or cluster_reduce,
///                     grid_reduce
static void lowerReduce(tv::ReduceOp reduce, tv::Exchange exchange) {
  OpBuilder b(reduce);
  SmallVector<Value> values(reduce.getSources());
  auto spreads = [&](Level level) { return spreadsColumns(values.front(), level); };
  // A combiner may begin with partials of threads.
  if (reduce.getKind() || spreads(Level::Value))
    createStep<tv::ThreadReduceOp>(b, reduce, values);
  if (spreads(Level::Lane))
    createStep<tv::WarpReduceOp>(b, reduce, values);
  bool acrossCtas = spreads(Level::Cta);
  bool blockFirst = !acrossCtas || exchange == tv::Exchange::ctas;
  if (blockFirst && spreads(Level::Warp))
    createStep<tv::BlockReduceOp>(b, reduce, values);
  if (acrossCtas)
    createStep<tv::ClusterReduceOp>(b, reduce, values);
  if (spreads(Level::Slice))
    createStep<tv::GridReduceOp>(b, reduce, values);
  reduce->replaceAllUsesWith(values);
  reduce.erase();
}

void LowerReductionsPass::runOnOperation() {
  SmallVector<tv::ReduceOp> reductions;
  getOperation().walk([&](tv::ReduceOp op) { reductions.push_back(op); });
  for (tv::ReduceOp reduce : reductions) {
    auto kernel = reduce->getParentOfType<tv::KernelOp>();
    tv::Exchange exchange = tv::Exchange::warps;
    if (kernel && kernel.getPlan().getExchange())
      exchange = *kernel.getPlan().getExchange();
    lowerReduce(reduce, exchange);
  }
}
