//===- lib/Host/CallOperands.cpp - a call as its launches see it *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace quack;
using namespace quack::host;

Value host::constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI64Type(), value);
}

Value host::constantIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

void host::assertThat(ImplicitLocOpBuilder &b, Value condition, const Twine &message) {
  if (!matchPattern(condition, m_One()))
    cf::AssertOp::create(b, condition, message.str());
}

/// Returns whether an operand's rows are not one row for all.
static bool hasRows(const OperandMetadata &spec) {
  return spec.role != "value" && spec.role != "columns" && spec.role != "single";
}

namespace {
/// Takes one call apart.
class Taker {
public:
  Taker(ImplicitLocOpBuilder &b, CallOp call, const KernelMetadata &kernel)
      : b(b), call(call), kernel(kernel) {}

  FailureOr<CallOperands> take();

private:
  /// Returns M: a constant, if some operand's type has it.
  Value takeRows(ArrayRef<Value> values);
  CallOperand takeOperand(const OperandMetadata &spec, Value value);

  /// Returns an index as i64.
  Value asI64(Value index) {
    return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), index);
  }
  Value asI64(OpFoldResult number) {
    if (std::optional<int64_t> known = getConstantIntValue(number))
      return constant(b, *known);
    return asI64(cast<Value>(number));
  }
  void expectEqual(OpFoldResult number, Value wanted, const Twine &what) {
    Value same = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, asI64(number), wanted);
    assertThat(b, same, "quack.call of @" + call.getKernel() + ": " + what);
  }

  ImplicitLocOpBuilder &b;
  CallOp call;
  const KernelMetadata &kernel;
  Value rows;
};
} // namespace

Value Taker::takeRows(ArrayRef<Value> values) {
  Value withRows;
  for (auto [spec, value] : llvm::zip_equal(kernel.operands, values)) {
    if (!hasRows(spec))
      continue;
    auto type = cast<MemRefType>(value.getType());
    if (!type.isDynamicDim(0))
      return constant(b, type.getDimSize(0));
    if (!withRows)
      withRows = value;
  }
  return withRows ? asI64(memref::DimOp::create(b, withRows, 0)) : Value();
}

CallOperand Taker::takeOperand(const OperandMetadata &spec, Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return {value, Value(), Value()};
  auto parts = memref::ExtractStridedMetadataOp::create(b, value);
  SmallVector<OpFoldResult> sizes = parts.getConstifiedMixedSizes(),
                            strides = parts.getConstifiedMixedStrides();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  Value start = asI64(memref::ExtractAlignedPointerAsIndexOp::create(b, value)),
        offset = asI64(parts.getConstifiedMixedOffset()),
        distance = b.createOrFold<arith::MulIOp>(offset, constant(b, bytes)),
        address = b.createOrFold<arith::AddIOp>(start, distance);
  if (hasRows(spec))
    expectEqual(sizes.front(), rows,
                "'" + spec.name + "' must have as many rows as the other operands");
  if (spec.role != "scalar" && spec.role != "single") {
    int64_t columns = spec.hasOwnColumns() ? spec.columns : kernel.columns;
    expectEqual(sizes.back(), constant(b, columns),
                "'" + spec.name + "' must have " + Twine(columns) + " columns");
    expectEqual(strides.back(), constant(b, 1),
                "the columns of '" + spec.name + "' must lie side by side");
  }
  Value stride = hasRows(spec) ? asI64(strides.front()) : constant(b, 0);
  return {Value(), address, stride, bytes};
}

FailureOr<CallOperands> Taker::take() {
  SmallVector<Value> values;
  auto inputs = call.getInputs().begin(), inits = call.getInits().begin();
  for (const OperandMetadata &spec : kernel.operands)
    values.push_back(spec.direction == "in" ? *inputs++ : *inits++);
  rows = takeRows(values);
  if (!rows)
    return call.emitOpError("must have an operand with rows: what all rows share does not "
                            "say how many there are");
  CallOperands result{rows, {}};
  for (auto [spec, value] : llvm::zip_equal(kernel.operands, values))
    result.operands.push_back(takeOperand(spec, value));
  return result;
}

FailureOr<CallOperands> CallOperands::create(ImplicitLocOpBuilder &b, CallOp call,
                                             const KernelMetadata &kernel) {
  return Taker(b, call, kernel).take();
}
