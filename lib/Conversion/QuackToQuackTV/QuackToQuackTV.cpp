//===- QuackToQuackTV.cpp - convert-quack-to-quack-tv -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a planned row program into a tile program. What the plan decides by
// words becomes operations here: loads and stages, widenings, masks, and which
// values a pass keeps or computes again.
//
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"
#include "quack/Dialect/Quack/KernelOperands.h"
#include "quack/Transforms/Passes.h"

#define DEBUG_TYPE "convert-quack-to-quack-tv"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_CONVERTQUACKTOQUACKTV
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

namespace {
class ConvertQuackToQuackTVPass
    : public quack::impl::ConvertQuackToQuackTVBase<ConvertQuackToQuackTVPass> {
public:
  using ConvertQuackToQuackTVBase::ConvertQuackToQuackTVBase;
  void runOnOperation() override;
};
} // namespace

void ConvertQuackToQuackTVPass::runOnOperation() {
  for (KernelOp kernel :
       llvm::make_early_inc_range(getOperation().getOps<KernelOp>())) {
    if (ShapedType::isDynamic(kernel.getColumns())) {
      kernel.emitOpError("must have static columns, got ?: run quack-specialize "
                         "with columns=N first");
      return signalPassFailure();
    }
    auto plan = dyn_cast_or_null<tv::PlanAttr>(kernel.getPlanAttr());
    if (!plan || !plan.isComplete()) {
      kernel.emitOpError("must have a complete plan: run quack-plan first");
      return signalPassFailure();
    }
    dropAbsentOperands(kernel);
    if (failed(TileBuilder(kernel, plan).build()))
      return signalPassFailure();
    kernel.erase();
  }
}
