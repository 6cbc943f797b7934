//===- lib/Transforms/PlacePartials.cpp -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quack-tv-place-partials: sums over rows get their place in each cluster's
// part of the workspace, and a kernel that adds up these parts. Runs when
// stages are split: the one that accumulates is the last of them.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/QuackTV/QuackTV.h"
#include "quack/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "quack-tv-place-partials"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKTVPLACEPARTIALS
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

namespace {
class PlacePartialsPass
    : public quack::impl::QuackTVPlacePartialsBase<PlacePartialsPass> {
public:
  using QuackTVPlacePartialsBase::QuackTVPlacePartialsBase;
  void runOnOperation() override;
};
} // namespace

/// Partials that one warp adds up, as long as there are not too many: what it
/// has under way at once.
static constexpr int64_t partialsPerWarp = 8, mostWarps = 32;

/// Returns the plan of the kernel that adds up the partials of one with `plan`.
static tv::PlanAttr planOfFold(tv::PlanAttr plan) {
  int64_t partials = plan.getPartials();
  int64_t warps = std::min<int64_t>(
      mostWarps,
      llvm::PowerOf2Ceil(llvm::divideCeil(partials, partialsPerWarp)));
  int64_t threads = warps * warpSize;
  return tv::PlanAttr::get(
      plan.getContext(), threads, /*threadsPerRow=*/threads,
      /*rowsPerThread=*/1,
      /*cluster=*/1, plan.getVectorSize(), plan.getAlignment(),
      /*ctasPerSM=*/0, plan.getExchange(), /*hold=*/DictionaryAttr(),
      /*kept=*/-1,
      /*load=*/DictionaryAttr(), /*store=*/DictionaryAttr(), /*split=*/0,
      plan.getRowsHint(), plan.getReproducible(), /*leastRows=*/0, partials,
      /*overlap=*/std::nullopt);
}

static std::string nameOfFold(tv::KernelOp kernel) {
  std::string name = (kernel.getSymName() + "_fold").str();
  while (kernel->getParentOfType<ModuleOp>().lookupSymbol(name))
    name += "_";
  return name;
}

/// Adds the kernel after `kernel` that adds up the partials of `sums`.
static void createFold(tv::KernelOp kernel, ArrayRef<tv::AccumulateOp> sums) {
  OpBuilder b(kernel->getContext());
  b.setInsertionPointAfter(kernel);
  auto fold = tv::KernelOp::create(
      b, kernel.getLoc(), nameOfFold(kernel), kernel.getFunctionType(),
      kernel.getOperandSpecs(), planOfFold(kernel.getPlan()),
      /*shared_bytes=*/IntegerAttr(), /*otherwise=*/FlatSymbolRefAttr(),
      kernel.getWorkspaceAttr(), /*next=*/FlatSymbolRefAttr());
  Block *body = &fold.getBody().emplaceBlock();
  for (BlockArgument arg : kernel.getBody().getArguments())
    body->addArgument(arg.getType(), arg.getLoc());
  b.setInsertionPointToEnd(body);
  for (tv::AccumulateOp sum : sums) {
    unsigned number = cast<BlockArgument>(sum.getTarget()).getArgNumber();
    tv::FoldOp::create(b, sum.getLoc(), body->getArgument(number),
                       kernel.getPlan().getPartials(), *sum.getOffset());
  }
  kernel.setNext(fold.getSymName());
}

void PlacePartialsPass::runOnOperation() {
  for (tv::KernelOp kernel :
       llvm::to_vector(getOperation().getOps<tv::KernelOp>())) {
    auto sums = llvm::to_vector(kernel.getBody().getOps<tv::AccumulateOp>());
    if (sums.empty() || sums.front().getOffset())
      continue;
    int64_t bytes = 0;
    for (tv::AccumulateOp sum : sums) {
      sum.setOffset(bytes);
      bytes = llvm::alignTo(bytes + sum.getPartialBytes(), tv::maxAccessBytes);
    }
    kernel.setWorkspace(bytes);
    createFold(kernel, sums);
    ++numFolds;
  }
}
