//===- lib/Host/LaunchFunc.cpp - calls to gpu.launch_func -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lib/Runtime's launcher does by a kernel's metadata, as operations of the host.
//
//===----------------------------------------------------------------------===//

#include "CallOperands.h"

#include "quack/Conversion/QuackTVToGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace quack;
using namespace quack::host;

/// The most CTAs of a cluster without an attribute that upstream's runtime does not set
/// (CUDA programming guide, thread block clusters).
static constexpr int64_t portableCluster = 8;

/// The most CTAs of a grid.
static constexpr int64_t maxGrid = std::numeric_limits<int32_t>::max();

namespace {
/// Launches one call.
class CallLauncher {
public:
  CallLauncher(ImplicitLocOpBuilder &b, CallOp call, const ModuleMetadata &metadata)
      : b(b), call(call), metadata(metadata) {}

  FailureOr<unsigned> launch();

private:
  /// Launches the first of `variants` whose guards hold.
  void launchVariants(ArrayRef<const KernelMetadata *> variants);
  /// Returns whether the guards of `kernel` hold; null if it has none.
  Value guard(const KernelMetadata &kernel);
  void launchStages(const KernelMetadata &kernel);
  /// Launches one stage after `token`; returns what is there when it is over.
  Value launchStage(const KernelMetadata &stage, Value token, Value workspace);
  Value countCtas(const KernelMetadata &kernel);
  /// Returns a memref of the bytes of workspace, and what it is there after.
  std::pair<Value, Value> allocateWorkspace(const KernelMetadata &kernel, Value token);

  Value both(Value a, Value c) { return a ? arith::AndIOp::create(b, a, c) : c; }
  Value compare(arith::CmpIPredicate predicate, Value a, int64_t with) {
    return b.createOrFold<arith::CmpIOp>(predicate, a, constant(b, with));
  }
  Value asPointer(Value address) {
    return LLVM::IntToPtrOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/1), address);
  }
  Value asIndex(Value value) {
    return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), value);
  }

  ImplicitLocOpBuilder &b;
  CallOp call;
  const ModuleMetadata &metadata;
  CallOperands operands;
  unsigned launches = 0;
};
} // namespace

Value CallLauncher::guard(const KernelMetadata &kernel) {
  Value holds;
  if (kernel.leastRows > 0)
    holds = compare(arith::CmpIPredicate::sge, operands.rows, kernel.leastRows);
  // Alignments are powers of two: low bits of address and stride in one word.
  for (auto [spec, operand] : llvm::zip_equal(kernel.operands, operands.operands)) {
    int64_t bytes = operand.elementBytes;
    if (operand.value || spec.alignmentBytes <= bytes)
      continue;
    Value bits = operand.address;
    if (spec.role == "row") {
      Value strideBytes = arith::MulIOp::create(b, operand.stride, constant(b, bytes));
      bits = arith::OrIOp::create(b, bits, strideBytes);
    }
    Value low = arith::AndIOp::create(b, bits, constant(b, spec.alignmentBytes - 1));
    holds = both(holds, compare(arith::CmpIPredicate::eq, low, 0));
  }
  return holds;
}

Value CallLauncher::countCtas(const KernelMetadata &kernel) {
  if (kernel.ctas > 0)
    return constant(b, kernel.ctas);
  Value tiles = operands.rows;
  if (kernel.rowsPerTile > 1) {
    tiles = b.createOrFold<arith::AddIOp>(tiles, constant(b, kernel.rowsPerTile - 1));
    tiles = b.createOrFold<arith::DivUIOp>(tiles, constant(b, kernel.rowsPerTile));
  }
  int64_t each = kernel.cluster * kernel.split;
  assertThat(b, compare(arith::CmpIPredicate::ule, tiles, maxGrid / each),
             "quack.call of @" + call.getKernel() + ": more rows than a grid can have");
  return b.createOrFold<arith::MulIOp>(tiles, constant(b, each));
}

std::pair<Value, Value> CallLauncher::allocateWorkspace(const KernelMetadata &kernel,
                                                        Value token) {
  Value bytes = constant(b, kernel.fixedWorkspaceBytes);
  if (kernel.workspaceBytes > 0) {
    Value ofRows = arith::MulIOp::create(b, operands.rows, constant(b, kernel.workspaceBytes));
    bytes = arith::AddIOp::create(b, ofRows, bytes);
  }
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  auto alloc = gpu::AllocOp::create(b, type, token.getType(), ValueRange(token),
                                    ValueRange(asIndex(bytes)), ValueRange());
  return {alloc.getMemref(), alloc.getAsyncToken()};
}

