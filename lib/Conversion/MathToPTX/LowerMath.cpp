//===- lib/Conversion/MathToPTX/LowerMath.cpp - the pass --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quack-lower-math: one walk replaces each math operation, and casts that LLVM
// would leave undefined; a second names what is left. It stands after
// convert-quack-tv-to-gpu and before the upstream conversions to LLVM, which
// would call libdevice.
//
//===----------------------------------------------------------------------===//

#include "quack/Conversion/MathToPTX.h"

#include "Emitter.h"

#include "quack/Conversion/QuackTVToGPU.h"
#include "quack/Transforms/Passes.h"

#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace quack {

#define GEN_PASS_DEF_QUACKLOWERMATH
#include "dialects/Passes/Passes.h.inc"

void populateMathToPTXPatterns(RewritePatternSet &patterns) {
  populateCastPatterns(patterns);
  populateDirectPatterns(patterns);
  populateErrorFunctionPatterns(patterns);
  populateExponentialPatterns(patterns);
  populateHyperbolicPatterns(patterns);
  populateLogarithmPatterns(patterns);
  populateTrigonometricPatterns(patterns);
}

/// Reports `op` if no instruction sequence is known for it.
static LogicalResult verifyLowered(Operation *op) {
  if (isa<arith::RemFOp>(op))
    return op->emitOpError("is not supported: PTX has no floating-point "
                           "remainder");
  if (op->getName().getDialectNamespace() !=
      math::MathDialect::getDialectNamespace())
    return success();
  return op->emitOpError("is not supported by quack-lower-math on ")
         << op->getOperand(0).getType();
}

namespace {
class LowerMathPass : public quack::impl::QuackLowerMathBase<LowerMathPass> {
public:
  void getDependentDialects(DialectRegistry &registry) const override {
    QuackLowerMathBase::getDependentDialects(registry);
    // sin and cos branch on large arguments.
    registry.insert<scf::SCFDialect>();
  }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateMathToPTXPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    // Other people's kernels are computed as they say.
    auto module = dyn_cast<gpu::GPUModuleOp>(getOperation());
    if (module && module.getName() != kernelModuleName)
      return;
    walkAndApplyPatterns(getOperation(), patterns);
    bool hasFailed = false;
    getOperation()->walk(
        [&](Operation *op) { hasFailed |= failed(verifyLowered(op)); });
    if (hasFailed)
      signalPassFailure();
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace

} // namespace quack
