//===- lib/Host/DescribeKernels.cpp - for launchers -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Host/DescribeKernels.h"

#include "quack/Conversion/QuackTVToGPU.h"
#include "quack/Dialect/QuackTV/PlanNumbers.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace quack;

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

static OperandMetadata describeOperand(tv::KernelOp kernel, unsigned index) {
  OperandAttr spec = kernel.getOperandAttr(index);
  Type type = kernel.getFunctionType().getInput(index);
  Type element = getElementTypeOrSelf(type);
  OperandMetadata operand;
  operand.name = spec.getName().getValue();
  operand.direction = stringifyDirection(spec.getDirection());
  operand.role = stringifyRole(spec.getRole());
  operand.type = typeName(element);
  if (hasOwnColumns(spec.getRole()))
    operand.columns = cast<MemRefType>(type).getShape().back();
  operand.alignmentBytes = getOperandAlignment(kernel, index);
  return operand;
}

KernelMetadata quack::describeKernel(tv::KernelOp kernel) {
  KernelMetadata metadata;
  tv::PlanAttr plan = kernel.getPlan();
  metadata.name = kernel.getSymName();
  metadata.columns = kernel.getColumns();
  metadata.threads = plan.getThreads();
  metadata.cluster = plan.getCluster();
  metadata.rowsPerTile = plan.getRows();
  metadata.split = plan.getSlices();
  metadata.leastRows = plan.getLeastRows();
  metadata.sharedBytes = kernel.getSharedBytes().value_or(0);
  metadata.partials = plan.getPartials();
  int64_t workspace = kernel.getWorkspace().value_or(0);
  if (metadata.partials > 0) {
    metadata.fixedWorkspaceBytes = metadata.partials * workspace;
    metadata.ctas = tv::countFixedCtas(kernel);
  } else {
    metadata.workspaceBytes = workspace;
  }
  for (unsigned i = 0; i < kernel.getOperandSpecs().size(); ++i)
    metadata.operands.push_back(describeOperand(kernel, i));
  llvm::raw_string_ostream(metadata.plan) << plan;
  if (std::optional<StringRef> otherwise = kernel.getOtherwise())
    metadata.otherwise = *otherwise;
  if (std::optional<StringRef> next = kernel.getNext())
    metadata.next = *next;
  return metadata;
}

ModuleMetadata quack::describeModule(ModuleOp module, StringRef chip, int64_t ptxVersion) {
  ModuleMetadata metadata;
  metadata.chip = chip;
  metadata.ptxVersion = ptxVersion ? ptxVersion : usualPTXVersion;
  for (tv::KernelOp kernel : module.getOps<tv::KernelOp>()) {
    metadata.kernels.push_back(describeKernel(kernel));
    if (kernel.getPlan().overlapsTiles() && !ptxVersion)
      metadata.ptxVersion = tv::versionOfRestrictedFences;
  }
  return metadata;
}
