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

/// reduce kind %x  ->  thread_reduce, warp_reduce, block_ or cluster_reduce,
///                     grid_reduce
static void lowerReduce(tv::ReduceOp reduce, tv::Exchange exchange) {
  OpBuilder b(reduce);
  Location loc = reduce.getLoc();
  ReduceKind kind = reduce.getKind();
  Value value = tv::ThreadReduceOp::create(b, loc, kind, reduce.getSource());
  if (spreadsColumns(value, Level::Lane))
    value = tv::WarpReduceOp::create(b, loc, kind, value).getResult(0);
  bool acrossCtas = spreadsColumns(value, Level::Cta);
  bool blockFirst = !acrossCtas || exchange == tv::Exchange::ctas;
  if (blockFirst && spreadsColumns(value, Level::Warp))
    value = tv::BlockReduceOp::create(b, loc, kind, value).getResult(0);
  if (acrossCtas)
    value = tv::ClusterReduceOp::create(b, loc, kind, value).getResult(0);
  if (spreadsColumns(value, Level::Slice))
    value = tv::GridReduceOp::create(b, loc, kind, value).getResult(0);
  reduce.getResult().replaceAllUsesWith(value);
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
