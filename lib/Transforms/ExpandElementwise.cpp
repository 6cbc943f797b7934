//===- lib/Transforms/ExpandElementwise.cpp ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts what elementwise operations of other dialects mean in their place. First pass of
// the pipeline: all others see operations that they know.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/RowMeaning.h"
#include "quack/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#define DEBUG_TYPE "quack-expand-elementwise"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKEXPANDELEMENTWISE
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

namespace {
class ExpandElementwisePass
    : public quack::impl::QuackExpandElementwiseBase<ExpandElementwisePass> {
public:
  using QuackExpandElementwiseBase::QuackExpandElementwiseBase;
  void runOnOperation() override;
};
} // namespace

void ExpandElementwisePass::runOnOperation() {
  SmallVector<RowMeaningOpInterface> found;
  for (KernelOp kernel : getOperation().getOps<KernelOp>())
    // Those of combiners, too.
    kernel.walk([&](RowMeaningOpInterface op) { found.push_back(op); });
  for (RowMeaningOpInterface op : found) {
    OpBuilder b(op);
    FailureOr<SmallVector<Value>> values = expandMeaning(op, b, op->getOperands());
    if (failed(values))
      return signalPassFailure();
    op->replaceAllUsesWith(*values);
    op->erase();
    ++expanded;
  }
}
