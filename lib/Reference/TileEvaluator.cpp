//===- TileEvaluator.cpp - tile programs on a CPU --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds the operands and runs one tile after the other, stage by stage; what an
// operation means is in TileMachine.cpp and its companions.
//
//===----------------------------------------------------------------------===//

#include "quack/Reference/TileEvaluator.h"

#include "TileMachine.h"

using namespace mlir;
using namespace quack;
using namespace quack::reference;

/// Returns the stage after `kernel`, or null.
static tv::KernelOp nextOf(tv::KernelOp kernel) {
  FlatSymbolRefAttr next = kernel.getNextAttr();
  return next ? SymbolTable::lookupNearestSymbolFrom<tv::KernelOp>(kernel, next)
              : tv::KernelOp();
}

FailureOr<ReferenceResult>
quack::evaluateTile(tv::KernelOp kernel, int64_t rows,
                    const std::map<std::string, ReferenceArray> &inputs,
                    TileEvaluation evaluation) {
  ReferenceResult result;
  std::vector<OperandBuffers> operands =
      describeOperands(kernel.getFunctionType(), kernel.getOperandSpecs());
  if (failed(bindOperands(kernel, operands, rows, kernel.getColumns(), inputs,
                          result)))
    return failure();
  GlobalMemory memory(kernel, std::move(operands), rows);
  for (tv::KernelOp stage = kernel; stage; stage = nextOf(stage)) {
    TileMachine machine(stage, rows, evaluation, memory);
    if (failed(machine.checkKernel()))
      return failure();
    machine.beginSums();
    int64_t tileRows = stage.getPlan().getRows();
    for (int64_t tile = 0; tile * tileRows < rows && !stage.isFold(); ++tile)
      if (failed(machine.runTile(tile)))
        return failure();
    if (failed(machine.runFolds()))
      return failure();
    memory.finishStage();
    if (!stage.getNext() && failed(machine.checkOutputs()))
      return failure();
  }
  result.bounds.clear();
  return result;
}
