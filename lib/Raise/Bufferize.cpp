//===- lib/Raise/Bufferize.cpp - quack-bufferize ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's pass would take the rows of kernels for tensors in memory. After
// quack-raise-linalg, before calls are lowered.
//
//===----------------------------------------------------------------------===//

#include "quack/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKBUFFERIZE
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

namespace {
class BufferizePass : public quack::impl::QuackBufferizeBase<BufferizePass> {
public:
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(
        bufferization::LayoutMapOption::IdentityLayoutMap);
    options.opFilter.denyOperation([](Operation *op) {
      return op->getParentOfType<KernelOp>() || op->getParentOfType<tv::KernelOp>();
    });
    bufferization::BufferizationState state;
    if (failed(bufferization::runOneShotModuleBufferize(getOperation(), options, state)))
      signalPassFailure();
  }
};
} // namespace
