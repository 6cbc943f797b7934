//===- lib/Dialect/Quack/Bufferize.cpp - calls on memory --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's loads of a row come before its stores, so that a result may take the memory
// of an input that is a row. What it only writes need not hold anything before.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/Bufferize.h"

#include "quack/Dialect/Quack/KernelOperands.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace quack;

/// Returns what the kernel says of an operand of the call; null if there is no kernel.
static OperandAttr specOf(CallOp call, OpOperand &operand) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom(call, call.getKernelAttr());
  auto specs = kernel ? kernel->getAttrOfType<ArrayAttr>("operand_specs") : ArrayAttr();
  if (!specs)
    return OperandAttr();
  bool isInit = call.isDpsInit(&operand);
  unsigned left = operand.getOperandNumber() - (isInit ? call.getInputs().size() : 0);
  for (OperandAttr spec : specs.getAsRange<OperandAttr>())
    if ((spec.getDirection() != Direction::in) == isInit && left-- == 0)
      return spec;
  return OperandAttr();
}

namespace {
struct CallModel : DstBufferizableOpInterfaceExternalModel<CallModel, CallOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    OperandAttr spec = specOf(cast<CallOp>(op), operand);
    return !spec || spec.getDirection() != Direction::out;
  }

  /// Each row is read whole before it is written.
  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &,
                                     ArrayRef<OpOperand *> operands) const {
    std::optional<unsigned> width;
    return llvm::all_of(operands, [&](OpOperand *operand) {
      OperandAttr spec = specOf(cast<CallOp>(op), *operand);
      unsigned has = getElementTypeOrSelf(operand->get()).getIntOrFloatBitWidth();
      bool fits = spec && spec.getRole() == Role::row && width.value_or(has) == has;
      width = has;
      return fits;
    });
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto call = cast<CallOp>(op);
    auto toBuffers = [&](ValueRange values, SmallVector<Value> &buffers) -> LogicalResult {
      for (Value value : values) {
        if (!isa<TensorType>(value.getType())) {
          buffers.push_back(value);
          continue;
        }
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        buffers.push_back(*buffer);
      }
      return success();
    };
    SmallVector<Value> inputs, inits;
    if (failed(toBuffers(call.getInputs(), inputs)) ||
        failed(toBuffers(call.getInits(), inits)))
      return failure();
    CallOp::create(rewriter, call.getLoc(), TypeRange(), call.getKernelAttr(), inputs, inits);
    replaceOpWithBufferizedValues(rewriter, op, inits);
    return success();
  }
};
} // namespace

void quack::registerBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, QuackDialect *) {
    CallOp::attachInterface<CallModel>(*context);
  });
}
