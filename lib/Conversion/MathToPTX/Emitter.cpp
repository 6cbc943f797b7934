//===- lib/Conversion/MathToPTX/Emitter.cpp - f32 formulas ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The builder of f32 arithmetic that all families share.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace quack {

Type MathEmitter::like(Type element) const {
  if (auto vector = dyn_cast<VectorType>(model))
    return vector.clone(element);
  return element;
}

/// Returns `value`, repeated in each lane if `type` is a vector.
static TypedAttr splat(Type type, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    return DenseElementsAttr::get(vector, value);
  return value;
}

Value MathEmitter::constant(float value) {
  return make<arith::ConstantOp>(splat(f32(), builder.getF32FloatAttr(value)));
}

Value MathEmitter::constant64(double value) {
  return make<arith::ConstantOp>(splat(f64(), builder.getF64FloatAttr(value)));
}

Value MathEmitter::integer(Value like, uint64_t value) {
  Type type = getElementTypeOrSelf(like.getType());
  llvm::APInt bits(type.getIntOrFloatBitWidth(), value);
  auto attr = builder.getIntegerAttr(type, bits);
  return make<arith::ConstantOp>(splat(like.getType(), attr));
}

Value MathEmitter::add(Term a, Term b) {
  Value left = materialize(a);
  Value right = materialize(b);
  return make<arith::AddFOp>(left, right);
}

Value MathEmitter::sub(Term a, Term b) {
  Value left = materialize(a);
  Value right = materialize(b);
  return make<arith::SubFOp>(left, right);
}

Value MathEmitter::mul(Term a, Term b) {
  Value left = materialize(a);
  Value right = materialize(b);
  return make<arith::MulFOp>(left, right);
}

Value MathEmitter::fma(Term a, Term b, Term c) {
  Value left = materialize(a);
  Value right = materialize(b);
  Value addend = materialize(c);
  return make<LLVM::FMAOp>(left, right, addend);
}

Value MathEmitter::abs(Value x) { return make<LLVM::FAbsOp>(x); }

Value MathEmitter::copySign(Value magnitude, Value sign) {
  return make<LLVM::CopySignOp>(magnitude, sign);
}

Value MathEmitter::select(Value condition, Value a, Value b) {
  return make<arith::SelectOp>(condition, a, b);
}

Value MathEmitter::less(Term a, Term b) {
  Value left = materialize(a);
  Value right = materialize(b);
  return make<arith::CmpFOp>(arith::CmpFPredicate::OLT, left, right);
}

Value MathEmitter::toBits(Value x) { return make<arith::BitcastOp>(i32(), x); }

Value MathEmitter::fromBits(Value x) {
  return make<arith::BitcastOp>(f32(), x);
}

Value MathEmitter::horner(Value x, ArrayRef<float> coefficients) {
  Value sum = constant(coefficients.front());
  for (float coefficient : coefficients.drop_front())
    sum = fma(sum, x, coefficient);
  return sum;
}

Value MathEmitter::intrinsic(StringRef name, Value x) {
  Type element = builder.getF32Type();
  StringAttr nameAttr = builder.getStringAttr(name);
  auto applyTo = [&](Value lane) {
    auto call = LLVM::CallIntrinsicOp::create(builder, loc, element, nameAttr,
                                              ValueRange(lane));
    return call->getResult(0);
  };
  if (!isa<VectorType>(x.getType()))
    return applyTo(x);
  auto lanes = vector::ToElementsOp::create(builder, loc, x);
  SmallVector<Value, 8> results;
  for (Value lane : lanes.getElements())
    results.push_back(applyTo(lane));
  return make<vector::FromElementsOp>(x.getType(), results);
}

Value MathEmitter::exp2(Value x) {
  return intrinsic("llvm.nvvm.ex2.approx.ftz.f32", x);
}

Value MathEmitter::log2(Value x) {
  return intrinsic("llvm.nvvm.lg2.approx.f", x);
}

LogicalResult checkThroughF32(PatternRewriter &rewriter, Operation *op,
                              Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return rewriter.notifyMatchFailure(op, "not f32, f16 or bf16");
  if (auto vector = dyn_cast<VectorType>(type))
    if (vector.getRank() != 1 || vector.isScalable())
      return rewriter.notifyMatchFailure(op, "not a fixed vector of rank 1");
  if (isa<TensorType>(type))
    return rewriter.notifyMatchFailure(op, "still a tensor");
  return success();
}

} // namespace quack