Value CallLauncher::launchStage(const KernelMetadata &stage, Value token, Value workspace) {
  SmallVector<Value> parameters, scalars;
  for (const CallOperand &operand : operands.operands)
    if (operand.value)
      scalars.push_back(operand.value);
    else
      parameters.append({asPointer(operand.address), operand.stride});
  parameters.push_back(operands.rows);
  parameters.append(scalars);
  if (stage.hasWorkspace()) {
    Value index = memref::ExtractAlignedPointerAsIndexOp::create(b, workspace);
    parameters.push_back(asPointer(arith::IndexCastOp::create(b, b.getI64Type(), index)));
  }
  Value one = constantIndex(b, 1);
  auto along = [&](Value x) { return gpu::KernelDim3{x, one, one}; };
  std::optional<gpu::KernelDim3> cluster;
  if (stage.cluster > 1)
    cluster = along(constantIndex(b, stage.cluster));
  auto kernel = SymbolRefAttr::get(b.getContext(), kernelModuleName,
                                   FlatSymbolRefAttr::get(b.getContext(), stage.name));
  Value shared;
  if (stage.sharedBytes > 0)
    shared = arith::ConstantIntOp::create(b, b.getI32Type(), stage.sharedBytes);
  Value grid = asIndex(countCtas(stage));
  ++launches;
  return gpu::LaunchFuncOp::create(b, kernel, along(grid),
                                   along(constantIndex(b, stage.threads)), shared, parameters,
                                   token.getType(), ValueRange(token), cluster)
      .getAsyncToken();
}

void CallLauncher::launchStages(const KernelMetadata &kernel) {
  // Without rows there is something to do only where these are summed up.
  OpBuilder::InsertionGuard guard(b);
  if (kernel.ctas == 0) {
    Value any = compare(arith::CmpIPredicate::sgt, operands.rows, 0);
    if (!matchPattern(any, m_One())) {
      auto branch = scf::IfOp::create(b, any, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
  }
  Type tokenType = gpu::AsyncTokenType::get(b.getContext());
  Value token = gpu::WaitOp::create(b, tokenType, ValueRange()).getAsyncToken();
  Value workspace;
  if (kernel.hasWorkspace())
    std::tie(workspace, token) = allocateWorkspace(kernel, token);
  for (const KernelMetadata *stage : metadata.stagesOf(kernel.name))
    token = launchStage(*stage, token, workspace);
  if (workspace)
    token = gpu::DeallocOp::create(b, tokenType, ValueRange(token), workspace).getAsyncToken();
  gpu::WaitOp::create(b, Type(), ValueRange(token));
}

void CallLauncher::launchVariants(ArrayRef<const KernelMetadata *> variants) {
  const KernelMetadata &first = *variants.front();
  Value holds = guard(first);
  if (!holds)
    return launchStages(first);
  if (variants.size() == 1) {
    assertThat(b, holds, "quack.call of @" + call.getKernel() +
                             ": an operand has not the alignment, or there are not the rows, "
                             "that the kernel's plan is pinned to");
    return launchStages(first);
  }
  auto branch = scf::IfOp::create(b, holds, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  launchStages(first);
  b.setInsertionPointToStart(branch.elseBlock());
  launchVariants(variants.drop_front());
}

FailureOr<unsigned> CallLauncher::launch() {
  std::vector<const KernelMetadata *> variants = metadata.variantsOf(call.getKernel());
  for (const KernelMetadata *variant : variants)
    for (const KernelMetadata *stage : metadata.stagesOf(variant->name))
      if (stage->cluster > portableCluster)
        return call.emitOpError("launches clusters of ")
               << stage->cluster << " CTAs, but upstream's runtime takes at most "
               << portableCluster << "; plan with max-cluster=" << portableCluster
               << ", or lower to=runtime";
  FailureOr<CallOperands> taken = CallOperands::create(b, call, *variants.front());
  if (failed(taken))
    return failure();
  operands = std::move(*taken);
  launchVariants(variants);
  return launches;
}

FailureOr<unsigned> host::lowerToLaunchFunc(CallOp call, const ModuleMetadata &metadata) {
  ImplicitLocOpBuilder b(call.getLoc(), call);
  FailureOr<unsigned> launches = CallLauncher(b, call, metadata).launch();
  if (succeeded(launches))
    call.erase();
  return launches;
}
