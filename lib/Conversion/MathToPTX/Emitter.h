//===- lib/Conversion/MathToPTX/Emitter.h - f32 formulas --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the families of functions share: a builder of f32 arithmetic on scalars
// or vectors of rank 1, and the pattern that puts such a formula in place of a
// math operation. No operation carries fast-math flags: each addition and
// product is rounded on its own, and a fused one is written as fma. No call has
// two arguments that build operations: C++ leaves their order open.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_CONVERSION_MATHTOPTX_EMITTER_H
#define QUACK_LIB_CONVERSION_MATHTOPTX_EMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

namespace quack {

/// Builds arithmetic whose values all have the shape of `model`.
class MathEmitter {
public:
  /// A value, or the f32 that each lane of one holds.
  struct Term {
    Term(mlir::Value value) : value(value) {}
    Term(float constant) : constant(constant) {}
    mlir::Value value;
    float constant = 0;
  };

  MathEmitter(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type model)
      : builder(builder), loc(loc), model(model) {}

  /// Returns `element`, or the vector of it that has the model's shape.
  mlir::Type like(mlir::Type element) const;
  mlir::Type f32() const { return like(builder.getF32Type()); }
  mlir::Type i32() const { return like(builder.getI32Type()); }
  mlir::Type i64() const { return like(builder.getI64Type()); }
  mlir::Type f64() const { return like(builder.getF64Type()); }

  mlir::Value constant(float value);
  mlir::Value constant64(double value);
  /// Returns the integer in the type of `like`.
  mlir::Value integer(mlir::Value like, uint64_t value);

  /// Builds an operation with one result.
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }

  /// Applies an integer operation to a value and a constant.
  template <typename Op> mlir::Value apply(mlir::Value x, uint64_t constant) {
    mlir::Value right = integer(x, constant);
    return make<Op>(x, right);
  }

  mlir::Value add(Term a, Term b);
  mlir::Value sub(Term a, Term b);
  mlir::Value mul(Term a, Term b);
  mlir::Value fma(Term a, Term b, Term c);
  mlir::Value abs(mlir::Value x);
  mlir::Value copySign(mlir::Value magnitude, mlir::Value sign);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// Returns a < b; false where either is NaN.
  mlir::Value less(Term a, Term b);
  /// Returns the bits of an f32, and the f32 of 32 bits.
  mlir::Value toBits(mlir::Value x);
  mlir::Value fromBits(mlir::Value x);

  /// Returns the polynomial in `x`; `coefficients` begin with the highest.
  mlir::Value horner(mlir::Value x, llvm::ArrayRef<float> coefficients);

  /// Applies an NVVM intrinsic, which takes a scalar, to each lane.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Value x);
  /// Returns 2^x by ex2.approx.ftz: error 2^-22 relative.
  mlir::Value exp2(mlir::Value x);
  /// Returns log2(x) by lg2.approx: error 2^-22 in [0.5, 2], else relative.
  mlir::Value log2(mlir::Value x);

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  mlir::Value materialize(Term term) {
    return term.value ? term.value : constant(term.constant);
  }

  mlir::Type model;
};

/// Says why `type` cannot be lowered through f32, or returns success.
mlir::LogicalResult checkThroughF32(mlir::PatternRewriter &rewriter,
                                    mlir::Operation *op, mlir::Type type);

/// A formula for one argument in f32.
using UnaryFormula = mlir::Value (*)(MathEmitter &, mlir::Value);

/// math.op %x : bf16
/// → %w = arith.extf %x ; the formula in f32 ; arith.truncf
template <typename Op, UnaryFormula formula>
struct LowerUnary : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult
  matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    mlir::Type type = op.getType();
    if (mlir::failed(checkThroughF32(rewriter, op, type)))
      return mlir::failure();
    MathEmitter emitter(rewriter, op.getLoc(), type);
    mlir::Value x = op.getOperand();
    bool isNarrow = type != emitter.f32();
    if (isNarrow)
      x = emitter.make<mlir::arith::ExtFOp>(emitter.f32(), x);
    mlir::Value result = formula(emitter, x);
    if (isNarrow)
      result = emitter.make<mlir::arith::TruncFOp>(type, result);
    rewriter.replaceOp(op, result);
    return mlir::success();
  }
};

void populateCastPatterns(mlir::RewritePatternSet &patterns);
void populateDirectPatterns(mlir::RewritePatternSet &patterns);
void populateErrorFunctionPatterns(mlir::RewritePatternSet &patterns);
void populateExponentialPatterns(mlir::RewritePatternSet &patterns);
void populateHyperbolicPatterns(mlir::RewritePatternSet &patterns);
void populateLogarithmPatterns(mlir::RewritePatternSet &patterns);
void populateTrigonometricPatterns(mlir::RewritePatternSet &patterns);

} // namespace quack

#endif // QUACK_LIB_CONVERSION_MATHTOPTX_EMITTER_H
